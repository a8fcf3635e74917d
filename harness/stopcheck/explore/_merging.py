"""Explorations of one space as one.

One idea: what several passes or strategies found about one trial adds up, and the shortest failure of each clause is
kept, whoever found it. What one of them *completed* says nothing about the others, so that is not merged: whoever
merges says what the whole came to.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from stopcheck.explore._exploration import CacheUse, Exploration
from stopcheck.explore._ledger import both
from stopcheck.judge import summed


def merged(strategy: str, seed: int | None, parts: Sequence[Exploration]) -> Exploration:
    """All of them, in the order in which they were made; nothing is said to be completed."""
    total = Exploration(strategy, seed)
    for part in parts:
        total = _both(total, part)
    return total


def _both(first: Exploration, second: Exploration) -> Exploration:
    failures = dict(first.failures)
    for clause, failure in second.failures.items():
        if clause not in failures or failure.size < failures[clause].size:
            failures[clause] = failure
    return msgspec.structs.replace(
        first,
        executions=first.executions + second.executions,
        states=first.states + second.states,
        transitions=first.transitions + second.transitions,
        steps=first.steps + second.steps,
        failures=failures,
        failing=_sum(first.failing, second.failing),
        witnesses=first.witnesses | second.witnesses,
        exercised=_sum(first.exercised, second.exercised),
        called=_sum(first.called, second.called),
        inner=_sum(first.inner, second.inner),
        endings=_sum(first.endings, second.endings),
        undecided=_sum(first.undecided, second.undecided),
        coverage=first.coverage or second.coverage,
        cache=_caches(first.cache, second.cache),
        footprints=first.footprints if first.footprints is not None and first.footprints.lie else second.footprints,
        faults=[*first.faults, *second.faults],
        nondeterminism=first.nondeterminism or second.nondeterminism,
        offers=both(first.offers, second.offers),
        admitted=first.admitted or second.admitted,
        measures=summed((*first.measures, *second.measures)),
    )


def _caches(first: CacheUse | None, second: CacheUse | None) -> CacheUse | None:
    if first is None or second is None:
        return first or second
    return CacheUse(
        used=first.used or second.used,
        hits=first.hits + second.hits,
        audits=first.audits + second.audits,
        full=first.full or second.full,
        refuted=first.refuted or second.refuted,
    )


def _sum(first: dict[str, int], second: dict[str, int]) -> dict[str, int]:
    return {key: first.get(key, 0) + second.get(key, 0) for key in {**first, **second}}
