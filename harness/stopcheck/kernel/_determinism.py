"""Is a run really a function of its choices? Run a schedule twice and compare the logs.

One idea: whatever a run takes from somewhere else (a clock, an id, the order of a set) shows as the first line at which
two logs of one schedule differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from stopcheck.kernel._points import Chooser
from stopcheck.kernel._schedule import Replayer, Schedule


class Difference(msgspec.Struct, frozen=True):
    """The first line (from 0) at which two logs differ; ``None`` where a log has ended."""

    position: int
    first: bytes | None
    second: bytes | None

    def __str__(self) -> str:
        return f"line {self.position}: {_words(self.first)} in the first run, {_words(self.second)} in the second"


def _words(line: bytes | None) -> str:
    return "the end" if line is None else line.decode(errors="backslashreplace")


def first_difference(log_a: Sequence[bytes], log_b: Sequence[bytes]) -> Difference | None:
    """Where two logs part, or ``None`` when they are equal."""
    shorter = min(len(log_a), len(log_b))
    for position in range(shorter):
        if log_a[position] != log_b[position]:
            return Difference(position, log_a[position], log_b[position])
    if len(log_a) == len(log_b):
        return None
    longer = log_a if len(log_a) > shorter else log_b
    extra = longer[shorter]
    return Difference(shorter, extra, None) if longer is log_a else Difference(shorter, None, extra)


def run_twice(run: Callable[[Chooser], Sequence[bytes]], schedule: Schedule) -> Difference | None:
    """Run a schedule twice, strictly, and compare. Raises :class:`DivergedError` when a run does not even ask what the
    schedule answers; that is a difference too, and its message says at which choice."""
    logs: list[Sequence[bytes]] = []
    for _ in range(2):
        replayer = Replayer(schedule)
        logs.append(run(replayer))
        replayer.finish()
    return first_difference(*logs)
