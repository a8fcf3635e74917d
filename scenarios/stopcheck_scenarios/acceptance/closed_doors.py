"""Whatever is asked of a run that is over changes nothing of it, by whichever door.

One task was completed, one given up, and one stopped, and has settled. Then each is opened again and asked for all that
a task at work may be asked for: commitments, children, items, questions, slots, retries. What was over is over.
"""

from __future__ import annotations

from typing import NamedTuple

from stopcheck.gate import (
    Accepted,
    AckStrength,
    Assigner,
    Capability,
    Ended,
    Halt,
    Right,
    Scope,
    StaleLease,
    Stopped,
    TaskRef,
)
from stopcheck.world import Child, Client, Effect, FaultBudget, Holder, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, call, in_order, keeps_ledger, saw
from stopcheck_scenarios.acceptance.too_late import RETRY, WRITE, prepare_for_later

OVER = (Ended, Stopped, StaleLease)


class Run(NamedTuple):
    """A task that is over, who worked on it, and what it might still be given."""

    task: TaskRef
    holder: Holder
    mail: Effect
    child: Child
    subscriber: TaskRef


def build(world: World) -> None:
    """Three tasks that are over, each in its own way, and somebody who asks them for everything."""
    mail = world.receiver("mail")
    runs = [begun(world, world.task(name), mail.name) for name in ("refund", "report", "letter")]
    world.prepare(end(world, *runs))
    world.actor("runtime", knock(world, runs))


def begun(world: World, task: TaskRef, receiver: str) -> Run:
    """A task under way, with a write and a retry for later."""
    name = task.key.task_id
    subscriber = world.task(f"{name}-reader")
    world.opens(task)
    world.opens(subscriber)
    holder = world.under_way(task)
    world.prepare(prepare_for_later(world, holder, task))
    mail = world.effect(task, f"{name}-mail", world.receivers[receiver])
    return Run(task, holder, mail, world.child(task, f"{name}-translation"), subscriber)


async def end(world: World, refund: Run, report: Run, letter: Run) -> None:
    """Complete the first, give up the second, stop the third, whose worker obeys."""
    await refund.holder.client.complete(refund.task, refund.holder.epoch)
    await report.holder.client.fail(report.task, report.holder.epoch)
    stop = await world.client("night watch", Right.STOP, handle=0).request_cancel(letter.task, Scope.TASK, "stop")
    if isinstance(stop, Accepted):
        client, epoch = letter.holder.client, letter.holder.epoch
        await client.acknowledge(letter.task, epoch, AckStrength.HANDLER_STOPPED, stop.record.revision)


async def knock(world: World, runs: list[Run]) -> None:
    """Of each: look, try every door, look again, and stop what is over."""
    friend = world.client("friend", *Right, handle=0)
    for run in runs:
        await friend.inspect(run.task)
        if world.port.contract.incarnations is Assigner.CALLER:
            await friend.open_task(run.task)
            await friend.inspect(run.task)
        await work_on(world, run)
        await friend.inspect(run.task)
        await leave_for_later(world, run, friend)
        await friend.request_cancel(run.task, Scope.TASK, "late stop")
        await friend.inspect(run.task)


async def work_on(world: World, run: Run) -> None:
    """What a worker does under its lease."""
    has, client, epoch = world.port.contract.has, run.holder.client, run.holder.epoch
    if world.port.contract.ledger:
        await client.commit_effect(run.mail, epoch)
    if has(Capability.CHILDREN):
        await client.register_child(run.child, epoch)
        await client.start_child(run.child)
    if has(Capability.APPROVALS):
        await client.use_grant(run.task, WRITE)
    if has(Capability.RETRIES):
        await client.fire_retry(run.task, RETRY, "worker")
    await client.complete(run.task, epoch)


async def leave_for_later(world: World, run: Run, friend: Client) -> None:
    """What others leave with a task."""
    has = world.port.contract.has
    if has(Capability.RESULTS):
        await friend.hand_over(run.task, "item")
    if has(Capability.PAUSE):
        await friend.suspend(run.task, Halt.PAUSE)
        await friend.resume(run.task)
    if has(Capability.SHARED):
        await friend.subscribe(run.task, "interest", run.subscriber)


SCENARIO = Scenario(
    id="closed-doors",
    ledger=False,
    title="Everything is asked of what is over",
    sentence="Completed, given up or settled: what is over does nothing more, whatever it is asked.",
    build=build,
    budget=FaultBudget(crashes=0, provider=0),
    witnesses=(
        Witness(
            "a completion and a stop came after each end",
            in_order(*(step for _ in range(3) for step in (call("complete", actor="runtime"), call("request_cancel")))),
        ),
        Witness(
            "a commitment came after an end",
            saw(answer("commit_effect", *OVER, actor="runtime")),
            given=keeps_ledger,
        ),
        Witness(
            "a child was not registered after an end",
            saw(answer("register_child", *OVER)),
            capability=Capability.CHILDREN,
        ),
    ),
    clauses=("REC-4", "CMP-1", "CMP-2", "ADM-1", "ADM-3", "ADM-9", "CHILD-2", "RES-5"),
    points=("after it ended",),
)
