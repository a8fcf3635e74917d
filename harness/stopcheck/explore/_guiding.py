"""Guiding a run by what another run answered, with changes.

One idea: when one answer is changed, what follows may shift, so a run is never edited: it is made anew under a guide
that answers by name where it can, and noted. A guide goes by *position*, or by *anchor*: a deviation is made where the
default would have been that option for the same time as before. Or it goes by *turns*: who moves after
whom, and how far each gets.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence

import msgspec

from stopcheck.explore._sampling import mover
from stopcheck.kernel import SCHEDULE, Chooser, Point


class Seen(msgspec.Struct, frozen=True):
    """One question of a run and its answer. ``step`` counts the steps made before."""

    point: str
    options: tuple[str, ...]
    index: int
    step: int

    @property
    def option(self) -> str:
        """The answer by name."""
        return self.options[self.index]


class Noting:
    """Wraps a guide and notes what was asked and answered."""

    def __init__(self, inner: Chooser) -> None:
        self.seen: list[Seen] = []
        self._inner = inner

    def choose(self, point: Point) -> int:
        """The guide's answer."""
        index = self._inner.choose(point)
        self.seen.append(Seen(point.name, point.options, index, point.step))
        return index


#: Where a deviation is anchored: the point, the default option there, and for which time that default comes up.
Anchor = tuple[str, str, int]


class Anchored:
    """Deviates at anchors, else answers the default."""

    def __init__(self, wanted: Mapping[Anchor, str]) -> None:
        self._wanted = wanted
        self._times: dict[tuple[str, str], int] = {}

    def choose(self, point: Point) -> int:
        """The anchored option if it is on offer, else the default."""
        key = (point.name, point.options[0])
        times = self._times[key] = self._times.get(key, 0) + 1
        wanted = self._wanted.get((*key, times))
        return point.options.index(wanted) if wanted is not None and wanted in point.options else 0


def anchors(seen: Sequence[Seen], kept: Collection[int]) -> dict[Anchor, str]:
    """Those of a run's deviations that stand at the positions ``kept``, each with its anchor."""
    wanted: dict[Anchor, str] = {}
    times: dict[tuple[str, str], int] = {}
    for position, one in enumerate(seen):
        key = (one.point, one.options[0])
        times[key] = times.get(key, 0) + 1
        if position in kept:
            wanted[(*key, times[key])] = one.option
    return wanted


def options_of(seen: Sequence[Seen]) -> list[str]:
    """A run's options, empty where they are the default."""
    return [one.option if one.index else "" for one in seen]


def deviations_of(seen: Sequence[Seen]) -> list[int]:
    """The positions of a run's deviations."""
    return [position for position, one in enumerate(seen) if one.index]


class Turn(msgspec.Struct, frozen=True):
    """Consecutive steps of one actor (or one passage of time, or one death). It ends where the actor would take the
    step ``until`` for one time more than ``passed``; empty: where it can move no more. ``faults``: what was answered
    meanwhile at other points."""

    mover: str
    until: str
    passed: int
    faults: tuple[tuple[str, str], ...]


def turns_of(seen: Sequence[Seen]) -> list[Turn]:
    """A run's turns."""
    moves = [(at, mover(one.option)) for at, one in enumerate(seen) if one.point == SCHEDULE]
    groups = [(actor, [at for at, _ in group]) for actor, group in itertools.groupby(moves, key=lambda move: move[1])]
    starts = [steps[0] for _, steps in groups]
    ends = [*starts[1:], len(seen)]
    return [_turn(seen, actor, steps, end) for (actor, steps), end in zip(groups, ends, strict=False)]


def _turn(seen: Sequence[Seen], actor: str, steps: Sequence[int], end: int) -> Turn:
    options = seen[end].options if end < len(seen) else ()
    until = next((option for option in options if mover(option) == actor), "")
    passed = sum(1 for at in steps if seen[at].option == until)
    faults = tuple((one.point, one.option) for one in seen[steps[0] : end] if one.point != SCHEDULE)
    return Turn(actor, until, passed, faults)


class InTurns:
    """Lets the movers have their turns, those that can move; answers the default after that."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._turns = list(turns)
        self._faults = [fault for turn in turns for fault in turn.faults]
        self._moved = False
        self._passed = 0

    def choose(self, point: Point) -> int:
        """Whose turn it is."""
        if point.kind != SCHEDULE:
            return self._fault(point)
        while self._turns:
            turn = self._turns[0]
            index = next((at for at, option in enumerate(point.options) if mover(option) == turn.mover), None)
            if index is not None and not self._over(turn, point.options[index]):
                self._moved = True
                self._passed += point.options[index] == turn.until
                return index
            del self._turns[0]
            self._moved, self._passed = False, 0
        return 0

    def _over(self, turn: Turn, option: str) -> bool:
        return self._moved and (option == turn.until and self._passed >= turn.passed)

    def _fault(self, point: Point) -> int:
        for at, (asked, option) in enumerate(self._faults):
            if asked == point.name and option in point.options:
                del self._faults[at]
                return point.options.index(option)
        return 0
