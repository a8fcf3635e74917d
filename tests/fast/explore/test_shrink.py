"""Shrinking reaches the known minimum, always the same one, and what it returns really happened."""

from __future__ import annotations

import pytest

from stopcheck.explore import Budget, Failure, Result, random_walk, replay, shrink
from stopcheck.kernel import Choice, branch
from tests.fast.explore.toys import Body, Toy, ToyTrial, race


def a_long_failure(trial: ToyTrial, clause: str, seed: int) -> Failure:
    """The failing run of a random walk that is farthest from the default order."""
    failing: list[Result] = []

    def note(result: Result) -> None:
        if clause in result.clauses:
            failing.append(result)

    random_walk(trial, Budget(200), seed, observe=note)
    longest = max(failing, key=lambda result: result.schedule().deviations)
    failure = Failure(clause, longest.violations[0], "random walk", "toy", {}, tuple(longest.choices))
    assert failure.size[0] > 1
    return failure


@pytest.mark.parametrize("seed", range(8))
def test_the_toy_race_needs_one_deviation(seed: int) -> None:
    failure = a_long_failure(ToyTrial(race), "TOY-1", seed)
    shrunk = shrink(ToyTrial(race), failure)
    assert shrunk.reproduced
    assert shrunk.minimal
    assert shrunk.schedule.deviations == 1
    replayed = replay(ToyTrial(race), shrunk.schedule).result
    assert replayed is not None
    assert "TOY-1" in replayed.clauses


def test_the_same_failure_shrinks_to_the_same_run() -> None:
    failure = a_long_failure(ToyTrial(race), "TOY-1", 3)
    first, second = (shrink(ToyTrial(race), failure) for _ in range(2))
    assert first == second


def test_a_lost_update_needs_one_deviation() -> None:
    """Known minimum: leave one increment between its read and its write; the other then runs by default."""

    async def increment(toy: Toy) -> None:
        await branch("read")
        value = toy.get("x")
        await branch("write")
        toy.put("x", value + 1)

    async def noise(toy: Toy) -> None:
        for number in range(5):
            await branch(f"noise {number}")

    def build(_: Toy) -> dict[str, Body]:
        return {"one": increment, "two": increment, "noise": noise}

    def at_end(toy: Toy) -> None:
        if toy.shared["x"] != 2:
            toy.breaks("TOY-4")

    trial = ToyTrial(build, at_end=at_end)
    shrunk = shrink(trial, a_long_failure(trial, "TOY-4", 0))
    assert shrunk.schedule.deviations == 1
    assert shrunk.minimal


def test_a_spent_bound_is_said_and_the_best_so_far_is_kept() -> None:
    failure = a_long_failure(ToyTrial(race), "TOY-1", 1)
    shrunk = shrink(ToyTrial(race), failure, runs=3)
    assert not shrunk.minimal
    assert shrunk.runs == 3
    assert shrunk.reproduced
    assert shrunk.schedule.deviations <= failure.size[0]


def test_a_failure_that_does_not_happen_is_returned_as_it_was() -> None:
    failure = a_long_failure(ToyTrial(race), "TOY-1", 1)
    other = Failure("TOY-9", failure.violation, "by hand", "toy", {}, (Choice("run", "worker@start", 0),))
    shrunk = shrink(ToyTrial(race), other)
    assert not shrunk.reproduced
    assert shrunk.schedule == other.schedule
