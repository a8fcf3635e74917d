"""What all searches that repeat runs have in common.

One idea: a search differs from another in one thing only: what it takes at a question that it meets for the first time
(:meth:`Search.frame`). Repeating the path, going on, turning back, and giving up when a run does not repeat, is the
same for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic

from stopcheck.explore._exploration import Book, Exploration, FootprintUse, bounds_reached
from stopcheck.explore._path import F, Path
from stopcheck.explore._trial import Result, Trial
from stopcheck.kernel import DivergedError, Point, Schedule


class Search(ABC, Generic[F]):
    """The chooser of all runs of one search."""

    def __init__(self) -> None:
        self.path: Path[F] = Path()

    def begin(self) -> None:
        """A run begins."""
        self.path.begin()

    def choose(self, point: Point) -> int:
        """The path's answer, and beyond it the first that is to be taken."""
        index = self.path.repeated(point)
        if index is not None:
            return index
        frame = self.frame(point)
        self.path.frames.append(frame)
        return frame.index

    def at_rest(self, state: Callable[[], bytes]) -> None:
        """Nothing is left to choose. May raise ``Cut`` if what follows from the state is known."""

    @abstractmethod
    def frame(self, point: Point) -> F:
        """What to take at a question that is met for the first time. Raises ``Cut`` if that is nothing."""

    @abstractmethod
    def review(self, trial: Trial, book: Book, result: Result) -> bool:
        """Learn from a run that was made; False when the search can't be believed any more, and ends."""


def explore(trial: Trial, search: Search[Any], book: Book) -> None:
    """Search until the space or the budget is exhausted, or the search itself gives up."""
    while book.may_go_on():
        search.begin()
        try:
            result = trial(search)
            if result.fault is None:
                search.path.check_end()
        except DivergedError as error:
            known = Schedule.of(trial.scenario, trial.variant, search.path.choices())
            book.diverged(f"a repeated run went another way: {error}", known)
            continue
        book.exploration.transitions += search.path.fresh
        book.take(result)
        if result.fault is None and not search.review(trial, book, result):
            return
        if not search.path.backtrack():
            book.exploration.exhausted = True
            return


def conclude(exploration: Exploration, search: Search[Any], footprints: FootprintUse | None) -> None:
    """Say what is left, and take the claim of completeness away where it does not hold."""
    exploration.footprints = footprints
    at_bounds = bounds_reached(exploration)
    if footprints is not None and footprints.lie is not None:
        exploration.exhausted = False
        exploration.truncated_by = "a footprint that lies"
    elif exploration.exhausted and (exploration.faults or exploration.nondeterminism is not None or at_bounds):
        exploration.exhausted = False
        exploration.truncated_by = at_bounds or "an adapter fault"
    elif not exploration.exhausted:
        exploration.remaining = search.path.remaining()


__all__ = ["Search", "conclude", "explore"]
