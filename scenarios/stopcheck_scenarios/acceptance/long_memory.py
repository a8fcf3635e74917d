"""The record outlives its reading, its clean-up, and everybody who asked for it.

The task is stopped and settled. Just before the retention ends, somebody presses Stop again and a worker comes back
with a message that was forgotten in a queue. In the second scenario the stop came from a machine whose clock is long
behind, the task had been under way for a while, and many other tasks are stopped after it.
"""

from __future__ import annotations

from stopcheck.gate import SECOND_NS, Accepted, ExistingRecord, Right, Scope, Stopped, TaskRef, Trigger
from stopcheck.world import FaultBudget, Plan, Scenario, Witness, World, sleep_until
from stopcheck_scenarios._seen import answer, in_order

#: So long has the task been under way when it is stopped: retention counts from the stop.
UNDER_WAY_NS = 10 * SECOND_NS
#: More than a gate would keep that keeps only the newest few.
CROWD = 12


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
    record = world.records.get(task)
    retention_ends = (record.causes[0].at_ns if record else world.now_ns()) + world.port.contract.retention_ns
    await sleep_until("retention", retention_ends - 1, "retention")
    await client.tick(task)
    await client.request_cancel(task, Scope.TASK, "late-stop")
    await client.begin_work(task, "latecomer", "forgotten delivery", Trigger.REDELIVERY)
    await client.inspect(task)


def crowded(world: World) -> None:
    """A task that was stopped, and somebody who stops many others."""
    task = world.task("refund")
    others = [world.task(f"refund-{number}") for number in range(1, CROWD + 1)]
    world.opens(task)
    for other in others:
        world.opens(other)
    world.under_way(task)
    world.actor("archivist", look_through_the_crowd(world, task, others))


async def look_through_the_crowd(world: World, task: TaskRef, others: list[TaskRef]) -> None:
    """Stop the task after a while, and read it; stop all others, and read it again, then and just before its retention
    ends."""
    client = world.client("archivist", Right.STOP, Right.INSPECT, Right.WORK, Right.TICK)
    retention_ns = world.port.contract.retention_ns
    await sleep_until("under way", world.now_ns() + UNDER_WAY_NS, "under way")
    asked_ns = world.now_ns()
    await client.request_cancel(task, Scope.TASK, "stop", requested_ns=asked_ns - retention_ns)
    await client.tick(task)
    await client.inspect(task)
    for other in others:
        await client.request_cancel(other, Scope.TASK, f"stop-of-{other.key.task_id}")
    await client.inspect(task)
    await sleep_until("retention", asked_ns + retention_ns - 1, "retention")
    await client.tick(task)
    await client.begin_work(task, "latecomer", "forgotten delivery", Trigger.REDELIVERY)
    await client.inspect(task)
    await client.request_cancel(task, Scope.TASK, "late-stop")


CROWDED = Scenario(
    id="crowded-memory",
    ledger=False,
    title="A record among many, from a clock that is behind",
    sentence="Reading does not consume the record, capacity does not evict it, no foreign clock orders it.",
    build=crowded,
    budget=FaultBudget(crashes=0, provider=0),
    witnesses=(
        Witness(
            "after a crowd of others and almost all of its retention the record was found",
            in_order(
                answer("request_cancel", Accepted),
                *(answer("request_cancel", Accepted) for _ in range(CROWD)),
                answer("begin_work", Stopped),
                answer("request_cancel", ExistingRecord),
            ),
        ),
    ),
    clauses=("REC-6", "REC-3", "SCOPE-4", "DLV-1"),
    points=("after it ended",),
)

SCENARIO = Scenario(
    id="long-memory",
    ledger=False,
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
