"""The actors around the workers: dispatcher, reconciler, supervisor, and the person at the Stop button."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from stopcheck.gate import (
    Accepted,
    AlreadyClaimed,
    Cause,
    ClaimGranted,
    Evidence,
    ExistingRecord,
    Forced,
    Indefinite,
    LookupAnswer,
    LookupEvidence,
    NoEvidence,
    ProbeResult,
    Resend,
    Scope,
    TaskRef,
    Tombstoned,
    Widened,
)
from stopcheck.kernel import OWN, sleep_until, wait_until
from stopcheck.world._client import Client
from stopcheck.world._effects import Effect
from stopcheck.world._events import FaultChosen
from stopcheck.world._scenario import FaultKind

if TYPE_CHECKING:
    from stopcheck.world._world import World

#: What a dispatcher or reconciler leaves behind about an effect.
KNOWN = "known"
DOUBT = "doubt"
LOOKING = "looking"
GIVEN_UP = "given up"


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody at the Stop button wants: ``task`` stopped, said ``presses`` times; the effects of ``withdraws``
    suppressed (asked for only of gates that can); and to see the account."""

    task: TaskRef
    scope: Scope = Scope.TASK
    cause: Cause = Cause.USER
    presses: int = 1
    withdraws: tuple[Effect, ...] = ()
    then_inspects: bool = True


# -- dispatcher -------------------------------------------------------------------------------------------


async def dispatch(world: World, name: str, client: Client, *, resends: bool) -> None:
    """Take admitted effects from the outbox, one after the other, and send each."""
    outbox = world.outboxes[name]
    while True:
        world.remembers()
        await wait_until("outbox", lambda: bool(outbox), OWN)
        effect = outbox.pop(0)
        world.hear(effect.effect_id)
        await _deliver(world, client, effect, resends=resends)


async def _deliver(world: World, client: Client, effect: Effect, *, resends: bool) -> None:
    reply = await client.claim_dispatch(effect)
    if isinstance(reply, Indefinite):
        reply = await client.claim_dispatch(effect)
        if isinstance(reply, AlreadyClaimed | Indefinite):
            await client.record_outcome(effect, NoEvidence("the claim's answer was lost"))
            world.note_outcome(effect.effect_id, DOUBT)
            return
    while isinstance(reply, ClaimGranted | Resend):
        world.remembers(effect.effect_id, reply)
        evidence = await effect.receiver.submit(effect, reply.permit)
        world.hear(evidence)
        await client.record_outcome(effect, evidence, reply.attempt)
        if not isinstance(evidence, NoEvidence):
            world.note_outcome(effect.effect_id, KNOWN)
            return
        world.note_outcome(effect.effect_id, DOUBT)
        if not resends:
            return
        reply = await client.claim_dispatch(effect)
    if not isinstance(reply, AlreadyClaimed | Indefinite):
        world.note_outcome(effect.effect_id, KNOWN)


async def record_late(world: World, client: Client, effect: Effect, evidence: Evidence) -> None:
    """The receiver's answer arrives late and is recorded."""
    await client.record_outcome(effect, evidence)
    world.note_outcome(effect.effect_id, KNOWN)


# -- reconciler -------------------------------------------------------------------------------------------


async def reconcile(world: World, client: Client) -> None:
    """Look up each effect in doubt; where the receiver can promise, have the id fenced."""

    def doubtful() -> Effect | None:
        return next((e for e in world.effects if world.outcomes.get(e.effect_id) == DOUBT), None)

    while True:
        world.remembers()
        await wait_until("doubt", lambda: doubtful() is not None, ("outcomes",))
        effect = doubtful()
        assert effect is not None
        world.hear(effect.effect_id)
        world.note_outcome(effect.effect_id, LOOKING)
        evidence = await effect.receiver.look_up(effect)
        world.hear(evidence)
        await client.record_outcome(effect, evidence)
        if isinstance(evidence, LookupEvidence) and evidence.answer is LookupAnswer.ABSENT:
            evidence = await effect.receiver.fence(effect)
            world.hear(evidence)
            await client.record_outcome(effect, evidence)
        proved = isinstance(evidence, LookupEvidence) and evidence.receipt is not None
        world.note_outcome(effect.effect_id, KNOWN if proved else GIVEN_UP)


# -- the person at Stop -----------------------------------------------------------------------------------


async def press_stop(world: World, client: Client, name: str, wish: Wish) -> None:
    """Press Stop, perhaps more than once, withdraw what can be withdrawn, and look at what became of it."""
    for press in range(1, wish.presses + 1):
        reply = await client.request_cancel(wish.task, wish.scope, f"{name}-stop-{press}", wish.cause)
        if isinstance(reply, Accepted | ExistingRecord | Widened | Tombstoned):
            world.records[wish.task] = reply.record
        world.remembers("pressed", press)
    for number, effect in enumerate(wish.withdraws, 1):
        await client.suppress(effect)
        world.remembers("withdrew", number)
    if wish.then_inspects:
        await client.inspect(wish.task)


# -- supervisor -------------------------------------------------------------------------------------------


async def supervise(world: World, client: Client, task: TaskRef, watched: tuple[str, ...], *, killable: bool) -> None:
    """After a stop: signal each watched worker, wait out the grace period, use force, and probe.

    It asks for leave too early on purpose, one nanosecond before the end of grace: a gate must hold it back. And it
    asks twice, because a repeat must change nothing.
    """
    await wait_until("stop", lambda: task in world.records, ("stop",))
    record = world.records[task]
    world.hear(record)
    for worker in watched:
        await _signal(world, client, task, worker)
    grace_ends = record.causes[0].at_ns + world.port.contract.grace_ns
    await sleep_until("almost grace", grace_ends - 1, "almost grace")
    unstopped = _unstopped(world, watched)
    for worker in unstopped:
        await client.escalate(task, worker)
    if unstopped:
        await sleep_until("grace", grace_ends, "grace")
    for worker in _unstopped(world, watched):
        await _force(world, client, task, worker, killable=killable)
    await client.inspect(task)


def _unstopped(world: World, watched: tuple[str, ...]) -> list[str]:
    unstopped = [worker for worker in watched if worker not in world.stopped_workers]
    world.hear(unstopped)
    return unstopped


async def _signal(world: World, client: Client, task: TaskRef, worker: str) -> None:
    if world.purse.may(FaultKind.SIGNAL) and world.kernel.fault(f"signal to {worker}", ("arrives", "lost")) == "lost":
        world.purse.spend(FaultKind.SIGNAL)
        world.emit(FaultChosen(world.actor_name(), f"signal to {worker}", "lost"))
    else:
        world.signalled.append(worker)
        world.worker_acted(worker, task, "signalled")
    await client.record_signal(task, worker, "bus", Cause.USER)


async def _force(world: World, client: Client, task: TaskRef, worker: str, *, killable: bool) -> None:
    reply = await client.escalate(task, worker)
    if not isinstance(reply, Forced):
        return
    if killable:
        world.worker_acted(worker, task, "killed")
        world.lose(worker)
    world.hear(worker in world.gone)
    result = ProbeResult.GONE if worker in world.gone else ProbeResult.ALIVE
    await client.record_probe(task, worker, result)
    await client.escalate(task, worker)
