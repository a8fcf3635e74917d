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

from stopcheck.kernel import Asked, Point, Retracer

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
    known: list[Asked] = []
    for repeat in range(REPEATS + 1):
        trace = _Trace(Retracer(known, choose), at_rest, seen if repeat < REPEATS else None)
        try:
            made = attempt(trace.choose, None if at_rest is None else trace.at_rest)
            trace.check()
        except _OutOfTurnError:
            known = max(known, trace.asked, key=len)
        else:
            return made
    raise AssertionError("the last attempt is watched by nobody")


class _Trace:
    """Answers as before and asks on from there, as long as whoever is ``seen`` is served in turn."""

    def __init__(self, retracer: Retracer, at_rest: AtRest | None, seen: Served | None) -> None:
        self.asked = retracer.asked
        self._answer = retracer.choose
        self._at_rest = at_rest
        self._seen = seen

    def check(self) -> None:
        if self._seen is not None and self._seen.out_of_turn:
            raise _OutOfTurnError

    def choose(self, point: Point) -> int:
        self.check()
        return self._answer(point)

    def at_rest(self, state: Callable[[], bytes]) -> None:
        self.check()
        assert self._at_rest is not None
        self._at_rest(state)
