"""Depth-first search with sleep sets, on top of the state cache.

One idea: after all that begins with step ``a`` was tried, ``a`` need not be tried again after a step ``b`` that is
independent of it: ``b a`` leads where ``a b`` led. So ``a`` *sleeps* along ``b``, until a step that depends on it is
taken (Godefroid 1996). That leaves out transitions, never states: each reachable state is still reached.

Together with a cache that is sound only by the rule of **stored sleep sets** (Godefroid, Holzmann and Pirottin 1995): a
state is kept with the steps that slept when it was entered. Whoever comes again with others asleep takes those steps
that slept then and do not now, and the smaller set is kept. Cutting at each hit instead is sound only where no state
comes again on its own path. That holds for digests which count each actor's steps, as the kernel's do, and there it
saves next to nothing (2,364 instead of 2,535 transitions in the race of four workers, none in worlds); so the rule that
does not rest on it is used.

What is independent stands in ``_footprints``; there too, why steps that the judge sees are all dependent. Steps that
the kernel took without asking (only one thing could happen) have no footprint here: whoever slept wakes.

Measured (``tests/bench/bench_search.py``): the deep race takes 2,619 transitions instead of 7,416, and 557 executions
instead of 5,274. In worlds little is independent: before-admission takes 343 executions instead of 368,
late-completion 797 instead of 865, after-commitment 165 instead of 226, lost-response 192 instead of 193.

Not with a bound of disruptions: the one order that the bound leaves may be the one that sleeps (11, 29 and 40 outcomes
at bounds 0, 1 and 2 instead of 21, 35 and 42). :func:`sleep_sets` refuses that.
"""

from __future__ import annotations

from collections.abc import Callable

from stopcheck.explore._audit import Audit
from stopcheck.explore._depth_first import CACHE_BOUND, resting
from stopcheck.explore._exploration import Book, Budget, CacheRefuted, CacheUse, FootprintLie, Observe
from stopcheck.explore._footprint_audit import FootprintAudit, Pair
from stopcheck.explore._footprints import Footprint, Rule, as_given, footprints_of, independent, refuse_unsound
from stopcheck.explore._path import Frame, Path
from stopcheck.explore._reduction import Reduction, conclude
from stopcheck.explore._trial import Result, Trial
from stopcheck.kernel import SCHEDULE, Choice, Cut, DivergedError, Point, Schedule

_NOBODY: frozenset[str] = frozenset()


class _Frame(Frame):
    """``turns`` are the options to take, of which number ``at`` is being taken; ``sleep`` slept on entry."""

    __slots__ = ("at", "footprints", "sleep", "step", "turns")

    def __init__(
        self, point: Point, turns: tuple[int, ...], footprints: tuple[Footprint, ...], sleep: frozenset[str]
    ) -> None:
        super().__init__(point, turns[0])
        self.turns = turns
        self.at = 0
        self.footprints = footprints
        self.sleep = sleep
        self.step = point.step if point.kind == SCHEDULE else -1

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

    def advance(self) -> bool:
        """Go to the next option; False when there is none."""
        if self.at + 1 >= len(self.turns):
            return False
        self.at += 1
        self.index = self.turns[self.at]
        return True


