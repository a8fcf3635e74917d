"""Two hands are busy at the same time, and neither undoes what the other was told.

Each hand makes calls of every kind, on the same task and about things of its own; any call of the one may lie inside of
a call of the other. Afterwards somebody looks for everything that both were told, and stops what is left. An operation
that reads a row or a list, waits for its store and writes it back whole loses what came meanwhile, though nobody
pressed Stop. There is a page for effects, one for children, one for results, and one for what is held.
"""

from __future__ import annotations

from typing import NamedTuple

from stopcheck.gate import (
    BoundaryAnswer,
    Capability,
    Cause,
    ClaimGranted,
    GrantKind,
    Handed,
    Parked,
    PoolFull,
    Recorded,
    Renewed,
    ResultPlace,
    SlotHeld,
    Snapshot,
    Stage,
    TaskRef,
    ViewEnd,
)
from stopcheck.world import Child, Effect, FaultBudget, Holder, Scenario, Witness, World
from stopcheck_scenarios._hands import (
    LEFT,
    RIGHT,
    WORKER,
    Errand,
    Hand,
    Hands,
    look_and_stop,
    rejected,
    set_to_work,
    two_hands,
)
from stopcheck_scenarios._seen import answer, call, in_order

# -- effects ----------------------------------------------------------------------------------------------


class Mails(NamedTuple):
    """What one hand tells of: a mail, one that nobody has admitted yet, one that answers what was ``sent``, and a batch
    of which it knows one item."""

    mail: Effect
    early: Effect
    apology: Effect
    sent: Effect
    batch: Effect


def telling(world: World) -> None:
    """Mails, early evidence and parts of a batch; then somebody looks, and stops it."""
    task, receiver = world.task("refund"), world.receiver("mail")
    hands = two_hands(world, task)
    batch = world.effect(task, "statements", receiver, items=(LEFT, RIGHT))
    before = world.task("order")
    sent = world.effect(before, "order-mail", receiver)
    world.opens(before)
    world.prepare(send_batch(hands[0], batch))
    if world.port.contract.has(Capability.COMPENSATION):
        world.prepare(send_order(hands, world.under_way(before, "order worker"), sent))
    left, right = (mails_of(world, hand, sent, batch) for hand in hands)
    set_to_work(world, hands, (telling_errands(world, hands[0], left), telling_errands(world, hands[1], right)))
    world.actor("auditor", look_in_the_end(world, hands[0]))


def mails_of(world: World, hand: Hand, sent: Effect, batch: Effect) -> Mails:
    """Declare them."""
    mail, early, apology = (
        world.effect(hand.task, f"{hand.name}-{name}", batch.receiver) for name in ("mail", "early-mail", "apology")
    )
    return Mails(mail, early, apology, sent, batch)


async def send_batch(hand: Hand, batch: Effect) -> None:
    """It is on its way."""
    await hand.worker.commit_effect(batch, hand.epoch)
    await hand.friend.claim_dispatch(batch)


async def send_order(hands: Hands, holder: Holder, sent: Effect) -> None:
    """It has arrived, and either hand may answer it."""
    friend = hands[0].friend
    await holder.client.commit_effect(sent, holder.epoch)
    claim = await friend.claim_dispatch(sent)
    if isinstance(claim, ClaimGranted):
        await friend.record_outcome(sent, await sent.receiver.submit(sent, claim.permit), claim.attempt)
    for hand in hands:
        await friend.grant(hand.task, hand.own("leave"), GrantKind.COMPENSATION, sent.effect_id)


def telling_errands(world: World, hand: Hand, mails: Mails) -> list[Errand]:
    """A heartbeat, a mail's way, and what is told of others."""

    async def send() -> None:
        await hand.worker.commit_effect(mails.mail, hand.epoch)
        await hand.friend.claim_dispatch(mails.mail)
        await hand.friend.record_outcome(mails.mail, rejected(mails.mail), 1)

    async def tell() -> None:
        await hand.friend.record_outcome(mails.early, rejected(mails.early))
        await hand.friend.record_outcome(mails.batch, rejected(mails.batch, hand.name), 1, item=hand.name)

    async def answer_order() -> None:
        await hand.worker.compensate(mails.apology, hand.epoch, mails.sent, hand.own("leave"))

    answers = [answer_order] if world.port.contract.has(Capability.COMPENSATION) else []
    return [lambda: hand.worker.renew_lease(hand.task, hand.epoch), send, *answers, tell]


async def look_in_the_end(world: World, hand: Hand) -> None:
    """When the hands rest."""
    await world.others_at_rest()
    await look_and_stop(hand)


# -- children and signals ---------------------------------------------------------------------------------


def raising(world: World) -> None:
    """Each raises a child, and one looks as well; then somebody looks, and stops it."""
    task = world.task("refund")
    hands = two_hands(world, task)
    has_children = world.port.contract.has(Capability.CHILDREN)
    left, right = (
        raising_errands(hand, world.child(task, f"{hand.name}-letter") if has_children else None) for hand in hands
    )
    set_to_work(world, hands, ([*left, *looking_errands(world, hands[0])], right))
    world.actor("auditor", look_in_the_end(world, hands[0]))


