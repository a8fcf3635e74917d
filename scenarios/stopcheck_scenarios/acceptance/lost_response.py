"""Case 3. The receiver commits, then the connection drops; ``unknown`` until reconciliation finds evidence.

The dispatcher loses the answer, or the request, or gets the answer too late. It may say no more than that it does not
know. A reconciler, who may only read, asks the receiver by the original effect id.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, LookupEvidence, Recorded, Same
from stopcheck.world import Answered, Event, FaultBudget, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, both, commit, died_under, fault, in_order, never, saw


def build(world: World) -> None:
    """An admitted mail, a dispatcher, a reconciler, and a person at Stop."""
    task = world.task("refund")
    world.opens(task)
    world.under_way(task, effects=(world.effect(task, "refund-mail", world.receiver("mail")),))
    world.dispatcher()
    world.reconciler()
    world.person("person", task)


def looked_up(event: Event) -> bool:
    """The receiver was asked by the effect id."""
    return isinstance(event, Answered) and isinstance(event.evidence, LookupEvidence)


told = answer("record_outcome", Recorded, Same)

SCENARIO = Scenario(
    id="lost-response",
    title="The receiver's answer is lost",
    sentence="The receiver commits, then the connection drops; unknown until reconciliation finds evidence.",
    case=3,
    races=True,
    build=build,
    budget=FaultBudget(
        crashes=1,
        lost_answers=("record_outcome",),
        provider=1,
        provider_faults=("reject", "drop", "drop_answer", "answer_late"),
    ),
    witnesses=(
        Witness("the answer was lost after the commit", in_order(commit("refund-mail"), fault("drop_answer"))),
        Witness("the request was lost before the commit", both(saw(fault("drop")), never(commit("refund-mail")))),
        Witness("the receiver refused", saw(fault("reject"))),
        Witness("the answer came late", saw(fault("answer_late"))),
        Witness(
            "the stop came while the answer was lost, and evidence was found after it",
            in_order(fault("drop_answer"), answer("request_cancel", Accepted), looked_up, told),
        ),
        Witness("the stop came before the send", in_order(answer("request_cancel", Accepted), fault("drop_answer"))),
        Witness("the gate died while the outcome was recorded", died_under("record_outcome"), durable=True),
    ),
    clauses=("EFF-1", "EFF-2", "EFF-3", "EFF-4", "EFF-6", "EFF-9", "EFF-10", "RCN-1", "RCN-2", "LIVE-3", "RPT-1"),
    points=(
        "at the receiver before its commit",
        "after its commit and before its answer",
        "while the answer is in flight",
    ),
)
