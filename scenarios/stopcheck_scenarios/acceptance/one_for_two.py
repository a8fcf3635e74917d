"""Two hands reach for the same thing at the same time, and one of them gets it.

In the first page there is one mail to claim, one task to open, begin, stop and finish. In the second there is one
approval, one item, one slot, one answer, one retry and one interest; in the third two tasks, two people
and two payloads have one name. An operation that looks, waits for its store and then takes gives the same thing twice.
"""

from __future__ import annotations

import msgspec

from stopcheck.gate import (
    Accepted,
    Admitted,
    AlreadyClaimed,
    Capability,
    ClaimGranted,
    Done,
    Ended,
    ExistingRecord,
    Handed,
    NothingWaits,
    PayloadMismatch,
    PoolFull,
    Quarantined,
    Refused,
    Right,
    Scope,
    SlotHeld,
    Taken,
    TaskRef,
    Trigger,
    Void,
    Won,
)
from stopcheck.world import Child, Effect, FaultBudget, Holder, Scenario, Witness, World
from stopcheck_scenarios._hands import LEFT, Errand, Hand, look_and_stop, set_to_work, two_hands
from stopcheck_scenarios._seen import answer, in_order, keeps_ledger

# -- one mail, one task -----------------------------------------------------------------------------------


def ends(world: World) -> None:
    """One mail to claim, one to claim or withdraw, one child; a task that nobody opened, one that ends."""
    task, fresh, report = (world.task(name) for name in ("refund", "letter", "report"))
    receiver, has = world.receiver("mail"), world.port.contract.has
    hands = two_hands(world, task)
    mails = (world.effect(task, "mail", receiver), world.effect(task, "doubtful-mail", receiver))
    if world.port.contract.ledger:
        for mail in mails:
            world.prepare(admit(hands[0], mail))
    child = world.child(task, "translation") if has(Capability.CHILDREN) else None
    world.opens(report)
    reporter = world.under_way(report, "reporter")
    left, right = ([*new_task(hand, fresh), *one_child(hand, child), *end_of(hand, reporter, report)] for hand in hands)
    if world.port.contract.ledger:
        left += one_mail(hands[0], *mails, withdraws=False)
        right += one_mail(hands[1], *mails, withdraws=has(Capability.SUPPRESSION))
    set_to_work(world, hands, (left, right))
    world.actor("auditor", look_at_all(world, hands[0], (fresh, report)))


async def admit(hand: Hand, mail: Effect) -> None:
    """It may be sent."""
    await hand.worker.commit_effect(mail, hand.epoch)


def one_mail(hand: Hand, mail: Effect, doubtful: Effect, *, withdraws: bool) -> list[Errand]:
    """Claim the one; of the other, one hand withdraws what the other claims."""
    over = hand.friend.suppress if withdraws else hand.friend.claim_dispatch
    return [lambda: hand.friend.claim_dispatch(mail), lambda: over(doubtful)]


def new_task(hand: Hand, fresh: TaskRef) -> list[Errand]:
    """Open it, begin on it, and stop it."""

    async def open_and_stop() -> None:
        await hand.friend.open_task(fresh)
        await hand.friend.begin_work(fresh, hand.name, f"delivery to {hand.name}", Trigger.FIRST)
        await hand.friend.request_cancel(fresh, Scope.TASK, f"stop of {hand.name}")

    return [open_and_stop]


def one_child(hand: Hand, child: Child | None) -> list[Errand]:
    """Register and start the same."""

    async def raise_it(child: Child) -> None:
        await hand.worker.register_child(child, hand.epoch)
        await hand.worker.start_child(child)

    return [] if child is None else [lambda: raise_it(child)]


def end_of(hand: Hand, reporter: Holder, report: TaskRef) -> list[Errand]:
    """The one says that it is done, the other that it has given up."""
    end = reporter.client.complete if hand.name == LEFT else reporter.client.fail
    return [lambda: end(report, reporter.epoch)]


async def look_at_all(world: World, hand: Hand, others: tuple[TaskRef, ...]) -> None:
    """When the hands rest."""
    await world.others_at_rest()
    for task in others:
        await hand.friend.inspect(task)
    await look_and_stop(hand)


# -- one approval, one item, one slot ---------------------------------------------------------------------


