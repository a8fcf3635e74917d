"""What a gate answers: replies are values, and each says exactly one thing.

One idea: nothing is told by an exception. A reply that refuses says why; ``Retry`` promises that the call had no
effect; ``Indefinite`` is never a gate's answer: the harness gives it to a caller whose gate died under the call.
"""

from __future__ import annotations

import msgspec

from stopcheck.gate._records import CancellationRecord
from stopcheck.gate._vocabulary import Disposition, Execution, RefusalReason


class Reply(msgspec.Struct, frozen=True, tag=True):
    """The base of all replies."""


class Refused(Reply, frozen=True):
    """The request was refused and changed nothing. ``detail`` is for people."""

    reason: RefusalReason
    detail: str = ""


class Retry(Reply, frozen=True):
    """The call had no effect (a conflict, a busy store); the caller may make it again."""


class Unsupported(Reply, frozen=True):
    """The gate does not have this operation."""


class Indefinite(Reply, frozen=True):
    """From the harness: the gate's process died under the call, which took effect before that or never."""


class Done(Reply, frozen=True):
    """The transition was made (or had been made already, where repeating it means nothing)."""


class Recorded(Reply, frozen=True):
    """What was told is now part of the durable account."""


class Stopped(Reply, frozen=True):
    """The task, or an ancestor whose cancellation covers it, is cancelled; ``record`` is that cancellation."""

    record: CancellationRecord


class Ended(Reply, frozen=True):
    """The task is over (``completed`` or ``failed``); as the answer to a stop: ``already_completed``."""

    state: Execution


class StaleLease(Reply, frozen=True):
    """The epoch is not the task's current authority: superseded, revoked, released or expired."""

    current_epoch: int


class Opened(Reply, frozen=True):
    """The task is open under this incarnation."""

    incarnation: int


class Exists(Reply, frozen=True):
    """That incarnation was opened before."""

    state: Execution


class PreCancelled(Reply, frozen=True):
    """A stop came before the task opened; it never starts."""

    record: CancellationRecord


class LeaseGranted(Reply, frozen=True):
    """The worker may act under ``epoch`` until ``expires_ns`` (exclusive). Older epochs are superseded."""

    epoch: int
    expires_ns: int


class Busy(Reply, frozen=True):
    """Another worker holds a lease that has not expired."""


class Renewed(Reply, frozen=True):
    """The lease now lasts until ``expires_ns``."""

    expires_ns: int


class Admitted(Reply, frozen=True):
    """The effect is in the ledger. ``claimed`` is true when the gate dispatches itself and took it at once."""

    revision: int
    claimed: bool = False


class ExistingEffect(Reply, frozen=True):
    """The same effect id with the same payload had been admitted before: it is the same effect."""

    disposition: Disposition


class PayloadMismatch(Reply, frozen=True):
    """The effect id is bound to another payload; nothing was admitted."""


class ClaimGranted(Reply, frozen=True):
    """The caller, and nobody else, may send the effect, showing ``permit`` to the receiver."""

    permit: str
    attempt: int


class Resend(Reply, frozen=True):
    """The effect's first send is in doubt; it may be sent again under the same id, because the receiver is
    idempotent by it and the task is not cancelled."""

    permit: str
    attempt: int


class AlreadyClaimed(Reply, frozen=True):
    """The effect was claimed before and may not be sent again; only look-ups are left."""


class SuppressedAlready(Reply, frozen=True):
    """The effect was withdrawn; it must not be sent."""


class Resolved(Reply, frozen=True):
    """The effect has a definitive disposition."""

    disposition: Disposition


class NotAdmitted(Reply, frozen=True):
    """No such effect is in the task's ledger."""


class Same(Reply, frozen=True):
    """That was known."""


class Contradicted(Reply, frozen=True):
    """What was told contradicts what is kept; both are kept, and the contradiction is recorded."""

    detail: str = ""


class Parked(Reply, frozen=True):
    """The evidence matches nothing yet and is kept."""


class BadEvidence(Reply, frozen=True):
    """The evidence is forged, foreign or for another payload; it changed nothing but a recorded contradiction."""

    detail: str = ""


class Won(Reply, frozen=True):
    """The completion (or failure) is the task's end."""


class Unverified(Reply, frozen=True):
    """The completion lacks evidence for ``missing`` (effect ids and unfinished children)."""

    missing: tuple[str, ...]


class Lost(Reply, frozen=True):
    """The cancellation won; the result is kept as ``completed_after_cancel``."""

    record: CancellationRecord


class Accepted(Reply, frozen=True):
    """The cutoff: this request made the record."""

    record: CancellationRecord


class ExistingRecord(Reply, frozen=True):
    """The record that exists; nothing new began."""

    record: CancellationRecord


class Widened(Reply, frozen=True):
    """The record now covers the subtree, from ``record.subtree_revision`` on."""

    record: CancellationRecord


class Tombstoned(Reply, frozen=True):
    """The task was not open; the record is durable and the task will never start."""

    record: CancellationRecord


class Transition(msgspec.Struct, frozen=True):
    """One state change that a tick made."""

    subject: str
    change: str


class Ticked(Reply, frozen=True):
    """What the tick changed, and when the next one is due (``None``: nothing is pending on time)."""

    transitions: tuple[Transition, ...] = ()
    next_wake_ns: int | None = None
