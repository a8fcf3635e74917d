"""Shrinking: from a failing run to a short one that breaks the same clause.

One idea: what makes a run hard to read are its deviations from the default order, so these are taken away, until no
attempt helps any more; fewer deviations first, then fewer choices. Each attempt is a run under a lenient guide,
recorded anew, so that what is kept is always a run that really happened; the last word has a strict replay.

Deviations are dropped, many at once, then fewer; so are whole turns of an actor. What an actor did in two turns is
regrouped into one, and turns are put into another order. Two deviations are replaced by one of any kind anywhere. Then,
where the space is small, every run of fewer deviations is made, which proves that there is none. (Moving a deviation by
a few choices was tried too: with the others it finds nothing more.)

When something is taken away, what follows may shift; so an attempt is guided by position, by position with the choice
cut out, by anchor or by turns (see ``_guiding``). The order of attempts is fixed: the same failure always shrinks to
the same run.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

import msgspec

from stopcheck.explore._exploration import Failure
from stopcheck.explore._guiding import (
    Anchored,
    InTurns,
    Noting,
    Seen,
    Turn,
    anchors,
    deviations_of,
    options_of,
    turns_of,
)
from stopcheck.explore._replay import replay
from stopcheck.explore._trial import Result, Trial
from stopcheck.judge import Violation
from stopcheck.kernel import Chooser, Guide, Schedule


class Shrunk(msgspec.Struct, frozen=True):
    """A short failing run. ``minimal``: no attempt made it shorter (else ``runs`` were spent before). ``proved``: every
    run of fewer deviations was made, and none breaks the clause. ``reproduced``: the strict replay broke the clause
    again; if not, the schedule is the one that was given."""

    clause: str
    schedule: Schedule
    violation: Violation
    runs: int
    minimal: bool
    proved: bool
    reproduced: bool


class _OutOfRuns(Exception):
    """The bound was reached."""


class _Shrinker:
    def __init__(self, trial: Trial, clause: str, runs: int, proof: int, before_run: Callable[[], object]) -> None:
        self._trial = trial
        self._clause = clause
        self._limit = runs
        self._proof = proof
        self._before_run = before_run
        self._tried: set[object] = set()
        self.runs = 0
        self.best: list[Seen] = []
        self.result: Result | None = None

    # -- attempts -----------------------------------------------------------------------------------------

    def _attempt(self, key: tuple[object, ...], chooser: Chooser) -> bool:
        """Run, unless the very same was tried before, and keep it if it breaks the clause and is shorter."""
        if key in self._tried:
            return False
        self._tried.add(key)
        noting = Noting(chooser)
        result = self._run(noting)
        if result.fault is not None or self._clause not in result.clauses:
            return False
        if self.result is not None and _size(noting.seen) >= _size(self.best):
            return False
        self.best, self.result = noting.seen, result
        return True

    def _run(self, noting: Noting) -> Result:
        if self.runs >= self._limit:
            raise _OutOfRuns
        self.runs += 1
        self._before_run()
        return self._trial(noting)

    def by_position(self, options: Sequence[str]) -> bool:
        """Try these options, one for each choice."""
        while options and not options[-1]:
            options = options[:-1]
        return self._attempt(("position", *options), Guide(list(options)))

    def by_anchor(self, kept: Sequence[int]) -> bool:
        """Try with only these of the best run's deviations, each where its default comes up for the same time."""
        wanted = anchors(self.best, kept)
        return self._attempt(("anchor", *sorted(wanted.items())), Anchored(wanted))

    def by_turns(self, turns: Sequence[Turn]) -> bool:
        """Try these turns, one after the other."""
        return self._attempt(("turns", *turns), InTurns(turns))

    # -- passes -------------------------------------------------------------------------------------------

    def improve(self) -> bool:
        """Whether a pass made it shorter; the cheap ones first."""
        return any(helps() for helps in (self.drop_chunks, self.drop_turns, self.regroup, self.reorder, self.rebuild))

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

    def drop_turns(self) -> bool:
        """Take turns away, many at once, then fewer, from the end."""
        improved = False
        chunk = len(turns_of(self.best)) // 2
        while chunk >= 1:
            end = len(turns_of(self.best))
            while end > 0:
                start = max(0, end - chunk)
                turns = turns_of(self.best)
                improved = self.by_turns([*turns[:start], *turns[end:]]) or improved
                end = min(start, len(turns_of(self.best)))
            chunk //= 2
        return improved

    def regroup(self) -> bool:
        """Let an actor do in one go what it did in two: what it did later moves up to what it did before, or that
        down."""
        improved = False
        number = len(turns_of(self.best)) - 1
        while number > 0:
            turns = turns_of(self.best)
            number = min(number, len(turns) - 1)
            if any(self.by_turns(order) for order in _regrouped(turns, number)):
                improved = True
            else:
                number -= 1
        return improved

    def reorder(self) -> bool:
        """Let an actor have a turn of its before what others did."""
        turns = turns_of(self.best)
        pairs = itertools.combinations(range(len(turns)), 2)
        return any(self.by_turns([*turns[:to], turns[at], *turns[to:at], *turns[at + 1 :]]) for to, at in pairs)

    def rebuild(self) -> bool:
        """Take two deviations away, any two, and deviate once anywhere in the run that is then made."""
        deviations = deviations_of(self.best)
        if len(deviations) < 2:
            return False
        subsets = list(itertools.combinations(deviations, len(deviations) - 2))
        return any(self._deviate(kept) for kept in reversed(subsets))

    def _deviate(self, kept: Sequence[int]) -> bool:
        base = self.look([name if at in kept else "" for at, name in enumerate(options_of(self.best))])
        return any(self.by_position(names) for _, names in _one_more(base, 0))

    # -- proof ----------------------------------------------------------------------------------------------

    def prove(self) -> bool | None:
        """Make every run of fewer deviations, and then of as many. False when one was shorter; ``None`` when those of
        fewer deviations are too many to be made."""
        most = len(deviations_of(self.best))
        for count in range(1, most + 1):
            found = self._exhaust(count)
            if found:
                return False
            if found is None:
                return True if count == most else None
        return True

    def _exhaust(self, count: int) -> bool | None:
        """Make every run of so many deviations until one is shorter; ``None`` when they are too many."""
        base = self.look([])
        alternatives = sum(len(one.options) - 1 for one in base)
        if math.comb(alternatives, count) > self._proof:
            return None
        return self._extend(base, 0, count, self.runs + self._proof)

    def _extend(self, base: Sequence[Seen], start: int, count: int, limit: int) -> bool | None:
        for at, names in _one_more(base, start):
            if self.runs >= limit:
                return None
            found = self.by_position(names) if count == 1 else self._extend(self.look(names), at + 1, count - 1, limit)
            if found is not False:
                return found
        return False

    def look(self, options: Sequence[str]) -> list[Seen]:
        """What a run is asked, whether it fails or not."""
        noting = Noting(Guide(list(options)))
        self._run(noting)
        return noting.seen


