"""The asyncio host: code written for asyncio works as it is, and its branch points are the kernel's."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from stopcheck.kernel import AsyncioHost, Ending, HungError, Kernel, perform
from tests.fast.kernel.loops import SECOND, Played, play, stand
from tests.fast.kernel.support import Script


def run(*wanted: str, races: bool = False, **operations: Any) -> Played:
    return play(AsyncioHost, *wanted, races=races, **operations)


def clock() -> float:
    return asyncio.get_running_loop().time()


def test_children_of_a_task_group_stand_one_after_the_other_and_are_numbered() -> None:
    async def operation() -> list[str]:
        order: list[str] = []

        async def child(name: str) -> None:
            await stand("child")
            order.append(name)

        async with asyncio.TaskGroup() as group:
            for name in ("x", "y", "z"):
                group.create_task(child(name))
            await stand("parent")
        return order

    played = run("a@start", "a@parent", "a@child#1", "b@start", a=operation, b=lambda: None)
    assert played.moves == ["a@start", "a@parent", "a@child#1", "b@start", "a@child#2", "a@child#3", "a@await"]
    assert played.results[0] == ["x", "y", "z"]


def test_an_error_in_a_child_cancels_its_siblings_where_they_stand() -> None:
    ends: list[str] = []

    async def standing() -> None:
        try:
            await stand("standing")
        except asyncio.CancelledError:
            ends.append("cancelled when chosen")
            raise

    async def failing() -> None:
        await stand("failing")
        ends.append("failed")
        raise ValueError

    async def operation() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(failing())
            group.create_task(standing())

    played = run(a=operation)
    assert played.moves == ["a@start", "a@failing#1", "a@standing#2", "a@await"]
    assert ends == ["failed", "cancelled when chosen"]
    assert isinstance(played.results[0], ExceptionGroup)


def test_a_task_group_cancels_in_the_same_order_in_each_run() -> None:
    async def operation() -> list[int]:
        order: list[int] = []

        async def child(number: int) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                order.append(number)

        try:
            async with asyncio.TaskGroup() as group:
                for number in range(20):
                    group.create_task(child(number))
                await stand("ready")
                raise KeyError
        except* KeyError:
            pass
        done, _ = await asyncio.wait([asyncio.create_task(asyncio.sleep(0, number)) for number in range(20)])
        return order + [task.result() for task in done]

    results = []
    for _ in range(3):
        results.append(run(a=operation).results[0])
        gc.collect()
    assert results[0] == results[1] == results[2]
    assert sorted(results[0]) == sorted([*range(20), *range(20)])


def test_a_cancellation_that_arrives_at_a_standing_task_waits_until_it_is_chosen() -> None:
    tasks: list[asyncio.Task[Any]] = []
    seen: list[str] = []

    async def victim() -> str:
        task = asyncio.current_task()
        assert task is not None
        tasks.append(task)
        try:
            await stand("work")
        except asyncio.CancelledError:
            task.uncancel()
            return "cancelled"
        return "worked"

    def cancel() -> None:
        assert tasks[0].cancel()
        seen.append("cancel")

    played = run("victim@start", "stop@start", "other@start", victim=victim, stop=cancel, other=lambda: None)
    assert played.moves == ["victim@start", "stop@start", "other@start", "victim@work"]
    assert played.results[0] == "cancelled"
    tasks.clear()
    assert run("victim@start", "other@start", "victim@work", victim=victim, other=lambda: None).results[0] == "worked"


@pytest.mark.parametrize(("option", "late"), [("before", False), ("at", True), ("after", True)])
def test_a_timeout_races_against_a_standing_task(option: str, late: bool) -> None:
    async def operation() -> bool:
        try:
            async with asyncio.timeout(0.1):
                await stand("work")
        except TimeoutError:
            return True
        return False

    played = run(f"time:{option}:gate timer", "a@work", races=True, a=operation)
    assert played.results == [late]
    assert played.now_ns == 100_000_000 + {"before": -1, "at": 0, "after": 1}[option]


@pytest.mark.parametrize("first", ["work", "time"])
def test_wait_for_around_a_standing_task(first: str) -> None:
    async def work() -> str:
        await stand("work")
        return "in time"

    async def operation() -> str:
        try:
            return await asyncio.wait_for(work(), 1)
        except TimeoutError:
            return "late"

    # Where wait_for makes a task of its own (Python 3.11), that is the one that stands.
    asked = Script()
    play(AsyncioHost, choose=asked.choose, races=True, a=operation)
    option = asked.asked[0].options[0]
    played = run(option if first == "work" else "time:at:gate timer", races=True, a=operation)
    assert played.results == ["in time" if first == "work" else "late"]


def test_what_is_shielded_goes_on_after_its_caller_was_cancelled() -> None:
    done: list[str] = []

    async def inner() -> None:
        await stand("shielded")
        done.append("shielded")

    async def operation() -> str:
        work = asyncio.ensure_future(inner())
        try:
            async with asyncio.timeout(1):
                await asyncio.shield(work)
        except TimeoutError:
            done.append("late")
        await work
        return "both"

    played = run("time:at:gate timer", races=True, a=operation)
    assert played.results == ["both"]
    assert done == ["late", "shielded"]


def test_sleeping_takes_virtual_time_only() -> None:
    async def sleeper(seconds: float) -> float:
        await asyncio.sleep(seconds)
        return clock()

    played = run(long=lambda: sleeper(3600.5), short=lambda: sleeper(0.1))
    assert played.results == [3600.5, 0.1]
    assert played.moves[2:] == ["time:at:gate timer", "short@await", "time:at:gate timer", "long@await"]
    assert played.now_ns == 3600 * SECOND + SECOND // 2


@pytest.mark.parametrize("seconds", [1e-9, 0.1 + 0.2, 1 / 3, 123.456789, 86_399.999999999])
def test_no_timer_is_lost_between_floats_and_nanoseconds(seconds: float) -> None:
    async def operation() -> str:
        await asyncio.sleep(seconds)
        return "awake"

    played = run(a=operation)
    assert played.moves == ["a@start", "time:at:gate timer", "a@await"]
    assert played.results == ["awake"]


def test_a_cancelled_timer_does_not_count() -> None:
    async def operation() -> None:
        asyncio.get_running_loop().call_later(5, lambda: None).cancel()
        await asyncio.Event().wait()

    played = run(a=operation)
    assert played.moves == ["a@start"]
    assert played.ending is Ending.DEADLOCK


def test_a_lock_is_waited_for_without_being_offered() -> None:
    lock = asyncio.Lock()

    async def operation() -> None:
        async with lock:
            await stand("held")

    played = run("a@start", "b@start", a=operation, b=operation)
    assert played.moves == ["a@start", "b@start", "a@held", "b@await", "b@held"]
    assert played.ending is Ending.REST


def test_a_call_may_end_within_anothers_step_and_says_so_in_its_own() -> None:
    event = asyncio.Event()

    async def waiter() -> str:
        await event.wait()
        return "released"

    played = run("a@start", "b@start", "c@start", a=waiter, b=event.set, c=lambda: None)
    assert played.moves == ["a@start", "b@start", "c@start", "a@await"]
    assert played.results[0] == "released"


def test_who_is_released_into_a_sleep_still_wakes() -> None:
    event = asyncio.Event()

    async def waiter() -> float:
        await event.wait()
        await asyncio.sleep(5)
        return clock()

    played = run("a@start", "b@start", a=waiter, b=event.set)
    assert played.results[0] == 5.0
    assert played.ending is Ending.REST


def test_a_deadlock_is_told_apart_from_standing() -> None:
    first, second = asyncio.Lock(), asyncio.Lock()

    def taking(one: asyncio.Lock, other: asyncio.Lock) -> Callable[[], Any]:
        async def operation() -> None:
            async with one:
                await stand("between")
                async with other:
                    pass

        return operation

    operations: dict[str, Any] = {"a": taking(first, second), "b": taking(second, first)}
    assert run("a@start", "a@between", **operations).ending is Ending.REST
    first, second = asyncio.Lock(), asyncio.Lock()
    operations = {"a": taking(first, second), "b": taking(second, first)}
    assert run("a@start", "b@start", **operations).ending is Ending.DEADLOCK


def test_work_in_threads_is_done_in_order_and_handed_over_when_that_is_chosen() -> None:
    done: list[int] = []

    async def operation() -> list[int]:
        await asyncio.gather(*(asyncio.to_thread(done.append, number) for number in range(5)))
        return list(done)

    played = run(a=operation)
    assert played.moves == ["a@start", *(f"a@await#{number}" for number in range(1, 6)), "a@await"]
    assert played.results == [[0, 1, 2, 3, 4]]


def test_an_executor_of_the_adapters_own_is_used() -> None:
    async def operation() -> str:
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1, thread_name_prefix="own") as pool:
            return await loop.run_in_executor(pool, lambda: threading.current_thread().name)

    assert run(a=operation).results == ["own_0"]


def test_what_a_thread_raises_reaches_its_task() -> None:
    async def operation() -> None:
        await asyncio.to_thread(int, "x")

    assert isinstance(run(a=operation).results[0], ValueError)


def test_a_thread_that_calls_back_may_stand() -> None:
    async def standing() -> str:
        await stand("called back")
        return "through"

    async def operation() -> str:
        loop = asyncio.get_running_loop()
        return await asyncio.to_thread(lambda: asyncio.run_coroutine_threadsafe(standing(), loop).result())

    played = run("a@start", "b@start", a=operation, b=lambda: None)
    assert played.moves == ["a@start", "b@start", "a@called back#1", "a@await"]
    assert played.results[0] == "through"


def test_a_thread_that_does_not_come_back_is_named() -> None:
    never = threading.Event()

    def sticks() -> None:
        never.wait()

    async def operation() -> None:
        await asyncio.to_thread(sticks)

    with pytest.raises(HungError) as caught:
        play(lambda now_ns: AsyncioHost(now_ns, 0.1), a=operation)
    assert caught.value.actor == "a"
    assert "threading.py" in caught.value.where
    never.set()


def test_context_variables_belong_to_the_call() -> None:
    variable = contextvars.ContextVar("variable", default="unset")

    async def operation(value: str) -> list[str]:
        before = variable.get()
        variable.set(value)
        await stand("between")

        async def child() -> str:
            await stand("child")
            return variable.get()

        seen = await asyncio.create_task(child())
        return [before, variable.get(), seen, await asyncio.to_thread(variable.get)]

    played = run("a@start", "b@start", a=lambda: operation("one"), b=lambda: operation("two"))
    assert played.results == [["unset", "one", "one", "one"], ["unset", "two", "two", "two"]]
    assert variable.get() == "unset"


def test_a_task_that_outlives_its_call_moves_along_with_other_steps() -> None:
    seen: list[str] = []
    tasks: list[asyncio.Task[None]] = []

    async def background() -> None:
        for number in range(3):
            await stand("background")
            seen.append(f"background {number}")

    async def starts() -> None:
        tasks.append(asyncio.create_task(background()))

    async def steps() -> None:
        await stand("one")
        seen.append("step")
        await stand("two")

    played = run("a@start", a=starts, b=steps)
    assert played.ending is Ending.REST
    assert played.moves == ["a@start", "b@start", "b@one", "b@two"]
    assert seen == ["background 0", "background 1", "step", "background 2"]


def test_what_a_task_that_nobody_awaits_raises_is_no_matter_of_the_host() -> None:
    async def fails() -> None:
        raise SystemExit(3)

    async def operation() -> str:
        task = asyncio.create_task(fails())
        await asyncio.wait([task])
        return repr(task.exception())

    assert run(a=operation, b=lambda: 1).results == ["SystemExit(3)", 1]


def test_the_dead_are_not_woken_by_time_or_locks() -> None:
    seen: list[str] = []
    lock = asyncio.Lock()

    async def holds() -> None:
        async with lock:
            await stand("holding")

    async def waits() -> None:
        async with lock:
            seen.append("lock")

    async def sleeps() -> None:
        try:
            await asyncio.sleep(1)
            seen.append("slept")
        finally:
            seen.append("clean-up")

    async def living() -> float:
        await asyncio.sleep(5)
        return clock()

    kernels: list[Kernel] = []
    host = AsyncioHost(lambda: kernels[0].now_ns)
    kernel = Kernel(Script().choose, host=host)
    kernels.append(kernel)

    async def actor(operation: Callable[[], Any]) -> Any:
        return await perform(operation)

    for name, operation in (("holds", holds), ("waits", waits), ("sleeps", sleeps)):
        kernel.spawn(name, actor(operation))
    kernel.prime()
    host.bury()
    for dead in kernel.actors:
        kernel.abandon(dead, "indefinite")
    alive = kernel.spawn("living", actor(living))
    assert kernel.run() is Ending.REST
    assert (alive.result, seen) == (5.0, [])
    kernel.close()
    assert seen == ["clean-up"]
    host.close()
    gc.collect()


def test_asynchronous_generators_are_finished_at_the_end() -> None:
    seen: list[str] = []

    async def numbers() -> Any:
        try:
            yield 1
            yield 2
        finally:
            seen.append("closed")

    kept: list[Any] = []

    async def operation() -> int:
        kept.append(numbers())
        return int(await anext(kept[0]))

    assert run(a=operation).results == [1]
    assert seen == ["closed"]


def test_there_are_no_sockets() -> None:
    async def operation() -> None:
        await asyncio.open_connection("127.0.0.1", 1)

    assert isinstance(run(a=operation).results[0], NotImplementedError)
