"""What is certain at each moment of a run, read from the log alone.

One idea: checks do not keep books of their own. They ask *facts*: what was asked and answered, what receivers did, who
holds which lease. A fact is certain in real time: a record "is known" from the moment at which a caller was answered
with it, so a check built on facts needs no assumption about the order of concurrent calls (the linearisability checker
handles those).

Step numbers are for people and stay out of ``digest``; everything on which a later verdict can depend is in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import msgspec

from stopcheck.gate import BeginWork, CancellationRecord, GateContract, Request, Right, Scope, Snapshot, TaskRef, Ticked
from stopcheck.judge import _entering as entering
from stopcheck.judge._book import Book
from stopcheck.judge._known import Call, EffectFacts, InterestFacts, Known, LeaseFacts, TaskFacts, twin
from stopcheck.world import (
    Called,
    Committed,
    EffectDeclared,
    Entry,
    Event,
    FinalAccount,
    GateDied,
    MessageDelivered,
    PhaseBegan,
    ReceiverTruth,
    Returned,
    TaskDeclared,
)

#: No inventory is deeper; a chain of parents that is longer runs in a circle.
MAX_DEPTH = 64


def authorised(request: Request) -> bool:
    """Whether the caller of a stop is somebody, of the task's tenant, with the right to stop."""
    caller = request.caller
    return bool(caller.principal) and caller.tenant == request.task.tenant and Right.STOP in caller.rights


