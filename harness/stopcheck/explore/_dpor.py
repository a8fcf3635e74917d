"""Source-DPOR with sleep sets, without a cache (Abdulla, Aronis, Jonsson and Sagonas, POPL 2014).

One idea: take one order of steps to its end, and look which of its steps *raced*: depend on each other, with nothing
between them that orders them. Only there can another order come to something else, so only there is another actor
scheduled first: one of the *initials* of what should have come before. Sleep sets keep what was tried from being tried
again.

What this needs: footprints that say everything, enabling included (a step that lets a waiting actor move touches what
that actor waits for), and that go with an option's name, since steps which the kernel took without asking are known by
name only. So it is for kernels whose footprints are audited.

* A passage of time and a death are taken at each point that offers them: no race reveals what need not ever happen.
* A fault is asked within a step, and each of its options is taken.
* Never with the state cache: cut at a state that was seen, a run does not show the races in what follows (140 of 190
  outcomes). Never with a bound of disruptions. :func:`source_dpor` refuses both.

Measured (``tests/bench/bench_search.py``): the deep race, whose actors do much that nobody sees, takes it 408
executions, one for each class (sleep sets with the cache: 557; the cache alone: 5,274). The race of four workers, who
do little else than race, takes it 12,456 (1,322; 2,218). On worlds all calls of the gate depend on each other, so
that an order of calls is a class of its own, and merging states is far ahead of merging orders: not-sent-again takes it
77 executions, as many as without any reduction (45; 48), and before-admission was not over after 2,500 (343; 368), nor
was late-completion (797; 865). So campaigns do not use it.
"""

from __future__ import annotations

from collections.abc import Sequence

from stopcheck.explore._exploration import Book, Budget, FootprintLie, Observe
from stopcheck.explore._footprint_audit import FootprintAudit, Pair
from stopcheck.explore._footprints import Footprint, Rule, as_given, footprints_of, independent, refuse_unsound
from stopcheck.explore._path import Frame, Path
from stopcheck.explore._reduction import Reduction, conclude
from stopcheck.explore._sampling import is_step, mover
from stopcheck.explore._trial import Trial, Turn
from stopcheck.kernel import SCHEDULE, Cut, DivergedError, Point, Schedule


class _Frame(Frame):
    """``wanted`` are the options to take (the source set), ``done`` those that were, ``sleep`` slept on entry."""

    __slots__ = ("done", "footprints", "sleep", "step", "wanted")

    def __init__(self, point: Point, footprints: tuple[Footprint, ...], sleep: frozenset[str]) -> None:
        self.footprints = footprints
        self.sleep = sleep
        self.done: set[str] = set()
        self.step = point.step if point.kind == SCHEDULE else -1
        awake = [index for index, option in enumerate(point.options) if option not in sleep]
        if not awake:
            raise Cut
        super().__init__(point, awake[0])
        first = {self.option} if point.kind == SCHEDULE else set(point.options)
        self.wanted = first | {option for option in point.options if not is_step(option)}

    def asleep_below(self) -> frozenset[str]:
        """Who sleeps after the option that is being taken."""
        taken, its = self.option, self.footprints[self.index]
        return frozenset(
            option
            for option, footprint in zip(self.options, self.footprints, strict=True)
            if (option in self.sleep or option in self.done) and independent(option, footprint, taken, its)
        )

    def left(self) -> list[int]:
        """The options that are still to be taken, beside the one that is."""
        over = self.done | self.sleep | {self.option}
        return [i for i, option in enumerate(self.options) if option in self.wanted and option not in over]

    def advance(self) -> bool:
        """Go to the next option; False when there is none."""
        left = self.left()
        self.done.add(self.option)
        if left:
            self.index = left[0]
        return bool(left)


class _Event:
    """One turn of a run. ``before``: the turns that happen before it, as bits."""

    __slots__ = ("before", "footprint", "frame", "option")

    def __init__(self, option: str, footprint: Footprint, frame: _Frame | None) -> None:
        self.option = option
        self.footprint = footprint
        self.frame = frame
        self.before = 0


