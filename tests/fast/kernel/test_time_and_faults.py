"""Time, deaths and faults: what may happen beside an actor's step."""

from collections.abc import Callable
from typing import Any

import pytest

from stopcheck.kernel import (
    FAULT,
    Bounds,
    Choice,
    Cut,
    DefaultChooser,
    DivergedError,
    Ending,
    Host,
    InlineHost,
    Kernel,
    Point,
    Replayer,
    Schedule,
    ThreadHost,
    branch,
    perform,
    sleep_until,
    wait_or_timeout,
)
from tests.fast.kernel.support import Script, moves, play, walker


async def sleeper(wake_ns: int, timer: str = "") -> None:
    await sleep_until("asleep", wake_ns, timer)


class Races:
    """Lets named timers race, a number of times."""

    def __init__(self, *timers: str, budget: int = 1) -> None:
        self._timers = timers
        self.left = budget
        self.spent: list[tuple[str, str]] = []

    def options(self, timer: str, left_ns: int) -> tuple[str, ...]:
        return ("before", "at", "after") if timer in self._timers and self.left else ()

    def spend(self, timer: str, how: str) -> None:
        self.left -= 1
        self.spent.append((timer, how))


def race(*wanted: str, wake_ns: int = 100) -> tuple[Kernel, Script, Races]:
    script = Script(*wanted)
    kernel = Kernel(script.choose)
    races = kernel.races = Races("lease")
    kernel.spawn("sleeper", sleeper(wake_ns, "lease"))
    kernel.spawn("walker", walker("x", "y"))
    kernel.run()
    return kernel, script, races


def test_time_passes_only_when_nobody_can_move() -> None:
    kernel, ending = play([("sleeper", sleeper(100)), ("walker", walker("x"))])
    assert moves(kernel) == ["sleeper@start", "walker@start", "walker@x", "time:at:asleep", "sleeper@asleep"]
    assert [now for _step, now, _what in kernel.log] == [0, 0, 0, 100, 100]
    assert ending is Ending.REST


def test_the_earliest_timer_is_next_and_the_first_declared_of_two() -> None:
    kernel, _ = play([("late", sleeper(9, "late")), ("b", sleeper(5, "b")), ("c", sleeper(5, "c"))])
    assert [move for move in moves(kernel) if move.startswith("time:")] == ["time:at:b", "time:at:late"]


def test_a_timer_that_is_due_already_is_no_timer() -> None:
    kernel, _ = play([("a", sleeper(0))])
    assert moves(kernel) == ["a@start", "a@asleep"]


@pytest.mark.parametrize(("how", "then"), [("before", 99), ("at", 100), ("after", 101)])
def test_a_named_timer_races_with_actors_that_could_move(how: str, then: int) -> None:
    kernel, script, races = race("sleeper@start", f"time:{how}:lease")
    assert script.asked[1].options == ("walker@start", "time:before:lease", "time:at:lease", "time:after:lease")
    assert kernel.log[1] == (2, then, f"time:{how}:lease")
    assert races.spent == [("lease", how)]


def test_after_the_budget_timers_do_not_race_any_more() -> None:
    kernel, script, _races = race("sleeper@start", "time:before:lease")
    assert not any("time" in option for point in script.asked[2:] for option in point.options)
    assert moves(kernel)[-2:] == ["time:at:lease", "sleeper@asleep"]


def test_just_before_is_not_offered_when_it_is_now() -> None:
    _kernel, script, _races = race("sleeper@start", wake_ns=1)
    assert script.asked[1].options == ("walker@start", "time:at:lease", "time:after:lease")


def test_a_timeout_that_fires_when_nobody_else_can_move_costs_no_budget() -> None:
    script = Script()
    kernel = Kernel(script.choose)
    races = kernel.races = Races("lease")
    kernel.spawn("sleeper", sleeper(100, "lease"))
    kernel.run()
    assert script.asked == []
    assert races.spent == []


@pytest.mark.parametrize(("comes", "wanted"), [(True, "in time"), (False, "timeout")])
def test_a_wait_with_a_timeout_ends_with_whichever_is_first(comes: bool, wanted: str) -> None:
    box: list[int] = []

    async def waits() -> str:
        await wait_or_timeout("answer", lambda: bool(box), 100, "answer timeout")
        return "in time" if box else "timeout"

    async def answers() -> None:
        await branch("answer")
        if comes:
            box.append(1)

    kernel, _ = play([("waits", waits()), ("answers", answers())])
    assert kernel.actors[0].result == wanted
    assert ("time:at:answer timeout" in moves(kernel)) is not comes


