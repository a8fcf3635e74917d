"""The stop sweep: a stop at every branch point of recorded runs.

One idea: record runs in which the stop is held back to the end; each step in them is a point at which a stop could have
started next. Then make, for each such point, the run that follows the recorded one up to there, starts the stop, and
goes on by default: once with the stop going on to its end, once with everybody else going on after its first step.

A point is named by the step that would have come next: ``actor@label#ordinal``, the ordinal counting that label of that
actor. It is *hit* when a stop really started with that step pending and chosen next in the recorded run. This is
coverage of the situations that a stop can meet, not evidence that nothing else is wrong; several base runs are made
because each shows only a part.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import msgspec

from stopcheck.explore._exploration import Book, Budget, Exploration, Observe, SweepCoverage
from stopcheck.explore._sampling import generator, is_step, mover
from stopcheck.explore._stops import HoldingBack, Inner, first_allowed, others_first, stop_actors
from stopcheck.explore._trial import Result, Trial
from stopcheck.kernel import SCHEDULE, Choice, DivergedError, Divergence, Point, Schedule

_RANDOM_BASES = 3
_DEVIATION = 0.3


class _Target(msgspec.Struct, frozen=True):
    """A stop to start before step ``step + 1`` of a base run, instead of ``point``."""

    base: int
    step: int
    point: str
    instead_of: str
    stop: str
    steps_aside: bool


class _Base:
    """A recorded run with the stop held back, and the points that it shows."""

    def __init__(self, result: Result, holding: HoldingBack, stops: Sequence[str]) -> None:
        self.choices = result.choices
        self.points: list[tuple[int, str, str, list[str]]] = []
        ordinals: dict[str, int] = {}
        first = holding.asked_first or 0
        for number, name in result.turns():
            step = number - 1
            if holding.started_at is not None and step >= holding.started_at:
                break
            if not is_step(name) or mover(name) in stops:
                continue
            ordinals[name] = ordinals.get(name, 0) + 1
            if step >= first:
                self.points.append((step, name, f"{name}#{ordinals[name]}", holding.offers.get(step, [])))


class _Sweeping:
    """The chooser of one run: along the base run, then the stop, then the default order."""

    def __init__(self, base: _Base, target: _Target) -> None:
        self.hit = False
        self._way = base.choices
        self._target = target
        self._actor = mover(target.stop)
        self._asked = 0

    def choose(self, point: Point) -> int:
        """The base run's answer; at the target, the stop."""
        target = self._target
        if self.hit:
            return others_first(point, self._actor) if target.steps_aside and point.kind == SCHEDULE else 0
        asked = self._asked
        self._asked += 1
        choice = self._way[asked] if asked < len(self._way) else Choice("the end", "", 0)
        if choice.point != point.name or choice.option not in point.options:
            raise DivergedError(Divergence(asked, choice.point, choice.option, point.name, point.options))
        if point.kind == SCHEDULE and point.step == target.step:
            self.hit = choice.option == target.instead_of
            return point.options.index(target.stop)
        return point.options.index(choice.option)


def stop_sweep(
    trial: Trial,
    budget: Budget,
    seed: int = 0,
    *,
    random_bases: int = _RANDOM_BASES,
    fail_fast: bool = False,
    observe: Observe | None = None,
) -> Exploration:
    """Start a stop at every branch point of the base runs. The exploration's ``coverage`` says which were missed; they
    are missed only when the budget ended."""
    book = Book("stop sweep", budget, seed=seed, fail_fast=fail_fast, observe=observe)
    stops, bases = _record(trial, book, seed, random_bases)
    targets = _plan(bases)
    hit: set[str] = set()
    try:
        for target in targets:
            if not book.may_go_on():
                break
            sweeping = _Sweeping(bases[target.base], target)
            book.take(trial(sweeping))
            if sweeping.hit:
                hit.add(target.point)
    except DivergedError as error:
        way = Schedule.of(trial.scenario, trial.variant, bases[0].choices)
        book.diverged(f"a base run went another way when it was followed: {error}", way)
        book.may_go_on()
    book.exploration.coverage = _coverage(stops, bases, hit)
    return book.exploration


def _record(trial: Trial, book: Book, seed: int, random_bases: int) -> tuple[list[str], list[_Base]]:
    """The base runs: the default order, each other actor preferred, and some near the default order at random."""
    plain = trial(HoldingBack(()))
    book.take(plain)
    stops = stop_actors(plain)
    if not stops:
        return stops, []
    movers = dict.fromkeys(mover(name) for _, name in plain.turns() if is_step(name))
    inners: list[Inner] = [first_allowed]
    inners += [_preferring(actor) for actor in movers if actor not in stops]
    inners += [_deviating(generator(seed, number)) for number in range(random_bases)]
    bases: list[_Base] = []
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
            bases.append(_Base(result, holding, stops))
    return stops, bases


def _preferring(actor: str) -> Inner:
    own = f"{actor}@"

    def inner(point: Point, allowed: list[int]) -> int:
        if point.kind != SCHEDULE:
            return 0
        return next((index for index in allowed if point.options[index].startswith(own)), allowed[0])

    return inner


def _deviating(rng: random.Random) -> Inner:
    def inner(_: Point, allowed: list[int]) -> int:
        if len(allowed) > 1 and rng.random() < _DEVIATION:
            return rng.choice(allowed[1:])
        return allowed[0]

    return inner


def _plan(bases: Sequence[_Base]) -> list[_Target]:
    """All targets, those first that show a point for the first time."""
    first: list[_Target] = []
    further: list[_Target] = []
    planned: set[str] = set()
    for number, base in enumerate(bases):
        for step, name, point, stops in base.points:
            for stop in stops:
                for steps_aside in (False, True):
                    target = _Target(number, step, point, name, stop, steps_aside)
                    (further if point in planned else first).append(target)
                    planned.add(point)
    return first + further


def _coverage(stops: Sequence[str], bases: Sequence[_Base], hit: set[str]) -> SweepCoverage:
    seen: dict[str, bool] = {}
    for base in bases:
        for _, _, point, offered in base.points:
            seen[point] = seen.get(point, False) or bool(offered)
    planned = [point for point, offered in seen.items() if offered]
    return SweepCoverage(
        stops=tuple(stops),
        planned=tuple(planned),
        missed=tuple(point for point in planned if point not in hit),
        closed=tuple(point for point, offered in seen.items() if not offered),
        base_runs=len(bases),
    )
