"""Code written with what trio and asyncio have in common works as it is, on the host of each."""

from __future__ import annotations

import contextvars
import gc
import threading
from collections.abc import Callable
from typing import Any

import pytest

from stopcheck.kernel import Ending, HungError, Kernel, perform
from tests.fast.kernel.dialects import Dialect, both, run
from tests.fast.kernel.loops import SECOND, play, stand
from tests.fast.kernel.support import Script


@both
def test_children_stand_one_after_the_other_and_are_numbered(dialect: Dialect) -> None:
    async def operation() -> list[str]:
        order: list[str] = []

        async def child(name: str) -> None:
            await stand("child")
            order.append(name)

        async with dialect.group() as start:
            for name in ("x", "y", "z"):
                start(child, name)
            await stand("parent")
        return order

    played = run(dialect, "a@start", "a@parent", "a@child#1", "b@start", a=operation, b=lambda: None)
    assert played.moves == ["a@start", "a@parent", "a@child#1", "b@start", "a@child#2", "a@child#3", "a@await"]
    assert played.results[0] == ["x", "y", "z"]


@both
def test_an_error_in_a_child_cancels_its_siblings_where_they_stand(dialect: Dialect) -> None:
    ends: list[str] = []

    async def standing() -> None:
        try:
            await stand("standing")
        except dialect.cancelled:
            ends.append("cancelled when chosen")
            raise

    async def failing() -> None:
        await stand("failing")
        ends.append("failed")
        raise ValueError

    async def operation() -> None:
        async with dialect.group() as start:
            start(failing)
            start(standing)

    played = run(dialect, a=operation)
    assert played.moves == ["a@start", "a@failing#1", "a@standing#2", "a@await"]
    assert ends == ["failed", "cancelled when chosen"]
    assert isinstance(played.results[0], ExceptionGroup)


@both
@pytest.mark.parametrize("stopped", [True, False])
def test_a_cancellation_that_arrives_at_a_standing_task_waits_until_it_is_chosen(
    dialect: Dialect, stopped: bool
) -> None:
    work = dialect.cancellable()
    seen: list[str] = []

    async def body() -> None:
        await stand("work")
        seen.append("worked")

    def cancel() -> None:
        if stopped:
            work.cancel()
        seen.append("cancel")

    order = ("victim@start", "stop@start", "other@start")
    played = run(dialect, *order, victim=lambda: work.run(body), stop=cancel, other=lambda: None)
    assert played.moves == [*order, "victim@work"]
    assert seen == (["cancel"] if stopped else ["cancel", "worked"])
    assert played.results[0] is stopped


@both
@pytest.mark.parametrize(("option", "late"), [("before", False), ("at", True), ("after", True)])
def test_a_timeout_races_against_a_standing_task(dialect: Dialect, option: str, late: bool) -> None:
    async def operation() -> bool:
        return await dialect.late(0.1, lambda: stand("work"))

    played = run(dialect, f"time:{option}:gate time-out", "a@work", races=True, a=operation)
    assert played.results == [late]
    assert played.now_ns == 100_000_000 + {"before": -1, "at": 0, "after": 1}[option]


@both
def test_nested_timeouts_end_in_their_order(dialect: Dialect) -> None:
    async def operation() -> list[str]:
        seen: list[str] = []

        async def outer() -> None:
            if await dialect.late(1, lambda: dialect.sleep(10)):
                seen.append(f"inner at {dialect.now():g}")
            await dialect.sleep(10)

        if await dialect.late(2, outer):
            seen.append(f"outer at {dialect.now():g}")
        return seen

    assert run(dialect, a=operation).results == [["inner at 1", "outer at 2"]]


@both
def test_sleeping_takes_virtual_time_only(dialect: Dialect) -> None:
    async def sleeper(seconds: float) -> float:
        await dialect.sleep(seconds)
        return dialect.now()

    played = run(dialect, long=lambda: sleeper(3600.5), short=lambda: sleeper(0.1))
    assert played.results == [3600.5, 0.1]
    assert played.moves[2:] == ["time:at:gate timer", "short@await", "time:at:gate timer", "long@await"]
    assert played.now_ns == 3600 * SECOND + SECOND // 2


@both
@pytest.mark.parametrize("seconds", [1e-9, 0.1 + 0.2, 1 / 3, 123.456789, 86_399.999999999])
def test_no_timer_is_lost_between_floats_and_nanoseconds(dialect: Dialect, seconds: float) -> None:
    async def for_ever() -> None:
        await dialect.event().wait()

    async def operation() -> bool:
        return await dialect.late(seconds, for_ever)

    played = run(dialect, a=operation)
    assert played.moves == ["a@start", "time:at:gate timer", "a@await"]
    assert played.results == [True]


@both
def test_a_lock_is_waited_for_without_being_offered(dialect: Dialect) -> None:
    lock = dialect.lock()

    async def operation() -> None:
        async with lock:
            await stand("held")

    played = run(dialect, "a@start", "b@start", a=operation, b=operation)
    assert played.points == ["a@start", "b@start", "a@held", "b@held"]
    assert played.moves[-2:] == ["b@await", "b@held"]
    assert played.ending is Ending.REST


@both
def test_a_call_may_end_within_anothers_step_and_says_so_in_its_own(dialect: Dialect) -> None:
    event = dialect.event()

    async def waiter() -> str:
        await event.wait()
        return "released"

    played = run(dialect, "a@start", "b@start", "c@start", a=waiter, b=event.set, c=lambda: None)
    assert played.moves == ["a@start", "b@start", "c@start", "a@await"]
    assert played.results[0] == "released"