def _regrouped(turns: Sequence[Turn], number: int) -> Iterator[list[Turn]]:
    """The turns with one moved up to its mover's turn before, or that one moved down."""
    one = turns[number]
    before = next((at for at in range(number - 1, -1, -1) if turns[at].mover == one.mover), None)
    if before is not None:
        between = turns[before + 1 : number]
        for order in ([turns[before], one, *between], [*between, turns[before], one]):
            yield [*turns[:before], *order, *turns[number + 1 :]]


def _one_more(seen: Sequence[Seen], start: int) -> Iterator[tuple[int, list[str]]]:
    """A run's answers with one default replaced, and where: from choice ``start`` on, the last first."""
    names = options_of(seen)
    for at in range(len(seen) - 1, start - 1, -1):
        for option in seen[at].options[1:] if seen[at].index == 0 else ():
            yield at, [*names[:at], option, *names[at + 1 :]]


def _size(seen: Sequence[Seen]) -> tuple[int, int]:
    return sum(1 for one in seen if one.index), len(seen)


def _nothing() -> None:
    return None


def shrink(
    trial: Trial,
    failure: Failure,
    *,
    runs: int = 500,
    proof: int = 150,
    before_run: Callable[[], object] = _nothing,
) -> Shrunk:
    """Make the failure's run as short as ``runs`` attempts allow. Where no attempt helps any more, every run of fewer
    deviations is made, if that takes no more than ``proof`` runs for each number of deviations. ``before_run`` is
    called before each (a watchdog)."""
    shrinker = _Shrinker(trial, failure.clause, runs, proof, before_run)
    minimal, proved = False, None
    try:
        if shrinker.by_position([choice.option if choice.index else "" for choice in failure.choices]):
            while not minimal:
                while shrinker.improve():
                    pass
                minimal = True
                proved = shrinker.prove()
                minimal = proved is not False
    except _OutOfRuns:
        pass
    return _verdict(trial, failure, shrinker, minimal=minimal, proved=proved is True, before_run=before_run)


def _verdict(
    trial: Trial,
    failure: Failure,
    shrinker: _Shrinker,
    *,
    minimal: bool,
    proved: bool,
    before_run: Callable[[], object],
) -> Shrunk:
    result = shrinker.result
    before_run()
    if result is not None:
        again = replay(trial, result.schedule()).result
        violation = _violation(again, failure.clause)
        if again is not None and violation is not None:
            return Shrunk(failure.clause, again.schedule(), violation, shrinker.runs, minimal, proved, True)
    return Shrunk(failure.clause, failure.schedule, failure.violation, shrinker.runs, False, False, False)


def _violation(result: Result | None, clause: str) -> Violation | None:
    if result is None:
        return None
    return next((violation for violation in result.violations if violation.clause == clause), None)
