"""Deadlines: what is owned lives no longer than its owner, and a lifetime's end is a stop like any other.

In the first, an owner with some eight seconds hands out shorter and shorter lifetimes, asks for more than is left, and
asks again. In the second, the last nanosecond before the deadline is worked in, and the first one after it is not,
while a person may press Stop on either side of it. In the third, a child's own cap ends while its owner goes on.
"""

from __future__ import annotations

from stopcheck.gate import (
    SECOND_NS,
    Accepted,
    Admitted,
    Capability,
    Cause,
    Done,
    ExistingChild,
    ExistingRecord,
    NoTime,
    Right,
    Scope,
    Snapshot,
    Stopped,
    TaskRef,
)
from stopcheck.world import Child, Client, Effect, Event, FaultBudget, Holder, Scenario, Witness, World, sleep_until
from stopcheck_scenarios._seen import Match, answer, both, in_order, saw

#: None of these is a whole second, or a whole millisecond: what is rounded ends too early, or too late.
LIFETIME_NS = 8 * SECOND_NS + 1_500_000
LETTER_NS, CAP_NS = 3 * SECOND_NS + 1_500_000, 2 * SECOND_NS + 1_500_000
RESERVE_NS = 2 * SECOND_NS + 700_000
LATE_NS = 5 * SECOND_NS + 1
#: What an owner has left when it is late, before its reserve.
LEFT_NS = LIFETIME_NS - RESERVE_NS - LATE_NS
NEEDS = frozenset((Capability.DEADLINES,))
FAMILY = frozenset((Capability.DEADLINES, Capability.CHILDREN))


# -- shrinking --------------------------------------------------------------------------------------------


def shrinking(world: World) -> None:
    """An owner with some eight seconds, of which it keeps two, and what it wants to own."""
    answer_task = world.task("answer")
    letter = world.child(answer_task, "letter", cap_ns=LETTER_NS)
    translation = world.child(letter.ref, "translation", cap_ns=60 * SECOND_NS)
    summary = world.child(answer_task, "summary")
    glossary = world.child(answer_task, "glossary", cap_ns=CAP_NS)
    no_time = world.child(answer_task, "no-time", cap_ns=0)
    long_one = world.child(answer_task, "long-one", minimum_ns=LEFT_NS + 1, reserve_ns=RESERVE_NS)
    short_one = world.child(
        answer_task, "short-one", cap_ns=2 * SECOND_NS, minimum_ns=LEFT_NS - 1, reserve_ns=RESERVE_NS
    )
    world.opens(answer_task, LIFETIME_NS)
    owner = world.under_way(answer_task, "owner", children=(letter, summary, glossary))
    of_letter = world.under_way(letter.ref, "letter worker", children=(translation,))
    auditor = world.client("auditor", Right.INSPECT)
    world.actor("owner", ask_again(owner, (letter, glossary), (long_one, no_time, short_one)))
    world.actor("letter worker", repeat(of_letter, translation))
    world.actor("auditor", look(auditor, (letter, translation, summary, glossary, no_time, short_one)))


async def ask_again(owner: Holder, early: tuple[Child, Child], late: tuple[Child, ...]) -> None:
    """A repeat and a start, then three more with little time left: one needs a moment more than there is before the
    reserve, one has no time at all, and the last needs a moment less."""
    letter, glossary = early
    await sleep_until("a second later", SECOND_NS, "a second later")
    await owner.client.register_child(letter, owner.epoch)
    await owner.client.start_child(glossary)
    await sleep_until("late", LATE_NS, "late")
    for child in late:
        await owner.client.register_child(child, owner.epoch)


async def repeat(holder: Holder, translation: Child) -> None:
    """The letter's worker asks again for what it owns."""
    await sleep_until("two seconds later", 2 * SECOND_NS, "two seconds later")
    await holder.client.register_child(translation, holder.epoch)


async def look(client: Client, children: tuple[Child, ...]) -> None:
    """Read how long each has."""
    await sleep_until("end", LATE_NS + 1, "end")
    for child in children:
        await client.inspect(child.ref)


# -- expiry -----------------------------------------------------------------------------------------------


def expiry(world: World) -> None:
    """A worker that works up to its deadline and beyond; a person at Stop; a clock; somebody who looks."""
    task = world.task("refund")
    mail = world.receiver("mail")
    in_time, too_late = world.effect(task, "in-time", mail), world.effect(task, "too-late", mail)
    world.opens(task, LIFETIME_NS)
    holder = world.under_way(task)
    world.actor("worker", work_on(holder, in_time, too_late))
    world.actor("person", press(world.client(world.cast.person, Right.STOP), in_time))
    world.actor("clock", strike(world.client("clock", Right.TICK, Right.INSPECT), in_time))


async def work_on(holder: Holder, in_time: Effect, too_late: Effect) -> None:
    """One commitment in the last nanosecond, one in the next."""
    await sleep_until("almost", LIFETIME_NS - 1, "almost the deadline")
    await holder.client.commit_effect(in_time, holder.epoch)
    await sleep_until("deadline", LIFETIME_NS, "the deadline")
    await holder.client.commit_effect(too_late, holder.epoch)


async def press(client: Client, effect: Effect) -> None:
    """Press Stop about then."""
    await sleep_until("about then", LIFETIME_NS - 1, "about then")
    await client.request_cancel(effect.task, Scope.TASK, "about-then")


