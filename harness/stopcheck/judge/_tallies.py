"""The measures of MET-1 added up over many runs: what a campaign tells of a gate, by operation and by reason.

One idea: of each run only what is certain is added, so the sums are those of real events. Times are kept as how often
each was seen, for there are few of them in virtual time, and no percentile can be made of percentiles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec

from stopcheck.gate import CANCELLED_STATES, TERMINAL_STATES, Cause, Snapshot, TaskRef
from stopcheck.judge._facts import Facts
from stopcheck.judge._measuring import measured
from stopcheck.world import Entry, LogLine, Returned


class Tally(msgspec.Struct):
    """The sums of one kind of operation, of tasks that were first stopped for ``reason`` (``None``: not stopped).

    ``runs``: in so many runs there was any. ``requests``: reasons to stop, each request once. ``counts``: by the names
    of the fields of :class:`~stopcheck.gate.OperationFigures`. ``observed`` and ``ended``: durations in nanoseconds of
    virtual time, each with how often it was seen; from the cutoff to the first acknowledgement, and from that to where
    somebody was first shown that the task is settled or given up."""

    operation: str
    reason: Cause | None = None
    runs: int = 0
    requests: dict[Cause, int] = {}
    counts: dict[str, int] = {}
    observed: dict[int, int] = {}
    ended: dict[int, int] = {}

    @property
    def key(self) -> tuple[str, str]:
        """What it is of; sorts."""
        return self.operation, self.reason or ""

    def add(self, other: Tally) -> None:
        """Take in another of the same kind."""
        self.runs += other.runs
        _add(self.requests, other.requests)
        _add(self.counts, other.counts)
        _add(self.observed, other.observed)
        _add(self.ended, other.ended)


K = TypeVar("K")


def _add(mine: dict[K, int], theirs: Mapping[K, int]) -> None:
    for key, number in theirs.items():
        mine[key] = mine.get(key, 0) + number


def weighted_percentile(seen: Mapping[int, int], per_cent: int) -> int | None:
    """The nearest rank of durations of which each was seen so often; ``None`` of nothing."""
    rank = -(-sum(seen.values()) * per_cent // 100)
    for duration in sorted(seen):
        rank -= seen[duration]
        if rank <= 0:
            return duration
    return None


def tallies_of_run(facts: Facts, log: Sequence[LogLine]) -> list[Tally]:
    """What one run adds."""
    ended_ns = _ended(log)
    found: list[Tally] = []
    for row in measured(facts, by_reason=True):
        tally = Tally(row.operation, row.reason, runs=1)
        tally.requests = {cause: bounds.least for cause, bounds in row.requests.items() if bounds.least}
        tally.counts = {name: bounds.least for name, bounds in row.counts.items() if bounds.least}
        for stop in row.stops:
            if stop.to_observation_ns is not None and stop.observed_by_ns is not None:
                _add(tally.observed, {stop.to_observation_ns: 1})
                if stop.task in ended_ns:
                    _add(tally.ended, {max(0, ended_ns[stop.task] - stop.observed_by_ns): 1})
        found.append(tally)
    return found


def _ended(log: Sequence[LogLine]) -> dict[TaskRef, int]:
    """When somebody was first shown that a stopped task had come to its end."""
    found: dict[TaskRef, int] = {}
    for line in log:
        if isinstance(line, Entry) and isinstance(line.event, Returned) and isinstance(line.event.reply, Snapshot):
            shown = line.event.reply
            if shown.execution in TERMINAL_STATES and shown.execution in CANCELLED_STATES:
                found.setdefault(shown.task, line.now_ns)
    return found


def summed(tallies: Iterable[Tally]) -> tuple[Tally, ...]:
    """Those of one kind added up, in a certain order."""
    found: dict[tuple[str, str], Tally] = {}
    for tally in tallies:
        found.setdefault(tally.key, Tally(tally.operation, tally.reason)).add(tally)
    return tuple(found[key] for key in sorted(found))


__all__ = ["Tally", "summed", "tallies_of_run", "weighted_percentile"]
