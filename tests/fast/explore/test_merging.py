"""Explorations of one space as one: nothing that one of them had to say is lost."""

from __future__ import annotations

from stopcheck.explore import Budget, depth_first
from stopcheck.explore._exploration import CacheRefuted, CacheUse, Exploration
from stopcheck.explore._merging import merged
from stopcheck.kernel import Schedule
from tests.fast.explore.toys import ToyTrial, race


def test_a_state_cache_that_was_full_in_one_of_them_stays_named() -> None:
    full = depth_first(ToyTrial(race), Budget(1_000), cache_bound=3)
    ample = depth_first(ToyTrial(race), Budget(1_000))
    assert full.cache is not None
    assert full.cache.full
    for parts in ([full, ample], [ample, full]):
        cache = merged("both", None, parts).cache
        assert cache is not None
        assert cache.full
        assert cache.hits == sum(part.cache.hits for part in parts if part.cache is not None)


def test_a_fingerprint_that_was_refuted_stays_refuted() -> None:
    way = Schedule.of("toy", {}, [])
    refuted = Exploration("one", cache=CacheUse(used=True, refuted=CacheRefuted("it lies", way, way)))
    for parts in ([refuted, Exploration("other", cache=CacheUse(used=True))], [refuted, Exploration("no cache")]):
        for order in (parts, parts[::-1]):
            assert "it lies" in merged("both", None, order).unsound


def test_ledgers_add_up() -> None:
    one = Exploration("one", offers={("a@fault", ("lost",)): [3, 1]})
    other = Exploration("other", offers={("a@fault", ("lost",)): [2, 0], ("b@fault", ("lost",)): [1, 1]})
    assert merged("both", None, [one, other]).offers == {("a@fault", ("lost",)): [5, 1], ("b@fault", ("lost",)): [1, 1]}
