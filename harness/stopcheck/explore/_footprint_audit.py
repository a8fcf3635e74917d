"""The audit of footprints: steps declared independent are taken in both orders, and compared.

One idea: independence is a claim about two steps at one place, so it can be tried there: the same way, then one and the
other, then the other and the one. Neither may disable the other, both must be asked the same within their steps, and
what follows must be the same: the options, and the digest of the whole world (the judge's state is part of it); where
there is no digest, the outcome of going on in one and the same order.

Which pairs: each pair of option names the first time, and then at doubling distances, up to a bound for each search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from stopcheck.explore._exploration import Book, FootprintLie
from stopcheck.explore._footprints import Footprint, independent
from stopcheck.explore._trial import Trial
from stopcheck.kernel import SCHEDULE, Choice, Cut, DivergedError, Divergence, Point, Schedule

#: Swaps that one search tries at most.
SWAPS = 64


class Pair(msgspec.Struct, frozen=True):
    """Two steps declared independent, and the way to the point that offers both."""

    way: Sequence[Choice]
    one: str
    other: str


class _Disabled(Exception):
    """The second step is not on offer after the first."""


class _InOrder:
    """Follows the way, takes two steps in the given order, and notes what follows."""

    def __init__(self, way: Sequence[Choice], first: str, second: str) -> None:
        self._way = way
        self._order = (first, second)
        self._asked = 0
        self.base = 0  # the run's steps before the two
        self.within: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        self.after: tuple[list[str], bytes] | None = None

    def choose(self, point: Point) -> int:
        """The way's answer, the steps, and then the first option by name."""
        asked = self._asked
        self._asked += 1
        if asked < len(self._way):
            choice = self._way[asked]
            if choice.point != point.name or choice.option not in point.options:
                raise DivergedError(Divergence(asked, choice.point, choice.option, point.name, point.options))
            return point.options.index(choice.option)
        if asked == len(self._way):
            self.base = point.step
            if self._order[0] not in point.options:
                raise DivergedError(Divergence(asked, SCHEDULE, self._order[0], point.name, point.options))
            return point.options.index(self._order[0])
        gone = point.step - self.base
        if point.kind != SCHEDULE:
            if gone <= 2:  # within the first step, or the second
                self.within.setdefault(self._order[gone - 1], []).append((point.name, point.options))
            return 0
        if gone == 1:
            if self._order[1] not in point.options:
                raise _Disabled
            return point.options.index(self._order[1])
        if self.after is None:
            self.after = (sorted(point.options), point.state() if point.state is not None else b"")
            if self.after[1]:
                raise Cut
        return point.options.index(min(point.options))


class FootprintAudit:
    """Selects pairs of one search and tries them. ``swaps``: how many at most; :data:`SWAPS` unless given."""

    def __init__(self, swaps: int | None = None) -> None:
        self.done = 0
        self.lie: FootprintLie | None = None
        self._left = SWAPS if swaps is None else swaps
        self._times: dict[tuple[str, str], int] = {}
        self._pairs: list[Pair] = []

    def begin(self) -> None:
        """A run begins."""
        self._pairs.clear()

    def note(
        self, way: Callable[[], list[Choice]], options: Sequence[str], footprints: Sequence[Footprint], taken: int
    ) -> None:
        """A new point, to which ``way`` leads: of what it offers, what is independent of what is taken?"""
        if self._left <= 0:
            return
        option, its = options[taken], footprints[taken]
        for other, others in zip(options, footprints, strict=True):
            if independent(option, its, other, others) and self.selects(option, other):
                self._pairs.append(Pair(way(), option, other))

    def accuse(self, trial: Trial, way: Sequence[Choice], one: str, other: str) -> None:
        """``way`` ends with ``one``; ``other``, which is declared independent of it, was on offer before it, and is not
        now."""
        if self.lie is None:
            schedule = Schedule.of(trial.scenario, trial.variant, list(way))
            self.lie = FootprintLie(other, one, f"{one} disables {other}", schedule)

    def review(self, trial: Trial, book: Book) -> bool:
        """Try the pairs that the run gave; whether nothing has lied so far."""
        for pair in self._pairs:
            self.lie = self.lie or self.check(trial, pair, book)
        return self.lie is None

    def selects(self, one: str, other: str) -> bool:
        """Whether this pair is to be tried here."""
        if self._left <= 0:
            return False
        key = (one, other) if one < other else (other, one)
        times = self._times[key] = self._times.get(key, 0) + 1
        if times & (times - 1):
            return False
        self._left -= 1
        return True

    def check(self, trial: Trial, pair: Pair, book: Book) -> FootprintLie | None:
        """Take both in both orders; ``None`` when that is the same. Where it is not, the first order is taken once
        more: a run that cannot be repeated is no lie of a footprint, and goes into the book."""
        self.done += 1
        schedule = Schedule.of(trial.scenario, trial.variant, list(pair.way))
        try:
            first, second = _seen(trial, pair.way, pair.one, pair.other), _seen(trial, pair.way, pair.other, pair.one)
            what = _difference(pair, first, second)
            if what and _seen(trial, pair.way, pair.one, pair.other) != first:
                raise _Unlike
        except (DivergedError, _Unlike) as error:
            book.diverged(f"a repeated run went another way: {error}", schedule)
            return None
        return FootprintLie(pair.one, pair.other, what, schedule) if what else None


class _Unlike(Exception):
    """One order came to two things."""

    def __str__(self) -> str:
        return "the same two steps in the same order came to something else"


class _Seen(msgspec.Struct, frozen=True):
    """What two steps in one order came to. ``outcome`` only where there is no digest."""

    disabled: bool
    within: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    options: list[str] = []
    digest: bytes = b""
    outcome: bytes = b""


def _seen(trial: Trial, way: Sequence[Choice], first: str, second: str) -> _Seen:
    taking = _InOrder(way, first, second)
    try:
        result = trial(taking)
    except _Disabled:
        return _Seen(disabled=True)
    if result.fault is None and dict(result.turns()).get(taking.base + 2) != second:
        return _Seen(disabled=True)  # nobody was asked, since only something else was left to do
    options, digest = taking.after or ([], b"")
    return _Seen(False, taking.within, options, digest, b"" if digest else result.outcome())


def _difference(pair: Pair, first: _Seen, second: _Seen) -> str:
    """What the order of the two steps decides; empty when it is nothing."""
    if first.disabled:
        return f"{pair.one} disables {pair.other}"
    if second.disabled:
        return f"{pair.other} disables {pair.one}"
    if first.within != second.within:
        return "the order decides what is asked within the steps"
    if first.options != second.options:
        return "the order decides what can happen next"
    if first.digest != second.digest:
        return "the order decides the state that follows"
    return "" if first == second else "the order decides the outcome"