def raising_errands(hand: Hand, child: Child | None) -> list[Errand]:
    """A heartbeat, a signal, and a child's life."""

    async def plain() -> None:
        await hand.worker.renew_lease(hand.task, hand.epoch)
        await hand.friend.record_signal(hand.task, WORKER, hand.name, Cause.USER)

    async def raise_it(child: Child) -> None:
        await hand.worker.register_child(child, hand.epoch)
        await hand.worker.start_child(child)
        await hand.worker.finish_child(child, Stage.COMPLETED)

    return [plain] if child is None else [plain, lambda: raise_it(child)]


def looking_errands(world: World, hand: Hand) -> list[Errand]:
    """What should change nothing."""
    friend, task = hand.friend, hand.task
    looks: list[Errand] = [
        lambda: friend.open_task(task),
        lambda: friend.close_view(task, hand.own("view"), ViewEnd.CLIENT_DROPPED),
        lambda: friend.tick(task),
        lambda: friend.inspect(task),
    ]
    return [*looks, lambda: friend.measures(task)] if world.port.contract.has(Capability.MEASURES) else looks


# -- results ----------------------------------------------------------------------------------------------


def answering(world: World) -> None:
    """Questions, answers, findings and items; then everybody looks once more."""
    hands = two_hands(world, world.task("inbox"))
    for hand in hands:
        world.prepare(hand.friend.ask_task(hand.task, hand.own("question"), "channel"))
        world.prepare(hand.worker.hand_over(hand.task, hand.own("item")))
    set_to_work(world, hands, (result_errands(hands[0]), result_errands(hands[1])))
    world.actor("readers", read_again(world, hands))


def result_errands(hand: Hand) -> list[Errand]:
    """A heartbeat, an answer, another question and item, a finding, and what waits."""
    task, worker = hand.task, hand.worker

    async def answer_it() -> None:
        await worker.answer(task, hand.own("question"), hand.epoch, hand.own("answer"))
        await hand.friend.read_answer(task, hand.own("question"))

    async def ask_more() -> None:
        await hand.friend.ask_task(task, hand.own("next question"), "channel")
        await worker.hand_over(task, hand.own("next item"))

    async def find() -> None:
        await worker.offer_result(task, hand.own("search"), ResultPlace.CACHE, hand.epoch, hand.own("finding"))
        await worker.recall(task, ResultPlace.CACHE)

    async def take() -> None:
        taken = await worker.take_item(task, hand.epoch)
        if isinstance(taken, Handed):
            await worker.confirm_item(task, taken.item_id)

    return [lambda: worker.renew_lease(task, hand.epoch), answer_it, ask_more, find, take]


async def read_again(world: World, hands: Hands) -> None:
    """When the hands rest: each has its next question answered, looks for both answers, takes what still waits; then
    all is stopped."""
    await world.others_at_rest()
    for hand in hands:
        await hand.worker.answer(hand.task, hand.own("next question"), hand.epoch, hand.own("next answer"))
        for question in ("question", "next question"):
            await hand.friend.read_answer(hand.task, hand.own(question))
        await hand.worker.take_item(hand.task, hand.epoch)
    await look_and_stop(hands[0])


# -- what is held -----------------------------------------------------------------------------------------


def holding(world: World) -> None:
    """Slots, approvals, retries, files and interests; then somebody else looks for slots, and all is stopped."""
    task, other = world.task("report"), world.task("letter")
    export = world.task("export", shared=True) if world.port.contract.has(Capability.SHARED) else None
    hands = two_hands(world, task)
    for opened in (other, *(() if export is None else (export,))):
        world.opens(opened)
    for hand in hands:
        world.prepare(prepare_holdings(world, hand, export))
    set_to_work(world, hands, (holding_errands(world, hands[0], export), holding_errands(world, hands[1], export)))
    world.actor("third", look_for_slots(world, hands, world.under_way(other, "third"), other))


async def prepare_holdings(world: World, hand: Hand, export: TaskRef | None) -> None:
    """What will be used up or given back."""
    has = world.port.contract.has
    if has(Capability.APPROVALS):
        await hand.friend.grant(hand.task, hand.own("approval"))
    if has(Capability.CAPACITY):
        await hand.worker.hold_slot(hand.task, hand.epoch, hand.own("old slot"), 1)
    if export is not None:
        await hand.friend.subscribe(export, hand.own("old interest"), hand.task)


