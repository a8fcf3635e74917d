"""The asyncio host: code written for asyncio works as it is, and its branch points are the kernel's."""

from __future__ import annotations

import asyncio
import gc
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from stopcheck.kernel import AsyncioHost, Ending
from tests.fast.kernel.loops import Played, play, stand
from tests.fast.kernel.support import Script


def run(*wanted: str, races: bool = False, **operations: Any) -> Played:
    return play(AsyncioHost, *wanted, races=races, **operations)


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
    played = run(option if first == "work" else "time:at:gate time-out", races=True, a=operation)
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

    played = run("time:at:gate time-out", races=True, a=operation)
    assert played.results == ["both"]
    assert done == ["late", "shielded"]


def test_a_timeout_that_is_moved_counts_from_where_it_was_moved_to() -> None:
    async def operation() -> float:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(1) as timeout:
                await asyncio.sleep(0.5)
                timeout.reschedule(loop.time() + 2)
                await asyncio.Event().wait()
        except TimeoutError:
            pass
        return loop.time()

    assert run(a=operation).results == [2.5]


def test_queues_and_semaphores_hand_over_in_order() -> None:
    async def operation() -> list[tuple[str, int]]:
        queue: asyncio.Queue[tuple[str, int]] = asyncio.Queue(1)
        semaphore = asyncio.Semaphore(1)

        async def produce(name: str) -> None:
            async with semaphore:
                for number in range(2):
                    await stand(name)
                    await queue.put((name, number))

        async with asyncio.TaskGroup() as group:
            for name in ("x", "y"):
                group.create_task(produce(name))
            return [await queue.get() for _ in range(4)]

    played = run(a=operation)
    assert played.results == [[("x", 0), ("x", 1), ("y", 0), ("y", 1)]]
    assert played.ending is Ending.REST


def test_gathered_work_ends_in_the_order_in_which_it_was_chosen() -> None:
    async def operation() -> tuple[list[str], list[str]]:
        ends: list[str] = []

        async def work(name: str) -> str:
            await stand(name)
            ends.append(name)
            return name

        gathered = await asyncio.gather(work("x"), work("y"))
        completed = [await one for one in asyncio.as_completed([asyncio.ensure_future(work("z"))])]
        return ends, [*gathered, *completed]

    played = run("a@start", "b@start", "a@x#1", "a@y#2", a=operation, b=lambda: None)
    assert played.results[0] == (["x", "y", "z"], ["x", "y", "z"])


def test_a_cancelled_timer_does_not_count() -> None:
    async def operation() -> None:
        asyncio.get_running_loop().call_later(5, lambda: None).cancel()
        await asyncio.Event().wait()

    played = run(a=operation)
    assert played.moves == ["a@start"]
    assert played.ending is Ending.DEADLOCK


def test_an_executor_of_the_adapters_own_is_used() -> None:
    async def operation() -> str:
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1, thread_name_prefix="own") as pool:
            return await loop.run_in_executor(pool, lambda: threading.current_thread().name)

    assert run(a=operation).results == ["own_0"]


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
