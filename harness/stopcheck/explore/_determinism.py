"""The determinism check: run schedules twice and compare the logs.

One idea: everything that the kit says rests on a run being a function of its choices. So that is tried, not believed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stopcheck.explore._exploration import Nondeterminism
from stopcheck.explore._trial import Trial
from stopcheck.kernel import Chooser, DivergedError, Schedule, run_twice


def find_nondeterminism(trial: Trial, schedules: Iterable[Schedule]) -> Nondeterminism | None:
    """The first of the schedules that does not make the same run twice, and how; ``None`` when all do."""

    def log_lines(chooser: Chooser) -> Sequence[bytes]:
        return trial(chooser).log().split(b"\n")

    for schedule in schedules:
        try:
            difference = run_twice(log_lines, schedule)
        except DivergedError as error:
            return Nondeterminism(str(error), schedule)
        if difference is not None:
            return Nondeterminism(str(difference), schedule)
    return None


def sample_of(schedules: Sequence[Schedule], size: int) -> list[Schedule]:
    """At most ``size`` of them, spread evenly."""
    if len(schedules) <= size:
        return list(schedules)
    return [schedules[number * len(schedules) // size] for number in range(size)]
