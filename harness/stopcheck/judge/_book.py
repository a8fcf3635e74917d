"""What was asked of the gate, with both ends of every call: the judge's source for what *may* and what *must* be so.

One idea: two bounds for each fact. From the moment a call **begins** its fact *may* hold; from the moment it is
**answered** its fact *must* hold. A reading has to show what was answered before it began, and must not show what had
not begun before it returned; between the two, anything is right.

Moments count log entries and only order things. They stay out of the digest. Of the order of calls, later verdicts
depend on what had been answered when a call that is still open began (``Deed.before``), and, of calls that are over, on
the order of those few that are compared with each other (``Deed.after``); both are kept as one number.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from stopcheck.gate import (
    Accepted,
    Acknowledge,
    Admitted,
    BeginCleanup,
    BeginWork,
    CancellationRecord,
    ClaimGranted,
    CommitEffect,
    Disposition,
    Escalate,
    Evidence,
    ExistingEffect,
    ExistingRecord,
    FireRetry,
    Forced,
    Indefinite,
    Inspect,
    LeaseGranted,
    Lost,
    OfferResult,
    PreCancelled,
    Recorded,
    RecordProbe,
    Refused,
    Renewed,
    Reply,
    Request,
    RequestCancel,
    Resend,
    Resolved,
    Retry,
    RetryFired,
    ReturnSlot,
    Snapshot,
    Stopped,
    TaskRef,
    Tick,
    Ticked,
    Tombstoned,
    Unsupported,
    Unverified,
    Widened,
)
from stopcheck.judge._known import twin
from stopcheck.judge._reading import Reading
from stopcheck.world import Answered, Called, Entry, FaultChosen, GateDied, Returned, WorkerActed

if TYPE_CHECKING:
    from stopcheck.judge._facts import Facts

_WITHOUT_EFFECT = (Refused, Retry, Unsupported)
_MASK = (1 << 64) - 1


class Deed(msgspec.Struct):
    """One call with both ends of its interval. ``before`` stands for all that had been answered when it began,
    ``after`` for those of them with which it is compared when it is over. Once the entry that ends it was looked at,
    its ``reply`` is bare of what is not asked of a call that is over. For ``inspect``: ``shown`` are the dispositions
    that readings of its task had shown by then, ``committed`` the effects that receivers had committed, ``ticked_ns``
    the time of the latest tick, ``below`` those of its task's owners that had been shown settled."""

    call_id: str
    actor: str
    operation: str
    request: Request
    ref: TaskRef | None
    begun: int
    begun_ns: int
    before: int
    cut_off: CancellationRecord | None
    shown: tuple[tuple[str, Disposition], ...] = ()
    committed: tuple[str, ...] = ()
    ticked_ns: int = -1
    below: tuple[TaskRef, ...] = ()
    after: int = 0
    returned: int | None = None
    returned_ns: int = 0
    reply: Reply | Snapshot | None = None

    @property
    def may_count(self) -> bool:
        """Whether it may have changed something: it was not answered that it did not."""
        return not isinstance(self.reply, _WITHOUT_EFFECT)

    @property
    def definite(self) -> bool:
        """Whether it was answered, and by the gate."""
        return self.reply is not None and not isinstance(self.reply, Indefinite)

    @property
    def answer(self) -> str:
        """The name of its answer; empty while it is open."""
        return "" if self.reply is None else type(self.reply).__name__

    def answered_before(self, moment: int) -> bool:
        """Whether it was certainly over at that moment."""
        return self.returned is not None and self.returned < moment


