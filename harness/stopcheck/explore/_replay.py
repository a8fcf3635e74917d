"""Replay: feed a schedule back, strictly.

One idea: a replay either makes the very same run or says in words at which choice it could not. It never makes do with
another run.
"""

from __future__ import annotations

import msgspec

from stopcheck.explore._guiding import Noting, Seen
from stopcheck.explore._trial import Result, Trial
from stopcheck.kernel import Cut, DivergedError, Divergence, Point, Replayer, Schedule


class Replayed(msgspec.Struct):
    """A replay's result, or where it left the schedule. Exactly one of them is there. ``seen``: what the run was asked
    and what it was answered."""

    result: Result | None = None
    divergence: Divergence | None = None
    seen: list[Seen] = []

    def why(self) -> str:
        """The divergence in words; empty when there is none."""
        return "" if self.divergence is None else str(self.divergence)


class _UpToTheEnd:
    """A strict replayer that ends the run after the last choice. For schedules of runs that were cut."""

    def __init__(self, replayer: Replayer, length: int) -> None:
        self._replayer = replayer
        self._length = length

    def choose(self, point: Point) -> int:
        """The recorded answer."""
        if self._replayer.position >= self._length:
            raise Cut
        return self._replayer.choose(point)


def replay(trial: Trial, schedule: Schedule, *, stop_at_end: bool = False) -> Replayed:
    """Make the schedule's run again. Choices after its end are defaults; with ``stop_at_end`` the run ends there."""
    replayer = Replayer(schedule)
    noting = Noting(_UpToTheEnd(replayer, len(schedule.choices)) if stop_at_end else replayer)
    try:
        result = trial(noting)
        if result.fault is None:
            replayer.finish()
    except DivergedError as error:
        return Replayed(divergence=error.divergence, seen=noting.seen)
    return Replayed(result=result, seen=noting.seen)
