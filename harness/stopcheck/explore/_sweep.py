"""The stop sweep: a stop at every branch point of recorded runs, and a second one while the first is carried out.

One idea: record runs in which the stop is held back to the end; each step in them is a point at which a stop could have
started next. Then make, for each such point, the run that follows the recorded one up to there, starts the stop, and
goes on by default: once with the stop going on to its end, once with everybody else going on after its first step.
Where somebody stops a second time, the same is done again with what remains of such runs (depth 2).

A point is named by the step that would have come next: ``actor@label#ordinal``, the ordinal counting that label of that
actor. It is *hit* when a stop really started with that step pending and chosen next in the recorded run. This is
coverage of the situations that a stop can meet, not evidence that nothing else is wrong; several base runs are made
because each shows only a part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stopcheck.explore._exploration import Book, Budget, Exploration, Observe, SecondStops, SweepCoverage
from stopcheck.explore._sampling import generator, is_step, mover
from stopcheck.explore._stops import HoldingBack, Inner, first_allowed, is_stop, stop_actors, stops_made
from stopcheck.explore._sweep_runs import Base, HoldingSecond, Sweeping, Target, deviating, preferring, spread
from stopcheck.explore._trial import Trial
from stopcheck.kernel import DefaultChooser, DivergedError, Schedule

_RANDOM_BASES = 3
#: How the points are named at which a second stop was to start in a run that was not made.
_ANYTHING = "anything"


def stop_sweep(
    trial: Trial,
    budget: Budget,
    seed: int = 0,
    *,
    random_bases: int = _RANDOM_BASES,
    firsts: int | None = None,
    fail_fast: bool = False,
    observe: Observe | None = None,
) -> Exploration:
    """Start a stop at every branch point of the base runs, and from ``firsts`` of these (``None``: from all) a second
    one at every branch point that is left. The exploration's ``coverage`` says which were missed; they are missed only
    when the budget ended."""
    book = Book("stop sweep", budget, seed=seed, fail_fast=fail_fast, observe=observe)
    sweep = _Sweep(trial, book, random_bases)
    try:
        sweep.record(seed)
        sweep.start_stops()
        if sweep.twice:
            sweep.start_second_stops(firsts)
    except DivergedError as error:
        way = Schedule.of(trial.scenario, trial.variant, sweep.bases[0].choices)
        book.diverged(f"a base run went another way when it was followed: {error}", way)
        book.may_go_on()
    book.exploration.coverage = sweep.coverage()
    return book.exploration


class _Sweep:
    """What is known so far: the base runs, the targets in them, and which points were hit."""

    def __init__(self, trial: Trial, book: Book, random_bases: int) -> None:
        self.bases: list[Base] = []
        self.twice = False
        self._stops: list[str] = []
        self._trial = trial
        self._book = book
        self._random_bases = random_bases
        self._targets: list[Target] = []
        self._hit: set[str] = set()
        self._firsts: list[Target] = []
        self._seconds: list[tuple[str, Base]] = []
        self._second_hit: set[str] = set()

    def record(self, seed: int) -> None:
        """The base runs: the default order, each other actor preferred, and some near the default order at random."""
        book, trial = self._book, self._trial
        if not book.may_go_on():
            return
        plain = trial(DefaultChooser())
        book.take(plain)
        stops = self._stops = stop_actors(plain)
        if not stops:
            return
        self.twice = stops_made(plain) > 1
        movers = dict.fromkeys(mover(name) for _, name in plain.turns() if is_step(name))
        inners: list[Inner] = [first_allowed]
        inners += [preferring(actor) for actor in movers if actor not in stops]
        inners += [deviating(generator(seed, number)) for number in range(self._random_bases)]
        known: set[tuple[str, ...]] = set()
        for inner in inners:
            if not book.may_go_on():
                break
            holding = HoldingBack(stops, inner)
            result = trial(holding)
            book.take(result)
            names = tuple(choice.option for choice in result.choices)
            if names not in known:
                known.add(names)
                self.bases.append(Base(result, holding, holding.asked_first or 0, self._is_stoppers))
        self._targets = _targets(self.bases)

    def _is_stoppers(self, name: str) -> bool:
        return mover(name) in self._stops

    def start_stops(self) -> None:
        """Depth 1."""
        for target in self._targets:
            if not self._book.may_go_on():
                return
            sweeping = Sweeping(self.bases[target.base], target)
            self._book.take(self._trial(sweeping))
            if sweeping.hit:
                self._hit.add(target.point)

    def start_second_stops(self, firsts: int | None) -> None:
        """Depth 2: from each first stop on, record what remains with further stops held back, and start one at each
        point of it."""
        self._firsts = spread(self._targets, firsts)
        for first in self._firsts:
            if not self._book.may_go_on():
                return
            holding = HoldingSecond(self.bases[first.base], first, self._stops)
            result = self._trial(holding)
            self._book.take(result)
            base = Base(result, holding.holding, first.step + 1, is_stop)
            self._seconds.append((first.point, base))
            for target in _targets([base], both_ways=False, steps_aside=first.steps_aside):
                if not self._book.may_go_on():
                    return
                sweeping = Sweeping(base, target)
                self._book.take(self._trial(sweeping))
                if sweeping.hit:
                    self._second_hit.add(_then(first.point, target.point))

    def coverage(self) -> SweepCoverage:
        """What was planned, hit and missed."""
        planned, closed = _planned(("", base) for base in self.bases)
        return SweepCoverage(
            stops=tuple(self._stops),
            planned=tuple(planned),
            missed=tuple(point for point in planned if point not in self._hit),
            closed=tuple(closed),
            base_runs=len(self.bases),
            second=self._second_coverage() if self.twice else None,
        )

    def _second_coverage(self) -> SecondStops:
        planned, closed = _planned(self._seconds)
        planned += dict.fromkeys(_then(first.point, _ANYTHING) for first in self._firsts[len(self._seconds) :])
        return SecondStops(
            planned=tuple(planned),
            missed=tuple(point for point in planned if point not in self._second_hit),
            closed=tuple(closed),
            first_stops=len(self._firsts),
            of=len(self._targets),
        )


def _then(first: str, second: str) -> str:
    return f"{first} then {second}" if first else second


def _planned(runs: Iterable[tuple[str, Base]]) -> tuple[list[str], list[str]]:
    """The points at which a stop could start in one of the runs at least, and those at which none could."""
    seen: dict[str, bool] = {}
    for first, base in runs:
        for place in base.places:
            point = _then(first, place.point)
            seen[point] = seen.get(point, False) or bool(place.offered)
    return [point for point, open_ in seen.items() if open_], [point for point, open_ in seen.items() if not open_]


def _targets(bases: Sequence[Base], *, both_ways: bool = True, steps_aside: bool = False) -> list[Target]:
    """All targets, those first that show a point for the first time."""
    first: list[Target] = []
    further: list[Target] = []
    planned: set[str] = set()
    ways = (False, True) if both_ways else (steps_aside,)
    for number, base in enumerate(bases):
        for place in base.places:
            for stop in place.offered:
                for aside in ways:
                    target = Target(number, place.step, place.point, place.name, stop, aside)
                    (further if place.point in planned else first).append(target)
                    planned.add(place.point)
    return first + further
