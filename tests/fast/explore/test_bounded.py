"""Bounded search: each bound is completed, the cache loses nothing under it, and bounds grow into the whole space."""

from __future__ import annotations

import pytest

from stopcheck.explore import CACHE_BOUND, Budget, Result, depth_first, shrink
from tests.fast.explore.toys import ToyTrial, generated, race


def outcomes(seed: int, bound: int | None, *, cache: bool) -> tuple[set[bytes], bool]:
    trial = ToyTrial(generated(seed))
    found: set[bytes] = set()

    def note(result: Result) -> None:
        if not result.cut:
            found.add(result.outcome())

    kept = CACHE_BOUND if cache else 0
    most = bound if bound is not None else 1_000
    exploration = depth_first(trial, Budget(100_000), bound=most, cache_bound=kept, observe=note)
    assert exploration.exhausted
    assert exploration.nondeterminism is None
    assert exploration.cache is not None
    assert exploration.cache.refuted is None
    return found, exploration.limited


@pytest.mark.parametrize("seed", range(12))
def test_the_cache_loses_no_outcome_under_a_bound(seed: int) -> None:
    for bound in (0, 1, 2):
        assert outcomes(seed, bound, cache=True) == outcomes(seed, bound, cache=False)


@pytest.mark.parametrize("seed", range(12))
def test_bounds_grow_into_the_whole_space(seed: int) -> None:
    everything, limited = outcomes(seed, None, cache=True)
    assert not limited
    before: set[bytes] = set()
    for bound in (0, 1, 2):
        found, _ = outcomes(seed, bound, cache=True)
        assert before <= found <= everything
        before = found


def test_the_toy_race_shows_at_bound_one_and_shrinks_outside_of_it() -> None:
    assert not depth_first(ToyTrial(race), Budget(1_000), bound=0).failures
    found = depth_first(ToyTrial(race), Budget(1_000), bound=1)
    assert found.exhausted
    assert shrink(ToyTrial(race), found.failures["TOY-1"]).schedule.deviations == 1
