"""Strategies that make schedules, and what shrinks and replays them.

One idea: a strategy answers ``choose(point)``, and makes one run of a *trial* after another until its space or its
budget is exhausted. What it found is an :class:`Exploration`, whoever found it.
"""

from stopcheck.explore._depth_first import depth_first
from stopcheck.explore._exploration import (
    Budget,
    CacheRefuted,
    CacheUse,
    Exploration,
    Failure,
    Fault,
    Nondeterminism,
    SweepCoverage,
)
from stopcheck.explore._replay import Replayed, replay
from stopcheck.explore._trial import GateTrial, Result, Trial, make_trial

__all__ = [
    "Budget",
    "CacheRefuted",
    "CacheUse",
    "Exploration",
    "Failure",
    "Fault",
    "GateTrial",
    "Nondeterminism",
    "Replayed",
    "Result",
    "SweepCoverage",
    "Trial",
    "depth_first",
    "make_trial",
    "replay",
]
