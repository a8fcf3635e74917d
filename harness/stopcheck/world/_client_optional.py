"""Calls of the operations that belong to optional capabilities.

One idea: they are calls like all others; only gates that declare the capability are asked them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from stopcheck.gate import (
    Ask,
    BeginCleanup,
    CleanUp,
    Compensate,
    ConfirmItem,
    Escalate,
    FinishChild,
    FireRetry,
    Grant,
    GrantKind,
    Halt,
    HandOver,
    HoldSlot,
    Measures,
    NoteArtefact,
    OfferResult,
    ProbeResult,
    ReadAnswer,
    Recall,
    RecordProbe,
    RegisterChild,
    Release,
    Request,
    ResultPlace,
    Resume,
    ReturnSlot,
    ScheduleRetry,
    Stage,
    StartChild,
    Subscribe,
    Suppress,
    Suspend,
    TakeItem,
    TaskRef,
    UseGrant,
    Withdraw,
)
from stopcheck.world._effects import Child, Effect


class OptionalCalls(ABC):
    """One method for each operation; how a call is made is the client's affair."""

    @abstractmethod
    async def ask(self, kind: type[Request], task: TaskRef, /, **fields: Any) -> Any:
        """Make one call of any operation."""

    @abstractmethod
    async def insist(self, kind: type[Request], task: TaskRef, /, **fields: Any) -> Any:
        """Make a call until it is answered."""

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

    async def measures(self, task: TaskRef) -> Any:
        """Read the figures of all the tenant's tasks."""
        return await self.ask(Measures, task)

    async def suspend(self, task: TaskRef, halt: Halt) -> Any:
        """Halt the task's work."""
        return await self.insist(Suspend, task, halt=halt)

    async def resume(self, task: TaskRef) -> Any:
        """Let it go on."""
        return await self.insist(Resume, task)

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
