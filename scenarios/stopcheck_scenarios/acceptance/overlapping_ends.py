"""Two hands tell something while a lease changes hands, or after a stop, and neither undoes what the other was told.

In the first page leases end and begin anew while somebody tells what takes no lease. In the second the task was stopped
before, and both hands tell what is left: what either was told is in the account.
"""

from __future__ import annotations

from stopcheck.gate import (
    Accepted,
    AckStrength,
    Capability,
    Cause,
    Done,
    Halt,
    LeaseGranted,
    ProbeResult,
    Recorded,
    ResultPlace,
    Right,
    Scope,
    Snapshot,
    Stage,
    StaleLease,
    Trigger,
)
from stopcheck.world import Child, Effect, FaultBudget, Scenario, Witness, World, sleep_until
from stopcheck_scenarios._hands import (
    LEFT,
    RIGHT,
    WORKER,
    Errand,
    Hand,
    look_and_stop,
    rejected,
    set_to_work,
    two_hands,
)
from stopcheck_scenarios._seen import answer, call, in_order

# -- leases -----------------------------------------------------------------------------------------------


def changing_hands(world: World) -> None:
    """A lease is given back, taken away, halted and given anew, while something else is told of the task."""
    task = world.task("refund")
    hands = two_hands(world, task)
    early = world.effect(task, "early-mail", world.receiver("mail"))
    set_to_work(world, hands, (lease_errands(world, hands[0]), told_meanwhile(world, hands[1], early)))
    world.actor("auditor", try_old_leases(world, hands[0]))


def lease_errands(world: World, hand: Hand) -> list[Errand]:
    """Each ends one lease and begins the next."""
    task, holder, friend, has = hand.task, hand.holder, hand.friend, world.port.contract.has

    async def begin(number: int) -> None:
        lease = await holder.client.begin_work(task, WORKER, f"delivery-{number}", Trigger.REDELIVERY)
        holder.epoch = getattr(lease, "epoch", holder.epoch)

    async def give_back() -> None:
        await holder.client.release_lease(task, holder.epoch)
        await begin(2)

    async def take_away() -> None:
        await friend.revoke_lease(task, holder.epoch)
        await begin(3)

    async def halt() -> None:
        await friend.suspend(task, Halt.PAUSE)
        await friend.resume(task)
        await begin(4)

    async def try_again() -> None:
        await holder.client.schedule_retry(task, "retry", 0)
        await holder.client.release_lease(task, holder.epoch)
        fired = await holder.client.fire_retry(task, "retry", WORKER)
        holder.epoch = getattr(fired, "epoch", holder.epoch)

    pauses = [halt] if has(Capability.PAUSE) else []
    return [give_back, take_away, *pauses, *([try_again] if has(Capability.RETRIES) else [])]


def told_meanwhile(world: World, hand: Hand, early: Effect) -> list[Errand]:
    """What takes no lease."""
    contract, errands = world.port.contract, list[Errand]()
    if contract.ledger:
        errands.append(lambda: hand.friend.record_outcome(early, rejected(early)))
    if contract.has(Capability.RESULTS):
        errands.append(lambda: hand.worker.hand_over(hand.task, "item"))
    return [*errands, lambda: hand.friend.record_signal(hand.task, WORKER, "bus", Cause.USER)]


async def try_old_leases(world: World, hand: Hand) -> None:
    """When the hands rest: no lease but the last is one, and what was told is there."""
    await world.others_at_rest()
    for epoch in range(1, hand.epoch + 1):
        await hand.worker.renew_lease(hand.task, epoch)
    await look_and_stop(hand)


# -- what a stop left -------------------------------------------------------------------------------------


def left_over(world: World) -> None:
    """A stopped task with mails on their way, items and children; both hands tell, then the worker obeys."""
    task, receiver = world.task("refund"), world.receiver("mail")
    contract = world.port.contract
    hands = two_hands(world, task)
    own = [
        [world.effect(task, f"{hand.name}-{name}", receiver) for name in ("mail", "withheld-mail")] for hand in hands
    ]
    children = [world.child(task, f"{hand.name}-letter") for hand in hands if contract.has(Capability.CHILDREN)]
    revision = [0]
    for hand, (mail, withheld) in zip(hands, own, strict=True):
        world.prepare(under_way(world, hand, mail, withheld))
    for child in children:
        world.prepare(hands[0].worker.register_child(child, 1))
    world.prepare(stop_it(world, hands[0], revision))
    left, right = (
        [*words(world, hand, revision), *of_mails(world, *own[number]), *of_results(world, hand)]
        for number, hand in enumerate(hands)
    )
    for errands, child in zip((left, right), children, strict=False):
        errands.append(finish(hands[0], child))
    set_to_work(world, hands, (left, right))
    world.actor("auditor", obey(world, hands[0], revision))


