"""Names that a store may take for one another.

Whatever compares names by a rule of its own (another letter case, no blanks at the end, one form of an accent, the
first 255 letters) makes two things one: the stop of one task reaches another, an effect is taken for one that is there,
a tenant reads another's account. Some databases do so by default, and nothing shows it before two such names meet.

Of each pair of tasks the first is stopped, for a reason of many words; then the worker of the second commits a mail,
and its account is read. In a task of their own, pairs of mails are committed. At the end a caller whose tenant is
called almost like theirs looks. Names are opaque to a gate (``docs/protocol.md``): none of these may be refused.
"""

from __future__ import annotations

from stopcheck.gate import Cause, Right, Scope, Snapshot, TaskKey, TaskRef
from stopcheck.world import Client, Effect, Event, FaultBudget, Holder, Scenario, Witness, World
from stopcheck_scenarios._seen import Match, both, saw

#: What may be lost of a name, and two names that are one without it.
PAIRS = (
    ("refund", "Refund"),
    ("notice", "notice "),
    ("caf\u00e9", "cafe\u0301"),
    ("r" * 299 + "1", "r" * 299 + "2"),
)

#: Longer than the column that somebody gave it, and not in ASCII.
REASON = "M\u00f6chte ich nicht. " * 20


def build(world: World) -> None:
    """Pairs of tasks, each with a worker, a task with pairs of mails, and whoever goes through them."""
    mail = world.receiver("mail")
    pairs: list[tuple[TaskRef, TaskRef, Holder, Effect]] = []
    for number, (name, alike) in enumerate(PAIRS, 1):
        first, second = world.task(name), world.task(alike)
        for task in (first, second):
            world.opens(task)
        holder = world.under_way(second, f"worker-{number}")
        pairs.append((first, second, holder, world.effect(second, f"mail-{number}", mail)))
    report = world.task("report")
    world.opens(report)
    writer = world.under_way(report, "writer")
    mails = [world.effect(report, f"mail-{name}", mail) for pair in PAIRS for name in pair]
    strangers = [world.cast.tenant.upper(), world.cast.tenant + " "]
    world.actor("auditor", go_through(world, pairs, writer, mails, strangers))


async def go_through(
    world: World,
    pairs: list[tuple[TaskRef, TaskRef, Holder, Effect]],
    writer: Holder,
    mails: list[Effect],
    strangers: list[str],
) -> None:
    """Stop one of each pair and see to the other; commit the mails; look as somebody else."""
    auditor = world.client("auditor", Right.STOP, Right.INSPECT)
    ledger = world.port.contract.ledger
    for first, second, holder, effect in pairs:
        await auditor.request_cancel(first, Scope.TASK, f"stop of {first.key.task_id}", Cause.USER, REASON)
        if ledger:
            await holder.client.commit_effect(effect, holder.epoch)
        for task in (first, second):
            await auditor.inspect(task)
    report = mails[0].task
    if ledger:
        for effect in mails:
            await writer.client.commit_effect(effect, writer.epoch)
    await auditor.inspect(report)
    for tenant in strangers:
        await look_as(auditor.as_tenant(tenant), report)


async def look_as(stranger: Client, report: TaskRef) -> None:
    """As somebody of the tenant that is called almost like theirs, with a task of the same name in mind."""
    theirs = TaskRef(TaskKey(stranger.caller.tenant, report.key.task_id), report.incarnation)
    for task in (report, theirs):
        await stranger.inspect(task)


def read_as(name: str) -> Match:
    """The account of the task of this name was read."""

    def match(event: Event) -> bool:
        reply = getattr(event, "reply", None)
        return isinstance(reply, Snapshot) and reply.task.key.task_id == name

    return match


SCENARIO = Scenario(
    id="look-alikes",
    title="Names that a store may take for one another",
    sentence="Tasks, effects and tenants whose names differ in no more than a letter's case or a blank are not one.",
    build=build,
    ledger=False,
    budget=FaultBudget(crashes=0, provider=0),
    witnesses=(
        Witness(
            "of each pair the other was read after one had been stopped",
            both(*(saw(read_as(alike)) for _, alike in PAIRS)),
        ),
    ),
    clauses=("REC-1", "SCOPE-7", "SCOPE-9", "ADM-3", "ADM-5"),
)
