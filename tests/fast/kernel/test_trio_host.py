"""The trio host: code written for trio works as it is, and its branch points are the kernel's."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any

import pytest
import trio

from stopcheck.kernel import Ending, HungError, Kernel, Killed, TrioHost, perform
from tests.fast.kernel.loops import SECOND, Played, play, stand
from tests.fast.kernel.support import Script


def run(*wanted: str, races: bool = False, **operations: Any) -> Played:
    return play(TrioHost, *wanted, races=races, **operations)


def test_children_of_a_nursery_stand_one_after_the_other_and_are_numbered() -> None:
    async def operation() -> list[str]:
        order: list[str] = []

        async def child(name: str) -> None:
            await stand("child")
            order.append(name)

        async with trio.open_nursery() as nursery:
            for name in ("x", "y", "z"):
                nursery.start_soon(child, name)
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
        except trio.Cancelled:
            ends.append("cancelled when chosen")
            raise

    async def failing() -> None:
        await stand("failing")
        ends.append("failed")
        raise ValueError

    async def operation() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(failing)
            nursery.start_soon(standing)

    played = run(a=operation)
    assert played.moves == ["a@start", "a@failing#1", "a@standing#2", "a@await"]
    assert ends == ["failed", "cancelled when chosen"]
    assert isinstance(played.results[0], ExceptionGroup)


def test_a_cancellation_that_arrives_at_a_standing_task_waits_until_it_is_chosen() -> None:
    scope = trio.CancelScope()
    seen: list[str] = []

    async def victim() -> bool:
        with scope:
            await stand("work")
            seen.append("worked")
        return scope.cancelled_caught

    def cancel() -> None:
        scope.cancel()
        seen.append("cancel")

    played = run("victim@start", "stop@start", "other@start", victim=victim, stop=cancel, other=lambda: None)
    assert played.moves == ["victim@start", "stop@start", "other@start", "victim@work"]
    assert seen == ["cancel"]
    assert played.results[0] is True


@pytest.mark.parametrize(("option", "late"), [("before", False), ("at", True), ("after", True)])
def test_a_timeout_races_against_a_standing_task(option: str, late: bool) -> None:
    async def operation() -> bool:
        with trio.move_on_after(0.1) as scope:
            await stand("work")
        return scope.cancelled_caught

    played = run(f"time:{option}:gate timer", "a@work", races=True, a=operation)
    assert played.results == [late]
    assert played.now_ns == 100_000_000 + {"before": -1, "at": 0, "after": 1}[option]


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

    played = run("time:at:gate timer", "a@shielded", races=True, a=operation)
    assert played.results == [(["shielded"], True)]


def test_sleeping_takes_virtual_time_only() -> None:
    async def sleeper(seconds: float) -> float:
        await trio.sleep(seconds)
        return trio.current_time()

    played = run(long=lambda: sleeper(3600.5), short=lambda: sleeper(0.1))
    assert played.results == [3600.5, 0.1]
    assert played.moves[2:] == ["time:at:gate timer", "short@await", "time:at:gate timer", "long@await"]
    assert played.now_ns == 3600 * SECOND + SECOND // 2


@pytest.mark.parametrize("seconds", [1e-9, 0.1 + 0.2, 1 / 3, 123.456789, 86_399.999999999])
def test_no_deadline_is_lost_between_floats_and_nanoseconds(seconds: float) -> None:
    async def operation() -> bool:
        with trio.move_on_after(seconds) as scope:
            await trio.sleep_forever()
        return scope.cancelled_caught

    played = run(a=operation)
    assert played.moves == ["a@start", "time:at:gate timer", "a@await"]
    assert played.results == [True]


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


def test_a_lock_is_waited_for_without_being_offered() -> None:
    lock = trio.Lock()

    async def operation() -> None:
        async with lock:
            await stand("held")

    played = run("a@start", "b@start", a=operation, b=operation)
    assert played.moves == ["a@start", "b@start", "a@await", "a@held", "b@await", "b@held"]
    assert played.ending is Ending.REST


def test_a_call_may_end_within_anothers_step_and_says_so_in_its_own() -> None:
    event = trio.Event()

    async def waiter() -> str:
        await event.wait()
        return "released"

    played = run("a@start", "b@start", "c@start", a=waiter, b=event.set, c=lambda: None)
    assert played.moves == ["a@start", "b@start", "c@start", "a@await"]
    assert played.results[0] == "released"


def test_who_is_released_into_a_sleep_still_wakes() -> None:
    event = trio.Event()

    async def waiter() -> float:
        await event.wait()
        await trio.sleep(5)
        return trio.current_time()

    played = run("a@start", "b@start", a=waiter, b=event.set)
    assert played.results[0] == 5.0
    assert played.ending is Ending.REST


def test_a_deadlock_is_told_apart_from_standing() -> None:
    first, second = trio.Lock(), trio.Lock()

    def taking(one: trio.Lock, other: trio.Lock) -> Callable[[], Any]:
        async def operation() -> None:
            async with one:
                await stand("between")
                async with other:
                    pass

        return operation

    operations: dict[str, Any] = {"a": taking(first, second), "b": taking(second, first)}
    assert run("a@start", "a@await", "a@between", **operations).ending is Ending.REST
    assert run("a@start", "b@start", **operations).ending is Ending.DEADLOCK


def test_an_event_that_nobody_sets_is_a_deadlock() -> None:
    assert run(a=trio.Event().wait, b=lambda: None).ending is Ending.DEADLOCK


def test_work_in_threads_is_done_in_order_and_handed_over_when_that_is_chosen() -> None:
    done: list[int] = []

    async def operation() -> list[int]:
        async with trio.open_nursery() as nursery:
            for number in range(5):
                nursery.start_soon(trio.to_thread.run_sync, done.append, number)
        return list(done)

    played = run(a=operation)
    assert {move for move in played.moves if move.startswith("a@await#")} == {f"a@await#{n}" for n in range(1, 6)}
    assert played.results == [[0, 1, 2, 3, 4]]


def test_a_thread_that_calls_back_may_stand() -> None:
    async def standing() -> str:
        await stand("called back")
        return "through"

    async def operation() -> str:
        return await trio.to_thread.run_sync(lambda: trio.from_thread.run(standing))

    played = run("a@start", "b@start", a=operation, b=lambda: None)
    assert [move for move in played.moves if move != "a@await"] == ["a@start", "b@start", "a@called back"]
    assert played.results[0] == "through"


def test_a_thread_that_does_not_come_back_is_named() -> None:
    never = threading.Event()

    def sticks() -> None:
        never.wait()

    async def operation() -> None:
        await trio.to_thread.run_sync(sticks)

    with pytest.raises(HungError) as caught:
        play(lambda now_ns: TrioHost(now_ns, 0.1), a=operation)
    assert caught.value.actor == "a"
    assert "threading.py" in caught.value.where
    never.set()


def test_context_variables_belong_to_the_call() -> None:
    variable = contextvars.ContextVar("variable", default="unset")

    async def operation(value: str) -> list[str]:
        before = variable.get()
        variable.set(value)
        await stand("between")
        seen: list[str] = []

        async def child() -> None:
            await stand("child")
            seen.append(variable.get())

        async with trio.open_nursery() as nursery:
            nursery.start_soon(child)
        return [before, variable.get(), *seen, await trio.to_thread.run_sync(variable.get)]

    played = run("a@start", "b@start", a=lambda: operation("one"), b=lambda: operation("two"))
    assert played.results == [["unset", "one", "one", "one"], ["unset", "two", "two", "two"]]
    assert variable.get() == "unset"


def test_tasks_of_one_batch_run_oldest_first_in_each_run() -> None:
    async def operation() -> list[int]:
        event, order = trio.Event(), list[int]()

        async def child(number: int) -> None:
            await event.wait()
            order.append(number)

        async with trio.open_nursery() as nursery:
            for number in range(8):
                nursery.start_soon(child, number)
            await stand("ready")
            event.set()
        return order

    assert [run(a=operation).results for _ in range(3)] == [[list(range(8))]] * 3


def test_blocked_children_of_one_call_free_each_other() -> None:
    async def operation() -> None:
        held = True

        async def holder() -> None:
            nonlocal held
            await stand("holding")
            held = False

        async def waiter() -> None:
            while held:
                await stand("lock", blocked=True)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(waiter)
            nursery.start_soon(holder)

    played = run(a=operation)
    assert played.moves == ["a@start", "a@holding#2", "a@lock#1", "a@await"]
    assert played.ending is Ending.REST


def test_the_dead_are_not_woken_by_time_or_locks() -> None:
    seen: list[str] = []
    lock = trio.Lock()

    async def holds() -> None:
        async with lock:
            await stand("holding")

    async def waits() -> None:
        async with lock:
            seen.append("lock")

    async def sleeps() -> None:
        try:
            await trio.sleep(1)
            seen.append("slept")
        finally:
            seen.append("clean-up")

    async def living() -> float:
        await trio.sleep(5)
        return trio.current_time()

    kernels: list[Kernel] = []
    host = TrioHost(lambda: kernels[0].now_ns)
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
