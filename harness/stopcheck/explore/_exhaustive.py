"""The one entry to searches that can be completed.

One idea: which reduction is sound depends on the trial and on what is asked, so it is chosen here and nowhere else.
Where footprints are known (whole calls of a world) and nothing bounds the runs, sleep sets on the state cache; where
they are not, the state cache alone; with a bound of disruptions, the state cache alone, which then knows the last actor
and what is left of the bound. Each is audited as it goes: see ``Exploration.unsound``.
"""

from __future__ import annotations

from stopcheck.explore._depth_first import CACHE_BOUND, depth_first
from stopcheck.explore._exploration import Budget, Exploration, Observe
from stopcheck.explore._footprints import Rule, known_rule
from stopcheck.explore._trial import Trial


def exhaustive(
    trial: Trial,
    budget: Budget,
    *,
    bound: int | None = None,
    rule: Rule | None = None,
    cache_bound: int = CACHE_BOUND,
    fail_fast: bool = False,
    observe: Observe | None = None,
) -> Exploration:
    """Make every run, or one that stands for it, up to the budget; with ``bound``, every run of at most so many
    disruptions. ``rule`` reads the footprints of trials that are no worlds.

    ``exhausted`` says whether that was completed, ``limited`` whether the bound kept something back, and ``unsound``
    why nothing may be concluded: a fingerprint, a footprint or a run that did not hold what it promised.
    """
    known = (rule or known_rule(trial)) if bound is None else None
    return depth_first(
        trial, budget, rule=known, bound=bound, cache_bound=cache_bound, fail_fast=fail_fast, observe=observe
    )


__all__ = ["exhaustive"]
