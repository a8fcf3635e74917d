"""Strategies that make schedules, and what shrinks and replays them.

One idea: a strategy answers ``choose(point)``, and makes one run of a *trial* after another until its space or its
budget is exhausted. What it found is an :class:`Exploration`, whoever found it.

What needs Hypothesis is in :mod:`stopcheck.explore.stateful`, apart: importing it takes as long as all else together.
"""

from stopcheck.explore._depth_first import CACHE_BOUND, depth_first
from stopcheck.explore._determinism import USUAL_CAUSES, find_nondeterminism, made_again
from stopcheck.explore._exhaustive import exhaustive
from stopcheck.explore._exploration import (
    Budget,
    CacheRefuted,
    CacheUse,
    Evidence,
    Exploration,
    Failure,
    Fault,
    FootprintLie,
    FootprintUse,
    Nondeterminism,
    SecondStops,
    SweepCoverage,
)
from stopcheck.explore._guiding import Seen
from stopcheck.explore._ledger import AFTER, POWER_AFTER, POWER_BEFORE, Tally, added, tallies
from stopcheck.explore._ledger import both as both_offers
from stopcheck.explore._nearest import Nearest, nearest_passing
from stopcheck.explore._pct import pct
from stopcheck.explore._portfolio import auto
from stopcheck.explore._random_walk import Deviating, random_walk
from stopcheck.explore._registry import STRATEGIES
from stopcheck.explore._remembered import Remembered
from stopcheck.explore._replay import Replayed, replay
from stopcheck.explore._sampling import generator
from stopcheck.explore._shrink import Shrunk, shrink
from stopcheck.explore._stepwise import Stepwise
from stopcheck.explore._stop_position import stop_position
from stopcheck.explore._strategy import Aim, Completes, Strategy
from stopcheck.explore._sweep import stop_sweep
from stopcheck.explore._trial import GateTrial, Result, Trial, Watch, make_trial, unwatched

__all__ = [
    "AFTER",
    "CACHE_BOUND",
    "POWER_AFTER",
    "POWER_BEFORE",
    "STRATEGIES",
    "USUAL_CAUSES",
    "Aim",
    "Budget",
    "CacheRefuted",
    "CacheUse",
    "Completes",
    "Deviating",
    "Evidence",
    "Exploration",
    "Failure",
    "Fault",
    "FootprintLie",
    "FootprintUse",
    "GateTrial",
    "Nearest",
    "Nondeterminism",
    "Remembered",
    "Replayed",
    "Result",
    "SecondStops",
    "Seen",
    "Shrunk",
    "Stepwise",
    "Strategy",
    "SweepCoverage",
    "Tally",
    "Trial",
    "Watch",
    "added",
    "auto",
    "both_offers",
    "depth_first",
    "exhaustive",
    "find_nondeterminism",
    "generator",
    "made_again",
    "make_trial",
    "nearest_passing",
    "pct",
    "random_walk",
    "replay",
    "shrink",
    "stop_position",
    "stop_sweep",
    "tallies",
    "unwatched",
]