class _Search:
    """The chooser of all runs of one search."""

    def __init__(self, trial: Trial, rule: Rule, swaps: FootprintAudit, *, cache: bool, cache_bound: int) -> None:
        self.path: Path[_Frame] = Path()
        self.seen: dict[bytes, frozenset[str]] = {}
        self.audit = Audit()
        self.swaps = swaps
        self.pairs: list[Pair] = []
        self.lie: FootprintLie | None = None
        self.suspect: tuple[bytes, list[Choice]] | None = None
        self.hits = 0
        self.slept = 0
        self.blocked = 0
        self.woken = 0
        self.full = False
        self.cached = False
        self._trial = trial
        self._rule = rule
        self._cache = cache
        self._bound = cache_bound

    def begin(self) -> None:
        """A run begins."""
        self.path.begin()
        self.suspect = None
        self.pairs.clear()

    def choose(self, point: Point) -> int:
        """The path's answer, and beyond it the first option that does not sleep."""
        index = self.path.repeated(point)
        if index is not None:
            return index
        footprints = footprints_of(point, self._rule)
        sleep = self._inherited(point) if point.kind == SCHEDULE else _NOBODY
        frame = self._frame(point, footprints, sleep)
        self._note_pairs(frame)
        self.path.frames.append(frame)
        return frame.index

    def _inherited(self, point: Point) -> frozenset[str]:
        """Who sleeps here. Steps that nobody was asked about wake all."""
        above = next((frame for frame in reversed(self.path.frames) if frame.step >= 0), None)
        if above is None or point.step != above.step + 1:
            return _NOBODY
        asleep = above.asleep_below()
        for option in asleep:
            if option not in point.options and self.lie is None:
                known = Schedule.of(self._trial.scenario, self._trial.variant, self.path.choices())
                self.lie = FootprintLie(option, above.option, f"{above.option} disables {option}", known)
        return frozenset(option for option in asleep if option in point.options)

    def _frame(self, point: Point, footprints: tuple[Footprint, ...], sleep: frozenset[str]) -> _Frame:
        """What to take here. Ends the run if that is nothing."""
        stored = self._look_up(point.state if point.kind == SCHEDULE else None, sleep)
        wanted = frozenset(point.options) if stored is None else stored
        turns = tuple(i for i, option in enumerate(point.options) if option in wanted and option not in sleep)
        self.slept += len(sleep)
        if not turns:
            self.blocked += stored is None
            raise Cut
        self.woken += stored is not None
        return _Frame(point, turns, footprints, sleep if stored is None else sleep & stored)

    def at_rest(self, state: Callable[[], bytes]) -> None:
        """Nothing is left to choose, and nobody sleeps. What follows is a function of the state."""
        if self._look_up(lambda: resting(state), _NOBODY) is not None:
            raise Cut

    def _look_up(self, state: Callable[[], bytes] | None, sleep: frozenset[str]) -> frozenset[str] | None:
        """Who slept in all earlier visits of this state; ``None`` if there was none."""
        if not self._cache or state is None:
            return None
        digest = state()
        if not digest:
            return None
        self.cached = True
        stored = self.seen.get(digest)
        if stored is not None:
            self.hits += 1
            self.seen[digest] = stored & sleep
            if self.audit.wants(digest):
                self.suspect = (digest, self.path.choices())
            return stored
        if len(self.seen) >= self._bound:
            self.full = True
            return None
        self.seen[digest] = sleep
        if self.audit.selects(digest):
            self.audit.remember(digest, self.path.choices())
        return None

    def _note_pairs(self, frame: _Frame) -> None:
        """Independent options at a new point, for the audit."""
        taken, its = frame.option, frame.footprints[frame.index]
        if its is None:
            return
        for option, footprint in zip(frame.options, frame.footprints, strict=True):
            if independent(option, footprint, taken, its) and self.swaps.selects(taken, option):
                self.pairs.append(Pair(self.path.choices(), taken, option))

    def backtrack(self) -> bool:
        """Go to the next branch that was not taken; False when there is none."""
        frames = self.path.frames
        while frames:
            if frames[-1].advance():
                return True
            frames.pop()
        return False

    def remaining(self) -> int:
        """Known branches that were not taken, the next one included."""
        frames = self.path.frames
        return sum(len(frame.turns) - 1 - frame.at for frame in frames) + (1 if frames else 0)

    def use(self, refuted: CacheRefuted | None) -> CacheUse:
        """What the cache did."""
        return CacheUse(self.cached, self.hits, self.audit.done, self.full, refuted)


def sleep_sets(
    trial: Trial,
    budget: Budget,
    *,
    rule: Rule = as_given,
    cache: bool = True,
    cache_bound: int = CACHE_BOUND,
    swaps: int | None = None,
    fail_fast: bool = False,
    observe: Observe | None = None,
) -> Reduction:
    """Make one run of each class that differs only in the order of independent steps, up to the budget.

    ``rule`` reads footprints. ``swaps``: how many pairs of steps the audit takes in both orders at most. Those runs are
    counted in :attr:`Reduction.swaps`, not as executions: they explore nothing.
    """
    refuse_unsound(trial, rule)
    book = Book("depth-first, sleep sets", budget, fail_fast=fail_fast, observe=observe)
    audit = FootprintAudit() if swaps is None else FootprintAudit(swaps)
    search = _Search(trial, rule, audit, cache=cache, cache_bound=cache_bound)
    refuted = _explore(trial, search, book)
    last = search
    if refuted is not None:
        last = _Search(trial, rule, audit, cache=False, cache_bound=0)
        _explore(trial, last, book)
    exploration = book.exploration
    exploration.states = len(search.seen)
    exploration.cache = search.use(refuted)
    if not exploration.exhausted:
        exploration.remaining = last.remaining()
    reduction = Reduction(exploration, last.slept, last.blocked, last.woken, audit.done, last.lie)
    conclude(reduction)
    return reduction


def _explore(trial: Trial, search: _Search, book: Book) -> CacheRefuted | None:
    """Search until the space or the budget is exhausted, the cache refuted, or a footprint caught lying."""
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
        refuted = _audited(trial, search, book, result)
        if refuted is not None or search.lie is not None:
            return refuted
        if not search.backtrack():
            book.exploration.exhausted = True
            return None
    return None


def _audited(trial: Trial, search: _Search, book: Book, result: Result) -> CacheRefuted | None:
    """Try what the run gave cause to try: a cache hit, pairs of steps."""
    if result.fault is not None:
        return None
    for pair in search.pairs:
        search.lie = search.lie or search.swaps.check(trial, pair, book)
    if search.suspect is None or search.lie is not None:
        return None
    return search.audit.check(trial, *search.suspect, book)


__all__ = ["sleep_sets"]
