"""Case 7. Verified success races with the stop; the serialised winner decides, evidence is kept.

The worker tries to complete at once, before there is evidence for its mail, and again when there is. Somebody presses
Stop, and presses again: whoever won, both presses are told the same.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, Ended, Lost, Unverified, Won
from stopcheck.world import FaultBudget, Plan, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, both, commit, died_under, in_order, keeps_ledger, saw


def build(world: World) -> None:
    """A worker with one mail that is in a hurry to complete; a dispatcher; a person who presses Stop twice."""
    task = world.task("refund")
    mail = world.receiver("mail")
    world.opens(task)
    world.worker(
        "worker",
        Plan(
            task=task,
            effects=(world.effect(task, "refund-mail", mail),),
            completes_early=True,
            then_inspects=True,
        ),
    )
    world.dispatcher()
    world.person("person", task, presses=2)


SCENARIO = Scenario(
    id="late-completion",
    ledger=False,
    title="Completion races with the stop",
    sentence="Verified success races with the stop; the serialised winner decides, evidence is kept.",
    case=7,
    races=True,
    build=build,
    budget=FaultBudget(crashes=1, lost_answers=("complete",), provider=0),
    witnesses=(
        Witness(
            "completion won",
            in_order(answer("complete", Won), answer("request_cancel", Ended), answer("request_cancel", Ended)),
        ),
        Witness("the stop won", in_order(answer("request_cancel", Accepted), answer("complete", Lost))),
        Witness(
            "the mail was sent although the stop won",
            both(in_order(answer("request_cancel", Accepted), commit("refund-mail")), saw(answer("complete", Lost))),
            given=keeps_ledger,
        ),
        Witness("an unverified success did not win", saw(answer("complete", Unverified)), given=keeps_ledger),
        Witness("the gate died under the completion", died_under("complete"), durable=True),
    ),
    clauses=("CMP-1", "CMP-2", "CMP-3", "CMP-4", "CMP-5", "CMP-6", "RCN-2", "EFF-1", "RPT-2", "ADM-3"),
    points=("concurrently with completion", "before final reporting", "after it ended"),
)
