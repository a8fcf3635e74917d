"""Strict replay: the same run, or the first choice that does not fit."""

from __future__ import annotations

from stopcheck.explore._depth_first import depth_first
from stopcheck.explore._exploration import Budget
from stopcheck.explore._replay import replay
from stopcheck.kernel import Choice, Schedule
from tests.fast.explore.toys import ToyTrial, race


def a_failure() -> Schedule:
    return depth_first(ToyTrial(race), Budget(10_000), cache_bound=0).failures["TOY-1"].schedule


def test_a_schedule_replays_to_the_same_log() -> None:
    schedule = a_failure()
    logs = [replay(ToyTrial(race), s).result for s in (schedule, Schedule.from_token(schedule.token()))]
    assert logs[0] is not None
    assert logs[1] is not None
    assert logs[0].log() == logs[1].log()
    assert logs[0].clauses == ("TOY-1",)


def test_a_schedule_that_does_not_fit_is_said_in_words() -> None:
    choices = list(a_failure().choices)
    choices[2] = Choice("run", "nobody@nowhere", 1)
    replayed = replay(ToyTrial(race), Schedule.of("toy", {}, choices))
    assert replayed.result is None
    assert replayed.why().startswith("choice 2, after step 2: the schedule says 'nobody@nowhere'")


def test_a_schedule_that_goes_on_after_the_run_is_said_in_words() -> None:
    choices = [*a_failure().choices, Choice("run", "worker@more", 0)]
    replayed = replay(ToyTrial(race), Schedule.of("toy", {}, choices))
    assert "but the run had ended" in replayed.why()


def test_a_run_that_was_cut_is_replayed_to_its_cut() -> None:
    schedule = Schedule.of("toy", {}, list(a_failure().choices)[:3])
    replayed = replay(ToyTrial(race), schedule, stop_at_end=True)
    assert replayed.result is not None
    assert replayed.result.cut
    assert len(replayed.result.choices) == 3
