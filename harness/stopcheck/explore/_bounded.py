"""Bounded search: only so many disruptions in one run.

One idea: most faults of a gate need one or two disruptions, so a space that is too large to exhaust is completed up to
a *named* number of them. A disruption is a preemption (a switch away from an actor that could have gone on; Musuvathi
and Qadeer, PLDI 2007), a fault, a death, or a timer that fires while others could move. Switches that are forced (the
last actor is finished, asleep or blocked) are free.

What a pass does not prove: that nothing breaks with one disruption more. And no reduction by independence may be
combined with it: with a bound, two orders of independent steps do not cost the same.

What may follow a state depends on the last actor and on what is left of the bound too, so the cache keeps with which of
these the state was entered. It is entered again unless an earlier visit could do as much: the last actor was the same
and no less was left, or more was left (then one disruption pays for another last actor).
"""

from __future__ import annotations

from collections.abc import Callable

from stopcheck.explore._exploration import Book
from stopcheck.explore._path import Turns
from stopcheck.explore._search import Search
from stopcheck.explore._state_cache import StateCache
from stopcheck.explore._trial import Result, Trial
from stopcheck.kernel import CRASH_PREFIX, SCHEDULE, TIME_PREFIX, Cut, Point

#: Who moved last, and how many disruptions were left.
_Visit = tuple[str, int]


def is_disruption(point: Point, index: int) -> bool:
    """Whether this answer costs one of the bound."""
    if index == 0:
        return False
    option = point.options[index]
    if point.kind != SCHEDULE or option.startswith((TIME_PREFIX, CRASH_PREFIX)):
        return True
    return bool(point.actor) and point.options[0].startswith(point.actor + "@")


class _Frame(Turns):
    """``before``: what was left of the bound; ``dear``: the turns that cost one of it."""

    __slots__ = ("before", "dear")

    def __init__(self, point: Point, turns: tuple[int, ...], before: int) -> None:
        super().__init__(point, turns)
        self.before = before
        self.dear = frozenset(index for index in turns if is_disruption(point, index))

    @property
    def after(self) -> int:
        """What is left of the bound after the option that is being taken."""
        return self.before - (self.index in self.dear)


class Bounded(Search[_Frame]):
    """Takes every run of at most ``bound`` disruptions. ``limited``: the bound kept something back."""

    def __init__(self, bound: int, cache: StateCache[frozenset[_Visit]]) -> None:
        super().__init__()
        self.limited = False
        self._bound = bound
        self.cache = cache

    def begin(self) -> None:
        """A run begins."""
        super().begin()
        self.cache.begin()

    def frame(self, point: Point) -> _Frame:
        """The options that the bound leaves, unless the state was seen with as much left."""
        frames = self.path.frames
        left = frames[-1].after if frames else self._bound
        indices = range(len(point.options))
        turns = tuple(i for i in indices if left or not is_disruption(point, i))
        self.limited = self.limited or len(turns) < len(point.options)
        if len(turns) > 1:  # else a later point will do
            self._look_up(point, left)
        return _Frame(point, turns, left)

    def _look_up(self, point: Point, left: int) -> None:
        """End the run if all that can follow was taken."""
        digest = self.cache.digest_at(point)
        if not digest:
            return
        known = self.cache.known(digest) or frozenset()
        if any(more > left or (more == left and actor == point.actor) for actor, more in known):
            self.cache.hit(digest, self.path.choices())
            raise Cut
        self.cache.keep(digest, known | {(point.actor, left)}, self.path.choices())

    def at_rest(self, state: Callable[[], bytes]) -> None:
        """What is left of the bound does not matter here."""
        self.cache.rest(state, frozenset(), self.path.choices())

    def review(self, trial: Trial, book: Book, result: Result) -> bool:
        """Audit the cache."""
        return self.cache.audit(trial, book)


__all__ = ["Bounded", "is_disruption"]
