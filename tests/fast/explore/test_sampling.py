"""Seeds reproduce, strategies find what they are for, and the sweep misses nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stopcheck.explore import (
    Budget,
    Exploration,
    Result,
    auto,
    find_nondeterminism,
    pct,
    random_walk,
    stop_position,
    stop_sweep,
)
from stopcheck.kernel import Schedule, branch
from tests.fast.explore.toys import Body, Toy, ToyTrial, race

STRATEGIES: dict[str, Callable[..., Exploration]] = {
    "uniform": random_walk,
    "deviating": lambda *args, **more: random_walk(*args, deviation=0.2, **more),
    "pct": pct,
    "stop position": stop_position,
    "sweep": stop_sweep,
}


def runs_of(strategy: Callable[..., Exploration], seed: int) -> list[tuple[str, ...]]:
    runs: list[tuple[str, ...]] = []

    def note(result: Result) -> None:
        runs.append(tuple(choice.option for choice in result.choices))

    strategy(ToyTrial(race), Budget(30), seed, observe=note)
    return runs


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_seed_reproduces_its_runs(name: str) -> None:
    assert runs_of(STRATEGIES[name], 7) == runs_of(STRATEGIES[name], 7)


@pytest.mark.parametrize("name", [name for name in STRATEGIES if name != "sweep"])
def test_seeds_differ(name: str) -> None:
    assert runs_of(STRATEGIES[name], 7) != runs_of(STRATEGIES[name], 8)


@pytest.mark.parametrize("name", STRATEGIES)
def test_each_finds_the_toy_race(name: str) -> None:
    found = STRATEGIES[name](ToyTrial(race), Budget(500), 1)
    assert "TOY-1" in found.failures
    assert found.failing["TOY-1"] < found.executions


def test_a_sample_is_never_exhaustive() -> None:
    found = random_walk(ToyTrial(race), Budget(50), 1)
    assert found.executions == 50
    assert not found.exhausted
    assert found.truncated_by == "the budget of 50 executions"


def test_auto_names_the_targets_that_it_completed() -> None:
    found = auto(ToyTrial(race), Budget(2_000), 1)
    assert found.exhausted
    assert found.truncated_by is None
    assert found.coverage is not None
    assert found.coverage.missed == ()
    assert list(found.made) == ["samplers in turn", "stop sweep", "depth-first"]
    assert sum(found.made.values()) == found.executions
    assert "TOY-1" in found.failures


def test_auto_samples_what_it_cannot_exhaust() -> None:
    found = auto(ToyTrial(race, cached=False), Budget(400), 1)
    assert not found.exhausted
    assert found.bound == 1
    assert found.made["samplers in turn"] > 60
    assert found.executions == sum(found.made.values()) == 400
    assert found.truncated_by is not None
    assert found.truncated_by.endswith("executions, into which the next bound is not likely to fit")


def test_runs_that_differ_by_themselves_are_found() -> None:
    schedules = [failure.schedule for failure in stop_sweep(ToyTrial(race), Budget(200)).failures.values()]
    assert find_nondeterminism(ToyTrial(race), schedules) is None
    made: list[int] = []

    def build(_: Toy) -> dict[str, Body]:
        made.append(1)

        async def body(toy: Toy) -> None:
            await branch("number")
            await branch(f"run {len(made)}" if not toy.shared else "")

        return {"worker": body}

    found = find_nondeterminism(ToyTrial(build), [Schedule.of("toy", {}, [])])
    assert found is not None
    assert "worker@run 1" in found.what
    assert "worker@run 2" in found.what