class Facts:
    """The books. ``apply`` is called once for each entry, before the checks see it."""

    def __init__(self, contract: GateContract) -> None:
        self.contract = contract
        self.phase = ""
        self.generation = 0
        self.now_ns = 0
        self.step = 0
        self.tasks: dict[TaskRef, TaskFacts] = {}
        self.effects: dict[str, EffectFacts] = {}
        self.open: dict[str, Call] = {}
        #: The call that the current ``Called`` entry opens.
        self.opening: Call | None = None
        #: The call that the current ``Returned`` entry closes.
        self.closing: Call | None = None
        #: Deliveries by a queue: delivery id and task.
        self.delivered: set[tuple[str, TaskRef]] = set()
        self.accounts: dict[tuple[int, TaskRef], Snapshot] = {}
        self.truths: dict[str, ReceiverTruth] = {}
        self.deaths = 0
        #: The answer to the latest tick: at rest it names no next wake-up.
        self.ticked: Ticked | None = None
        #: Every call with both ends of its interval, and the readings of tasks.
        self.book = Book()

    # -- questions ----------------------------------------------------------------------------------------

    def ancestors(self, ref: TaskRef) -> Iterator[TaskFacts]:
        """The owners of a task, nearest first. Shared work has subscribers instead: no stop reaches it through an
        owner."""
        task = self.tasks.get(ref)
        for _ in range(MAX_DEPTH):
            if task is None or task.parent is None or task.shared:
                return
            task = self.tasks.get(task.parent)
            if task is not None:
                yield task

    def covering(self, ref: TaskRef | None) -> CancellationRecord | None:
        """A cancellation that is known to cover ``ref``: its own, or an owner's of scope ``subtree``. A child belongs
        to its declared parent from its registration on."""
        task = self.tasks.get(ref) if ref is not None else None
        if task is None:
            return None
        if task.record is not None:
            return task.record
        below = task
        for owner in self.ancestors(task.ref):
            if below.ref not in owner.children:
                return None
            if owner.record is not None and owner.record.scope is Scope.SUBTREE:
                return owner.record
            below = owner
        return None

    def prompted(self, ref: TaskRef, through: frozenset[TaskRef] = frozenset()) -> bool:
        """Whether anything was begun that may cancel this very task: an authorised stop of it or, with scope
        ``subtree``, of an owner; a deadline; for shared work, the release of an interest. ``through``: the tasks for
        whose sake it is asked. Shared work may want itself, and that is no beginning."""
        task = self.tasks.get(ref)
        if task is None or task.stops or task.deadline:
            return True
        if task.shared:
            through |= {ref}
            return any(self.release_possible(interest, through) for interest in task.interests.values())
        return any(
            owner.deadline
            or Scope.SUBTREE in owner.stops
            or (owner.shared and owner.ref not in through and self.prompted(owner.ref, through))
            for owner in self.ancestors(ref)
        )

    def release_possible(self, interest: InterestFacts, through: frozenset[TaskRef] = frozenset()) -> bool:
        """Whether an interest may have been released: by request, or because its subscriber was stopped or ended."""
        subscriber = self.tasks.get(interest.subscriber)
        if interest.asked or subscriber is None or subscriber.ending:
            return True
        return subscriber.ref not in through and self.prompted(subscriber.ref, through)

    def may_be_ended_from_outside(self, ref: TaskRef) -> bool:
        """Whether anything was begun that may stop the run or end it: a stop, a deadline, or its owner's word or
        end."""
        return self.prompted(ref) or any(owner.ending or owner.finishing for owner in self.ancestors(ref))

    def given_up(self, ref: TaskRef) -> bool:
        """Whether an owner may have failed above the task, or ended it or an owner of it: the gate may stop it then."""
        below = ref
        for owner in self.ancestors(ref):
            if below in owner.finishing or any(deed.may_count for deed in self.book.deeds("fail", owner.ref)):
                return True
            below = owner.ref
        return False

    def release_certain(self, interest: InterestFacts) -> bool:
        """Whether an interest was certainly released: so answered, or its subscriber's own cancellation is known (a
        cascade from further above may lag)."""
        subscriber = self.tasks.get(interest.subscriber)
        return interest.released or (subscriber is not None and subscriber.record is not None)

    def descendants(self, ref: TaskRef) -> Iterator[TaskFacts]:
        """Every registered task below ``ref``."""
        for child in self.tasks[ref].children:
            if child in self.tasks:
                yield self.tasks[child]
                yield from self.descendants(child)

    def effects_of(self, ref: TaskRef) -> list[EffectFacts]:
        """The effects of a task, in order of declaration."""
        return [effect for effect in self.effects.values() if effect.task == ref]

    def effect_of(self, request: Request) -> EffectFacts | None:
        """The declared effect that a request names, in its own tenant."""
        effect = self.effects.get(getattr(request, "effect_id", ""))
        return effect if effect is not None and effect.task.key.tenant == request.task.tenant else None

    def lease(self, ref: TaskRef | None, epoch: int) -> LeaseFacts | None:
        """The lease with that epoch, if it was granted."""
        task = self.tasks.get(ref) if ref is not None else None
        return next((lease for lease in task.leases if lease.epoch == epoch), None) if task else None

    def workers(self, ref: TaskRef) -> list[str]:
        """Every worker that was ever granted a lease for the task, once each."""
        return list(dict.fromkeys(lease.worker for lease in self.tasks[ref].leases))

    def open_calls(self, operation: str) -> Iterator[Call]:
        """The open calls of one operation. The call that is just being answered is not among them."""
        return (call for call in self.open.values() if call.operation == operation)

    def known(self, request: Request) -> Known:
        """What is certain now about the task of ``request``."""
        ref = request.ref
        task = self.tasks.get(ref) if ref is not None else None
        if task is None:
            return Known()
        mine = self.effects_of(task.ref)
        owners = (task, *self.ancestors(task.ref))
        lease = self.lease(ref, _named_epoch(request))
        effect = self.effect_of(request)
        return Known(
            records=tuple(owner.record for owner in owners if owner.record is not None),
            execution=task.execution,
            stale=lease.stale(request.now_ns) if lease is not None else "",
            leased=task.leased
            or any(c.request.ref == ref for name in ("begin_work", "fire_retry") for c in self.open_calls(name)),
            admitted=tuple(e.effect_id for e in mine if e.admitted),
            claimed=tuple(e.effect_id for e in mine if e.claims),
            suppressed=tuple(e.effect_id for e in mine if e.suppressed),
            bound=tuple(effect.admissions) if effect is not None else (),
            children=tuple(task.children),
            live=tuple(i.interest_id for i in task.interests.values() if self.certainly_live(i)),
            released=tuple(i.interest_id for i in task.interests.values() if self.release_certain(i)),
        )

    def certainly_live(self, interest: InterestFacts) -> bool:
        """Whether an interest was registered and nothing was begun that may have released it."""
        return interest.subscribed and not self.release_possible(interest)

    # -- keeping ------------------------------------------------------------------------------------------

    def apply(self, entry: Entry) -> None:
        """Enter one event."""
        self.step, self.now_ns = entry.step, entry.now_ns
        self.opening = self.closing = None
        event = entry.event
        match event:
            case Called():
                self.opening = entering.open_call(self, event)
            case Returned():
                self.closing = entering.close_call(self, event)
            case Committed():
                effect = self.effects.get(event.effect_id)
                if effect is not None:
                    effect.commits += 1
                    effect.commit_payloads.append(event.payload_digest)
            case TaskDeclared():
                self.tasks[event.task] = TaskFacts(event.task, event.parent, event.shared)
            case EffectDeclared():
                self._declare(event)
            case GateDied():
                self.generation = event.generation
                self.deaths += 1
            case _:
                self._happened(event)
        self.book.apply(self, entry)

    def _happened(self, event: Event) -> None:
        match event:
            case PhaseBegan():
                self.phase = event.phase
            case MessageDelivered():
                self.delivered.add((event.delivery_id, event.task))
            case FinalAccount() if isinstance(event.reply, Snapshot):
                self.accounts[event.handle, event.task] = event.reply
            case ReceiverTruth():
                self.truths[event.effect_id] = event
            case _:
                pass

    def _declare(self, event: EffectDeclared) -> None:
        self.effects[event.effect_id] = EffectFacts(
            event.effect_id,
            event.task,
            event.payload_digest,
            event.receiver,
            declared=True,
            idempotent=event.idempotent,
            lookup=event.lookup,
            can_fence=event.can_fence,
            items=event.items,
        )

    # -- state --------------------------------------------------------------------------------------------

    def digest(self) -> bytes:
        """Everything on which a later verdict can depend, without step numbers."""
        calls = [
            (c.call_id, c.handle, c.request, c.cut_off, c.ended, self.generation - c.generation, c.known)
            for c in self.open.values()
        ]
        state = [
            self.phase,
            self.deaths,
            list(self.tasks.values()),
            list(self.effects.values()),
            calls,
            sorted((delivery, str(task)) for delivery, task in self.delivered),
            self.book.digest(),
        ]
        return hashlib.blake2b(_encode(state), digest_size=16).digest()

    def saved(self) -> dict[str, Any]:
        """All that stands here, apart from what follows; not meant for the final account."""
        kept = {name: twin(value) for name, value in vars(self).items() if name not in _NOT_SAVED}
        return {**kept, "book": self.book.saved()}

    def resume(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved; that may be done any number of times."""
        self.opening = self.closing = None
        for name, value in saved.items():
            if name != "book":
                setattr(self, name, twin(value))
        self.book.resume(saved["book"])


#: What is of the moment, the same in all runs, or saved by itself.
_NOT_SAVED = frozenset(("contract", "opening", "closing", "book"))


def _named_epoch(request: Request) -> int:
    """The epoch on which a request rests, or that of the checkpoint from which it resumes; -1: none."""
    epoch = getattr(request, "checkpoint_epoch" if isinstance(request, BeginWork) else "epoch", None)
    return -1 if epoch is None else epoch


_encode = msgspec.msgpack.Encoder(order="deterministic").encode

__all__ = [
    "Call",
    "EffectFacts",
    "Facts",
    "InterestFacts",
    "Known",
    "LeaseFacts",
    "TaskFacts",
    "authorised",
]
