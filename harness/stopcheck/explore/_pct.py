"""PCT: random priorities with a few change points (Burckhardt and others, ASPLOS 2010).

One idea: a fault of depth ``d`` needs ``d`` orderings. With random priorities, and ``d - 1`` points drawn in advance at
which the running actor falls to the bottom, each such fault is found in a run with a chance of at least 1 / (n
k^(d-1)), whatever else the program does.

Time and deaths have priorities below all actors, so that by themselves they come last. A change point at which one of
them is on offer may promote it instead: then it happens there. Faults in the middle of a step are deviated to with a
small chance.
"""

from __future__ import annotations

import random

from stopcheck.explore._exploration import Book, Budget, Exploration, Observe
from stopcheck.explore._pilot import Pilot
from stopcheck.explore._sampling import is_step, mover, sample
from stopcheck.explore._trial import Trial
from stopcheck.kernel import SCHEDULE, Point

_FAULT_CHANCE = 0.15
_PROMOTION_CHANCE = 0.3


class Priorities:
    """The chooser of one run. ``length``: about how many choices a run has."""

    def __init__(self, rng: random.Random, depth: int, length: int) -> None:
        self._rng = rng
        self._priorities: dict[str, float] = {}
        self._changes = {rng.randrange(max(1, length)) for _ in range(depth - 1)}
        self._asked = 0

    def choose(self, point: Point) -> int:
        """The option of the highest priority."""
        rng = self._rng
        if point.kind != SCHEDULE:
            return 1 + rng.randrange(len(point.options) - 1) if rng.random() < _FAULT_CHANCE else 0
        asked = self._asked
        self._asked += 1
        best = self._best(point)
        if asked in self._changes:
            rare = [index for index, option in enumerate(point.options) if not is_step(option)]
            if rare and rng.random() < _PROMOTION_CHANCE:
                return rng.choice(rare)
            self._priorities[mover(point.options[best])] = rng.random()
            best = self._best(point)
        return best

    def _best(self, point: Point) -> int:
        return max(range(len(point.options)), key=lambda index: self._priority(point.options[index]))

    def _priority(self, option: str) -> float:
        """Actors above 1; what has fallen, time and deaths below."""
        known = self._priorities.get(mover(option))
        if known is None:
            known = self._priorities[mover(option)] = self._rng.random() + (1 if is_step(option) else 0)
        return known


def pct(
    trial: Trial,
    budget: Budget,
    seed: int,
    *,
    depth: int = 3,
    fail_fast: bool = False,
    observe: Observe | None = None,
) -> Exploration:
    """Sample runs with random priorities and ``depth - 1`` change points, after the plain run."""
    book = Book(f"PCT of depth {depth}", budget, seed=seed, fail_fast=fail_fast, observe=observe)
    pilot = Pilot(trial, book, positions=False)
    return sample(trial, book, seed, lambda rng, _: Priorities(rng, depth, pilot.length))