class _Search:
    """The chooser of all runs of one search."""

    def __init__(self, trial: Trial, rule: Rule, swaps: FootprintAudit) -> None:
        self.path: Path[_Frame] = Path()
        self.swaps = swaps
        self.pairs: list[Pair] = []
        self.lie: FootprintLie | None = None
        self.slept = 0
        self.blocked = 0
        self._trial = trial
        self._rule = rule
        self._learned: dict[str, Footprint] = {}

    def begin(self) -> None:
        """A run begins."""
        self.path.begin()
        self.pairs.clear()

    def choose(self, point: Point) -> int:
        """The path's answer, and beyond it the first option that does not sleep."""
        index = self.path.repeated(point)
        if index is not None:
            return index
        footprints = footprints_of(point, self._rule)
        sleep: frozenset[str] = frozenset()
        if point.kind == SCHEDULE:
            self._learned.update(zip(point.options, footprints, strict=True))
            sleep = self._inherited(point)
        self.slept += len(sleep)
        try:
            frame = _Frame(point, footprints, sleep)
        except Cut:
            self.blocked += 1
            raise
        self._note_pairs(frame)
        self.path.frames.append(frame)
        return frame.index

    def _inherited(self, point: Point) -> frozenset[str]:
        """Who sleeps here. Steps that nobody was asked about wake all."""
        above = next((frame for frame in reversed(self.path.frames) if frame.step >= 0), None)
        if above is None or point.step != above.step + 1:
            return frozenset()
        return above.asleep_below().intersection(point.options)

    def _note_pairs(self, frame: _Frame) -> None:
        taken, its = frame.option, frame.footprints[frame.index]
        for option, footprint in zip(frame.options, frame.footprints, strict=True):
            if independent(option, footprint, taken, its) and self.swaps.selects(taken, option):
                self.pairs.append(Pair(self.path.choices(), taken, option))

    # -- races --------------------------------------------------------------------------------------------

    def reverse_races(self, turns: Sequence[Turn]) -> None:
        """Where two turns of the run raced, schedule what should have come first."""
        events = self._events(turns)
        for at, event in enumerate(events):
            direct = [i for i in range(at) if _depend(events[i], event)]
            for i in direct:
                event.before |= events[i].before | 1 << i
            for i in direct:
                between = any(events[k].before >> i & 1 for k in direct if k > i)
                if not between and mover(events[i].option) != mover(event.option):
                    _reverse(events, i, at)

    def _events(self, turns: Sequence[Turn]) -> list[_Event]:
        frames = {frame.step + 1: frame for frame in self.path.frames if frame.step >= 0}
        first = min(frames, default=0)
        events: list[_Event] = []
        for step, option in turns:
            if step < first:  # nobody could have come before
                continue
            frame = frames.get(step)
            footprint = self._learned.get(option) if frame is None else frame.footprints[frame.index]
            events.append(_Event(option, footprint, frame))
        return events

    # -- going on -----------------------------------------------------------------------------------------

    def backtrack(self) -> bool:
        """Go to the next branch that is wanted; False when there is none."""
        frames = self.path.frames
        while frames:
            if frames[-1].advance():
                return True
            frames.pop()
        return False

    def remaining(self) -> int:
        """Known branches that were not taken, the next one included."""
        frames = self.path.frames
        return sum(len(frame.left()) for frame in frames) + (1 if frames else 0)


def _depend(one: _Event, other: _Event) -> bool:
    return not independent(one.option, one.footprint, other.option, other.footprint)


def _reverse(events: Sequence[_Event], early: int, late: int) -> None:
    """At the point of the early turn, let something begin that leads to the late one without it."""
    frame = events[early].frame
    if frame is None:
        return
    later = [k for k in range(early + 1, late) if not events[k].before >> early & 1] + [late]
    mask = sum(1 << k for k in later)
    initials = {mover(events[k].option) for k in later if not events[k].before & mask}
    offered = [option for option in frame.options if mover(option) in initials]
    if offered and frame.wanted.isdisjoint(offered):
        frame.wanted.add(offered[0])


def source_dpor(
    trial: Trial,
    budget: Budget,
    *,
    rule: Rule = as_given,
    cache: bool = False,
    swaps: int | None = None,
    fail_fast: bool = False,
    observe: Observe | None = None,
) -> Reduction:
    """Make one run of each class that differs only in the order of independent steps, up to the budget. ``cache`` is
    there to be refused. Runs of the footprint audit count in :attr:`Reduction.swaps` only."""
    refuse_unsound(trial, rule)
    if cache:
        raise ValueError("source-DPOR is not sound together with the state cache")
    book = Book("source-DPOR", budget, fail_fast=fail_fast, observe=observe)
    search = _Search(trial, rule, FootprintAudit() if swaps is None else FootprintAudit(swaps))
    _explore(trial, search, book)
    exploration = book.exploration
    if not exploration.exhausted:
        exploration.remaining = search.remaining()
    reduction = Reduction(exploration, search.slept, search.blocked, 0, search.swaps.done, search.lie)
    conclude(reduction)
    return reduction


def _explore(trial: Trial, search: _Search, book: Book) -> None:
    """Search until the space or the budget is exhausted, or a footprint caught lying."""
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
        search.reverse_races(result.turns())
        for pair in search.pairs:
            search.lie = search.lie or search.swaps.check(trial, pair, book)
        if search.lie is not None:
            return
        if not search.backtrack():
            book.exploration.exhausted = True
            return


__all__ = ["source_dpor"]
