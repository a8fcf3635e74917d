"""The searches that the tests of reductions compare, and what came of them."""

from __future__ import annotations

from collections.abc import Callable

from stopcheck.explore import (
    Budget,
    Exploration,
    FootprintLie,
    FootprintUse,
    Result,
    Trial,
    depth_first,
    exhaustive,
)
from stopcheck.explore._dpor import source_dpor
from stopcheck.explore._footprints import Rule, as_given

PLENTY = Budget(50_000)

Search = Callable[..., Exploration]


def sleeping(trial: Trial, **options: object) -> Exploration:
    return sound(sleep_sets(trial, PLENTY, swaps=8, **options))  # type: ignore[arg-type]


def sleeping_uncached(trial: Trial, **options: object) -> Exploration:
    return sound(sleep_sets(trial, PLENTY, swaps=0, cache_bound=0, **options))  # type: ignore[arg-type]


def cached(trial: Trial, **options: object) -> Exploration:
    return depth_first(trial, PLENTY, **options)  # type: ignore[arg-type]


def entered(trial: Trial, **options: object) -> Exploration:
    return sound(exhaustive(trial, PLENTY, rule=as_given, **options))  # type: ignore[arg-type]


def racing(trial: Trial, **options: object) -> Exploration:
    return sound(source_dpor(trial, PLENTY, swaps=0, **options))  # type: ignore[arg-type]


def unreduced(trial: Trial, **options: object) -> Exploration:
    return depth_first(trial, PLENTY, cache_bound=0, **options)  # type: ignore[arg-type]


def sound(found: Exploration) -> Exploration:
    assert lie_of(found) is None
    return found


def sleep_sets(trial: Trial, budget: Budget, *, rule: Rule = as_given, **options: object) -> Exploration:
    return depth_first(trial, budget, rule=rule, **options)  # type: ignore[arg-type]


def lie_of(found: Exploration) -> FootprintLie | None:
    return found.footprints.lie if found.footprints is not None else None


def used(found: Exploration) -> FootprintUse:
    assert found.footprints is not None
    return found.footprints


def outcomes(search: Search, trial: Trial, **options: object) -> tuple[set[bytes], set[str], int]:
    """Final accounts, violated clauses, executions (without those that only audit the cache)."""
    found: set[bytes] = set()

    def note(result: Result) -> None:
        if not result.cut:
            found.add(result.outcome())

    exploration = search(trial, observe=note, **options)
    assert exploration.exhausted, exploration
    assert exploration.cache is None or exploration.cache.refuted is None
    audits = 0 if exploration.cache is None else exploration.cache.audits
    return found, set(exploration.failures), exploration.executions - audits
