"""Finishing counts as admission: what comes to an end after the stop starts no new turn.

A worker let go while it waits: for a notification, a tool, a dependency. Each of them comes at its own time and wants
the work to go on, some before somebody presses Stop and the others after it, while the task drains.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, Ended, LeaseGranted, Refused, Right, Stopped, TaskRef, Trigger
from stopcheck.world import Client, FaultBudget, Holder, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, call, in_order

LATECOMERS = (
    Trigger.NOTIFICATION,
    Trigger.TOOL_RESULT,
    Trigger.DEPENDANT_READY,
    Trigger.CONTINUATION,
    Trigger.CONTINUE_AS_NEW,
    Trigger.CRON_TICK,
)


def build(world: World) -> None:
    """A task that waits, with a mail that nobody has sent yet, the runtime that wakes it, and a person at Stop."""
    task = world.task("refund")
    refund_mail = world.effect(task, "refund-mail", world.receiver("mail"))
    world.opens(task)
    world.prepare(wait(world.under_way(task, effects=(refund_mail,)), task))
    world.actor("runtime", wake(world.client("runtime", Right.WORK), task))
    world.person("person", task, then_inspects=False)


async def wait(holder: Holder, task: TaskRef) -> None:
    """The turn is over; the next begins when something comes."""
    await holder.client.release_lease(task, holder.epoch)


async def wake(client: Client, task: TaskRef) -> None:
    """One turn for each thing that comes."""
    for trigger in LATECOMERS:
        reply = await client.begin_work(task, "worker", trigger.value, trigger)
        if isinstance(reply, LeaseGranted):
            await client.release_lease(task, reply.epoch)


STOP = answer("request_cancel", Accepted)


def turned_away(trigger: Trigger) -> Witness:
    """It came after the stop, and nothing came of it."""
    late = call("begin_work", trigger=trigger)
    return Witness(
        f"a late {trigger.value.replace('_', ' ')} started nothing",
        in_order(STOP, late, answer("begin_work", Stopped, Ended, Refused)),
    )


SCENARIO = Scenario(
    id="late-turns",
    ledger=False,
    title="What finishes after the stop wants to go on",
    sentence="A late notification, tool result, ready dependant, continuation or cron tick starts no new turn.",
    build=build,
    budget=FaultBudget(crashes=0, provider=0),
    witnesses=(
        Witness("a turn began before the stop", in_order(answer("begin_work", LeaseGranted, actor="runtime"), STOP)),
        *(turned_away(trigger) for trigger in LATECOMERS),
    ),
    clauses=("ADM-9", "REC-4"),
    points=("between model completion and validation", "after it ended"),
)
