"""Shrinking reaches the known minimum, always the same one, and what it returns really happened."""

from __future__ import annotations

import random
from functools import cache

import pytest

from stopcheck.explore import Budget, Failure, Result, depth_first, random_walk, replay, shrink
from stopcheck.explore._exploration import size_of
from stopcheck.kernel import Choice, branch
from tests.fast.explore.programs import ProgramTrial, deep_race
from tests.fast.explore.toys import Body, Toy, ToyTrial, of_ops, race


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


LENGTHS = ((3, 3), (2, 2, 2), (3, 2, 1), (4, 2), (2, 1, 1, 1))


def ending_as(seed: int) -> ToyTrial:
    """A small random program in which each end that it can come to is a clause of its own, the rare ones too."""

    def at_end(toy: Toy) -> None:
        toy.breaks(f"END {sorted(toy.shared.items())}")

    return ToyTrial(of_ops(seed, LENGTHS), at_end=at_end)


@cache
def every_run(seed: int) -> dict[str, list[Result]]:
    """By brute force: all runs, by what they break."""
    failing: dict[str, list[Result]] = {}

    def note(result: Result) -> None:
        for clause in result.clauses:
            failing.setdefault(clause, []).append(result)

    assert depth_first(ending_as(seed), Budget(1_500), cache_bound=0, observe=note).exhausted
    return failing


def failure_of(result: Result, clause: str) -> Failure:
    violation = next(v for v in result.violations if v.clause == clause)
    return Failure(clause, violation, "brute force", "toy", {}, tuple(result.choices))


#: Programs with few enough runs, of which most have an end that needs two deviations or three.
SMALL = (0, 9, 14, 19, 24, 28, 31, 40, 41, 57)


@pytest.mark.parametrize("seed", SMALL)
def test_small_programs_shrink_to_the_minimum_that_brute_force_finds(seed: int) -> None:
    trial = ending_as(seed)
    for clause, results in every_run(seed).items():
        least = min(size_of(result.choices) for result in results)
        failure = failure_of(random.Random(f"{seed}/{clause}").choice(results), clause)
        shrunk = shrink(trial, failure, runs=100_000, proof=10_000)
        assert (shrunk.minimal, shrunk.proved) == (True, True)
        assert size_of(shrunk.schedule.choices) == least
        hasty = shrink(trial, failure)
        assert hasty.runs <= 500
        assert not hasty.proved or hasty.schedule.deviations == least[0]


def test_there_are_small_programs_that_need_several_deviations() -> None:
    """Else the test above would show little."""
    needed = [
        max(min(size_of(result.choices)[0] for result in results) for results in every_run(seed).values())
        for seed in SMALL
    ]
    assert sorted(needed) == [1, 1, 2, 2, 2, 2, 2, 2, 3, 3]


def test_the_deep_race_comes_down_to_three_deviations_and_no_run_of_two_does_it() -> None:
    """Three workers have checked when the stop comes: two switches between them and one to the stopper."""
    trial = ProgramTrial(deep_race())
    found = random_walk(trial, Budget(3_000), 7, fail_fast=True)
    shrunk = shrink(trial, found.failures["SENT-LATE"], runs=5_000, proof=3_000)
    assert found.failures["SENT-LATE"].size[0] > 6
    assert (shrunk.schedule.deviations, shrunk.proved, shrunk.reproduced) == (3, True, True)


def test_a_proof_that_would_take_too_long_is_left_out_and_said() -> None:
    trial = ProgramTrial(deep_race())
    found = random_walk(trial, Budget(3_000), 7, fail_fast=True)
    shrunk = shrink(trial, found.failures["SENT-LATE"])
    assert (shrunk.schedule.deviations, shrunk.minimal, shrunk.proved) == (3, True, False)