def shares(world: World) -> None:
    """One of each, and two hands; the right one has a task of its own for the slot."""
    task, other, nightly = (world.task(name) for name in ("refund", "letter", "nightly"))
    has = world.port.contract.has
    export = world.task("export", shared=True) if has(Capability.SHARED) else None
    hands = two_hands(world, task)
    for opened in (other, nightly, *(() if export is None else (export,))):
        world.opens(opened)
    slots = ((hands[0].holder, task), (world.under_way(other, "other worker"), other))
    world.prepare(lay_out(world, hands[0], nightly, export))
    left, right = (
        [*one_use(world, hand, nightly), *one_result(world, hand, hands[0]), *one_slot(world, slot, export)]
        for hand, slot in zip(hands, slots, strict=True)
    )
    set_to_work(world, hands, (left, right))
    world.actor("auditor", look_for_answers(world, hands[0], nightly))


async def lay_out(world: World, hand: Hand, nightly: TaskRef, export: TaskRef | None) -> None:
    """What both will reach for."""
    has, task = world.port.contract.has, hand.task
    if has(Capability.APPROVALS):
        await hand.friend.grant(task, "approval")
    if has(Capability.RETRIES):
        await hand.friend.schedule_retry(nightly, "retry", 0)
    if has(Capability.RESULTS):
        for question in ("question", "doubtful question"):
            await hand.friend.ask_task(task, question, "channel")
        await hand.worker.hand_over(task, "item")
    if export is not None:
        for interest in ("first interest", "second interest"):
            await hand.friend.subscribe(export, interest, task)


async def look_for_answers(world: World, hand: Hand, nightly: TaskRef) -> None:
    """When the hands rest: the asker looks for both answers."""
    await world.others_at_rest()
    if world.port.contract.has(Capability.RESULTS):
        for question in ("question", "doubtful question"):
            await hand.friend.read_answer(hand.task, question)
    await look_at_all(world, hand, (nightly,))


def one_use(world: World, hand: Hand, nightly: TaskRef) -> list[Errand]:
    """An approval, and a retry."""
    has = world.port.contract.has
    errands: list[Errand] = []
    if has(Capability.APPROVALS):
        errands.append(lambda: hand.friend.use_grant(hand.task, "approval"))
    if has(Capability.RETRIES):
        errands.append(lambda: hand.friend.fire_retry(nightly, "retry", hand.name))
    return errands


def one_result(world: World, hand: Hand, asker: Hand) -> list[Errand]:
    """Two answers to one question, an answer to what is withdrawn, and an item."""
    if not world.port.contract.has(Capability.RESULTS):
        return []
    task, worker = hand.task, hand.worker

    async def of_two() -> object:
        if hand is asker:
            return await asker.friend.withdraw(task, "doubtful question")
        return await worker.answer(task, "doubtful question", hand.epoch, "an answer")

    return [
        lambda: worker.answer(task, "question", hand.epoch, hand.own("answer")),
        of_two,
        lambda: worker.take_item(task, hand.epoch),
    ]


def one_slot(world: World, slot: tuple[Holder, TaskRef], export: TaskRef | None) -> list[Errand]:
    """A slot, and an interest that both release."""
    holder, task = slot
    errands: list[Errand] = []
    if world.port.contract.has(Capability.CAPACITY):
        errands.append(lambda: holder.client.hold_slot(task, holder.epoch, "licence", 1))
    if export is not None:
        every = world.client("owner", *Right)
        errands.append(lambda: every.release(export, "first interest"))
    return errands


# -- one name ---------------------------------------------------------------------------------------------


def names(world: World) -> None:
    """Two tasks that make an artefact of one name, and an effect; two payloads for one effect, and two people who ask
    under one id."""
    task, letter = world.task("refund"), world.task("letter")
    hands = two_hands(world, task)
    world.opens(letter)
    makers = (hands[0].holder, task), (world.under_way(letter, "letter writer"), letter)
    mail = world.receiver("mail")
    mails = world.effect(task, "mail", mail), world.effect(task, "bill", mail)
    left, right = (names_of(world, hand, mails, maker) for hand, maker in zip(hands, makers, strict=True))
    set_to_work(world, hands, (left, right))
    world.actor("auditor", look_at_all(world, hands[0], (letter,)))


