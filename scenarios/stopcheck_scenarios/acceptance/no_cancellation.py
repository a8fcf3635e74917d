"""What looks like a cancellation and is none: a pause, a shutdown, a crash, and people who stop looking.

In the first, an operator halts the work and lets it go on again, twice, while a person may press Stop in between; the
worker tries to go on at any time. In the second, somebody hides a row, closes a stream and drops the client, and looks
again after each, while somebody else stops the task, whose mail waits to be sent.
"""

from __future__ import annotations

from stopcheck.gate import (
    Accepted,
    Busy,
    Capability,
    Done,
    Halt,
    LeaseGranted,
    Right,
    StaleLease,
    Stopped,
    TaskRef,
    Trigger,
    ViewEnd,
)
from stopcheck.world import Client, Effect, FaultBudget, Holder, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, death, in_order


def halted(world: World) -> None:
    """A worker under way, an operator with two interruptions, and a person at Stop."""
    task = world.task("refund")
    mail = world.effect(task, "refund-mail", world.receiver("mail"))
    world.opens(task)
    holder = world.under_way(task)
    world.actor("operator", interrupt(world.client("operator", Right.SUPERVISE, Right.INSPECT), task))
    world.actor("worker", go_on(holder, mail))
    world.person("person", task, then_inspects=False)


async def interrupt(client: Client, task: TaskRef) -> None:
    """Halt the work and let it go on by itself: for a pause, then for a shutdown."""
    for halt in Halt:
        await client.suspend(task, halt)
        await client.inspect(task)
        await client.resume(task)
    await client.inspect(task)


async def go_on(holder: Holder, effect: Effect) -> None:
    """Commit under the lease that may be gone, then begin again."""
    await holder.client.commit_effect(effect, holder.epoch)
    await holder.client.begin_work(effect.task, "worker", "resumed", Trigger.RESUME)


def unwatched(world: World) -> None:
    """A task under way whose mail waits to be sent, somebody who looks at it, and a person who stops it."""
    task, other = world.task("refund"), world.task("invoice")
    mail = world.effect(task, "refund-mail", world.receiver("mail"))
    world.opens(task)
    world.opens(other)
    viewer = world.client("viewer", Right.INSPECT)
    world.prepare(viewer.close_view(other, "row 1", ViewEnd.ROW_HIDDEN))
    world.under_way(task, effects=(mail,))
    world.actor("viewer", look_away(viewer, task))
    world.person("person", task, then_inspects=False)


async def look_away(client: Client, task: TaskRef) -> None:
    """Look, and look no longer, in each of the ways there are."""
    for number, how in enumerate(ViewEnd):
        await client.inspect(task)
        await client.close_view(task, f"view {number}", how)
    await client.inspect(task)


STOPPED = answer("request_cancel", Accepted)

SCENARIOS = (
    Scenario(
        id="halted-work",
        title="Work is paused and shut down in good order",
        sentence="Pause, shutdown and crash are no cancellation, and a stop outranks automatic resumption.",
        build=halted,
        budget=FaultBudget(crashes=1, lost_answers=("suspend",), provider=0),
        needs=frozenset((Capability.PAUSE,)),
        witnesses=(
            Witness(
                "the work was halted and went on",
                in_order(answer("suspend", Done), answer("resume", Done), answer("begin_work", LeaseGranted), STOPPED),
            ),
            Witness("nobody may begin meanwhile", in_order(answer("suspend", Done), answer("begin_work", Busy))),
            Witness("the lease was gone", in_order(answer("suspend", Done), answer("commit_effect", StaleLease))),
            Witness(
                "the stop came during the pause, and the work did not go on",
                in_order(answer("suspend", Done), STOPPED, answer("resume", Stopped), answer("begin_work", Stopped)),
            ),
            Witness("the gate died during the pause", in_order(answer("suspend", Done), death()), durable=True),
        ),
        clauses=("REC-8", "REC-4", "DLV-3"),
        points=("while a worker is disconnected", "immediately before a commitment"),
    ),
    Scenario(
        id="closed-views",
        ledger=False,
        title="Nobody looks any more",
        sentence="A closed stream, a dropped client or a hidden row changes no status.",
        build=unwatched,
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=(
            Witness(
                "the last view was closed before the stop",
                in_order(answer("close_view", Done), answer("close_view", Done), answer("close_view", Done), STOPPED),
            ),
            Witness("a view was closed after the stop", in_order(STOPPED, answer("close_view", Done))),
        ),
        clauses=("RPT-4",),
        points=("before final reporting",),
    ),
)
