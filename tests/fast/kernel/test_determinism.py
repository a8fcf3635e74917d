"""Two runs of one schedule are compared, and the first difference is named."""

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stopcheck.kernel import Chooser, Difference, DivergedError, Kernel, Recorder, Schedule, first_difference, run_twice
from tests.fast.kernel.programs import Program, programs, run
from tests.fast.kernel.support import Walk, walker

logs = st.lists(st.binary(max_size=3), max_size=6)


@given(logs)
def test_equal_logs_have_no_difference(log: list[bytes]) -> None:
    assert first_difference(log, list(log)) is None


@given(logs, logs)
def test_the_difference_is_the_first_line_that_differs(log_a: list[bytes], log_b: list[bytes]) -> None:
    found = first_difference(log_a, log_b)
    if found is None:
        assert log_a == log_b
        return
    at = found.position
    assert log_a[:at] == log_b[:at]
    assert found.first == (log_a[at] if at < len(log_a) else None)
    assert found.second == (log_b[at] if at < len(log_b) else None)
    assert found.first != found.second


def test_a_difference_says_what_stood_where() -> None:
    assert str(Difference(3, b"a@x", None)) == "line 3: a@x in the first run, the end in the second"


@given(programs, st.integers(0, 1000))
def test_runs_that_are_a_function_of_their_choices_pass(program: Program, seed: int) -> None:
    recorder = Recorder(Walk(seed))
    run(program, recorder.choose)
    schedule = Schedule.of("generated", {}, recorder.choices)
    assert run_twice(lambda chooser: run(program, chooser.choose), schedule) is None


def leaky(leak: object) -> Sequence[bytes]:
    """A run that takes something from outside."""
    return [b"first", repr(leak).encode()]


def test_what_a_run_takes_from_elsewhere_shows_as_a_difference() -> None:
    clock = itertools.count()
    found = run_twice(lambda _chooser: leaky(next(clock)), Schedule.of("leaky", {}, []))
    assert found == Difference(1, b"0", b"1")


def test_a_second_run_that_asks_something_else_is_told_in_words() -> None:
    names = itertools.cycle(["b", "c"])
    recorder = Recorder(Walk(0))

    def cast(chooser: Chooser) -> Sequence[bytes]:
        kernel = Kernel(chooser.choose)
        kernel.spawn("a", walker())
        kernel.spawn(next(names), walker())
        try:
            kernel.run()
        finally:
            kernel.close()
        return [repr(entry).encode() for entry in kernel.log]

    class Last:
        def choose(self, point: object) -> int:
            return 1

    recorder = Recorder(Last())
    cast(recorder)
    next(names)
    with pytest.raises(DivergedError, match="choice 0, after step 0: the schedule says 'b@start'"):
        run_twice(cast, Schedule.of("cast", {}, recorder.choices))
