"""Bounded search: each bound is completed, the cache loses nothing under it, and bounds grow into the whole space."""

from __future__ import annotations

import pytest

from stopcheck.explore import CACHE_BOUND, Budget, Result, depth_first, shrink
from stopcheck.kernel import branch
from tests.fast.explore.toys import Body, Build, Toy, ToyTrial, generated, race


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


def writes_after_both(_toy: Toy) -> dict[str, Body]:
    """Both set a mark, and then write their number twice."""

    def writer(number: int) -> Body:
        async def body(toy: Toy) -> None:
            await branch("mark")
            toy.put(f"mark{number}", 1)
            for _ in range(2):
                await branch("write")
                written = toy.shared.get("order", 0)
                if f"mark{3 - number}" in toy.shared:
                    toy.put("order", 10 * written + number)

        return body

    return {"one": writer(1), "two": writer(2)}


def sees_the_middle(_toy: Toy) -> dict[str, Body]:
    """The observer sees the first actor in the middle, which it reached after the end of the second, and then at its
    end."""

    async def first(toy: Toy) -> None:
        for step in (1, 2, 3):
            await branch(f"step{step}")
            toy.put("first", step if step != 2 or "second" in toy.shared else 0)

    async def second(toy: Toy) -> None:
        await branch("step")
        toy.put("second", 1)

    async def observer(toy: Toy) -> None:
        await branch("look")
        middle = toy.shared.get("first") == 2
        await branch("look again")
        if middle and toy.shared.get("first") == 3:
            toy.put("order", 1)

    return {"first": first, "second": second, "observer": observer}


@pytest.mark.parametrize(
    ("build", "orders"),
    [(writes_after_both, {1221, 2112}), (sees_the_middle, {1})],
    ids=["who moved last", "what was left of the bound"],
)
@pytest.mark.parametrize("kept", [CACHE_BOUND, 0], ids=["cache", "no cache"])
def test_what_is_known_of_a_state_under_a_bound(build: Build, orders: set[int], kept: int) -> None:
    """Each of these orders takes two disruptions on one way only. The state in which both marks are set is reached once
    with each actor as the last; that in which the first is in the middle and the second at its end is reached first
    after one disruption, and then after none."""
    found: set[int] = set()

    def note(run: Result) -> None:
        found.update(order for order in orders if f"('order', {order})".encode() in run.outcome())

    depth_first(ToyTrial(build), Budget(10_000), bound=2, cache_bound=kept, observe=note)
    assert found == orders
