"""The audit of footprints: steps declared independent are taken in both orders, and compared.

One idea: independence is a claim about two steps at one place, so it can be tried there: the same way, then one and the
other, then the other and the one. Neither may disable the other, both must be asked the same within their steps, and
what follows must be the same: the options, and the digest of the whole world (the judge's state is part of it); where
there is no digest, the outcome of going on in one and the same order.

Which pairs: each pair of option names the first time, and then at doubling distances, up to a bound for each search.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from stopcheck.explore._trial import Trial
from stopcheck.kernel import SCHEDULE, Choice, Cut, DivergedError, Divergence, Point, Schedule

#: Swaps that one search tries at most.
SWAPS = 64


class FootprintLie(msgspec.Struct, frozen=True):
    """Two steps were declared independent and are not. ``schedule`` leads to where both can be taken."""

    one: str
    other: str
    what: str
    schedule: Schedule


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
        self._base = 0
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
            self._base = point.step
            return point.options.index(self._order[0])
        gone = point.step - self._base
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
    """Selects pairs and tries them."""

    def __init__(self, swaps: int = SWAPS) -> None:
        self.done = 0
        self._left = swaps
        self._times: dict[tuple[str, str], int] = {}

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

    def check(self, trial: Trial, pair: Pair) -> FootprintLie | None:
        """Take both in both orders; ``None`` when that is the same."""
        self.done += 1
        one, other = _InOrder(pair.way, pair.one, pair.other), _InOrder(pair.way, pair.other, pair.one)
        schedule = Schedule.of(trial.scenario, trial.variant, list(pair.way))

        def lie(what: str) -> FootprintLie:
            return FootprintLie(pair.one, pair.other, what, schedule)

        try:
            first = trial(one)
        except _Disabled:
            return lie(f"{pair.one} disables {pair.other}")
        try:
            second = trial(other)
        except _Disabled:
            return lie(f"{pair.other} disables {pair.one}")
        if one.within != other.within:
            return lie("the order decides what is asked within the steps")
        if (one.after is None) != (other.after is None) or (one.after and one.after[0] != (other.after or ([],))[0]):
            return lie("the order decides what can happen next")
        if one.after != other.after:
            return lie("the order decides the state that follows")
        if not (one.after and one.after[1]) and first.outcome() != second.outcome():
            return lie("the order decides the outcome")
        return None
