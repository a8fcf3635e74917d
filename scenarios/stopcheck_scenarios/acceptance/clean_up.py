"""Case 20. Clean-up removes what the task owns and keeps finished deliverables.

An export has a draft and a finished report, and another task has a draft too. While somebody presses Stop, and presses
it again, the worker may still finish its draft; a janitor clears away. In the second scenario it hangs until its time
is over.
"""

from __future__ import annotations

from stopcheck.gate import (
    Accepted,
    Capability,
    CleanupGranted,
    Done,
    ExistingRecord,
    Kept,
    NotOwned,
    Removable,
    Right,
    Snapshot,
    StaleLease,
    Stopped,
    TaskRef,
    Void,
)
from stopcheck.world import Client, Effect, FaultBudget, Holder, Scenario, Witness, World, sleep_until, wait_until
from stopcheck_scenarios._seen import Match, act, answer, call, in_order, saw

DRAFT, REPORT, OTHERS = "draft", "report", "others-draft"


def owning(world: World, task: TaskRef) -> Holder:
    """A worker under way on ``task`` that has begun a draft and finished a report, and another task with its own."""
    other = world.task("survey")
    world.opens(task)
    world.opens(other)
    holder, neighbour = world.under_way(task, "worker"), world.under_way(other, "neighbour")
    world.prepare(note(holder, task, DRAFT, finished=False))
    world.prepare(note(holder, task, REPORT, finished=True))
    world.prepare(note(neighbour, other, OTHERS, finished=False))
    return holder


async def note(holder: Holder, task: TaskRef, artefact: str, *, finished: bool) -> None:
    """Say what is made, or finished."""
    await holder.client.note_artefact(task, holder.epoch, artefact, finished=finished)


async def begin(world: World, client: Client, task: TaskRef) -> int:
    """After the stop begin to clear away; 0: it may not."""
    await wait_until("stop", lambda: task in world.records, ("stop",))
    reply = await client.begin_cleanup(task, "janitor")
    return reply.epoch if isinstance(reply, CleanupGranted) else 0


async def clear(world: World, client: Client, task: TaskRef, epoch: int, artefact: str) -> None:
    """Remove it, if that is allowed."""
    if isinstance(await client.clean_up(task, epoch, artefact), Removable):
        world.worker_acted("janitor", task, "removed", artefact)


# -- case 20 ----------------------------------------------------------------------------------------------


def build(world: World) -> None:
    """The worker that may finish its draft, a janitor, and a person who presses Stop twice."""
    task = world.task("export")
    holder = owning(world, task)
    extra = world.effect(task, "second-mail", world.receiver("mail"))
    world.actor("worker", note(holder, task, DRAFT, finished=True))
    world.actor("janitor", clear_away(world, world.client("janitor", Right.WORK), extra))
    world.person("person", task, presses=2, then_inspects=False)


async def clear_away(world: World, client: Client, extra: Effect) -> None:
    """Clear away all that lies about, and try to work."""
    task = extra.task
    epoch = await begin(world, client, task)
    world.remembers(epoch)
    for artefact in (DRAFT, REPORT, OTHERS):
        await clear(world, client, task, epoch, artefact)
        world.remembers(epoch, artefact)
    await client.commit_effect(extra, epoch)


# -- a clean-up that hangs --------------------------------------------------------------------------------


def hanging(world: World) -> None:
    """A janitor that hangs until its time is over, and a person at Stop."""
    task = world.task("export")
    owning(world, task)
    world.actor("janitor", hang(world, world.client("janitor", Right.WORK, Right.INSPECT, Right.TICK), task))
    world.person("person", task, then_inspects=False)


async def hang(world: World, client: Client, task: TaskRef) -> None:
    """Begin, hang, begin again and hang until the time is over; then read how the task has ended all the same."""
    contract = world.port.contract
    await begin(world, client, task)
    cutoff_ns = world.records[task].causes[0].at_ns
    await sleep_until("half", cutoff_ns + contract.cleanup_ns // 2, "clean-up hangs")
    epoch = await begin(world, client, task)
    await sleep_until("over", cutoff_ns + contract.cleanup_ns, "clean-up hangs")
    await clear(world, client, task, epoch, DRAFT)
    await begin(world, client, task)
    await sleep_until("end", cutoff_ns + contract.reconciliation_budget_ns, "end of the budget")
    await client.tick(task)
    await client.inspect(task)


STOP: Match = answer("request_cancel", Accepted)
GRANTED: Match = answer("begin_cleanup", CleanupGranted)
TOO_LATE: Match = answer("clean_up", StaleLease)
NEEDS = frozenset((Capability.ESCALATION, Capability.CLEANUP))

SCENARIO = Scenario(
    id="clean-up",
    title="A stopped task is cleared away",
    sentence="Clean-up removes what the task owns and keeps finished deliverables.",
    case=20,
    build=build,
    needs=NEEDS,
    budget=FaultBudget(crashes=0, provider=0),  # deaths: before a clean-up begins in over-and-over
    witnesses=(
        Witness("the draft was removed", in_order(STOP, act("removed", "janitor"))),
        Witness("the report was kept", in_order(call("clean_up", artefact=REPORT), answer("clean_up", Kept))),
        Witness("the draft had been finished first", in_order(answer("note_artefact", Done, actor="worker"), STOP)),
        Witness(
            "the worker came too late to finish it", saw(answer("note_artefact", Stopped, StaleLease, actor="worker"))
        ),
        Witness("another task's draft was left alone", saw(answer("clean_up", NotOwned))),
        Witness(
            "Stop was pressed again during the clean-up",
            in_order(GRANTED, answer("request_cancel", ExistingRecord), answer("clean_up", Removable, Kept)),
        ),
        Witness("the janitor tried to work", saw(answer("commit_effect", Stopped, StaleLease))),
    ),
    clauses=("ESC-5", "ESC-7", "ADM-1", "SCOPE-4"),
    points=("concurrently with another stop", "concurrently with completion"),
)

HANGS = Scenario(
    id="clean-up-hangs",
    title="A clean-up hangs until its time is over",
    sentence="Clean-up has its own stricter deadline, and the task ends without it.",
    build=hanging,
    needs=NEEDS,
    budget=FaultBudget(crashes=0, provider=0),
    witnesses=(
        Witness("the clean-up hung, and its time was over", in_order(GRANTED, TOO_LATE)),
        Witness("it could not begin anew", in_order(TOO_LATE, answer("begin_cleanup", Void))),
        Witness("somebody looked how the task had ended", in_order(STOP, GRANTED, answer("inspect", Snapshot))),
    ),
    clauses=("ESC-5", "ESC-4", "LIVE-4"),
    points=("while clean-up hangs", "before final reporting"),
)
