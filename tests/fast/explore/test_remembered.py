"""Remembered runs: the same results as runs that are made, and none is made twice."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from stopcheck.explore import Budget, Remembered, Result, depth_first, nearest_passing, replay, shrink
from stopcheck.kernel import Cut, DivergedError, Guide, Point
from tests.fast.explore.programs import ProgramTrial, deep_race
from tests.fast.explore.toys import ToyTrial, race


class Walk:
    """A seeded walk, which may end the run."""

    def __init__(self, seed: int, until: int = 1_000) -> None:
        self._random = Random(seed)
        self._left = until

    def choose(self, point: Point) -> int:
        self._left -= 1
        if self._left < 0:
            raise Cut
        return self._random.randrange(len(point.options))


def told(result: Result) -> tuple[object, ...]:
    return result.schedule().token(), result.clauses, result.ending, result.steps


def test_a_run_is_told_as_it_was_made_and_made_once() -> None:
    trial, remembered = ToyTrial(race), Remembered(ToyTrial(race))
    made = {told(trial(Walk(seed))) for seed in range(60)}
    for seed in range(60):
        assert told(remembered(Walk(seed))) == told(trial(Walk(seed)))
    assert remembered.made == len(made) < 60
    with pytest.raises(RuntimeError, match="make it again"):
        remembered(Walk(0)).log()


def test_a_run_that_was_ended_is_not_taken_for_a_whole_one() -> None:
    remembered = Remembered(ToyTrial(race))
    whole = remembered(Walk(3))
    assert remembered(Walk(3, until=2)).cut
    assert told(remembered(Walk(3))) == told(whole)
    assert remembered.made == 2


def test_a_run_that_asks_something_else_is_noticed() -> None:
    remembered = Remembered(ToyTrial(race))
    remembered(Guide([]))
    remembered.trial = ProgramTrial(deep_race())
    with pytest.raises(DivergedError, match="the run asks at"):
        remembered(Guide(["", "stop@start"]))


def test_what_is_shrunk_with_it_is_the_same_and_costs_nothing_the_second_time() -> None:
    trial = ProgramTrial(deep_race())
    remembered = Remembered(trial)
    failure = depth_first(trial, Budget(2_000)).failures["SENT-LATE"]
    plain = shrink(trial, failure)
    assert msgspec.structs.replace(shrink(remembered, failure), violation=plain.violation) == plain
    made = remembered.made
    assert 0 < made < plain.runs
    assert shrink(remembered, failure).schedule == plain.schedule
    choices = plain.schedule.choices
    nearest = nearest_passing(remembered, "SENT-LATE", choices)
    assert nearest == nearest_passing(trial, "SENT-LATE", choices)
    assert replay(remembered, plain.schedule).result is not None
    assert nearest is not None
    assert remembered.made - made < nearest.runs