def names_of(world: World, hand: Hand, mails: tuple[Effect, Effect], maker: tuple[Holder, TaskRef]) -> list[Errand]:
    """The same names, each for something of the hand's own."""
    has, (holder, task), (mail, bill) = world.port.contract.has, maker, mails
    errands: list[Errand] = []
    if has(Capability.RESULTS):
        errands.append(lambda: hand.friend.ask_task(hand.task, "question", hand.own("channel")))
    if has(Capability.CLEANUP):
        errands.append(lambda: holder.client.note_artefact(task, holder.epoch, "draft"))
    if world.port.contract.ledger:
        payload = mail.payload_digest if hand.name == LEFT else hand.own("payload")
        errands.append(lambda: hand.worker.commit_effect(mail, hand.epoch, payload_digest=payload))
        own = msgspec.structs.replace(bill, task=task)
        errands.append(lambda: holder.client.commit_effect(own, holder.epoch))
    return errands


NOTHING = FaultBudget(crashes=0, provider=0)

SCENARIOS = (
    Scenario(
        id="one-end-for-two",
        ledger=False,
        races=True,
        title="Two hands claim, begin and finish the same",
        sentence="What can be claimed, begun or finished once is so once, whoever reaches for it at the same time.",
        build=ends,
        budget=NOTHING,
        witnesses=(
            Witness(
                "both stopped the new task",
                in_order(answer("request_cancel", Accepted), answer("request_cancel", ExistingRecord)),
            ),
            Witness(
                "the report was completed before somebody gave it up",
                in_order(answer("complete", Won), answer("fail", Ended)),
            ),
            Witness(
                "the report was given up before it was completed",
                in_order(answer("fail", Won), answer("complete", Ended)),
            ),
            Witness(
                "a second claim came too late",
                in_order(answer("claim_dispatch", ClaimGranted), answer("claim_dispatch", AlreadyClaimed)),
                given=keeps_ledger,
            ),
        ),
        clauses=("ADM-3", "ADM-7", "SUP-1", "CMP-1", "SCOPE-4", "CHILD-2"),
        points=("concurrently with another stop", "concurrently with completion"),
    ),
    Scenario(
        id="one-share-for-two",
        ledger=False,
        races=True,
        title="Two hands reach for one approval, one item, one slot, one answer",
        sentence="What can be used, taken, held or answered once is so once, whoever reaches for it at the same time.",
        build=shares,
        budget=NOTHING,
        witnesses=(
            Witness(
                "the approval was spent",
                in_order(answer("use_grant", Done), answer("use_grant", Void)),
                capability=Capability.APPROVALS,
            ),
            Witness(
                "the slot was held by the other",
                in_order(answer("hold_slot", SlotHeld), answer("hold_slot", PoolFull)),
                capability=Capability.CAPACITY,
            ),
            Witness(
                "another answer was turned away",
                in_order(answer("offer_result", Taken), answer("offer_result", Quarantined)),
                capability=Capability.RESULTS,
            ),
            Witness(
                "the item was taken by the other",
                in_order(answer("take_item", Handed), answer("take_item", NothingWaits)),
                capability=Capability.RESULTS,
            ),
        ),
        clauses=("ADM-8", "DLV-4", "RES-4", "RES-5", "ESC-9", "SHR-3"),
        points=("during retry backoff",),
    ),
    Scenario(
        id="one-name-for-two",
        ledger=False,
        races=True,
        title="Two tasks, two people and two payloads use one name",
        sentence="An artefact is one task's, a request one person's, an effect one payload's, whoever else comes.",
        build=names,
        budget=NOTHING,
        witnesses=(
            Witness(
                "the question was somebody else's",
                in_order(answer("ask", Done), answer("ask", Refused)),
                capability=Capability.RESULTS,
            ),
            Witness(
                "the artefact was another task's",
                in_order(answer("note_artefact", Done), answer("note_artefact", Refused)),
                capability=Capability.CLEANUP,
            ),
            Witness(
                "the effect had another payload",
                in_order(answer("commit_effect", Admitted), answer("commit_effect", PayloadMismatch)),
                given=keeps_ledger,
            ),
        ),
        clauses=("RES-4", "ESC-7", "ADM-5"),
    ),
)