async def under_way(world: World, hand: Hand, mail: Effect, withheld: Effect) -> None:
    """One mail claimed, one not; an item in its hands; a file."""
    if world.port.contract.ledger:
        for each in (mail, withheld):
            await hand.worker.commit_effect(each, hand.epoch)
        await hand.friend.claim_dispatch(mail)
    if world.port.contract.has(Capability.RESULTS):
        await hand.worker.hand_over(hand.task, hand.own("item"))
        await hand.worker.take_item(hand.task, hand.epoch)
    if world.port.contract.has(Capability.CLEANUP):
        await hand.worker.note_artefact(hand.task, hand.epoch, hand.own("file"))


async def stop_it(world: World, hand: Hand, revision: list[int]) -> None:
    """Somebody stops it, and the grace period goes by."""
    reply = await hand.friend.request_cancel(hand.task, Scope.TASK, "stop")
    revision[0] = reply.record.revision if isinstance(reply, Accepted) else 0
    if world.port.contract.has(Capability.ESCALATION):
        await sleep_until("grace", world.now_ns() + world.port.contract.grace_ns, "grace")


def words(world: World, hand: Hand, revision: list[int]) -> list[Errand]:
    """What is told of the worker. Force is asked for by both, and one is allowed."""
    said = AckStrength.OBSERVED if hand.name == LEFT else AckStrength.STOPPED_SCHEDULING

    async def force() -> None:
        await hand.friend.escalate(hand.task, WORKER)
        await hand.friend.record_probe(hand.task, WORKER, ProbeResult.ALIVE)

    async def signal() -> None:
        await hand.friend.record_signal(hand.task, WORKER, hand.name, Cause.USER)
        await hand.friend.tick(hand.task)

    async def clear() -> None:
        cleaner = await hand.friend.begin_cleanup(hand.task, hand.name)
        await hand.friend.clean_up(hand.task, getattr(cleaner, "epoch", 0), hand.own("file"))

    has = world.port.contract.has
    errands: list[Errand] = [signal, lambda: hand.worker.acknowledge(hand.task, hand.epoch, said, revision[0])]
    errands += [force] if has(Capability.ESCALATION) else []
    return [*errands, clear] if has(Capability.CLEANUP) else errands


def of_mails(world: World, mail: Effect, withheld: Effect) -> list[Errand]:
    """Its receiver will not take the one, and the other is withdrawn, or sent."""
    if not world.port.contract.ledger:
        return []
    friend = world.client("dispatcher", *Right)
    withdraw = friend.suppress if world.port.contract.has(Capability.SUPPRESSION) else friend.claim_dispatch
    return [lambda: friend.record_outcome(mail, rejected(mail), 1), lambda: withdraw(withheld)]


def of_results(world: World, hand: Hand) -> list[Errand]:
    """A result that comes too late, and an item that has come."""
    if not world.port.contract.has(Capability.RESULTS):
        return []
    task, worker = hand.task, hand.worker

    async def come_late() -> None:
        await worker.offer_result(task, hand.own("search"), ResultPlace.CACHE, hand.epoch, hand.own("finding"))
        await worker.confirm_item(task, hand.own("item"))

    return [come_late]


def finish(hand: Hand, child: Child) -> Errand:
    """It never began."""
    return lambda: hand.friend.finish_child(child, Stage.FAILED)


async def obey(world: World, hand: Hand, revision: list[int]) -> None:
    """When the hands rest: look, and say that the worker has stopped."""
    await world.others_at_rest()
    await hand.friend.inspect(hand.task)
    await hand.worker.acknowledge(hand.task, hand.epoch, AckStrength.HANDLER_STOPPED, revision[0])


NOTHING = FaultBudget(crashes=0, provider=0)

SCENARIOS = (
    Scenario(
        id="overlapping-leases",
        ledger=False,
        races=True,
        title="A lease changes hands while something is told",
        sentence="Whoever gives a lease back, takes it away or is given it undoes nothing that is told meanwhile.",
        build=changing_hands,
        budget=NOTHING,
        witnesses=(
            Witness(
                "the signal came between two leases",
                in_order(
                    answer("release_lease", Done, actor=LEFT),
                    answer("record_signal", Recorded, actor=RIGHT),
                    answer("begin_work", LeaseGranted, actor=LEFT),
                ),
            ),
            Witness("an old lease was tried in the end", in_order(answer("renew_lease", StaleLease, actor="auditor"))),
        ),
        clauses=("ADM-6", "EFF-10", "RES-5"),
        points=("while a worker is disconnected",),
    ),
    Scenario(
        id="overlapping-account",
        ledger=False,
        races=True,
        title="Two hands tell what a stop left",
        sentence="Of two who tell what is left after a stop at the same time, neither undoes what the other was told.",
        build=left_over,
        budget=NOTHING,
        witnesses=(
            Witness(
                "a word came before the other's signal",
                in_order(answer("acknowledge", Recorded, actor=RIGHT), call("record_signal", actor=LEFT)),
            ),
            Witness(
                "somebody looked when both had told",
                in_order(answer("acknowledge", Recorded), answer("acknowledge", Recorded), answer("inspect", Snapshot)),
            ),
        ),
        clauses=("ACK-1", "EFF-4", "ESC-10", "RES-1", "RES-5", "RPT-6"),
        points=("before final reporting",),
    ),
)
