"""Replies of the operations that belong to optional capabilities.

One idea: a gate without the capability answers ``Unsupported``, so that nothing here stands in its way. Types marked
provisional belong to operations that no scenario exercises yet.
"""

from __future__ import annotations

from enum import StrEnum

from stopcheck.gate._records import HeldResult
from stopcheck.gate._replies import Reply
from stopcheck.gate._vocabulary import Stage


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


class MeasuresReport(Reply, frozen=True):
    """Provisional. The figures of MET-1; durations in nanoseconds."""

    figures: dict[str, int | None]
