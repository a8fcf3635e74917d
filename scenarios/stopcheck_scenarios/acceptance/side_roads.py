"""A stop on roads that are seldom taken: widened when all has settled, above a job two levels down, before any start.

In the first page somebody stops a task alone, and when it has settled its whole subtree; its child then wants to work.
In the second a job without a stop of its own belongs to the child of what is stopped; it was declared twice, otherwise
the second time. In the third a deadline passes over a task that nobody has begun, and another's had passed already.
"""

from __future__ import annotations

from stopcheck.gate import (
    SECOND_NS,
    Accepted,
    AckStrength,
    CancellationClass,
    Capability,
    Cause,
    Execution,
    OwnedKind,
    Right,
    Scope,
    Snapshot,
    Status,
    Stopped,
    TaskRef,
    Widened,
)
from stopcheck.world import Child, Effect, Event, FaultBudget, Holder, Scenario, Witness, World, sleep_until
from stopcheck_scenarios._seen import Match, answer, in_order, saw

LIFETIME_NS = 8 * SECOND_NS
FAMILY = frozenset((Capability.CHILDREN,))


def shown(of: str, *, status: Status | None = None, state: Execution | None = None) -> Match:
    """A reading of the task shows this status, or this execution state."""

    def match(event: Event) -> bool:
        account = getattr(event, "reply", None)
        return (
            isinstance(account, Snapshot)
            and account.task.key.task_id == of
            and status in (None, account.status)
            and state in (None, account.execution)
        )

    return match


async def settle(holder: Holder, task: TaskRef, reply: object) -> None:
    """The worker obeys."""
    if isinstance(reply, Accepted):
        await holder.client.acknowledge(task, holder.epoch, AckStrength.HANDLER_STOPPED, reply.record.revision)


# -- widened when settled ---------------------------------------------------------------------------------


def widened_late(world: World) -> None:
    """A parent and its child at work, and a person who stops first one and then both."""
    parent = world.task("claim")
    child = world.child(parent, "letter")
    mail = world.effect(child.ref, "letter-mail", world.receiver("mail"))
    world.opens(parent)
    owner = world.under_way(parent, "parent worker", children=(child,))
    holder = world.under_way(child.ref, "child worker")
    world.actor("person", stop_more(world, (owner, holder), parent, mail))


async def stop_more(world: World, workers: tuple[Holder, Holder], parent: TaskRef, mail: Effect) -> None:
    """Stop the parent; when it has settled, the subtree; then the child's worker tries to go on."""
    owner, holder = workers
    client = world.client("person", Right.STOP, Right.INSPECT)
    await settle(owner, parent, await client.request_cancel(parent, Scope.TASK, "stop"))
    await client.inspect(parent)
    await client.request_cancel(parent, Scope.SUBTREE, "stop more")
    await holder.client.commit_effect(mail, holder.epoch)
    await client.inspect(parent)
    await client.inspect(mail.task)


# -- a job two levels down --------------------------------------------------------------------------------


def deep_job(world: World) -> None:
    """A report whose letter has begun a job that cannot be stopped, and a person at Stop."""
    report = world.task("report")
    letter = world.child(report, "letter")
    job = world.child(letter.ref, "print", OwnedKind.SUBPROCESS, cancellation_class=CancellationClass.IRREVERSIBLE)
    world.opens(report)
    owner = world.under_way(report, "reporter", children=(letter,))
    writer = world.under_way(letter.ref, "writer")
    world.actor("person", stop_above(world, (owner, report), (writer, letter.ref), job))


async def stop_above(world: World, owner: tuple[Holder, TaskRef], writer: tuple[Holder, TaskRef], job: Child) -> None:
    """The job is begun, and declared again as something that can be stopped; then all is stopped but the job."""
    client = world.client("person", Right.STOP, Right.INSPECT)
    holder, _ = writer
    await holder.client.register_child(job, holder.epoch)
    await holder.client.start_child(job)
    again = Child(job.parent, job.ref, job.kind, job.owner, cancellation_class=CancellationClass.ABORTABLE)
    await holder.client.register_child(again, holder.epoch)
    stop = await client.request_cancel(owner[1], Scope.SUBTREE, "stop")
    for worker, task in (owner, writer):
        await settle(worker, task, stop)
        await client.inspect(task)
    await client.inspect(owner[1])


# -- never begun ------------------------------------------------------------------------------------------


def never_begun(world: World) -> None:
    """A task that waits for a worker until its deadline passes, and one that is opened at its deadline."""
    task, late = world.task("answer"), world.task("late-answer")
    world.opens(task, LIFETIME_NS)
    world.opens(late, 0)
    world.actor("auditor", look(world, task, late))


async def look(world: World, task: TaskRef, late: TaskRef) -> None:
    """Look at what was late from the beginning, then at the deadline of the other."""
    await world.client("auditor", Right.INSPECT).inspect(late)
    await sleep_until("deadline", LIFETIME_NS, "nobody came")
    await world.client("auditor", Right.INSPECT).inspect(task)


def expired(event: Event) -> bool:
    """A reading shows a record whose cause is the deadline."""
    record = getattr(getattr(event, "reply", None), "record", None)
    return record is not None and record.causes[0].cause is Cause.DEADLINE


SCENARIOS = (
    Scenario(
        id="widened-when-settled",
        title="A stop is widened when its task has settled",
        sentence="A wider scope widens the same record, and the state of a task that has already settled stays.",
        build=widened_late,
        needs=FAMILY,
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=(
            Witness(
                "the settled task's record was widened, and the child stopped",
                in_order(
                    shown("claim", state=Execution.CANCELLED_SETTLED),
                    answer("request_cancel", Widened),
                    answer("commit_effect", Stopped),
                ),
            ),
        ),
        clauses=("SCOPE-4", "CHILD-3"),
        points=("after it ended",),
    ),
    Scenario(
        id="deep-job",
        title="A job without a stop, below what was stopped",
        sentence="What runs on below a stop is shown, and what was declared of it first stands.",
        build=deep_job,
        needs=FAMILY,
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=(
            Witness("the job was shown to have no stop", saw(shown("letter", status=Status.CANCELLATION_UNSUPPORTED))),
        ),
        clauses=("RPT-3", "EFF-13"),
        points=("before final reporting",),
    ),
    Scenario(
        id="never-begun",
        title="A deadline passes before anybody begins",
        sentence="A deadline cuts off a task that nobody has begun.",
        build=never_begun,
        needs=frozenset((Capability.DEADLINES,)),
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=(Witness("it was cancelled by its deadline", saw(expired)),),
        clauses=("DDL-3",),
        points=("before the task starts",),
    ),
)
