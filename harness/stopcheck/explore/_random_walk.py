"""Random walks: uniform over the options, or mostly the default order with a deviation now and then.

One idea: the simplest strategy there is, to compare all others with. The second form stays near the plain run, which
finds what needs few deviations at some depth.
"""

from __future__ import annotations

import random

from stopcheck.explore._exploration import Book, Budget, Exploration, Observe
from stopcheck.explore._sampling import sample
from stopcheck.explore._trial import Trial
from stopcheck.kernel import Point

#: The chance of a deviation that finds most on known faults, where nobody says otherwise.
DEVIATION = 0.2


class Uniform:
    """Each option with the same chance."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def choose(self, point: Point) -> int:
        """Any."""
        return self._rng.randrange(len(point.options))


class Deviating:
    """The default, and with the given chance any of the others."""

    def __init__(self, rng: random.Random, chance: float) -> None:
        self._rng = rng
        self._chance = chance

    def choose(self, point: Point) -> int:
        """The default, or a deviation."""
        others = len(point.options) - 1
        if others and self._rng.random() < self._chance:
            return 1 + self._rng.randrange(others)
        return 0


def random_walk(
    trial: Trial,
    budget: Budget,
    seed: int,
    *,
    deviation: float | None = None,
    fail_fast: bool = False,
    observe: Observe | None = None,
) -> Exploration:
    """Walk at random. ``deviation``: the chance to leave the default order at each point; ``None`` for uniform
    walks."""
    name = "random walk" if deviation is None else f"random walk with {deviation:g} deviations a choice"
    book = Book(name, budget, seed=seed, fail_fast=fail_fast, observe=observe)
    return sample(trial, book, seed, lambda rng, _: Uniform(rng) if deviation is None else Deviating(rng, deviation))
