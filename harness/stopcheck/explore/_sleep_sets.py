"""Sleep sets, and steps that nobody can see, on top of the state cache.

One idea: after all that begins with step ``a`` was tried, ``a`` need not be tried again after a step ``b`` that is
independent of it: ``b a`` leads where ``a b`` led. So ``a`` *sleeps* along ``b``, until a step that depends on it is
taken (Godefroid 1996). That leaves out transitions, never states: each reachable state is still reached.

Together with a cache that is sound only by the rule of **stored sleep sets** (Godefroid, Holzmann and Pirottin 1995): a
state is kept with the steps that slept when it was entered. Whoever comes again with others asleep takes those steps
that slept then and do not now, and the smaller set is kept.

A step that is *private* (independent of whatever others can do, now and later, and never disabled by it) is taken at
once and alone: a persistent set of one. That leaves out states as well: those in which others moved first.

What is independent, and private, stands in ``_footprints``; there too, why steps that the judge sees are all dependent.
Steps that the kernel took without asking (only one thing could happen) have no footprint here: whoever slept wakes.

Not with a bound of disruptions: the one order that the bound leaves may be the one that sleeps (11, 29 and 40 outcomes
at bounds 0, 1 and 2 instead of 21, 35 and 42).
"""

from __future__ import annotations

from collections.abc import Callable

from stopcheck.explore._exploration import Book, FootprintUse
from stopcheck.explore._footprint_audit import FootprintAudit
from stopcheck.explore._footprints import Footprint, Rule, footprints_of, independent, is_private
from stopcheck.explore._path import Turns
from stopcheck.explore._search import Search
from stopcheck.explore._state_cache import StateCache
from stopcheck.explore._trial import Result, Trial
from stopcheck.kernel import SCHEDULE, Cut, Point

_NOBODY: frozenset[str] = frozenset()


class _Frame(Turns):
    """``sleep`` slept on entry."""

    __slots__ = ("footprints", "sleep")

    def __init__(
        self, point: Point, turns: tuple[int, ...], footprints: tuple[Footprint, ...], sleep: frozenset[str]
    ) -> None:
        super().__init__(point, turns)
        self.footprints = footprints
        self.sleep = sleep

    def asleep_below(self) -> list[str]:
        """Who sleeps after the option that is being taken: whoever slept here or was taken here before, and is
        independent of it."""
        taken, its = self.option, self.footprints[self.index]
        before = {self.options[index] for index in self.turns[: self.at]}
        return [
            option
            for option, footprint in zip(self.options, self.footprints, strict=True)
            if (option in self.sleep or option in before) and independent(option, footprint, taken, its)
        ]


class Sleeping(Search[_Frame]):
    """Takes one run of each class that differs only in the order of independent steps. By the rule that knows nothing,
    every run: then nobody ever sleeps."""

    def __init__(self, trial: Trial, rule: Rule, audit: FootprintAudit, cache: StateCache[frozenset[str]]) -> None:
        super().__init__()
        self._trial = trial
        self._rule = rule
        self._audit = audit
        self.cache = cache
        self._slept = 0
        self._blocked = 0
        self._woken = 0
        self._alone = 0

    def begin(self) -> None:
        """A run begins."""
        super().begin()
        self._audit.begin()
        self.cache.begin()

    def frame(self, point: Point) -> _Frame:
        """What to take here. Ends the run if that is nothing."""
        footprints = footprints_of(point, self._rule)
        sleep = self._inherited(point) if point.kind == SCHEDULE else _NOBODY
        self._slept += len(sleep)
        private = next((i for i, footprint in enumerate(footprints) if is_private(footprint)), None)
        if private is not None:
            frame = self._alone_at(point, private, footprints, sleep)
        else:
            frame = self._all_at(point, footprints, sleep)
        self._audit.note(self.path.choices, frame.options, footprints, frame.index)
        return frame

    def _inherited(self, point: Point) -> frozenset[str]:
        """Who sleeps here. Steps that nobody was asked about wake all."""
        above = self.path.before(point)
        asleep = _NOBODY if above is None else frozenset(above.asleep_below())
        for option in asleep.difference(point.options):
            assert above is not None
            self._audit.accuse(self._trial, self.path.choices(), above.option, option)
        return asleep.intersection(point.options)

    def _alone_at(self, point: Point, private: int, footprints: tuple[Footprint, ...], sleep: frozenset[str]) -> _Frame:
        """Only the private step: whatever others can do, they can do after it."""
        if point.options[private] in sleep:
            self._blocked += 1
            raise Cut
        self._alone += len(point.options) > 1
        return _Frame(point, (private,), footprints, sleep)

    def _all_at(self, point: Point, footprints: tuple[Footprint, ...], sleep: frozenset[str]) -> _Frame:
        """Whatever is awake, and at a state that was seen, slept then."""
        stored = self._look_up(point, sleep)
        wanted = frozenset(point.options) if stored is None else stored
        turns = tuple(i for i, option in enumerate(point.options) if option in wanted and option not in sleep)
        if not turns:
            self._blocked += stored is None
            raise Cut
        self._woken += stored is not None
        return _Frame(point, turns, footprints, sleep if stored is None else sleep & stored)

    def _look_up(self, point: Point, sleep: frozenset[str]) -> frozenset[str] | None:
        """Who slept in all earlier visits of this state; ``None`` if there was none."""
        cache = self.cache
        digest = cache.digest_at(point)
        if not digest:
            return None
        stored = cache.known(digest)
        if stored is not None:
            cache.hit(digest, self.path.choices())
        cache.keep(digest, sleep if stored is None else sleep & stored, self.path.choices())
        return stored

    def at_rest(self, state: Callable[[], bytes]) -> None:
        """Nobody sleeps here."""
        self.cache.rest(state, _NOBODY, self.path.choices())

    def review(self, trial: Trial, book: Book, result: Result) -> bool:
        """Audit pairs of steps, and the cache."""
        return self._audit.review(trial, book) and self.cache.audit(trial, book)

    @property
    def use(self) -> FootprintUse:
        """What the reduction did."""
        return FootprintUse(self._slept, self._blocked, self._woken, self._alone, self._audit.done, self._audit.lie)


__all__ = ["Sleeping"]
