"""Runs in whose server everybody was served in turn.

One idea: where several statements wait for one row that was changed meanwhile, all of them follow it to its new
version when it is let go of, and which one gets it is a race within the server that no choice of ours decides. Mostly
it is the one that has waited longest. So that a run is a function of its choices, it counts if it went like
that; another is made again by the same answers, before anybody has been asked what to do next. What comes out of turn
each time is no race but the server's way, and counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from stopcheck.kernel import DivergedError, Divergence, Point

T = TypeVar("T")

#: How often a run is made again, before it counts as it is: one in three may go wrong.
REPEATS = 12

Choose = Callable[[Point], int]
#: Hears that nothing is left to choose in a run, and can ask for the digest of its state.
AtRest = Callable[[Callable[[], bytes]], None]


class Served(Protocol):
    """Whoever sees the server."""

    @property
    def can_be_out_of_turn(self) -> bool:
        """Whether statements of several calls can wait for each other in a server."""
        ...

    @property
    def out_of_turn(self) -> bool:
        """Whether in this run somebody was served before one who had waited longer."""
        ...


class _OutOfTurnError(Exception):
    """The run went as the server's race had it."""


def in_turn(attempt: Callable[[Choose, AtRest | None], T], choose: Choose, at_rest: AtRest | None, seen: Served) -> T:
    """What ``attempt`` makes of a run whose questions ``choose`` answers, each of them once. It may be called again,
    and begins from nothing then. Raises :class:`DivergedError` if it asks something else there."""
    if not seen.can_be_out_of_turn:
        return attempt(choose, at_rest)
    trace = _Trace(choose, at_rest, seen)
    for _ in range(REPEATS):
        try:
            made = attempt(trace.choose, None if at_rest is None else trace.at_rest)
            trace.check()
        except _OutOfTurnError:
            trace.rewind()
        else:
            return made
    trace.checks = False
    return attempt(trace.choose, None if at_rest is None else trace.at_rest)


class _Trace:
    """Answers as before, and asks on from there."""

    def __init__(self, choose: Choose, at_rest: AtRest | None, seen: Served) -> None:
        self._choose = choose
        self._at_rest = at_rest
        self._seen = seen
        self._answers: list[tuple[Point, int]] = []
        self._position = 0
        self.checks = True

    def rewind(self) -> None:
        self._position = 0

    def check(self) -> None:
        if self.checks and self._seen.out_of_turn:
            raise _OutOfTurnError

    def choose(self, point: Point) -> int:
        self.check()
        position = self._position
        self._position += 1
        if position == len(self._answers):
            self._answers.append((point, self._choose(point)))
            return self._answers[-1][1]
        known, index = self._answers[position]
        if (known.name, known.options) != (point.name, point.options):
            option = known.options[index]
            raise DivergedError(Divergence(position, known.name, option, point.name, point.options, point.step))
        return index

    def at_rest(self, state: Callable[[], bytes]) -> None:
        self.check()
        if self._at_rest is not None:
            self._at_rest(state)
