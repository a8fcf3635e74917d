"""The trio host: code written for trio works as it is, and its branch points are the kernel's."""

from __future__ import annotations

from typing import Any

import pytest
import trio

from stopcheck.kernel import Ending, Killed, TrioHost
from tests.fast.kernel.loops import Played, play, stand


def run(*wanted: str, races: bool = False, **operations: Any) -> Played:
    return play(TrioHost, *wanted, races=races, **operations)


def test_what_is_shielded_goes_on_after_a_timeout() -> None:
    async def operation() -> tuple[list[str], bool]:
        done: list[str] = []
        with trio.move_on_after(1) as scope:
            with trio.CancelScope(shield=True):
                await stand("shielded")
                done.append("shielded")
            await trio.lowlevel.checkpoint()
            done.append("too far")
        return done, scope.cancelled_caught

    played = run("time:at:gate time-out", "a@shielded", races=True, a=operation)
    assert played.results == [(["shielded"], True)]


def test_a_shield_that_ends_lets_the_cancellation_in() -> None:
    async def operation() -> list[str]:
        done: list[str] = []
        with trio.CancelScope() as scope, trio.CancelScope(shield=True) as shield:
            scope.cancel()
            await stand("shielded")
            done.append("shielded")
            shield.shield = False
            await stand("bare")
            done.append("too far")
        return done

    played = run(a=operation)
    assert played.moves == ["a@start", "a@shielded", "a@bare"]
    assert played.results == [["shielded"]]


def test_a_deadline_that_is_moved_counts_from_where_it_was_moved_to() -> None:
    async def operation() -> float:
        with trio.move_on_after(1) as scope:
            await trio.sleep(0.5)
            scope.deadline += 2
            await trio.sleep_forever()
        return trio.current_time()

    assert run(a=operation).results == [3.0]


def test_channels_and_limiters_hand_over_in_order() -> None:
    async def operation() -> list[tuple[str, int]]:
        send, receive = trio.open_memory_channel[tuple[str, int]](0)
        limiter = trio.CapacityLimiter(1)

        async def produce(name: str) -> None:
            async with send.clone() as mine, limiter:
                for number in range(2):
                    await stand(name)
                    await mine.send((name, number))

        async with trio.open_nursery() as nursery:
            for name in ("x", "y"):
                nursery.start_soon(produce, name)
            await stand("all started")
            await send.aclose()
            return [item async for item in receive]

    played = run(a=operation)
    assert played.results == [[("x", 0), ("x", 1), ("y", 0), ("y", 1)]]
    assert played.ending is Ending.REST


def test_fail_after_and_nested_scopes() -> None:
    async def operation() -> list[str]:
        seen: list[str] = []
        try:
            with trio.fail_after(2):
                with trio.move_on_after(1):
                    await trio.sleep(10)
                seen.append(f"inner at {trio.current_time():g}")
                await trio.sleep(10)
        except trio.TooSlowError:
            seen.append(f"outer at {trio.current_time():g}")
        return seen

    assert run(a=operation).results == [["inner at 1", "outer at 2"]]


def test_at_the_end_shielded_waits_and_clean_up_end_too() -> None:
    ends: list[type[BaseException]] = []

    async def operation() -> None:
        with trio.CancelScope(shield=True):
            try:
                await trio.sleep_forever()
            except BaseException as error:
                ends.append(type(error))
                await stand("clean-up")

    assert run(a=operation).ending is Ending.DEADLOCK
    assert ends == [Killed]


def test_an_error_that_trio_does_not_allow_ends_the_run_in_words() -> None:
    async def system() -> None:
        raise ValueError("in a system task")

    async def operation() -> None:
        trio.lowlevel.spawn_system_task(system)
        await stand("after")

    with pytest.raises(trio.TrioInternalError):
        run(a=operation)


@pytest.mark.trio
async def test_a_run_inside_a_trio_program_leaves_that_as_it_was() -> None:
    before = trio.current_time()
    task = trio.lowlevel.current_task()

    async def operation() -> float:
        await trio.sleep(1000)
        return trio.current_time()

    assert run(a=operation).results == [1000.0]
    assert trio.lowlevel.current_task() is task
    assert trio.current_time() - before < 1000
    with trio.move_on_after(0) as scope:
        await trio.sleep_forever()
    assert scope.cancelled_caught
