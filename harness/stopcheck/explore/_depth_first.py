"""Exhaustive depth-first search with a state cache.

One idea: a run can't be rewound, but it can be repeated. The search keeps the path to where it is, repeats it from the
start, takes the next option at its end, and goes on by default; a state that was seen before is not entered twice.

Soundness of the cache: a digest enters it at a scheduling point whose options all go on the path, so each is taken by
this very search unless it is truncated, and then the exploration says so. Faults in the middle of a step have no state
and are branched on without one. Whether the digest really tells states apart is *audited* (``_audit``): if it does not,
the cache is dropped and the search begins again without.

The path is a stack of frames, so a reduction that skips options (sleep sets, happens-before) would filter in
``backtrack``. Not every reduction is sound together with the cache: see the design.
"""

from __future__ import annotations

from collections.abc import Callable

from stopcheck.explore._audit import Audit
from stopcheck.explore._exploration import Book, Budget, CacheRefuted, CacheUse, Exploration, Observe, bounds_reached
from stopcheck.explore._trial import Trial
from stopcheck.kernel import SCHEDULE, Choice, Cut, DivergedError, Divergence, Point, Schedule

#: States that are kept at most; about 100 bytes each.
CACHE_BOUND = 1_000_000


class _Frame:
    """One question on the path: its options, and which of them is being taken."""

    __slots__ = ("at", "name", "options")

    def __init__(self, name: str, options: tuple[str, ...]) -> None:
        self.name = name
        self.options = options
        self.at = 0

    def choice(self) -> Choice:
        return Choice(self.name, self.options[self.at], self.at)


class _Search:
    """The chooser of all runs of one search."""

    def __init__(self, *, cache: bool, cache_bound: int) -> None:
        self.path: list[_Frame] = []
        self.seen: set[bytes] = set()
        self.audit = Audit()
        self.hits = 0
        self.full = False
        self.cached = False
        self.suspect: bytes | None = None
        self._cache = cache
        self._bound = cache_bound
        self._asked = 0
        self._known = 0

    def begin(self) -> None:
        """A run begins: everything on the path is known, what follows is fresh."""
        self._asked = 0
        self._known = len(self.path)
        self.suspect = None

    def choose(self, point: Point) -> int:
        """The path's answer, and beyond it the default."""
        asked = self._asked
        self._asked = asked + 1
        path = self.path
        if asked < self._known:
            frame = path[asked]
            if frame.options != point.options or frame.name != point.name:
                raise DivergedError(_divergence(asked, frame, point))
            return frame.at
        if self._cache and point.state is not None and point.kind == SCHEDULE:
            self._look_up(point.state())
        path.append(_Frame(point.name, point.options))
        return 0

    def at_rest(self, state: Callable[[], bytes]) -> None:
        """Nothing is left to choose. What follows is a function of the state, as it is at a choice."""
        if self._cache:
            self._look_up(resting(state))

    def _look_up(self, digest: bytes | None) -> None:
        """End the run if it comes to a state that was seen."""
        if not digest:
            return
        self.cached = True
        if digest in self.seen:
            self.hits += 1
            if self.audit.wants(digest):
                self.suspect = digest
            raise Cut
        if len(self.seen) >= self._bound:
            self.full = True
            return
        self.seen.add(digest)
        if self.audit.selects(digest):
            self.audit.remember(digest, self.choices())

    def choices(self) -> list[Choice]:
        """The path as choices."""
        return [frame.choice() for frame in self.path]

    @property
    def fresh(self) -> int:
        """How many choices of the run were not taken before: those beyond the path, and the path's last."""
        return len(self.path) - self._known + (1 if self._known else 0)

    def check_end(self) -> None:
        """The run is over: it must have come as far as the path goes."""
        if self._asked < self._known:
            frame = self.path[self._asked]
            raise DivergedError(Divergence(self._asked, frame.name, frame.options[frame.at], "", ()))

    def backtrack(self) -> bool:
        """Go to the next branch that was not taken; False when there is none."""
        path = self.path
        while path:
            frame = path[-1]
            if frame.at + 1 < len(frame.options):
                frame.at += 1
                return True
            path.pop()
        return False

    def remaining(self) -> int:
        """Known branches that were not taken, the next one included."""
        return sum(len(frame.options) - 1 - frame.at for frame in self.path) + (1 if self.path else 0)

    def use(self, refuted: CacheRefuted | None) -> CacheUse:
        """What the cache did."""
        return CacheUse(self.cached, self.hits, self.audit.done, self.full, refuted)


def resting(state: Callable[[], bytes]) -> bytes:
    """The digest of a state at rest. Rest may have been chosen in this very state, where a death was on offer too."""
    digest = state()
    return digest + b"|rest" if digest else b""


def _divergence(position: int, frame: _Frame, point: Point) -> Divergence:
    return Divergence(position, frame.name, frame.options[frame.at], point.name, point.options)


def depth_first(
    trial: Trial,
    budget: Budget,
    *,
    cache: bool = True,
    cache_bound: int = CACHE_BOUND,
    fail_fast: bool = False,
    observe: Observe | None = None,
) -> Exploration:
    """Make every run, up to the budget. All clauses that can fail are found, unless ``fail_fast``."""
    book = Book("depth-first", budget, fail_fast=fail_fast, observe=observe)
    search = _Search(cache=cache, cache_bound=cache_bound)
    refuted = _explore(trial, search, book)
    if refuted is not None:
        uncached = _Search(cache=False, cache_bound=0)
        _explore(trial, uncached, book)
        _close(book.exploration, uncached, states=len(search.seen), use=search.use(refuted))
    else:
        _close(book.exploration, search, states=len(search.seen), use=search.use(None))
    return book.exploration


def _explore(trial: Trial, search: _Search, book: Book) -> CacheRefuted | None:
    """Search until the space or the budget is exhausted, or the cache refuted."""
    while book.may_go_on():
        search.begin()
        try:
            result = trial(search)
            if result.fault is None:
                search.check_end()
        except DivergedError as error:
            known = Schedule.of(trial.scenario, trial.variant, search.choices())
            book.diverged(f"a repeated run went another way: {error}", known)
            continue
        book.exploration.transitions += search.fresh
        book.take(result)
        if search.suspect is not None and result.fault is None:
            refuted = search.audit.check(trial, search.suspect, search.choices(), book)
            if refuted is not None:
                return refuted
        if not search.backtrack():
            book.exploration.exhausted = True
            return None
    return None


def _close(exploration: Exploration, search: _Search, *, states: int, use: CacheUse) -> None:
    exploration.states = states
    exploration.cache = use
    if exploration.exhausted:
        at_bounds = bounds_reached(exploration)
        if exploration.faults or exploration.nondeterminism is not None or at_bounds:
            exploration.exhausted = False
            exploration.truncated_by = at_bounds or "an adapter fault"
    else:
        exploration.remaining = search.remaining()
