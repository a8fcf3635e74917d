"""Stop positions drawn uniformly.

One idea: most faults of a gate need the stop at one particular point and little else. So the order stays near the
default, and where the stop starts is drawn uniformly over the points at which it could.
"""

from __future__ import annotations

import random
from collections.abc import Collection

from stopcheck.explore._exploration import Book, Budget, Exploration, Observe
from stopcheck.explore._pilot import Pilot
from stopcheck.explore._sampling import is_step, sample
from stopcheck.explore._stops import Held, others_first
from stopcheck.explore._trial import Trial
from stopcheck.kernel import SCHEDULE, Point

#: The chance of a deviation at each choice of half of the runs.
NEAR = 0.1


class StopsAt:
    """The chooser of one run: each stop starts at a position of its own. After its first step a stop either goes on to
    its end, or makes room for the others; which of the two is drawn too."""

    def __init__(self, rng: random.Random, stops: Collection[str], positions: int, deviation: float) -> None:
        self._rng = rng
        self._held = Held(stops)
        self._deviation = deviation if rng.random() < 0.5 else 0.0
        self._at = {actor: rng.randrange(max(1, positions)) for actor in stops}
        self._steps_aside = {actor for actor in stops if rng.random() < 0.5}
        self._passed = dict.fromkeys(stops, 0)
        self._aside: str | None = None

    def choose(self, point: Point) -> int:
        """The stop whose time has come, else the default order, seldom something else."""
        everything = list(range(len(point.options)))
        if point.kind != SCHEDULE:
            return self._near_default(everything)
        held = self._held
        on_its_way = held.on_its_way(point)
        if on_its_way is not None:
            return on_its_way
        waiting = held.waiting(point)
        allowed = [index for index in everything if index not in waiting]
        stuck = not any(is_step(point.options[index]) for index in allowed)
        for index in waiting:
            actor = point.options[index].split("@", 1)[0]
            passed = self._passed[actor]
            self._passed[actor] = passed + 1
            if passed >= self._at[actor] or stuck:
                held.start(point.options[index])
                self._aside = actor if actor in self._steps_aside else None
                return index
        if self._aside is not None:
            return others_first(point, self._aside)
        return self._near_default(allowed)

    def _near_default(self, allowed: list[int]) -> int:
        if len(allowed) > 1 and self._rng.random() < self._deviation:
            return self._rng.choice(allowed[1:])
        return allowed[0]


def stop_position(
    trial: Trial,
    budget: Budget,
    seed: int,
    *,
    deviation: float = NEAR,
    fail_fast: bool = False,
    observe: Observe | None = None,
) -> Exploration:
    """Sample runs with the stop at a uniformly drawn position. In half of them the rest of the order deviates from the
    default with chance ``deviation`` at each choice. Without a stop actor these are plain runs near the default
    order."""
    book = Book("uniform stop position", budget, seed=seed, fail_fast=fail_fast, observe=observe)
    pilot = Pilot(trial, book, positions=True)
    return sample(trial, book, seed, lambda rng, _: StopsAt(rng, pilot.stops, pilot.positions, deviation))
