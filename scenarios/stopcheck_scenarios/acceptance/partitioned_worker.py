"""A worker is cut off from the queue, which takes it for dead; it lives on beside its replacement.

Both carry out the same plan. Each mail goes out once, under one authority, and a stop ends both. (The calls that
compete here are taken apart in ``old-epoch``, with fewer around them.)
"""

from __future__ import annotations

from stopcheck.gate import Accepted, Admitted, Capability, LeaseGranted, StaleLease, Stopped, Trigger
from stopcheck.world import FaultBudget, Plan, Scenario, Temper, Witness, World
from stopcheck_scenarios._seen import answer, in_order


def build(world: World) -> None:
    """A queue that hands its message out again at once, two workers, a dispatcher, a person at Stop."""
    task = world.task("refund")
    refund_mail = world.effect(task, "refund-mail", world.receiver("mail"))
    jobs = world.queue("jobs")
    world.opens(task)
    world.delivers(jobs, task)
    world.delivers(jobs, task, trigger=Trigger.REPLACEMENT)
    world.worker("worker", Plan(task=task, queue=jobs, effects=(refund_mail,), temper=Temper.PARTITIONED))
    world.worker("standby", Plan(task=task, queue=jobs, effects=(refund_mail,), standby=True))
    world.dispatcher()
    world.person("person", task, then_inspects=False)


SCENARIO = Scenario(
    id="partitioned-worker",
    disruptions=2,
    title="A worker that was given up lives on",
    sentence="A replacement takes over while the old worker goes on: one authority at a time, one delivery, one stop.",
    build=build,
    budget=FaultBudget(crashes=0, provider=0),
    needs=frozenset((Capability.DELIVERY,)),
    witnesses=(
        Witness(
            "the old worker acted under its superseded lease",
            in_order(
                answer("begin_work", LeaseGranted, actor="standby"),
                answer("commit_effect", StaleLease, actor="worker"),
            ),
        ),
        Witness(
            "the old worker had committed before it was replaced",
            in_order(
                answer("commit_effect", Admitted, actor="worker"), answer("begin_work", LeaseGranted, actor="standby")
            ),
        ),
        Witness(
            "the replacement met the stop",
            in_order(
                answer("begin_work", LeaseGranted, actor="worker"),
                answer("request_cancel", Accepted),
                answer("begin_work", Stopped, actor="standby"),
            ),
        ),
    ),
    clauses=("ADM-5", "ADM-6", "ADM-7", "ACK-4", "ACK-5", "DLV-1", "DLV-2", "DLV-8", "SCOPE-8"),
    points=("while a worker is disconnected", "immediately before a commitment", "immediately after a commitment"),
)