def holding_errands(world: World, hand: Hand, export: TaskRef | None) -> list[Errand]:
    """What every gate has, then what optional capabilities bring."""
    has, task, worker, friend = world.port.contract.has, hand.task, hand.worker, hand.friend

    async def plain() -> None:
        await worker.renew_lease(task, hand.epoch)
        await friend.record_signal(task, WORKER, hand.name, Cause.USER)
        await friend.close_view(task, hand.own("view"), ViewEnd.CLIENT_DROPPED)

    async def slots() -> None:
        await worker.hold_slot(task, hand.epoch, hand.own("slot"), 1)
        await worker.return_slot(task, hand.epoch, hand.own("old slot"))

    async def later() -> None:
        if has(Capability.APPROVALS):
            await friend.use_grant(task, hand.own("approval"))
            await friend.grant(task, hand.own("next approval"))
        if has(Capability.RETRIES):
            await worker.schedule_retry(task, hand.own("retry"), 0)

    async def interests(shared: TaskRef) -> None:
        await friend.subscribe(shared, hand.own("interest"), task)
        await friend.release(shared, hand.own("old interest"))

    errands: list[Errand] = [plain, later]
    if has(Capability.CAPACITY):
        errands.append(slots)
    if has(Capability.CLEANUP):
        errands.append(lambda: worker.note_artefact(task, hand.epoch, hand.own("file"), finished=True))
    if export is not None:
        errands.append(lambda: interests(export))
    return errands


async def look_for_slots(world: World, hands: Hands, third: Holder, other: TaskRef) -> None:
    """When the hands rest: somebody else wants each slot, the approvals are tried again, and all is stopped."""
    await world.others_at_rest()
    has = world.port.contract.has
    for hand in hands:
        if has(Capability.CAPACITY):
            await third.client.hold_slot(other, third.epoch, hand.own("slot"), 1)
            await third.client.hold_slot(other, third.epoch, hand.own("old slot"), 1)
        if has(Capability.APPROVALS):
            await hand.friend.use_grant(hand.task, hand.own("approval"))
    await look_and_stop(hands[0])
    if has(Capability.CLEANUP):
        cleaner = await hands[0].friend.begin_cleanup(hands[0].task, "cleaner")
        for hand in hands:
            await hand.friend.clean_up(hand.task, getattr(cleaner, "epoch", 0), hand.own("file"))


NOTHING = FaultBudget(crashes=0, provider=0)

SCENARIOS = (
    Scenario(
        id="overlapping-evidence",
        races=True,
        title="Two hands tell of effects",
        sentence="Of two who tell of effects at the same time, neither undoes what the other was told.",
        build=telling,
        budget=NOTHING,
        witnesses=(
            Witness(
                "one hand was done before the other had begun in earnest",
                in_order(answer("renew_lease", Renewed, actor=RIGHT), call("commit_effect", actor=LEFT)),
            ),
            Witness(
                "early evidence of both was parked before somebody looked",
                in_order(
                    answer("record_outcome", Parked, actor=LEFT),
                    answer("record_outcome", Parked, actor=RIGHT),
                    answer("inspect", Snapshot),
                ),
            ),
        ),
        clauses=("ADM-3", "EFF-4", "EFF-10", "EFF-11", "RPT-6"),
        points=("before final reporting",),
    ),
    Scenario(
        id="overlapping-children",
        ledger=False,
        races=True,
        title="Two hands have children",
        sentence="Of two who have children at the same time, neither undoes what the other was told.",
        build=raising,
        budget=NOTHING,
        witnesses=(
            Witness(
                "one hand was done before the other had begun in earnest",
                in_order(answer("record_signal", Recorded, actor=RIGHT), call("record_signal", actor=LEFT)),
            ),
        ),
        clauses=("ADM-3", "CHILD-2", "CHILD-7"),
        points=("before final reporting",),
    ),
    Scenario(
        id="overlapping-results",
        ledger=False,
        races=True,
        title="Two hands ask, answer and hand over",
        sentence="Of two who ask, answer or hand over at the same time, neither undoes what the other was told.",
        build=answering,
        budget=NOTHING,
        needs=frozenset((Capability.RESULTS,)),
        witnesses=(
            Witness(
                "one hand was done before the other had answered",
                in_order(answer("renew_lease", Renewed, actor=RIGHT), call("offer_result", actor=LEFT)),
            ),
            Witness(
                "all answers were read in the end",
                in_order(*(answer("read_answer", BoundaryAnswer, actor="readers") for _ in range(4))),
            ),
        ),
        clauses=("RES-4", "RES-5"),
        points=("between model completion and validation",),
    ),
    Scenario(
        id="overlapping-holdings",
        ledger=False,
        races=True,
        title="Two hands take, use and give back",
        sentence="Of two who take, use or give back at the same time, neither undoes what the other was told.",
        build=holding,
        budget=NOTHING,
        witnesses=(
            Witness(
                "one hand was done before the other had begun in earnest",
                in_order(answer("close_view", object, actor=RIGHT), call("record_signal", actor=LEFT)),
            ),
            Witness(
                "of each hand somebody else got the slot that it gave back, and not the one that it kept",
                in_order(
                    *(answer("hold_slot", reply, actor="third") for _ in range(2) for reply in (PoolFull, SlotHeld))
                ),
                capability=Capability.CAPACITY,
            ),
        ),
        clauses=("ESC-9", "ESC-7", "ADM-8", "SHR-3"),
        points=("before final reporting",),
    ),
)
