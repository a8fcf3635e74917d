"""What a gate is asked: one frozen record per operation.

One idea: a request is complete in itself. It carries who calls, when (virtual time) and about which incarnation, so
that a gate needs no session and a retry is the same request again under a new call id.
Source: gate protocol, table of operations. ``incarnation`` is ``None`` only where none exists yet.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from stopcheck.gate._evidence import Evidence
from stopcheck.gate._vocabulary import (
    AckStrength,
    Caller,
    CancellationClass,
    Cause,
    Scope,
    TaskKey,
    TaskRef,
    Trigger,
    ViewEnd,
)


class Request(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What every request carries. ``now_ns`` equals the environment's clock at the call."""

    operation: ClassVar[str] = ""

    call_id: str
    caller: Caller
    now_ns: int
    task: TaskKey
    incarnation: int | None = None

    @property
    def ref(self) -> TaskRef | None:
        """The incarnation that the request names, if it names one."""
        return None if self.incarnation is None else TaskRef(self.task, self.incarnation)


class OpenTask(Request, frozen=True, kw_only=True):
    """Open a task (right ``open``). Where the caller assigns incarnations, ``incarnation`` is set.

    ``deadline_ns`` is the latest time at which the result is worth having, on the environment's clock (``[deadlines]``;
    ``None``: there is none). From that time on (inclusive) the task is cancelled with cause ``deadline``.

    ``owner`` is who answers for detached work: what a task wants done, and what goes on when that task is stopped. It
    is a task of its own, with its own deadline and leases, and stands in nobody's inventory. What does is owned work,
    and is never opened as detached (CHILD-6): ``Exists``, or ``Refused``.
    """

    operation: ClassVar[str] = "open_task"
    deadline_ns: int | None = None
    owner: str = ""


class BeginWork(Request, frozen=True, kw_only=True):
    """A worker asks for authority to act for the task (right ``work``).

    ``checkpoint_epoch``: the epoch under which a worker that resumes (trigger ``resume``) wrote its checkpoint. It is
    no authority: the worker learns here what has become of the task since (DLV-5).
    """

    operation: ClassVar[str] = "begin_work"
    worker: str
    delivery_id: str
    trigger: Trigger = Trigger.FIRST
    checkpoint_epoch: int | None = None


class RenewLease(Request, frozen=True, kw_only=True):
    """The holder asks to keep its lease (right ``work``)."""

    operation: ClassVar[str] = "renew_lease"
    epoch: int


class ReleaseLease(Request, frozen=True, kw_only=True):
    """The holder gives its lease back (right ``work``)."""

    operation: ClassVar[str] = "release_lease"
    epoch: int


class RevokeLease(Request, frozen=True, kw_only=True):
    """A supervisor takes a lease away (right ``supervise``)."""

    operation: ClassVar[str] = "revoke_lease"
    epoch: int


class CommitEffect(Request, frozen=True, kw_only=True):
    """A dispatch commitment: admit this effect, if the task may still do ordinary work (right ``work``).

    ``kind`` names the operation for people and measures (``refund_mail``). ``items`` are the item ids of a batch,
    which is admitted and sent as one and accounted for item by item (EFF-11).
    """

    operation: ClassVar[str] = "commit_effect"
    epoch: int
    effect_id: str
    payload_digest: str
    receiver: str
    cancellation_class: CancellationClass
    kind: str
    items: tuple[str, ...] = ()


class ClaimDispatch(Request, frozen=True, kw_only=True):
    """A dispatcher takes an admitted effect to send it, under its own authority (right ``dispatch``)."""

    operation: ClassVar[str] = "claim_dispatch"
    effect_id: str
    idempotent_receiver: bool = False


class RecordOutcome(Request, frozen=True, kw_only=True):
    """Tell the gate what is known of an effect (right ``dispatch`` or ``reconcile``).

    ``attempt`` is the claim's attempt, ``None`` for a reconciler. ``item``: of a batch, the item that it is about;
    ``None``: the effect as a whole, and so each item of which nothing definitive is known.
    """

    operation: ClassVar[str] = "record_outcome"
    effect_id: str
    evidence: Evidence
    attempt: int | None = None
    item: str | None = None


class RecordSignal(Request, frozen=True, kw_only=True):
    """A signal was sent to an owned operation (right ``supervise``).

    ``target`` is a worker, an owned task's id or an effect id. ``removal``: the signal was that somebody removed what
    stood for the work: its queued message, its row, its object. It proves no more than any other signal: whoever had
    taken the work may still be at it (DLV-6).
    """

    operation: ClassVar[str] = "record_signal"
    target: str
    channel: str
    cause: Cause
    removal: bool = False


class Acknowledge(Request, frozen=True, kw_only=True):
    """A worker says how far it has stopped (right ``work``). ``record_revision`` is the record that it saw."""

    operation: ClassVar[str] = "acknowledge"
    epoch: int
    strength: AckStrength
    record_revision: int


class Complete(Request, frozen=True, kw_only=True):
    """A worker says that the task's goal is reached (right ``work``)."""

    operation: ClassVar[str] = "complete"
    epoch: int
    result_digest: str


class Fail(Request, frozen=True, kw_only=True):
    """A worker gives the task up (right ``work``). Unknown effects stay unknown."""

    operation: ClassVar[str] = "fail"
    epoch: int
    result_digest: str


class RequestCancel(Request, frozen=True, kw_only=True):
    """Ask that the task be cancelled (right ``stop``). A stop names tenant, task id, incarnation and scope; without one
    of them (``None``, or blank) it is ``Refused(malformed)`` and never guessed (SCOPE-1).

    ``request_id`` tells a repeat from another request about the same incarnation, and names no run: one click on "stop
    all" may send one id for several tasks, each of which it stops (SCOPE-7).

    ``requested_ns`` is when the requester asked by its own clock, if it says so. That is for people: no foreign clock
    dates, orders or ends a record (REC-6).
    """

    operation: ClassVar[str] = "request_cancel"
    scope: Scope
    cause: Cause
    request_id: str
    reason: str
    requested_ns: int | None = None


class Inspect(Request, frozen=True, kw_only=True):
    """Read the whole account of a task (right ``inspect``)."""

    operation: ClassVar[str] = "inspect"


class CloseView(Request, frozen=True, kw_only=True):
    """Somebody looks at the task no longer (right ``inspect``); ``view`` names the stream, client or row. It is told so
    that what hangs on the view can be let go, and changes nothing of the task (RPT-4)."""

    operation: ClassVar[str] = "close_view"
    view: str
    how: ViewEnd


class Tick(Request, frozen=True, kw_only=True):
    """Let the gate make the transitions that are due (right ``tick``). It concerns all tasks; ``task`` only
    names the tenant in whose name the tick comes."""

    operation: ClassVar[str] = "tick"
