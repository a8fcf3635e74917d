"""Shrinking: from a failing run to a short one that breaks the same clause.

One idea: what makes a run hard to read are its deviations from the default order, so these are taken away, merged and
moved until no attempt helps any more; fewer deviations first, then fewer choices. Each attempt is a run under a lenient
guide, recorded anew, so that what is kept is always a run that really happened; the last word has a strict replay.

When a deviation is taken away, what follows may shift. So an attempt is guided in one of three ways: by position, by
position with the choice cut out, or by anchor (see ``_guiding``). The order of attempts is fixed: the same failure
always shrinks to the same run.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

import msgspec

from stopcheck.explore._exploration import Failure
from stopcheck.explore._guiding import Anchored, Noting, Seen, anchors, deviations_of, options_of
from stopcheck.explore._replay import replay
from stopcheck.explore._trial import Result, Trial
from stopcheck.judge import Violation
from stopcheck.kernel import Chooser, Guide, Schedule

#: How far a deviation is moved.
_REACH = 6


class Shrunk(msgspec.Struct, frozen=True):
    """A short failing run. ``minimal``: no attempt made it shorter (else ``runs`` were spent before). ``reproduced``:
    the strict replay broke the clause again; if not, the schedule is the one that was given."""

    clause: str
    schedule: Schedule
    violation: Violation
    runs: int
    minimal: bool
    reproduced: bool


class _OutOfRuns(Exception):
    """The bound was reached."""


class _Shrinker:
    def __init__(self, trial: Trial, clause: str, runs: int, before_run: Callable[[], object]) -> None:
        self._trial = trial
        self._clause = clause
        self._limit = runs
        self._before_run = before_run
        self._tried: set[object] = set()
        self.runs = 0
        self.best: list[Seen] = []
        self.result: Result | None = None

    # -- attempts -----------------------------------------------------------------------------------------

    def run(self, chooser: Chooser) -> bool:
        """Run and keep it if it breaks the clause and is shorter than the best."""
        if self.runs >= self._limit:
            raise _OutOfRuns
        self.runs += 1
        self._before_run()
        noting = Noting(chooser)
        result = self._trial(noting)
        if result.fault is not None or self._clause not in result.clauses:
            return False
        if self.result is not None and _size(noting.seen) >= _size(self.best):
            return False
        self.best, self.result = noting.seen, result
        return True

    def by_position(self, options: Sequence[str]) -> bool:
        """Try these options, one for each choice."""
        while options and not options[-1]:
            options = options[:-1]
        key = ("position", *options)
        if key in self._tried:
            return False
        self._tried.add(key)
        return self.run(Guide(list(options)))

    def by_anchor(self, kept: Sequence[int]) -> bool:
        """Try with only these of the best run's deviations, each where its default comes up for the same time."""
        wanted = anchors(self.best, kept)
        tried = ("anchor", *sorted(wanted.items()))
        if tried in self._tried:
            return False
        self._tried.add(tried)
        return self.run(Anchored(wanted))

    # -- passes -------------------------------------------------------------------------------------------

    def drop_chunks(self) -> bool:
        """Take deviations away, many at once, then fewer, from the end."""
        improved = False
        chunk = len(deviations_of(self.best))
        while chunk >= 1:
            end = len(deviations_of(self.best))
            while end > 0:
                start = max(0, end - chunk)
                if self._drop(deviations_of(self.best)[start:end]):
                    improved = True
                    end = min(start, len(deviations_of(self.best)))
                else:
                    end = start
            chunk = min(chunk // 2, len(deviations_of(self.best)))
        return improved

    def _drop(self, positions: Sequence[int]) -> bool:
        names = options_of(self.best)
        kept = [position for position in deviations_of(self.best) if position not in positions]
        if self.by_position(["" if at in positions else name for at, name in enumerate(names)]):
            return True
        if self.by_anchor(kept):
            return True
        return self.by_position([name for at, name in enumerate(names) if at not in positions])

    def move(self) -> bool:
        """Move a deviation earlier or later, alone or in place of the one beside it."""
        return any(self.by_position(names) for names in self._moves())

    def _moves(self) -> Iterator[list[str]]:
        names, deviations = options_of(self.best), deviations_of(self.best)
        offsets = [offset for distance in range(1, _REACH + 1) for offset in (-distance, distance)]
        for number in range(len(deviations) - 1, -1, -1):
            at = deviations[number]
            beside = deviations[number - 1 : number] + deviations[number + 1 : number + 2]
            for gone in ([other] for other in beside):
                for offset in offsets:
                    yield _moved(names, at, at + offset, gone)
            for offset in offsets:
                yield _moved(names, at, at + offset, ())

    def merge(self) -> bool:
        """Replace two neighbouring deviations by one, of any option that is on offer between them."""
        return any(self.by_position(names) for names in self._merges())

    def _merges(self) -> Iterator[list[str]]:
        names, deviations = options_of(self.best), deviations_of(self.best)
        for first, second in itertools.pairwise(deviations):
            without = ["" if at in (first, second) else name for at, name in enumerate(names)]
            for at in range(max(0, first - 1), min(len(names), second + 2)):
                for option in self.best[at].options[1:]:
                    yield [*without[:at], option, *without[at + 1 :]]


def _moved(names: Sequence[str], source: int, target: int, gone: Sequence[int]) -> list[str]:
    moved = list(names)
    option = moved[source]
    for position in (source, *gone):
        moved[position] = ""
    if 0 <= target < len(moved):
        moved[target] = option
    return moved


def _size(seen: Sequence[Seen]) -> tuple[int, int]:
    return sum(1 for one in seen if one.index), len(seen)


def _nothing() -> None:
    return None


def shrink(trial: Trial, failure: Failure, *, runs: int = 500, before_run: Callable[[], object] = _nothing) -> Shrunk:
    """Make the failure's run as short as ``runs`` attempts allow. ``before_run`` is called before each (a watchdog)."""
    shrinker = _Shrinker(trial, failure.clause, runs, before_run)
    minimal = False
    try:
        if shrinker.by_position([choice.option if choice.index else "" for choice in failure.choices]):
            while shrinker.drop_chunks() or shrinker.move() or shrinker.merge():
                pass
            minimal = True
    except _OutOfRuns:
        pass
    return _verdict(trial, failure, shrinker, minimal=minimal, before_run=before_run)


def _verdict(
    trial: Trial, failure: Failure, shrinker: _Shrinker, *, minimal: bool, before_run: Callable[[], object]
) -> Shrunk:
    result = shrinker.result
    before_run()
    if result is not None:
        again = replay(trial, result.schedule()).result
        violation = _violation(again, failure.clause)
        if again is not None and violation is not None:
            return Shrunk(failure.clause, again.schedule(), violation, shrinker.runs, minimal, True)
    return Shrunk(failure.clause, failure.schedule, failure.violation, shrinker.runs, False, False)


def _violation(result: Result | None, clause: str) -> Violation | None:
    if result is None:
        return None
    return next((violation for violation in result.violations if violation.clause == clause), None)
