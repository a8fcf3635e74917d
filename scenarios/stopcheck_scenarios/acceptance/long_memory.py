"""The record outlives its reading, its clean-up, and everybody who asked for it.

The task is stopped and settled. Just before the retention ends, somebody presses Stop again and a worker comes back
with a message that was forgotten in a queue.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, ExistingRecord, Right, Scope, Stopped, TaskRef, Trigger
from stopcheck.world import FaultBudget, Plan, Scenario, Witness, World, sleep_until
from stopcheck_scenarios._seen import answer, in_order


def build(world: World) -> None:
    """A worker with one mail, its dispatcher, a person at Stop, and somebody who comes much later."""
    task = world.task("refund")
    world.opens(task)
    world.worker("worker", Plan(task=task, effects=(world.effect(task, "refund-mail", world.receiver("mail")),)))
    world.dispatcher()
    world.person("person", task, then_inspects=False)
    world.actor("latecomer", come_late(world, task))


async def come_late(world: World, task: TaskRef) -> None:
    """Look, wait until the record is almost past its retention, and try everything again."""
    client = world.client("latecomer", Right.STOP, Right.INSPECT, Right.WORK, Right.TICK)
    await world.others_at_rest()
    await client.inspect(task)
    retention_ends = world.now_ns() + world.port.contract.retention_ns
    await sleep_until("retention", retention_ends - 1, "retention")
    await client.tick(task)
    await client.request_cancel(task, Scope.TASK, "late-stop")
    await client.begin_work(task, "latecomer", "forgotten delivery", Trigger.REDELIVERY)
    await client.inspect(task)


SCENARIO = Scenario(
    id="long-memory",
    title="The record is still there when its retention ends",
    sentence="The record lives as long as the declared retention: reading, capacity and clean-up do not remove it.",
    build=build,
    budget=FaultBudget(crashes=1, provider=0),
    witnesses=(
        Witness(
            "a late stop found the record, and a late worker was stopped",
            in_order(
                answer("request_cancel", Accepted),
                answer("request_cancel", ExistingRecord, actor="latecomer"),
                answer("begin_work", Stopped, actor="latecomer"),
            ),
        ),
    ),
    clauses=("REC-2", "REC-3", "REC-6", "SCOPE-4", "DLV-1"),
    points=("after it ended",),
)
