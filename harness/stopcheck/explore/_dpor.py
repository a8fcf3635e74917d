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
  outcomes). Never with a bound of disruptions. So :func:`source_dpor` has neither.

**Campaigns do not use it.** On worlds all calls of the gate depend on each other, so that an order of calls is a class
of its own, and merging states is far ahead of merging orders. With as many executions as the cache needs to exhaust a
case, it exhausts none of the eight acceptance cases. On the gate in memory (executions of what campaigns use, and of
source-DPOR): lost-response 183 and 1,010; each of the other seven 168 to 944, and more than 3,000. And of the races of
kernel programs: two workers 23 and 24, three 130 and 408, four 703 and more than 6,000; the deep race 130 and 408. So
it is kept to be measured against: ``make bench``, or

    python -m pytest -o python_files='bench_*.py' tests/bench/bench_search.py
"""

from __future__ import annotations

from collections.abc import Sequence

from stopcheck.explore._exploration import Book, Budget, Exploration, FootprintUse, Observe
from stopcheck.explore._footprint_audit import FootprintAudit
from stopcheck.explore._footprints import Footprint, Rule, as_given, footprints_of, independent, refuse_unsound
from stopcheck.explore._path import Frame
from stopcheck.explore._sampling import is_step, mover
from stopcheck.explore._search import Search, conclude, explore
from stopcheck.explore._trial import Result, Trial, Turn
from stopcheck.kernel import SCHEDULE, Cut, Point


class _Frame(Frame):
    """``wanted`` are the options to take (the source set), ``done`` those that were, ``sleep`` slept on entry."""

    __slots__ = ("done", "footprints", "sleep", "wanted")

    def __init__(self, point: Point, footprints: tuple[Footprint, ...], sleep: frozenset[str], first: int) -> None:
        super().__init__(point, first)
        self.footprints = footprints
        self.sleep = sleep
        self.done: set[str] = set()
        begin = {self.option} if point.kind == SCHEDULE else set(point.options)
        self.wanted = begin | {option for option in point.options if not is_step(option)}

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


class _Reversing(Search[_Frame]):
    """Takes one order of steps to its end, and then what its races ask for."""

    def __init__(self, rule: Rule, audit: FootprintAudit) -> None:
        super().__init__()
        self._rule = rule
        self._audit = audit
        self._slept = 0
        self._blocked = 0
        self._learned: dict[str, Footprint] = {}

    def begin(self) -> None:
        """A run begins."""
        super().begin()
        self._audit.begin()

    def frame(self, point: Point) -> _Frame:
        """The first option that does not sleep."""
        footprints = footprints_of(point, self._rule)
        sleep: frozenset[str] = frozenset()
        if point.kind == SCHEDULE:
            self._learned.update(zip(point.options, footprints, strict=True))
            above = self.path.before(point)  # steps that nobody was asked about wake all
            sleep = sleep if above is None else above.asleep_below().intersection(point.options)
        self._slept += len(sleep)
        awake = next((index for index, option in enumerate(point.options) if option not in sleep), None)
        if awake is None:
            self._blocked += 1
            raise Cut
        self._audit.note(self.path.choices, point.options, footprints, awake)
        return _Frame(point, footprints, sleep, awake)

    def review(self, trial: Trial, book: Book, result: Result) -> bool:
        """Reverse the run's races, and audit pairs of steps."""
        self.reverse_races(result.turns())
        return self._audit.review(trial, book)

    @property
    def use(self) -> FootprintUse:
        """What the reduction did."""
        return FootprintUse(self._slept, self._blocked, swaps=self._audit.done, lie=self._audit.lie)

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
    swaps: int | None = None,
    fail_fast: bool = False,
    observe: Observe | None = None,
) -> Exploration:
    """Make one run of each class that differs only in the order of independent steps, up to the budget. Runs of the
    footprint audit count in ``Exploration.footprints`` only."""
    refuse_unsound(trial, rule)
    book = Book("source-DPOR", budget, fail_fast=fail_fast, observe=observe)
    search = _Reversing(rule, FootprintAudit(swaps))
    explore(trial, search, book)
    conclude(book.exploration, search, search.use)
    return book.exploration


__all__ = ["source_dpor"]
