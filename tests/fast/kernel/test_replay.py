"""A run is a function of its choices: recorded, replayed, carried as a token, and refused where it does not fit."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stopcheck.kernel import (
    DefaultChooser,
    DivergedError,
    Guide,
    Kernel,
    Recorder,
    Replayer,
    Schedule,
    ThreadHost,
)
from tests.fast.kernel.programs import Op, Program, programs, run
from tests.fast.kernel.support import Script, Walk, moves, walker

seeds = st.integers(0, 10_000)
unhurried = settings(deadline=None, max_examples=60)


def record(program: Program, seed: int) -> tuple[list[bytes], Schedule]:
    recorder = Recorder(Walk(seed))
    log = run(program, recorder.choose)
    return log, Schedule.of("generated", {}, recorder.choices)


def replay(program: Program, schedule: Schedule) -> list[bytes]:
    replayer = Replayer(schedule)
    log = run(program, replayer.choose)
    replayer.finish()
    return log


@unhurried
@given(programs, seeds)
def test_a_replay_of_recorded_choices_gives_the_same_log(program: Program, seed: int) -> None:
    log, schedule = record(program, seed)
    assert replay(program, schedule) == log


@unhurried
@given(programs, seeds)
def test_a_replay_of_a_token_gives_the_same_log(program: Program, seed: int) -> None:
    log, schedule = record(program, seed)
    read = Schedule.from_token(schedule.token())
    assert replay(program, read) == log
    assert read.token() == schedule.token()


@settings(deadline=None, max_examples=25)
@given(programs, seeds)
def test_the_thread_host_gives_the_same_log_as_the_inline_host(program: Program, seed: int) -> None:
    log, schedule = record(program, seed)
    host = ThreadHost()
    replayer = Replayer(schedule)
    try:
        assert run(program, replayer.choose, host) == log
    finally:
        host.close()
    replayer.finish()


@unhurried
@given(programs, seeds, st.data())
def test_a_changed_program_is_asked_the_same_or_diverges_in_words(
    program: Program, seed: int, data: st.DataObject
) -> None:
    _log, schedule = record(program, seed)
    who = data.draw(st.integers(0, len(program) - 1))
    changed = (*program[:who], (Op("branch", 0), *program[who]), *program[who + 1 :])
    asked = Recorder(Replayer(schedule))
    try:
        run(changed, asked.choose)
    except DivergedError as error:
        divergence = error.divergence
    else:
        assert [(c.point, c.option) for c in asked.choices][: len(schedule.choices)] == [
            (c.point, c.option) for c in schedule.choices
        ]
        return
    assert divergence.position == len(asked.choices) < len(schedule.choices)
    assert str(divergence).startswith(f"choice {divergence.position}, after step {divergence.step}: the schedule says ")
    assert divergence.nearest in ("", *divergence.found_options)


def two(*labels: str) -> list[tuple[str, tuple[str, ...]]]:
    return [("a", labels), ("b", ("x", "y"))]


def run_walkers(cast: list[tuple[str, tuple[str, ...]]], schedule: Schedule) -> list[str]:
    replayer = Replayer(schedule)
    kernel = Kernel(replayer.choose)
    for name, labels in cast:
        kernel.spawn(name, walker(*labels))
    try:
        kernel.run()
        replayer.finish()
    finally:
        kernel.close()
    return moves(kernel)


def recorded(*wanted: str) -> Schedule:
    recorder = Recorder(Script(*wanted))
    kernel = Kernel(recorder.choose)
    for name, labels in two("x", "y"):
        kernel.spawn(name, walker(*labels))
    kernel.run()
    return Schedule.of("walkers", {}, recorder.choices)


@pytest.mark.parametrize("through_a_token", [True, False])
@pytest.mark.parametrize(
    ("cast", "words"),
    [
        (
            two("x", "other"),
            "choice 3, after step 3: the schedule says .*, but the run asks at 'run', offers a@other, b@x, and that",
        ),
        (two("x"), "choice 3, after step 3: the schedule says .*, but the run had ended"),
        ([("b", ("x", "y"))], "choice 0, after step 0: the schedule says 'b@start', but the run had ended"),
    ],
    ids=["renamed label", "fewer steps", "missing actor"],
)
def test_the_first_wrong_position_is_named(
    cast: list[tuple[str, tuple[str, ...]]], words: str, through_a_token: bool
) -> None:
    schedule = recorded("b@start", "a@start", "a@x")
    assert [choice.option for choice in schedule.choices] == ["b@start", "a@start", "a@x", "a@y"]
    if through_a_token:
        schedule = Schedule.from_token(schedule.token())
    else:
        words = words.replace(", offers", " and offers").removesuffix(", and that")
    with pytest.raises(DivergedError, match=words):
        run_walkers(cast, schedule)


def test_after_the_schedules_end_a_replay_answers_the_default() -> None:
    schedule = recorded("b@start", "a@start")
    shorter = Schedule.of("walkers", {}, list(schedule.choices[:2]))
    assert run_walkers(two("x", "y"), shorter) == run_walkers(two("x", "y"), schedule)


def test_a_guide_follows_names_where_it_can_and_never_diverges() -> None:
    guide = Guide(["b@start", "no such option", "b@x"])
    kernel = Kernel(guide.choose)
    for name, labels in two("x"):
        kernel.spawn(name, walker(*labels))
    kernel.run()
    assert moves(kernel) == ["b@start", "b@x", "b@y", "a@start", "a@x"]


def test_the_default_schedule_has_no_deviations() -> None:
    recorder = Recorder(DefaultChooser())
    run(((Op("branch", 0),), (Op("branch", 0),)), recorder.choose)
    schedule = Schedule.of("generated", {}, recorder.choices)
    assert schedule.deviations == 0
    assert not any(choice.deviates for choice in schedule.choices)
