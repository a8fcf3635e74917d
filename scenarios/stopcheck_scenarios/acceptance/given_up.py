"""A worker gives its task up because nobody can say what became of its mail; the mail stays unknown.

The request or its answer is lost, the receiver has no look-up, and the worker that waits for evidence calls it a
failure. Somebody may press Stop before that, or after.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, Ended, Lost, Unverified, Won
from stopcheck.world import Abilities, FaultBudget, Lookup, Plan, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, commit, died_under, fault, in_order, saw


def build(world: World) -> None:
    """A worker with one mail to a receiver that cannot say, a dispatcher, a reconciler, and a person at Stop."""
    task = world.task("refund")
    mail = world.receiver("mail", Abilities(lookup=Lookup.NONE, can_fence=False))
    world.opens(task)
    world.worker("worker", Plan(task=task, effects=(world.effect(task, "refund-mail", mail),), then_inspects=True))
    world.dispatcher()
    world.reconciler()
    world.person("person", task, then_inspects=False)


SCENARIO = Scenario(
    id="given-up",
    disruptions=2,
    title="A worker gives up a task whose mail stays unknown",
    sentence="A worker that gives up on a running task whose effect stays unknown fails it; the effect stays unknown.",
    build=build,
    budget=FaultBudget(crashes=1, lost_answers=("fail",), provider=1, provider_faults=("drop", "drop_answer")),
    witnesses=(
        Witness("the completion lacked evidence", in_order(fault("drop"), answer("complete", Unverified))),
        Witness(
            "the worker gave up a mail that was really sent",
            in_order(commit("refund-mail"), fault("drop_answer"), answer("fail", Won)),
        ),
        Witness("the stop came after it had given up", in_order(answer("fail", Won), answer("request_cancel", Ended))),
        Witness(
            "the stop came while the mail was in doubt",
            in_order(fault("drop_answer"), answer("request_cancel", Accepted), answer("complete", Lost)),
        ),
        Witness("without a fault it completed", saw(answer("complete", Won))),
        Witness("the gate died under the giving up", died_under("fail"), durable=True),
    ),
    clauses=("EFF-2", "EFF-3", "EFF-5", "CMP-1", "CMP-5", "CMP-6", "RPT-1", "REC-4", "ESC-4"),
    points=("after its commit and before its answer", "while the answer is in flight", "after it ended"),
)