def test_a_timer_beyond_the_bound_ends_the_run() -> None:
    kernel = Kernel(DefaultChooser().choose, bounds=Bounds(virtual_ns=50))
    kernel.spawn("a", sleeper(100))
    assert kernel.run() is Ending.TIME_BOUND
    kernel.close()


class Death:
    """A peril that may strike once."""

    def __init__(self, strike: Callable[[], object] = lambda: None) -> None:
        self._strike = strike
        self.struck = False

    def options(self) -> tuple[str, ...]:
        return () if self.struck else ("gate",)

    def strike(self, option: str) -> None:
        assert option == "gate"
        self.struck = True
        self._strike()


def test_a_peril_is_offered_last_at_every_scheduling_point_even_at_rest() -> None:
    script = Script()
    kernel = Kernel(script.choose)
    kernel.perils.append(Death())
    kernel.spawn("a", walker("x"))
    assert kernel.run() is Ending.REST
    assert [point.options for point in script.asked] == [
        ("a@start", "crash:gate"),
        ("a@x", "crash:gate"),
        ("rest", "crash:gate"),
    ]


def test_a_peril_that_strikes_is_a_step_of_the_run_and_can_wake_actors() -> None:
    kernel = Kernel(Script("a@start", "a@x", "crash:gate").choose)
    kernel.perils.append(Death(lambda: kernel.spawn("successor", walker())))
    kernel.spawn("a", walker("x"))
    assert kernel.run() is Ending.REST
    assert moves(kernel) == ["a@start", "a@x", "crash:gate", "successor@start"]


def test_perils_are_silent_in_a_quiet_kernel() -> None:
    kernel = Kernel(Script().choose)
    kernel.perils.append(Death())
    kernel.quiet = True
    kernel.spawn("a", walker())
    kernel.run()
    assert moves(kernel) == ["a@start"]


def faulty(kernel: Kernel, options: tuple[str, ...]) -> Any:
    async def actor() -> str:
        return kernel.fault("mail.commit", options)

    return actor()


def test_a_fault_is_asked_with_who_and_where_and_its_answer_is_heard() -> None:
    script = Script("drop")
    kernel = Kernel(script.choose)
    actor = kernel.spawn("a", faulty(kernel, ("ok", "drop")))
    kernel.run()
    assert actor.result == "drop"
    assert actor.heard == ["drop"]
    (point,) = script.asked
    assert (point.kind, point.name, point.state) == (FAULT, "a@mail.commit", None)


@pytest.mark.parametrize(("quiet", "options"), [(False, ("ok",)), (True, ("ok", "drop"))])
def test_a_fault_without_an_alternative_is_not_asked(quiet: bool, options: tuple[str, ...]) -> None:
    script = Script()
    kernel = Kernel(script.choose)
    kernel.quiet = quiet
    actor = kernel.spawn("a", faulty(kernel, options))
    kernel.run()
    assert actor.result == "ok"
    assert script.asked == []


@pytest.mark.parametrize("make_host", [InlineHost, ThreadHost])
@pytest.mark.parametrize("swallow", [True, False])
def test_a_strategys_end_of_the_run_is_not_swallowed_by_the_code_that_asked(
    make_host: Callable[[], Host], swallow: bool
) -> None:
    def choose(point: Point) -> int:
        if point.kind == FAULT:
            raise Cut
        return 0

    host = make_host()
    kernel = Kernel(choose, host=host)

    def gate_call() -> str:
        try:
            return kernel.fault("storage", ("ok", "full"))
        except Exception as error:
            if swallow:
                return "swallowed"
            raise RuntimeError("wrapped") from error

    async def actor() -> None:
        await perform(gate_call)

    kernel.spawn("a", actor())
    with pytest.raises(Cut):
        kernel.run()
    kernel.close()
    host.close()


def test_a_divergence_at_a_fault_point_is_not_swallowed_either() -> None:
    schedule = Schedule.of("s", {}, [Choice("a@disk", "full", 1)])
    kernel = Kernel(Replayer(schedule).choose)

    def gate_call() -> str:
        try:
            return kernel.fault("storage", ("ok", "full"))
        except Exception:
            return "swallowed"

    async def actor() -> None:
        await perform(gate_call)

    kernel.spawn("a", actor())
    with pytest.raises(DivergedError, match="a@disk"):
        kernel.run()
    kernel.close()
