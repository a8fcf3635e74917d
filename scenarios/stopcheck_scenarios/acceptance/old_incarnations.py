"""A delayed stop for one run never touches a later run of the same task id.

The first run was stopped, the second completed, the third works. Stops for the first two arrive late, and one for a
run that never was.
"""

from __future__ import annotations

from stopcheck.gate import Admitted, Ended, ExistingRecord, LeaseGranted, Right, Scope, TaskRef, Trigger
from stopcheck.world import FaultBudget, Plan, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, in_order, saw


def build(world: World) -> None:
    """Three incarnations of one task, and a person whose stops for the old ones were delayed."""
    stopped, completed, running = (world.task("nightly", incarnation=number) for number in (1, 2, 3))
    report = world.effect(running, "report-mail", world.receiver("mail"))
    world.opens(stopped)
    world.prepare(world.client("night watch", Right.STOP).request_cancel(stopped, Scope.TASK, "first-stop"))
    world.opens(completed)
    world.prepare(complete_at_once(world, completed))
    world.opens(running)
    world.worker("worker", Plan(task=running, effects=(report,), then_inspects=True))
    world.dispatcher()
    world.person("late for the first", stopped, then_inspects=False)
    world.person("late for the second", completed, then_inspects=False)


async def complete_at_once(world: World, task: TaskRef) -> None:
    """The second run had nothing to send."""
    client = world.client("old worker", Right.WORK)
    lease = await client.begin_work(task, "old worker", "second-run", Trigger.FIRST)
    if isinstance(lease, LeaseGranted):
        await client.complete(task, lease.epoch)


SCENARIO = Scenario(
    id="old-incarnations",
    title="Late stops for earlier runs of the same task",
    sentence="A delayed cancellation for one incarnation never touches a later one of the same task id.",
    build=build,
    budget=FaultBudget(crashes=1, provider=0),
    witnesses=(
        Witness("a stop for the first run came late", saw(answer("request_cancel", ExistingRecord))),
        Witness(
            "the third run committed after a late stop",
            in_order(answer("request_cancel", Ended), answer("commit_effect", Admitted)),
        ),
    ),
    clauses=("SCOPE-1", "SCOPE-2", "SCOPE-8", "DLV-7", "REC-3", "CMP-6", "LIVE-1"),
    points=("after it ended",),
)
