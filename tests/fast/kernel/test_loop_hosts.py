"""What holds on both hosts with an event loop, whatever the library."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable
from typing import Any

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from stopcheck.kernel import (
    AsyncioHost,
    Ending,
    HungError,
    Kernel,
    Killed,
    Recorder,
    Replayer,
    Schedule,
    TrioHost,
    Watchdog,
    current_loop,
    perform,
)
from tests.fast.kernel.loops import MakeHost, play, stand
from tests.fast.kernel.programs import Program, programs, run
from tests.fast.kernel.support import Script, Walk

hosts = pytest.mark.parametrize("make", [TrioHost, AsyncioHost])


@hosts
def test_calls_stand_where_others_may_move(make: MakeHost) -> None:
    async def operation() -> str:
        await stand("x")
        return "done"

    played = play(make, "a@start", "b@start", "b@x", a=operation, b=operation)
    assert played.moves == ["a@start", "b@start", "b@x", "a@x"]
    assert played.results == ["done", "done"]
    assert played.ending is Ending.REST


@hosts
def test_plain_calls_and_errors_reach_the_actor(make: MakeHost) -> None:
    def broken() -> None:
        raise KeyError("k")

    async def late() -> None:
        await stand()
        raise ValueError("v")

    plain, first, second = play(make, plain=lambda: 5, broken=broken, late=late).results
    assert plain == 5
    assert isinstance(first, KeyError)
    assert isinstance(second, ValueError)


@hosts
@settings(deadline=None, max_examples=15)
@given(program=programs, seed=st.integers(0, 10_000))
def test_the_same_schedule_gives_the_same_log_as_inline(make: MakeHost, program: Program, seed: int) -> None:
    recorder = Recorder(Walk(seed))
    log = run(program, recorder.choose)
    replayer = Replayer(Schedule.of("generated", {}, recorder.choices))
    host = make(lambda: 0)
    try:
        assert run(program, replayer.choose, host) == log
    finally:
        host.close()
    replayer.finish()


@hosts
def test_who_is_blocked_looks_again_when_another_moved(make: MakeHost) -> None:
    held = ["a"]

    async def holder() -> None:
        await stand("holding")
        held.clear()

    async def waiter() -> int:
        looks = 0
        while held:
            looks += 1
            await stand("lock", blocked=True)
        return looks

    played = play(make, "b@start", a=holder, b=waiter)
    assert played.moves == ["b@start", "a@start", "a@holding", "b@lock"]
    assert played.results[1] == 1
    assert played.ending is Ending.REST


@hosts
def test_blocked_for_ever_is_a_deadlock(make: MakeHost) -> None:
    async def waiter() -> None:
        while True:
            await stand("lock", blocked=True)

    assert play(make, a=waiter, b=lambda: 1).ending is Ending.DEADLOCK


@hosts
def test_a_dead_process_does_nothing_until_the_run_is_over(make: MakeHost) -> None:
    seen: list[str] = []

    async def victim() -> None:
        try:
            await stand("in doubt")
            seen.append("it went on")
        finally:
            seen.append("clean-up")

    async def later() -> None:
        await stand("next life")
        seen.append("next life")

    kernels: list[Kernel] = []
    host = make(lambda: kernels[0].now_ns)
    kernel = Kernel(Script().choose, host=host)
    kernels.append(kernel)

    async def actor(operation: Callable[[], Any]) -> Any:
        return await perform(operation)

    kernel.spawn("victim", actor(victim))
    kernel.prime()
    host.bury()
    kernel.abandon(kernel.actors[0], "indefinite")
    kernel.spawn("later", actor(later))
    assert kernel.run() is Ending.REST
    assert kernel.actors[0].result == "indefinite"
    assert seen == ["next life"]
    kernel.close()
    host.close()
    assert seen == ["next life", "clean-up"]


@hosts
def test_at_the_end_a_standing_task_is_killed(make: MakeHost) -> None:
    raised: list[type[BaseException]] = []

    async def operation() -> None:
        try:
            await stand("for ever", blocked=True)
        except BaseException as error:
            raised.append(type(error))
            raise

    play(make, a=operation)
    assert raised == [Killed]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # its coroutine ignores its own end
@hosts
def test_code_that_does_not_want_to_end_does_not_hang_the_run(make: MakeHost) -> None:
    async def stubborn() -> None:
        while True:
            try:
                await stand("again", blocked=True)
            except BaseException:
                await _checkpoint(make)

    play(make, a=stubborn)
    gc.collect()


async def _checkpoint(make: MakeHost) -> None:
    if make is TrioHost:
        await trio.lowlevel.cancel_shielded_checkpoint()
    else:
        await asyncio.sleep(0)


@hosts
def test_a_call_that_hangs_is_found_by_the_watchdog(make: MakeHost) -> None:
    async def hangs() -> None:
        await stand()
        while True:
            pass

    with Watchdog(0.2), pytest.raises(HungError, match=r"in .*hangs"):
        play(make, a=hangs)


@hosts
def test_outside_of_a_step_there_is_no_loop(make: MakeHost) -> None:
    found: list[object] = []

    async def operation() -> None:
        found.append(current_loop())
        other = threading.Thread(target=lambda: found.append(current_loop()))
        other.start()
        other.join()

    play(make, a=operation)
    assert found[0] is not None
    assert found[1] is None
    assert current_loop() is None


@hosts
def test_a_host_without_calls_closes(make: MakeHost) -> None:
    host = make(lambda: 0)
    host.bury()
    host.close()
    host.close()


async def _in_time_too() -> None:
    async with asyncio.timeout(1):
        await asyncio.sleep(0)


async def _in_time(what: Callable[[], Any]) -> None:
    with trio.move_on_after(1):
        await what()


AWAITS: dict[MakeHost, dict[str, Callable[[], Any]]] = {
    TrioHost: {
        "a checkpoint": trio.lowlevel.checkpoint,
        "a thread": lambda: trio.to_thread.run_sync(lambda: None),
        "a time-out that is not reached": lambda: _in_time(trio.lowlevel.checkpoint),
    },
    AsyncioHost: {
        "a bare yield": lambda: asyncio.sleep(0),
        "a thread": lambda: asyncio.to_thread(lambda: None),
        "a time-out that is not reached": _in_time_too,
    },
}


@pytest.mark.parametrize(("make", "name"), [(make, name) for make, awaits in AWAITS.items() for name in awaits])
def test_others_can_move_wherever_a_call_is_suspended(make: MakeHost, name: str) -> None:
    stopped: list[bool] = []
    sent_after: list[bool] = []

    async def check_then_act() -> None:
        if not stopped:
            await AWAITS[make][name]()
            sent_after.append(bool(stopped))

    for wanted in (("send@start", "stop@start"), ("send@start", "send@await")):
        stopped.clear()
        play(make, *wanted, send=check_then_act, stop=lambda: stopped.append(True))
    assert sent_after == [True, False]


@hosts
def test_what_does_not_suspend_is_no_point(make: MakeHost) -> None:
    async def nothing() -> int:
        return 1

    async def operation() -> int:
        return await nothing()

    assert play(make, a=operation, b=operation).moves == ["a@start", "b@start"]
