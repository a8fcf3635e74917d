"""Replies of the operations that belong to optional capabilities.

One idea: a gate without the capability answers ``Unsupported``, so that nothing here stands in its way. Types marked
provisional belong to operations that no scenario exercises yet.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from stopcheck.gate._records import HeldResult
from stopcheck.gate._replies import Reply
from stopcheck.gate._vocabulary import Cause, Stage


class SuppressionDone(Reply, frozen=True):
    """The effect is withdrawn; it will never reach the receiver."""

    revision: int


class TooLate(Reply, frozen=True):
    """The effect was claimed; it stays in doubt until evidence comes."""


class ExistingChild(Reply, frozen=True):
    """That child stands in the inventory already."""

    stage: Stage


class NoTime(Reply, frozen=True):
    """The child's minimum useful time does not fit any more: less than that is left of the parent's lifetime without
    the reserve, or the cap is shorter. Nothing was registered."""


class Live(Reply, frozen=True):
    """The number of interests that are live now."""

    count: int


class AlreadyReleased(Reply, frozen=True):
    """The interest was released before; it is not counted again."""


class LastFate(StrEnum):
    """What happens to shared work that nobody wants any more."""

    STOPPING = "stopping"
    UNOWNED = "unowned"


class LastReleased(Reply, frozen=True):
    """That was the last live interest."""

    fate: LastFate


class TooEarly(Reply, frozen=True):
    """The grace period lasts until ``at_ns``."""

    at_ns: int


class Forced(Reply, frozen=True):
    """Force may be used now. It proves nothing: a probe does."""


class AlreadyForced(Reply, frozen=True):
    """Force was allowed before."""


class Impossible(Reply, frozen=True):
    """The worker has no force-stop mechanism."""


class Scheduled(Reply, frozen=True):
    """The retry is armed."""


class RetryFired(Reply, frozen=True):
    """The retry is spent, and its worker may act under ``epoch``; older epochs are superseded."""

    epoch: int


class Void(Reply, frozen=True):
    """The retry, timer or grant is worth nothing any more: it died at the cutoff or with the task's end, or it was
    spent."""


class Taken(Reply, frozen=True):
    """The result is put to use."""


class Quarantined(Reply, frozen=True):
    """The result came too late: it enters nothing, and is kept as evidence (``Snapshot.late_results``)."""


class Recalled(Reply, frozen=True):
    """What the place holds, in the order in which it was taken."""

    results: tuple[HeldResult, ...]


class BoundaryAnswer(Reply, frozen=True):
    """What the task answered to this request."""

    result_digest: str


class NoAnswer(Reply, frozen=True):
    """The request has no answer. ``final``: and will never have one, since it was withdrawn or its task is over."""

    final: bool = False


class Handed(Reply, frozen=True):
    """The item is the worker's, once it confirms it."""

    item_id: str
    wake_up: bool = False


class NothingWaits(Reply, frozen=True):
    """No item waits."""


class Unauthorised(Reply, frozen=True):
    """No unspent grant of the compensation's task names the effect that it answers."""


class NotCompleted(Reply, frozen=True):
    """There is no such effect, or nothing proves that it was committed."""


class OperationFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one kind of operation: of tasks (``task``), of owned work (its :class:`OwnedKind`), or of effects
    (the ``kind`` of their commitments). Times are durations in nanoseconds; ``None`` where nothing was measured. A
    percentile is the nearest rank.

    ``requests`` counts reasons to stop: each request once, and an expired deadline as one. The times are of stopped
    tasks with a record of their own: from the cutoff to the first acknowledgement of ``observed`` or more that counts,
    and from that to where the task was settled or given up. Of such tasks' effects, ``after_cutoff`` are those that
    were claimed after it, ``after_deadline`` those where it was a deadline's, ``completed_after_cancel`` those that
    were proved to be completed after it. ``unknown``: effects whose outcome is. ``orphans``: owned operations that go
    on below an owner that has come to its end; ``late_results``: results that came after the end and were kept as
    evidence only. ``stopped`` and ``forced``: tasks that were cancelled, and workers that force was allowed for.
    """

    operation: str
    requests: dict[Cause, int] = {}
    request_to_observation_p50_ns: int | None = None
    request_to_observation_p95_ns: int | None = None
    observation_to_terminal_p95_ns: int | None = None
    after_cutoff: int = 0
    after_deadline: int = 0
    orphans: int = 0
    late_results: int = 0
    completed_after_cancel: int = 0
    unknown: int = 0
    stopped: int = 0
    forced: int = 0


class MeasuresReport(Reply, frozen=True):
    """The figures of MET-1, by operation; ``adapter`` is the name that the gate's contract declares."""

    adapter: str
    operations: tuple[OperationFigures, ...] = ()
