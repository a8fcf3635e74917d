"""How an actor talks to the gate: one method for each operation, with a caller of its own.

One idea: an actor never builds a request by hand; call id, caller, virtual time and incarnation come from here, at the
moment at which the call really starts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

import stopcheck.world  # named by annotations that are looked up late: it imports this module
from stopcheck.gate import (
    Acknowledge,
    AckStrength,
    Assigner,
    BeginWork,
    Caller,
    Cause,
    ClaimDispatch,
    CloseView,
    CommitEffect,
    Complete,
    Evidence,
    Fail,
    Indefinite,
    Inspect,
    OpenTask,
    RecordOutcome,
    RecordSignal,
    ReleaseLease,
    RenewLease,
    Reply,
    Request,
    RequestCancel,
    Retry,
    RevokeLease,
    Right,
    Scope,
    Snapshot,
    TaskRef,
    Tick,
    Trigger,
    ViewEnd,
    rights_for,
)
from stopcheck.world._client_optional import OptionalCalls
from stopcheck.world._effects import Effect

#: How often an actor repeats a call that was answered ``Retry`` before it gives up.
MAX_RETRIES = 4


class CallerGone(Exception):
    """The caller was killed before its call began."""


def _always() -> bool:
    return True


class Client(OptionalCalls):
    """A caller at one gate handle. Each method answers with the gate's reply, or ``Indefinite`` when the gate died
    under the call."""

    def __init__(self, world: stopcheck.world.World, caller: Caller, handle: int) -> None:
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
            return self._presented(kind(call_id=call_id, caller=self.caller, now_ns=now_ns, task=task.key, **named))

        return await self._world.port.call(self._handle, kind.operation, make)

    def _presented(self, request: Request) -> Request:
        """The request as the gate is given it."""
        return request

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

    def without_the_right(self) -> Client:
        """The same principal, who has each time every right but those that the request takes."""
        return _WrongRights(self._world, self.caller, self._handle)

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

    async def close_view(self, task: TaskRef, view: str, how: ViewEnd) -> Any:
        """Look at the task no longer."""
        return await self.insist(CloseView, task, view=view, how=how)

    async def tick(self, task: TaskRef) -> Any:
        """Let the gate make what is due."""
        return await self.insist(Tick, task)


class _WrongRights(Client):
    """May do everything but what it asks for."""

    def _presented(self, request: Request) -> Request:
        taken = rights_for(request)
        others = tuple(right for right in Right if right not in taken)
        return msgspec.structs.replace(request, caller=msgspec.structs.replace(self.caller, rights=others))
