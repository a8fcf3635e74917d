"""Nothing goes wrong: a gate that refuses everything is not safe, it is absent.

Three small scenarios without faults: a task that nobody stops completes; so does one with a child; and a stop that
everybody obeys is settled.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, Capability, Recorded, Won
from stopcheck.world import FaultBudget, Plan, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, both, commit, in_order, saw


def completes(world: World) -> None:
    """A worker with two mails, and a dispatcher."""
    task = world.task("refund")
    mail = world.receiver("mail")
    mails = (world.effect(task, "refund-mail", mail), world.effect(task, "receipt-mail", mail))
    world.opens(task)
    world.worker("worker", Plan(task=task, effects=mails, then_inspects=True))
    world.dispatcher()


def family_completes(world: World) -> None:
    """A worker with one child, whose worker has one mail, and a dispatcher."""
    parent = world.task("claim")
    child = world.child(parent, "letter")
    letter = world.effect(child.ref, "letter-mail", world.receiver("mail"))
    world.opens(parent)
    world.worker("parent worker", Plan(task=parent, children=(child,), then_inspects=True))
    world.worker("child worker", Plan(task=child.ref, as_child=child, effects=(letter,)))
    world.dispatcher()


def stops(world: World) -> None:
    """A worker that obeys, with one mail; a dispatcher; a person at Stop."""
    task = world.task("refund")
    refund_mail = world.effect(task, "refund-mail", world.receiver("mail"))
    world.opens(task)
    world.worker("worker", Plan(task=task, effects=(refund_mail,), then_inspects=True))
    world.dispatcher()
    world.person("person", task)


NO_FAULTS = FaultBudget(crashes=0, provider=0)

SCENARIOS = (
    Scenario(
        id="plain-completion",
        title="A task that nobody stops completes",
        sentence="Without stop and fault, effects are admitted and delivered, and the task completes.",
        build=completes,
        budget=NO_FAULTS,
        witnesses=(
            Witness(
                "both mails were sent and the task completed",
                both(in_order(commit("refund-mail"), answer("complete", Won)), saw(commit("receipt-mail"))),
            ),
        ),
        clauses=("LIVE-1", "EFF-1", "ADM-2", "ADM-7", "RPT-6"),
    ),
    Scenario(
        id="plain-family",
        ledger=False,
        title="A parent and its child complete",
        sentence="Without stop and fault, children run, and the task completes after them.",
        build=family_completes,
        budget=NO_FAULTS,
        needs=frozenset((Capability.CHILDREN,)),
        witnesses=(
            Witness(
                "the child completed, and then its parent",
                in_order(answer("complete", Won, actor="child worker"), answer("complete", Won, actor="parent worker")),
            ),
        ),
        clauses=("LIVE-1", "CHILD-1", "CHILD-7"),
    ),
    Scenario(
        id="stop-in-peace",
        ledger=False,
        title="A stop that everybody obeys",
        sentence="An authorised stop of a running task is accepted, and settled when everything is accounted for.",
        build=stops,
        budget=NO_FAULTS,
        witnesses=(
            Witness(
                "the worker acknowledged the stop",
                in_order(answer("request_cancel", Accepted), answer("acknowledge", Recorded)),
            ),
        ),
        clauses=("LIVE-2", "LIVE-3", "LIVE-4", "ACK-1", "ACK-2", "RPT-2", "RPT-5", "RPT-6"),
    ),
)
