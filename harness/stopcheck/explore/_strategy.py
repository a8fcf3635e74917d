"""What a strategy is: a name, what it can complete, and how it runs.

One idea: whoever uses strategies knows this one type. Given a trial, a budget, a seed and an aim, a strategy makes one
run after another and hands back an :class:`Exploration`; everything else about it is its own business.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import msgspec

from stopcheck.explore._exploration import Budget, Exploration, Observe
from stopcheck.explore._trial import Trial


class Completes(StrEnum):
    """What a strategy can come to the end of.

    ``SPACE``: all runs, or all with at most so many disruptions; only that is ground for a pass. ``STOPS``: a stop at
    every branch point of its base runs. ``NOTHING``: a sample says nothing about what was not sampled.
    """

    SPACE = "space"
    STOPS = "stops"
    NOTHING = "nothing"


class Aim(msgspec.Struct, frozen=True, kw_only=True):
    """What is wanted, beside a budget and a seed; each strategy heeds what concerns it.

    ``bound``: how many disruptions a search must allow in a run to have reached its target, if it cannot make all runs.
    ``random_bases``: random base runs of a stop sweep, beside those that prefer one actor each. ``firsts``: at how many
    starts of a first stop a sweep goes on to a second one, spread evenly; ``None`` for all. ``fail_fast``: end at the
    first failure. ``observe`` is shown each run.
    """

    bound: int = 1
    random_bases: int = 3
    firsts: int | None = None
    fail_fast: bool = False
    observe: Observe | None = None


#: How a strategy runs.
Explore = Callable[[Trial, Budget, int, Aim], Exploration]


class Strategy(msgspec.Struct, frozen=True):
    """``name`` is what people say on the command line; ``about`` is one sentence; ``explore`` makes the runs.

    A strategy neither exceeds its budget by more than the audits of its last run, nor reads a clock: the same trial,
    budget, seed and aim give the same exploration.
    """

    name: str
    about: str
    completes: Completes
    explore: Explore

    def __call__(self, trial: Trial, budget: Budget, seed: int = 0, aim: Aim | None = None) -> Exploration:
        """Explore. Samplers make run number ``i`` of a seed the same, whatever the budget."""
        return self.explore(trial, budget, seed, aim or Aim())
