"""What a search with a reduction by independence came to.

One idea: a reduction is believed no more than a fingerprint is. What was left out and what was audited stands beside
what was found, and a footprint that lies takes the claim of completeness away.
"""

from __future__ import annotations

import msgspec

from stopcheck.explore._exploration import Exploration, FootprintLie, FootprintUse, bounds_reached


class Reduction(msgspec.Struct):
    """``slept``: branches that were left out because another order of independent steps was tried. ``blocked``:
    executions that ended because all that could move was asleep. ``woken``: returns to a known state that went on,
    since somebody was awake who had slept before. ``swaps``: pairs of steps taken in both orders."""

    exploration: Exploration
    slept: int = 0
    blocked: int = 0
    woken: int = 0
    swaps: int = 0
    lie: FootprintLie | None = None

    @property
    def exhausted(self) -> bool:
        """Every run was made or is known to end as one that was."""
        return self.exploration.exhausted


def cache_bound_reached(exploration: Exploration) -> str | None:
    """In words, that the cache took in no further state; that costs time, not soundness."""
    cache = exploration.cache
    if cache is None or not cache.full:
        return None
    return f"the state cache's bound of {exploration.states} states"


def conclude(reduction: Reduction) -> None:
    """Take the claim of completeness away where it does not hold."""
    exploration = reduction.exploration
    exploration.footprints = FootprintUse(
        reduction.slept, reduction.blocked, reduction.woken, reduction.swaps, reduction.lie
    )
    if reduction.lie is not None:
        exploration.exhausted = False
        exploration.truncated_by = "a footprint that lies"
        return
    at_bounds = bounds_reached(exploration)
    if exploration.exhausted and (exploration.faults or exploration.nondeterminism is not None or at_bounds):
        exploration.exhausted = False
        exploration.truncated_by = at_bounds or "an adapter fault"


__all__ = ["Reduction", "cache_bound_reached", "conclude"]
