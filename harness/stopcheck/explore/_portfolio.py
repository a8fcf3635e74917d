"""``auto``: the strategies together, and what can be said after them.

One idea: first whatever can be *completed*: the stop sweep, and the whole space if it fits into its share of the
budget. Only if it does not is the rest sampled, by strategies that find different faults: measured on known faults, no
one of them is best (priorities find double claims, uniform walks find checks that come too early).
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from stopcheck.explore._depth_first import depth_first
from stopcheck.explore._exploration import Budget, Exploration, Failure, Observe
from stopcheck.explore._pct import pct
from stopcheck.explore._random_walk import random_walk
from stopcheck.explore._stop_position import stop_position
from stopcheck.explore._sweep import stop_sweep
from stopcheck.explore._trial import Trial

#: The share of the budget that the exhaustive search may take, in per cent.
_SEARCH_SHARE = 60


class Portfolio(msgspec.Struct):
    """What the strategies came to, in the order in which they ran. ``completed`` and ``not_completed`` name targets in
    words."""

    parts: list[Exploration]
    completed: list[str] = []
    not_completed: list[str] = []

    @property
    def exhausted(self) -> bool:
        """Whether the whole space was explored."""
        return any(part.exhausted for part in self.parts)

    @property
    def executions(self) -> int:
        """Runs in all."""
        return sum(part.executions for part in self.parts)

    @property
    def failures(self) -> dict[str, Failure]:
        """The shortest failure of each clause, whoever found it."""
        shortest: dict[str, Failure] = {}
        for part in self.parts:
            for clause, failure in part.failures.items():
                known = shortest.get(clause)
                if known is None or failure.size < known.size:
                    shortest[clause] = failure
        return dict(sorted(shortest.items()))

    @property
    def witnesses(self) -> set[str]:
        """All situations that were reached."""
        return {name for part in self.parts for name in part.witnesses}

    @property
    def sound(self) -> bool:
        """No adapter fault, and nothing that is not deterministic."""
        return not any(part.faults or part.nondeterminism for part in self.parts)


def auto(
    trial: Trial, budget: Budget, seed: int, *, fail_fast: bool = False, observe: Observe | None = None
) -> Portfolio:
    """Sweep, then search, then sample what is left of the budget. ``fail_fast`` ends it at the first failure."""
    portfolio = Portfolio([])

    def within(executions: int) -> Budget:
        return Budget(max(0, executions), budget.spent)

    def over() -> bool:
        return not portfolio.sound or (fail_fast and bool(portfolio.failures))

    sweep = stop_sweep(trial, within(budget.executions), seed, fail_fast=fail_fast, observe=observe)
    portfolio.parts.append(sweep)
    _note_sweep(portfolio, sweep)
    if over():
        return portfolio
    left = budget.executions - portfolio.executions
    search = depth_first(trial, within(left * _SEARCH_SHARE // 100), fail_fast=fail_fast, observe=observe)
    portfolio.parts.append(search)
    _note_search(portfolio, search)
    if over() or search.exhausted:
        return portfolio
    samplers: list[Callable[[Budget], Exploration]] = [
        lambda b: pct(trial, b, seed, depth=3, fail_fast=fail_fast, observe=observe),
        lambda b: stop_position(trial, b, seed, fail_fast=fail_fast, observe=observe),
        lambda b: random_walk(trial, b, seed, fail_fast=fail_fast, observe=observe),
        lambda b: pct(trial, b, seed, depth=5, fail_fast=fail_fast, observe=observe),
    ]
    for number, sampler in enumerate(samplers):
        left = budget.executions - portfolio.executions
        part = sampler(within(left // (len(samplers) - number)))
        portfolio.parts.append(part)
        if over():
            break
    return portfolio


def _note_sweep(portfolio: Portfolio, sweep: Exploration) -> None:
    coverage = sweep.coverage
    if coverage is None or not coverage.stops:
        return
    target = f"a stop at every branch point: {coverage.hit} of {len(coverage.planned)}"
    if coverage.missed or sweep.truncated_by:
        portfolio.not_completed.append(f"{target} ({sweep.truncated_by or 'some were not reached'})")
    else:
        portfolio.completed.append(target)


def _note_search(portfolio: Portfolio, search: Exploration) -> None:
    target = "every interleaving within the fault budget"
    if search.exhausted:
        portfolio.completed.append(f"{target}: {search.executions} executions")
    else:
        portfolio.not_completed.append(
            f"{target} ({search.truncated_by} ended first; {search.remaining} known branches were not taken)"
        )
