"""Exhaustive search: complete, reduced without loss, honest about what it did not do."""

from __future__ import annotations

import pytest

from stopcheck.explore._depth_first import CACHE_BOUND, depth_first
from stopcheck.explore._exploration import Budget
from stopcheck.explore._trial import Result
from stopcheck.kernel import Choice, branch
from tests.fast.explore.toys import Body, Toy, ToyTrial, generated, race

PLENTY = Budget(200_000)


def outcomes(trial: ToyTrial, *, cache: bool) -> tuple[set[bytes], set[str], int]:
    found: set[bytes] = set()

    def note(result: Result) -> None:
        if not result.cut:
            found.add(result.outcome())

    exploration = depth_first(trial, PLENTY, cache_bound=CACHE_BOUND if cache else 0, observe=note)
    assert exploration.exhausted, exploration
    assert exploration.nondeterminism is None
    assert exploration.cache is not None
    assert exploration.cache.refuted is None
    return found, set(exploration.failures), exploration.executions


@pytest.mark.parametrize("seed", range(40))
def test_the_cache_loses_no_outcome(seed: int) -> None:
    reduced, reduced_clauses, fewer = outcomes(ToyTrial(generated(seed)), cache=True)
    full, clauses, all_of_them = outcomes(ToyTrial(generated(seed)), cache=False)
    assert reduced == full
    assert reduced_clauses == clauses
    assert all_of_them >= 1
    assert fewer <= all_of_them + 2 * 64


def test_uncached_search_counts_the_interleavings() -> None:
    async def two_steps(toy: Toy) -> None:
        await branch("a")
        await branch("b")

    trial = ToyTrial(lambda _: {"p": two_steps, "q": two_steps})
    exploration = depth_first(trial, PLENTY, cache_bound=0)
    assert exploration.executions == 20  # 6! / (3! 3!) with three steps each
    assert exploration.exhausted
    assert exploration.remaining == 0


def test_without_a_state_nothing_is_cached() -> None:
    exploration = depth_first(ToyTrial(race, cached=False), PLENTY)
    assert exploration.exhausted
    assert exploration.cache is not None
    assert not exploration.cache.used
    assert exploration.states == 0


def test_a_truncated_search_says_so() -> None:
    exploration = depth_first(ToyTrial(race), Budget(5), cache_bound=0)
    assert not exploration.exhausted
    assert exploration.truncated_by == "the budget of 5 executions"
    assert exploration.remaining > 0
    assert exploration.executions == 5


def test_the_callers_own_budget_is_named() -> None:
    exploration = depth_first(ToyTrial(race), Budget(100_000, lambda: "the budget of 60 s"))
    assert exploration.truncated_by == "the budget of 60 s"
    assert exploration.executions == 0
    assert not exploration.exhausted


def test_each_clause_keeps_its_shortest_run() -> None:
    exploration = depth_first(ToyTrial(race), PLENTY, cache_bound=0)
    failure = exploration.failures["TOY-1"]
    assert failure.size[0] == min(
        sum(c.index != 0 for c in choices) for choices in failing_choices(ToyTrial(race), "TOY-1")
    )
    assert exploration.failing["TOY-1"] > 1


def failing_choices(trial: ToyTrial, clause: str) -> list[list[Choice]]:
    found: list[list[Choice]] = []

    def note(result: Result) -> None:
        if clause in result.clauses:
            found.append(result.choices)

    depth_first(trial, PLENTY, cache_bound=0, observe=note)
    return found


def test_fail_fast_stops_at_the_first() -> None:
    exploration = depth_first(ToyTrial(race), PLENTY, fail_fast=True)
    assert exploration.failures
    assert exploration.truncated_by == "the first failure"
    assert not exploration.exhausted


def test_a_full_cache_stays_sound() -> None:
    exploration = depth_first(ToyTrial(race), PLENTY, cache_bound=3)
    assert exploration.exhausted
    assert exploration.cache is not None
    assert exploration.cache.full
    assert exploration.states == 3
    assert "TOY-1" in exploration.failures


def test_the_audit_refutes_a_digest_that_leaves_something_out() -> None:
    exploration = depth_first(ToyTrial(blind_to_order, blind=True), PLENTY)
    assert exploration.cache is not None
    assert exploration.cache.refuted is not None
    assert exploration.exhausted  # by the search that began again without
    assert "TOY-3" in exploration.failures


def blind_to_order(toy: Toy) -> dict[str, Body]:
    """Who wrote last decides, and only the shared state knows it."""

    def writer(value: int) -> Body:
        async def body(toy: Toy) -> None:
            await branch("write")
            toy.put("x", value)
            await branch("idle")

        return body

    async def reader(toy: Toy) -> None:
        await branch("rest")
        await branch("look")
        if toy.get("x") == 1:
            toy.breaks("TOY-3")

    return {"one": writer(1), "two": writer(2), "reader": reader}


def test_a_run_that_is_not_deterministic_is_a_finding() -> None:
    runs: list[int] = []

    def build(toy: Toy) -> dict[str, Body]:
        runs.append(1)
        label = f"label {len(runs)}"

        async def body(toy: Toy) -> None:
            await branch(label)

        return {"p": body, "q": body}

    exploration = depth_first(ToyTrial(build), PLENTY)
    assert exploration.nondeterminism is not None
    assert "label" in exploration.nondeterminism.what
    assert not exploration.exhausted
    assert exploration.truncated_by == "a run that is not deterministic"