class Book:
    """All deeds, by operation and by the effect or task that they are about."""

    def __init__(self) -> None:
        self.moment = 0
        self.open: dict[str, Deed] = {}
        #: The deed that the current entry begins or ends.
        self.opening: Deed | None = None
        self.closing: Deed | None = None
        #: The reading that the current entry ends, if it ends an ``inspect`` that was answered.
        self.reading: Reading | None = None
        #: The readings of the final account.
        self.final: list[Reading] = []
        #: The disposition that was shown last, by effect id.
        self.shown: dict[str, Disposition] = {}
        #: What came over an admitted effect since then: ``death`` (of the gate), ``kill`` (of a worker).
        self.came_over: dict[str, list[str]] = {}
        #: The tasks that were shown settled.
        self.settled: list[TaskRef] = []
        #: The latest time at which a tick began that was answered.
        self.ticked_ns = -1
        #: The ticks that were answered in the final phase.
        self.final_ticks = 0
        #: The time at which a cancellation was first known, by task: the cutoff was not later.
        self.cut_by_ns: dict[TaskRef, int] = {}
        #: What receivers answered to whoever asked, by effect id.
        self.answered: dict[str, list[Evidence]] = {}
        #: A fault was chosen, the gate or a worker died.
        self.disturbed = False
        #: Somebody of another tenant called.
        self.strangers = False
        #: Who called last, and how many of that actor's calls were answered with nobody else's in between. Not in the
        #: digest: a check that asks puts it into its own while it matters.
        self.caller = ""
        self.in_a_row = 0
        self._deeds: dict[tuple[str, object], list[Deed]] = {}
        self._closed = 0

    # -- questions ----------------------------------------------------------------------------------------

    def deeds(self, operation: str, key: object) -> list[Deed]:
        """The calls of ``operation`` about an effect id or a task, in the order in which they began."""
        return self._deeds.get((operation, key), [])

    def commitments(self, effect_id: str) -> list[Deed]:
        """The calls that may have admitted an effect: commitments, and those that answer another effect."""
        return [*self.deeds("commit_effect", effect_id), *self.deeds("compensate", effect_id)]

    def all_deeds(self, operation: str) -> list[Deed]:
        """The calls of ``operation`` about anything."""
        return [deed for (name, _), deeds in self._deeds.items() if name == operation for deed in deeds]

    def alone(self, deed: Deed) -> bool:
        """Whether no other call (looks and ticks apart) was answered while this one, which has just been, was made."""
        return (self._closed - _sum([deed])) & _MASK == deed.before

    # -- keeping ------------------------------------------------------------------------------------------

    def apply(self, facts: Facts, entry: Entry) -> None:
        """Enter one event; the facts hold it already."""
        if self.closing is not None and self.closing.reply is not None:
            self.closing.reply = _bare(self.closing.reply)
        self.moment += 1
        self.opening = self.closing = self.reading = None
        event = entry.event
        match event:
            case Called():
                self._begin(facts, event)
            case Returned():
                self._end(facts, event)
            case Answered():
                self.answered.setdefault(event.effect_id, []).append(event.evidence)
            case GateDied():
                self._came("death")
            case WorkerActed() if event.what in ("died", "killed"):
                self._came("kill")
            case FaultChosen():
                self.disturbed = True
            case _:
                pass

    def _came(self, what: str) -> None:
        self.disturbed = True
        for over in self.came_over.values():
            if what not in over:
                over.append(what)

    def _begin(self, facts: Facts, event: Called) -> None:
        request = event.request
        ref = request.ref
        if event.actor != self.caller:
            self.caller, self.in_a_row = event.actor, 0
        deed = self.opening = Deed(
            event.call_id,
            event.actor,
            event.operation,
            request,
            ref,
            self.moment,
            facts.now_ns,
            self._closed,
            facts.covering(ref),
        )
        self.open[event.call_id] = deed
        self.strangers = self.strangers or request.caller.tenant != request.task.tenant
        if isinstance(request, Inspect):
            mine = [e for e in facts.effects.values() if e.task == ref]
            deed.shown = tuple((e.effect_id, self.shown[e.effect_id]) for e in mine if e.effect_id in self.shown)
            deed.committed = tuple(e.effect_id for e in mine if e.commits)
            deed.ticked_ns = self.ticked_ns
            if self.settled and ref is not None:
                deed.below = tuple(owner.ref for owner in facts.ancestors(ref) if owner.ref in self.settled)
        elif not isinstance(request, Tick):
            deed.after = _sum(self._compared(request, ref))
            key = getattr(request, "effect_id", None) or ref
            self._deeds.setdefault((event.operation, key), []).append(deed)

    def _compared(self, request: Request, ref: TaskRef | None) -> list[Deed]:
        """What was answered already, and of which it is asked later whether it was, when this call is over too: whether
        a word came from an epoch that was superseded, whether a worker that a probe missed or found gone has begun
        again since, whether somebody committed after having said that it stopped, whether a result came too late,
        whether a slot was taken again after its return, whether a retry was armed again after it had fired, and which
        clean-up is the newest."""
        match request:
            case Acknowledge():
                return [d for d in self._granted(ref) if getattr(d.reply, "epoch", 0) > request.epoch]
            case RecordProbe():
                return self._granted(ref)
            case BeginWork():
                return [d for d in self.deeds("record_probe", ref) if d.definite]
            case FireRetry():
                return [d for about in ("record_probe", "schedule_retry") for d in self.deeds(about, ref) if d.definite]
            case CommitEffect():
                said = self.deeds("acknowledge", ref)
                return [d for d in said if d.answer == "Recorded" and getattr(d.request, "epoch", 0) == request.epoch]
            case OfferResult():
                over = ("request_cancel", "complete", "fail", "withdraw")
                return [d for operation in over for d in self.all_deeds(operation) if d.definite]
            case ReturnSlot():
                return [d for d in self.deeds("hold_slot", ref) if d.definite]
            case BeginCleanup():
                return [d for d in self.deeds("begin_cleanup", ref) if d.definite]
            case _:
                return []

    def _granted(self, ref: TaskRef | None) -> list[Deed]:
        begun = (*self.deeds("begin_work", ref), *self.deeds("fire_retry", ref))
        return [deed for deed in begun if isinstance(deed.reply, LeaseGranted | RetryFired)]

    def _end(self, facts: Facts, event: Returned) -> None:
        deed = self.open.pop(event.call_id)
        deed.returned, deed.returned_ns, deed.reply = self.moment, facts.now_ns, event.reply
        self.closing = deed
        self.in_a_row = 0 if self.open or deed.actor != self.caller else self.in_a_row + 1
        request, reply = deed.request, event.reply
        if isinstance(reply, Ticked):
            self.ticked_ns = max(self.ticked_ns, deed.begun_ns)
            self.final_ticks += facts.phase == "final"
        elif isinstance(reply, Snapshot):
            self._read(facts, deed, reply)
        elif not isinstance(request, Inspect | Tick):
            self._closed = (self._closed + _sum([deed])) & _MASK
        if isinstance(reply, Forced) or (isinstance(request, RecordProbe) and isinstance(reply, Recorded)):
            self._came("kill")
        self._notice(facts, deed)

    def _notice(self, facts: Facts, deed: Deed) -> None:
        """New things that this answer made certain."""
        record = getattr(deed.reply, "record", None)
        if isinstance(record, CancellationRecord):
            self.cut_by_ns.setdefault(record.task, facts.now_ns)
        if deed.answer == "Admitted":
            self.came_over.setdefault(getattr(deed.request, "effect_id", ""), [])

    def _read(self, facts: Facts, deed: Deed, snapshot: Snapshot) -> None:
        task = facts.tasks.get(deed.ref) if deed.ref is not None else None
        if task is None or snapshot.task != task.ref:
            return
        self.reading = Reading(facts, task, deed, snapshot)
        for entry in snapshot.effects:
            self.shown[entry.effect_id] = entry.disposition
        if self.reading.settled and task.ref not in self.settled:
            self.settled.append(task.ref)
        if facts.phase == "account":
            self.final.append(self.reading)

    # -- state --------------------------------------------------------------------------------------------

    def digest(self) -> bytes:
        """Everything on which a later verdict can depend, without moments."""
        opened = [
            (d.call_id, d.before, d.begun_ns, d.shown, d.committed, d.ticked_ns, d.below) for d in self.open.values()
        ]
        state = (
            self._closed,
            opened,
            sorted(self.shown.items()),
            sorted(self.came_over.items()),
            self.settled,
            self.ticked_ns,
            list(self.cut_by_ns.items()),
            self.disturbed,
            self.strangers,
        )
        return _encode(state)

    def saved(self) -> dict[str, Any]:
        """All that stands here, apart from what follows. Deeds that are over do not change and are shared."""
        kept = {name: twin(value) for name, value in vars(self).items() if name not in _NOT_SAVED}
        return {**kept, **_apart(self.open, self._deeds)}

    def resume(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved; that may be done any number of times."""
        self.opening = self.closing = self.reading = None
        for name, value in saved.items():
            if name not in _OF_DEEDS:
                setattr(self, name, twin(value))
        apart = _apart(saved["open"], saved["_deeds"])
        self.open, self._deeds = apart["open"], apart["_deeds"]


_OF_DEEDS = frozenset(("open", "_deeds"))
_NOT_SAVED = frozenset(("opening", "closing", "reading")) | _OF_DEEDS


def _apart(opened: dict[str, Deed], deeds: dict[tuple[str, object], list[Deed]]) -> dict[str, Any]:
    """The same deeds, with copies of those that are open."""
    fresh = {call_id: twin(deed) for call_id, deed in opened.items()}
    return {"open": fresh, "_deeds": {key: [fresh.get(d.call_id, d) for d in some] for key, some in deeds.items()}}


_encode = msgspec.msgpack.Encoder(order="deterministic").encode


def _essence(deed: Deed) -> bytes:
    """What is asked later of a call that is over: not its id, and its time only where that matters."""
    timed = isinstance(deed.request, RequestCancel | Escalate)
    request = msgspec.structs.replace(deed.request, call_id="", now_ns=deed.begun_ns if timed else 0)
    return _encode([request, deed.answer, None if deed.reply is None else _bare(deed.reply), deed.after])


def _bare(reply: Reply | Snapshot) -> Reply | Snapshot:
    """An answer without what is not asked later: which words it was, whose record it told, what epoch it gave. So two
    ways on which a gate used other words for the same become one."""
    replace = msgspec.structs.replace
    match reply:
        case Accepted() | ExistingRecord() | Widened() | Tombstoned() | Stopped() | Lost() | PreCancelled():
            record = reply.record
            return replace(reply, record=replace(record, record_id="", revision=0, causes=(), subtree_revision=None))
        case LeaseGranted() | Renewed():
            return replace(reply, expires_ns=0)
        case Admitted():
            return replace(reply, revision=0)
        case ExistingEffect() | Resolved():
            return replace(reply, disposition=Disposition.PENDING)
        case ClaimGranted() | Resend():
            return replace(reply, permit="", attempt=0)
        case Unverified():
            return replace(reply, missing=())
        case _:
            return reply


def _sum(deeds: Sequence[Deed]) -> int:
    """One number for deeds in any order."""
    digests = (hashlib.blake2b(_essence(deed), digest_size=8).digest() for deed in deeds)
    return sum(int.from_bytes(digest, "big") for digest in digests) & _MASK


__all__ = ["Book", "Deed"]