async def strike(client: Client, effect: Effect) -> None:
    """The deadline has come: let the gate do what is due, and look."""
    await sleep_until("deadline", LIFETIME_NS, "the deadline strikes")
    await client.tick(effect.task)
    await client.inspect(effect.task)


# -- a cap of its own -------------------------------------------------------------------------------------


def capped(world: World) -> None:
    """An owner with some eight seconds and its child with two, each of which wants to send a mail when those have
    passed; and another such child, whose owner was stopped alone."""
    parent = world.task("claim")
    child = world.child(parent, "letter", cap_ns=CAP_NS)
    mail = world.receiver("mail")
    own, letter = world.effect(parent, "claim-mail", mail), world.effect(child.ref, "letter-mail", mail)
    world.opens(parent, LIFETIME_NS)
    owner = world.under_way(parent, "parent worker", children=(child,))
    holder = world.under_way(child.ref, "child worker")
    world.actor("parent worker", send_at(owner, own, CAP_NS))
    world.actor("child worker", send_at(holder, letter, CAP_NS))
    stopped = world.task("report")
    orphan = world.child(stopped, "survey", cap_ns=CAP_NS)
    world.opens(stopped)
    world.under_way(stopped, "reporter", children=(orphan,))
    world.under_way(orphan.ref, "surveyor")
    world.prepare(world.client("night watch", Right.STOP, handle=0).request_cancel(stopped, Scope.TASK, "stop"))
    world.actor("auditor", look_at(world, world.client("auditor", Right.INSPECT), (parent, child.ref, orphan.ref)))


async def send_at(holder: Holder, effect: Effect, at_ns: int) -> None:
    """Keep the lease a moment before that time, and commit at it."""
    await sleep_until("a moment before", at_ns - 1, f"{effect.effect_id} is nearly due")
    await holder.client.renew_lease(effect.task, holder.epoch)
    await sleep_until("then", at_ns, f"{effect.effect_id} is due")
    await holder.client.commit_effect(effect, holder.epoch)


async def look_at(world: World, client: Client, tasks: tuple[TaskRef, ...]) -> None:
    """Read all accounts when the others have nothing more to do."""
    await world.others_at_rest()
    for task in tasks:
        await client.inspect(task)


# -- what was seen ----------------------------------------------------------------------------------------


def shown_with(*causes: Cause) -> Match:
    """An account whose record has exactly these causes, in this order."""
    shown = answer("inspect", Snapshot)

    def match(event: Event) -> bool:
        record = getattr(getattr(event, "reply", None), "record", None)
        return shown(event) and record is not None and tuple(c.cause for c in record.causes) == causes

    return match


SCENARIOS = (
    Scenario(
        id="shrinking-lifetimes",
        title="Lifetimes shrink on their way down",
        sentence="A child lives no longer than its parent or its cap, and one without time is rejected.",
        build=shrinking,
        budget=FaultBudget(crashes=1, lost_answers=("register_child",), provider=0),
        needs=FAMILY,
        witnesses=(
            Witness("a child was registered again later", saw(answer("register_child", ExistingChild, actor="owner"))),
            Witness("a child without time was rejected", saw(answer("register_child", NoTime, actor="owner"))),
            Witness(
                "one that still fits was taken after it",
                in_order(answer("register_child", NoTime), answer("register_child", Done)),
            ),
            Witness("a grandchild's lifetime was looked at", saw(answer("inspect", Snapshot, actor="auditor"))),
        ),
        clauses=("DDL-1", "DDL-2"),
        points=("before a child is dispatched",),
    ),
    Scenario(
        id="deadline-passes",
        title="The deadline passes while work goes on",
        sentence="An expired deadline is a cancellation with reason deadline, from the first operation or tick on.",
        build=expiry,
        budget=FaultBudget(
            crashes=1,
            lost_answers=("commit_effect",),
            provider=0,
            time=1,
            timers=("the deadline", "the deadline strikes"),
        ),
        needs=NEEDS,
        witnesses=(
            Witness(
                "the last moment was worked in, and the next was not",
                in_order(answer("commit_effect", Admitted), answer("commit_effect", Stopped)),
            ),
            Witness("the deadline alone had stopped it", saw(shown_with(Cause.DEADLINE))),
            Witness(
                "the stop came after the deadline, and joined its record",
                both(saw(answer("request_cancel", ExistingRecord)), saw(shown_with(Cause.DEADLINE, Cause.USER))),
            ),
            Witness("the stop came before the deadline", saw(answer("request_cancel", Accepted))),
        ),
        clauses=("DDL-3", "REC-1", "REC-3", "REC-8", "ADM-1", "LIVE-4"),
        points=("immediately before a commitment", "concurrently with another stop"),
    ),
    Scenario(
        id="capped-child",
        title="A child's cap ends while its owner goes on",
        sentence="A child that has outlived its cap does no more work, and its parent is not touched.",
        build=capped,
        budget=FaultBudget(crashes=0, provider=0),
        needs=FAMILY,
        witnesses=(
            Witness(
                "the child was refused and the owner was not",
                both(
                    saw(answer("commit_effect", Stopped, actor="child worker")),
                    saw(answer("commit_effect", Admitted, actor="parent worker")),
                ),
            ),
        ),
        clauses=("DDL-1", "DDL-3", "REC-8"),
        points=("immediately before a commitment",),
    ),
)