@both
def test_who_is_released_into_a_sleep_still_wakes(dialect: Dialect) -> None:
    event = dialect.event()

    async def waiter() -> float:
        await event.wait()
        await dialect.sleep(5)
        return dialect.now()

    played = run(dialect, "a@start", "b@start", a=waiter, b=event.set)
    assert played.results[0] == 5.0
    assert played.ending is Ending.REST


@both
@pytest.mark.parametrize(("one_by_one", "ending"), [(True, Ending.REST), (False, Ending.DEADLOCK)])
def test_a_deadlock_is_told_apart_from_standing(dialect: Dialect, one_by_one: bool, ending: Ending) -> None:
    first, second = dialect.lock(), dialect.lock()

    def taking(one: Any, other: Any) -> Callable[[], Any]:
        async def operation() -> None:
            async with one:
                await stand("between")
                async with other:
                    pass

        return operation

    order = ("a@start", *dialect.takes_a_lock, "a@between") if one_by_one else ("a@start", "b@start")
    assert run(dialect, *order, a=taking(first, second), b=taking(second, first)).ending is ending


@both
def test_an_event_that_nobody_sets_is_a_deadlock(dialect: Dialect) -> None:
    assert run(dialect, a=dialect.event().wait, b=lambda: None).ending is Ending.DEADLOCK


@both
def test_work_in_threads_is_done_in_order_and_handed_over_when_that_is_chosen(dialect: Dialect) -> None:
    done: list[int] = []

    async def operation() -> list[int]:
        async with dialect.group() as start:
            for number in range(5):
                start(dialect.in_thread, done.append, number)
        return list(done)

    played = run(dialect, a=operation)
    assert played.points == ["a@start"]
    assert {f"a@await#{number}" for number in range(1, 6)} <= set(played.moves)
    assert played.results == [[0, 1, 2, 3, 4]]


@both
def test_what_a_thread_raises_reaches_its_task(dialect: Dialect) -> None:
    async def operation() -> None:
        await dialect.in_thread(int, "x")

    assert isinstance(run(dialect, a=operation).results[0], ValueError)


@both
def test_a_thread_that_calls_back_may_stand(dialect: Dialect) -> None:
    async def standing() -> str:
        await stand("called back")
        return "through"

    async def operation() -> Any:
        return await dialect.in_thread(dialect.calling_back(standing))

    played = run(dialect, "a@start", "b@start", a=operation, b=lambda: None)
    assert played.points == ["a@start", "b@start", f"a@{dialect.called_back}"]
    assert played.results[0] == "through"


@both
def test_a_thread_that_does_not_come_back_is_named(dialect: Dialect) -> None:
    never = threading.Event()

    def sticks() -> None:
        never.wait()

    async def operation() -> None:
        await dialect.in_thread(sticks)

    hasty: Any = dialect.make
    with pytest.raises(HungError) as caught:
        play(lambda now_ns: hasty(now_ns, 0.1), a=operation)
    assert caught.value.actor == "a"
    assert "threading.py" in caught.value.where
    never.set()


@both
def test_context_variables_belong_to_the_call(dialect: Dialect) -> None:
    variable = contextvars.ContextVar("variable", default="unset")

    async def operation(value: str) -> list[str]:
        before = variable.get()
        variable.set(value)
        await stand("between")
        seen: list[str] = []

        async def child() -> None:
            await stand("child")
            seen.append(variable.get())

        async with dialect.group() as start:
            start(child)
        return [before, variable.get(), *seen, await dialect.in_thread(variable.get)]

    played = run(dialect, "a@start", "b@start", a=lambda: operation("one"), b=lambda: operation("two"))
    assert played.results == [["unset", "one", "one", "one"], ["unset", "two", "two", "two"]]
    assert variable.get() == "unset"


@both
def test_tasks_of_one_batch_run_oldest_first_in_each_run(dialect: Dialect) -> None:
    async def operation() -> list[int]:
        event, order = dialect.event(), list[int]()

        async def child(number: int) -> None:
            await event.wait()
            order.append(number)

        async with dialect.group() as start:
            for number in range(8):
                start(child, number)
            await stand("ready")
            event.set()
        return order

    assert [run(dialect, a=operation).results for _ in range(3)] == [[list(range(8))]] * 3


@both
def test_blocked_children_of_one_call_free_each_other(dialect: Dialect) -> None:
    async def operation() -> None:
        held = True

        async def holder() -> None:
            nonlocal held
            await stand("holding")
            held = False

        async def waiter() -> None:
            while held:
                await stand("lock", blocked=True)

        async with dialect.group() as start:
            start(waiter)
            start(holder)

    played = run(dialect, a=operation)
    assert played.moves == ["a@start", "a@holding#2", "a@lock#1", "a@await"]
    assert played.ending is Ending.REST


@both
def test_the_dead_are_not_woken_by_time_or_locks(dialect: Dialect) -> None:
    seen: list[str] = []
    lock = dialect.lock()

    async def holds() -> None:
        async with lock:
            await stand("holding")

    async def waits() -> None:
        async with lock:
            seen.append("lock")

    async def sleeps() -> None:
        try:
            await dialect.sleep(1)
            seen.append("slept")
        finally:
            seen.append("clean-up")

    async def living() -> float:
        await dialect.sleep(5)
        return dialect.now()

    kernels: list[Kernel] = []
    host = dialect.make(lambda: kernels[0].now_ns)
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
