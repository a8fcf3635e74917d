"""How an actor talks to the gate: one method for each operation, with a caller of its own.

One idea: an actor never builds a request by hand; call id, caller, virtual time and incarnation come from here, at the
moment at which the call really starts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from stopcheck.gate import (
    Acknowledge,
    AckStrength,
    Ask,
    Assigner,
    BeginCleanup,
    BeginWork,
    Caller,
    Cause,
    ClaimDispatch,
    CleanUp,
    CloseView,
    CommitEffect,
    Compensate,
    Complete,
    ConfirmItem,
    Escalate,
    Evidence,
    Fail,
    FinishChild,
    FireRetry,
    Grant,
    GrantKind,
    Halt,
    HandOver,
    HoldSlot,
    Indefinite,
    Inspect,
    Measures,
    NoteArtefact,
    OfferResult,
    OpenTask,
    ProbeResult,
    ReadAnswer,
    Recall,
    RecordOutcome,
    RecordProbe,
    RecordSignal,
    RegisterChild,
    Release,
    ReleaseLease,
    RenewLease,
    Reply,
    Request,
    RequestCancel,
    ResultPlace,
    Resume,
    Retry,
    ReturnSlot,
    RevokeLease,
    ScheduleRetry,
    Scope,
    Snapshot,
    Stage,
    StartChild,
    Subscribe,
    Suppress,
    Suspend,
    TakeItem,
    TaskRef,
    Tick,
    Trigger,
    UseGrant,
    ViewEnd,
    Withdraw,
)
from stopcheck.world._effects import Child, Effect

if TYPE_CHECKING:
    from stopcheck.world._world import World

#: How often an actor repeats a call that was answered ``Retry`` before it gives up.
MAX_RETRIES = 4


class CallerGone(Exception):
    """The caller was killed before its call began."""


def _always() -> bool:
    return True


class Client:
    """A caller at one gate handle. Each method answers with the gate's reply, or ``Indefinite`` when the gate died
    under the call."""

    def __init__(self, world: World, caller: Caller, handle: int) -> None:
        self.caller = caller
        self.alive: Callable[[], bool] = _always
        self._world = world
        self._handle = handle

    async def ask(self, kind: type[Request], task: TaskRef, /, **fields: Any) -> Any:
        """Make one call of any operation."""

        def make(call_id: str, now_ns: int) -> Request:
            if not self.alive():
                raise CallerGone
            named = {"incarnation": task.incarnation, **fields}
            return kind(call_id=call_id, caller=self.caller, now_ns=now_ns, task=task.key, **named)

        return await self._world.port.call(self._handle, kind.operation, make)

    async def insist(self, kind: type[Request], task: TaskRef, /, **fields: Any) -> Any:
        """Make a call again while it is answered ``Indefinite`` or (up to a bound) ``Retry``. How often it was made is
        forgotten then."""
        actor = self._world.kernel.current
        memory = actor.memory() if actor is not None else None
        retries = 0
        while True:
            reply: Reply | Snapshot = await self.ask(kind, task, **fields)
            retries += isinstance(reply, Retry)
            if not isinstance(reply, Retry | Indefinite) or retries > MAX_RETRIES:
                break
        if actor is not None and memory is not None:
            actor.recall(memory, reply)
        return reply

    def at(self, handle: int) -> Client:
        """The same caller at another handle."""
        return Client(self._world, self.caller, handle)

    def as_tenant(self, tenant: str) -> Client:
        """The same principal, but of another tenant."""
        return Client(self._world, msgspec.structs.replace(self.caller, tenant=tenant), self._handle)

    async def open_task(self, task: TaskRef, deadline_ns: int | None = None, owner: str = "") -> Any:
        """Open the task. A gate that assigns incarnations is asked for a new one, and only once."""
        if self._world.port.contract.incarnations is Assigner.GATE:
            return await self.ask(OpenTask, task, incarnation=None, deadline_ns=deadline_ns, owner=owner)
        return await self.insist(OpenTask, task, deadline_ns=deadline_ns, owner=owner)

    async def begin_work(
        self, task: TaskRef, worker: str, delivery_id: str, trigger: Trigger, checkpoint_epoch: int | None = None
    ) -> Any:
        """Ask for a lease."""
        return await self.insist(
            BeginWork,
            task,
            worker=worker,
            delivery_id=delivery_id,
            trigger=trigger,
            checkpoint_epoch=checkpoint_epoch,
        )

    async def renew_lease(self, task: TaskRef, epoch: int) -> Any:
        """Keep the lease."""
        return await self.insist(RenewLease, task, epoch=epoch)

    async def release_lease(self, task: TaskRef, epoch: int) -> Any:
        """Give the lease back."""
        return await self.insist(ReleaseLease, task, epoch=epoch)

    async def revoke_lease(self, task: TaskRef, epoch: int) -> Any:
        """Take a lease away."""
        return await self.insist(RevokeLease, task, epoch=epoch)

    async def commit_effect(self, effect: Effect, epoch: int, payload_digest: str | None = None) -> Any:
        """Make a dispatch commitment."""
        return await self.insist(
            CommitEffect,
            effect.task,
            epoch=epoch,
            effect_id=effect.effect_id,
            payload_digest=payload_digest or effect.payload_digest,
            receiver=effect.receiver.name,
            cancellation_class=effect.cancellation_class,
            kind=effect.kind,
            items=effect.items,
        )

    async def compensate(self, effect: Effect, epoch: int, answered: Effect, grant_id: str) -> Any:
        """Make the commitment of an effect that answers another."""
        return await self.insist(
            Compensate,
            effect.task,
            epoch=epoch,
            effect_id=effect.effect_id,
            payload_digest=effect.payload_digest,
            receiver=effect.receiver.name,
            cancellation_class=effect.cancellation_class,
            kind=effect.kind,
            target=answered.task,
            target_effect_id=answered.effect_id,
            grant_id=grant_id,
        )

    async def claim_dispatch(self, effect: Effect) -> Any:
        """Take the effect to send it. Not repeated after ``Indefinite``: the claim may have been given."""
        return await self.ask(
            ClaimDispatch,
            effect.task,
            effect_id=effect.effect_id,
            idempotent_receiver=effect.receiver.abilities.idempotent,
        )

    async def record_outcome(
        self, effect: Effect, evidence: Evidence, attempt: int | None = None, *, item: str | None = None
    ) -> Any:
        """Tell what is known of the effect, or of one item of it."""
        return await self.insist(
            RecordOutcome, effect.task, effect_id=effect.effect_id, evidence=evidence, attempt=attempt, item=item
        )

    async def record_signal(
        self, task: TaskRef, target: str, channel: str, cause: Cause, *, removal: bool = False
    ) -> Any:
        """Tell that a signal was sent, or that what stood for the work was removed."""
        return await self.insist(RecordSignal, task, target=target, channel=channel, cause=cause, removal=removal)

    async def acknowledge(self, task: TaskRef, epoch: int, strength: AckStrength, revision: int) -> Any:
        """Say how far the worker has stopped."""
        return await self.insist(Acknowledge, task, epoch=epoch, strength=strength, record_revision=revision)

    async def complete(self, task: TaskRef, epoch: int, result: str = "result") -> Any:
        """Say that the goal is reached."""
        return await self.insist(Complete, task, epoch=epoch, result_digest=result)

    async def fail(self, task: TaskRef, epoch: int, result: str = "gave up") -> Any:
        """Give the task up."""
        return await self.insist(Fail, task, epoch=epoch, result_digest=result)

    async def request_cancel(
        self,
        task: TaskRef,
        scope: Scope,
        request_id: str,
        cause: Cause = Cause.USER,
        reason: str = "Stop pressed",
        *,
        requested_ns: int | None = None,
    ) -> Any:
        """Press Stop; ``requested_ns`` by the caller's own clock."""
        return await self.insist(
            RequestCancel,
            task,
            scope=scope,
            cause=cause,
            request_id=request_id,
            reason=reason,
            requested_ns=requested_ns,
        )

    async def inspect(self, task: TaskRef) -> Any:
        """Read the task's account."""
        return await self.insist(Inspect, task)

    async def measures(self, task: TaskRef) -> Any:
        """Read the figures of all the tenant's tasks."""
        return await self.ask(Measures, task)

    async def close_view(self, task: TaskRef, view: str, how: ViewEnd) -> Any:
        """Look at the task no longer."""
        return await self.insist(CloseView, task, view=view, how=how)

    async def suspend(self, task: TaskRef, halt: Halt) -> Any:
        """Halt the task's work."""
        return await self.insist(Suspend, task, halt=halt)

    async def resume(self, task: TaskRef) -> Any:
        """Let it go on."""
        return await self.insist(Resume, task)

    async def tick(self, task: TaskRef) -> Any:
        """Let the gate make what is due."""
        return await self.insist(Tick, task)

    async def suppress(self, effect: Effect) -> Any:
        """Withdraw the effect."""
        return await self.insist(Suppress, effect.task, effect_id=effect.effect_id)

    async def register_child(self, child: Child, epoch: int) -> Any:
        """Record ownership of a child."""
        return await self.insist(
            RegisterChild,
            child.parent,
            child=child.ref,
            kind=child.kind,
            owner=child.owner,
            epoch=epoch,
            cap_ns=child.cap_ns,
            minimum_ns=child.minimum_ns,
            reserve_ns=child.reserve_ns,
            cancellation_class=child.cancellation_class,
        )

    async def start_child(self, child: Child) -> Any:
        """The child is about to run."""
        return await self.insist(StartChild, child.parent, child=child.ref)

    async def finish_child(self, child: Child, stage: Stage) -> Any:
        """The child has ended."""
        return await self.insist(FinishChild, child.parent, child=child.ref, stage=stage)

    async def subscribe(self, shared: TaskRef, interest_id: str, subscriber: TaskRef) -> Any:
        """Register an interest."""
        return await self.insist(Subscribe, shared, interest_id=interest_id, subscriber=subscriber)

    async def release(self, shared: TaskRef, interest_id: str) -> Any:
        """Give up an interest."""
        return await self.insist(Release, shared, interest_id=interest_id)

    async def schedule_retry(self, task: TaskRef, retry_id: str, at_ns: int) -> Any:
        """Arm a retry."""
        return await self.insist(ScheduleRetry, task, retry_id=retry_id, at_ns=at_ns)

    async def fire_retry(self, task: TaskRef, retry_id: str, worker: str) -> Any:
        """The retry's time has come."""
        return await self.insist(FireRetry, task, retry_id=retry_id, worker=worker)

    async def grant(
        self, task: TaskRef, grant_id: str, kind: GrantKind = GrantKind.APPROVAL, compensates: str = ""
    ) -> Any:
        """Allow something for later."""
        return await self.insist(Grant, task, grant_id=grant_id, kind=kind, compensates=compensates)

    async def use_grant(self, task: TaskRef, grant_id: str) -> Any:
        """Go ahead with what was granted. Not repeated after ``Indefinite``: it may have been spent."""
        return await self.ask(UseGrant, task, grant_id=grant_id)

    async def offer_result(self, task: TaskRef, target: str, place: ResultPlace, version: int, result: str) -> Any:
        """A result arrives, made under the authority ``version``."""
        return await self.insist(
            OfferResult, task, target=target, place=place, authority_version=version, result_digest=result
        )

    async def recall(self, task: TaskRef, place: ResultPlace) -> Any:
        """Read what a place holds."""
        return await self.insist(Recall, task, place=place)

    async def ask_task(self, task: TaskRef, request_id: str, channel: str) -> Any:
        """Ask the task something, on a channel that others use too."""
        return await self.insist(Ask, task, request_id=request_id, channel=channel)

    async def answer(self, task: TaskRef, request_id: str, version: int, result: str) -> Any:
        """Answer what somebody asked."""
        return await self.insist(
            OfferResult,
            task,
            target=request_id,
            place=ResultPlace.RESPONSE,
            authority_version=version,
            result_digest=result,
            request_id=request_id,
        )

    async def withdraw(self, task: TaskRef, request_id: str) -> Any:
        """Want no answer any more."""
        return await self.insist(Withdraw, task, request_id=request_id)

    async def read_answer(self, task: TaskRef, request_id: str) -> Any:
        """Look for the answer."""
        return await self.insist(ReadAnswer, task, request_id=request_id)

    async def hand_over(self, task: TaskRef, item_id: str, *, wake_up: bool = False) -> Any:
        """Hand an item, or a wake-up, to the task."""
        return await self.insist(HandOver, task, item_id=item_id, wake_up=wake_up)

    async def take_item(self, task: TaskRef, epoch: int) -> Any:
        """Take what waits. Not repeated after ``Indefinite``: an item may have been handed out."""
        return await self.ask(TakeItem, task, epoch=epoch)

    async def confirm_item(self, task: TaskRef, item_id: str) -> Any:
        """Say that the item is here."""
        return await self.insist(ConfirmItem, task, item_id=item_id)

    async def escalate(self, task: TaskRef, worker: str, level: str = "kill") -> Any:
        """Ask for leave to use force."""
        return await self.insist(Escalate, task, worker=worker, level=level)

    async def record_probe(self, task: TaskRef, worker: str, result: ProbeResult) -> Any:
        """Tell what a probe found."""
        return await self.insist(RecordProbe, task, worker=worker, result=result)

    async def note_artefact(self, task: TaskRef, epoch: int, artefact: str, *, finished: bool = False) -> Any:
        """Say what the task makes, or that it is finished."""
        return await self.insist(NoteArtefact, task, epoch=epoch, artefact=artefact, finished=finished)

    async def begin_cleanup(self, task: TaskRef, cleaner: str) -> Any:
        """Ask for authority to clear away."""
        return await self.insist(BeginCleanup, task, cleaner=cleaner)

    async def clean_up(self, task: TaskRef, epoch: int, artefact: str) -> Any:
        """Ask whether the artefact may be removed."""
        return await self.insist(CleanUp, task, epoch=epoch, artefact=artefact)

    async def hold_slot(self, task: TaskRef, epoch: int, pool: str, limit: int) -> Any:
        """Take a slot."""
        return await self.insist(HoldSlot, task, epoch=epoch, pool=pool, limit=limit)

    async def return_slot(self, task: TaskRef, epoch: int, pool: str) -> Any:
        """Give it back."""
        return await self.insist(ReturnSlot, task, epoch=epoch, pool=pool)
