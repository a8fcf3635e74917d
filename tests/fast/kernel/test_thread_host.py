"""The thread host: blocking code with branch points deep inside it, and never two threads at once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stopcheck.kernel import (
    DefaultChooser,
    Ending,
    ForeignAwaitError,
    HungError,
    Kernel,
    Killed,
    Park,
    Point,
    ThreadHost,
    branch,
    current_call,
    park_here,
    perform,
)
from tests.fast.kernel.support import Foreign, Script, Walk, moves


@pytest.fixture
def host() -> Iterator[ThreadHost]:
    made = ThreadHost()
    yield made
    made.close()


def calls(kernel: Kernel, **operations: Callable[[], Any]) -> None:
    """For each operation, an actor that performs it."""

    async def actor(operation: Callable[[], Any]) -> Any:
        return await perform(operation)

    for name, operation in operations.items():
        kernel.spawn(name, actor(operation))


def deep(label: str, depth: int = 5) -> str:
    """Blocking code whose branch point lies some frames down."""
    if depth:
        return deep(label, depth - 1)
    park_here(Park(label))
    return label


def test_a_branch_point_may_lie_deep_inside_a_blocking_call(host: ThreadHost) -> None:
    kernel = Kernel(Script("a@start", "b@start", "a@x").choose, host=host)
    calls(kernel, a=lambda: deep("x"), b=lambda: deep("y"))
    assert kernel.run() is Ending.REST
    assert moves(kernel) == ["a@start", "b@start", "a@x", "b@y"]
    assert [actor.result for actor in kernel.actors] == ["x", "y"]
    kernel.close()


def test_outside_a_call_parking_does_nothing() -> None:
    assert current_call() is None
    assert park_here(Park("x")) is False


def test_a_thread_that_the_gate_made_itself_does_not_park(host: ThreadHost) -> None:
    def operation() -> list[bool]:
        found: list[bool] = []
        own = threading.Thread(target=lambda: found.append(park_here(Park("x"))))
        own.start()
        own.join()
        return found

    kernel = Kernel(DefaultChooser().choose, host=host)
    calls(kernel, a=operation)
    kernel.run()
    assert kernel.actors[0].result == [False]
    kernel.close()


class Baton:
    """Counts who runs; entering and leaving are not atomic on purpose."""

    def __init__(self) -> None:
        self.running = 0
        self.most = 0

    def work(self, parks: int) -> None:
        for _ in range(parks):
            self.enter()
            for _ in range(50):
                self.most = max(self.most, self.running)
            self.leave()
            park_here(Park("next"))

    def enter(self) -> None:
        self.running = self.running + 1

    def leave(self) -> None:
        self.running = self.running - 1


@settings(deadline=None, max_examples=30)
@given(parks=st.lists(st.integers(0, 4), min_size=1, max_size=5), seed=st.integers(0, 1000))
def test_no_two_threads_ever_run_at_once(parks: list[int], seed: int) -> None:
    host = ThreadHost()
    baton = Baton()
    walk = Walk(seed)

    def choose(point: Point) -> int:
        assert baton.running == 0
        return walk.choose(point)

    kernel = Kernel(choose, host=host)
    calls(kernel, **{f"a{at}": (lambda n=n: baton.work(n)) for at, n in enumerate(parks)})
    assert kernel.run() is Ending.REST
    kernel.close()
    host.close()
    assert (baton.running, baton.most) == (0, 1 if any(parks) else 0)


def test_threads_are_reused_by_later_calls_and_later_runs(host: ThreadHost) -> None:
    used: set[int] = set()

    def operation() -> None:
        used.add(threading.get_ident())

    for _ in range(3):
        kernel = Kernel(DefaultChooser().choose, host=host)
        calls(kernel, a=operation, b=operation)
        kernel.run()
        kernel.close()
    assert len(used) == 1


def test_closing_the_host_ends_its_threads() -> None:
    host = ThreadHost()
    threads: list[threading.Thread] = []
    kernel = Kernel(DefaultChooser().choose, host=host)
    calls(kernel, a=lambda: threads.append(threading.current_thread()))
    kernel.run()
    kernel.close()
    assert threads[0].is_alive()
    host.close()
    assert not threads[0].is_alive()


@pytest.mark.parametrize("raised", [KeyError("k"), SystemExit(2)])
def test_what_a_call_raises_reaches_its_actor(host: ThreadHost, raised: BaseException) -> None:
    def operation() -> None:
        park_here(Park("inner"))
        raise raised

    async def actor() -> BaseException | None:
        try:
            await perform(operation)
        except BaseException as error:
            return error
        return None

    kernel = Kernel(DefaultChooser().choose, host=host)
    kernel.spawn("a", actor())
    kernel.run()
    assert kernel.actors[0].result is raised
    kernel.close()


def test_a_coroutine_call_is_driven_in_its_thread(host: ThreadHost) -> None:
    async def operation() -> str:
        await branch("awaited")
        park_here(Park("called"))
        await asyncio.sleep(0)
        return "done"

    kernel = Kernel(DefaultChooser().choose, host=host)
    calls(kernel, a=operation)
    kernel.run()
    assert kernel.actors[0].result == "done"
    assert moves(kernel) == ["a@start", "a@awaited", "a@called", "a@await"]
    kernel.close()


def test_awaiting_what_only_an_event_loop_can_answer_is_named(host: ThreadHost) -> None:
    async def operation() -> None:
        await Foreign()

    kernel = Kernel(DefaultChooser().choose, host=host)
    calls(kernel, a=operation)
    with pytest.raises(ForeignAwaitError, match=r"a awaited .*Foreign"):
        kernel.run()
    kernel.close()


class Gate:
    """A blocking call that would clean up after itself."""

    def __init__(self) -> None:
        self.trace: list[str] = []

    def operation(self) -> str:
        try:
            park_here(Park("inner"))
            self.trace.append("went on")
        finally:
            self.trace.append("cleaned up")
            with suppress(Killed):
                park_here(Park("in clean-up"))
                self.trace.append("parked in clean-up")
        return "answer"


def test_an_abandoned_call_stays_parked_until_the_end_and_is_killed_then(host: ThreadHost) -> None:
    gate = Gate()
    kernel = Kernel(Script("victim@start", "killer@start").choose, host=host)
    calls(kernel, victim=gate.operation, killer=lambda: kernel.abandon(kernel.actors[0], "indefinite"))
    assert kernel.run() is Ending.REST
    assert kernel.actors[0].result == "indefinite"
    assert gate.trace == []
    kernel.close()
    assert gate.trace == ["cleaned up"]
    assert not host.hung


def test_a_killed_thread_goes_back_to_the_pool(host: ThreadHost) -> None:
    used: list[int] = []

    def parks() -> None:
        used.append(threading.get_ident())
        park_here(Park("for ever", ready=lambda: False))

    for _ in range(3):
        kernel = Kernel(DefaultChooser().choose, host=host)
        calls(kernel, a=parks)
        assert kernel.run() is Ending.REST
        kernel.close()
    assert len(set(used)) == 1


class Jam:
    """A lock that nobody releases in time."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.lock.acquire()
        self.entered = 0
        self.threads: list[threading.Thread] = []

    def waits_for_the_jammed_lock(self, then: Callable[[], object] = lambda: None) -> None:
        self.entered += 1
        self.threads.append(threading.current_thread())
        with self.lock:
            then()


@pytest.mark.parametrize("then", [lambda: None, lambda: park_here(Park("too late"))], ids=["ends", "parks"])
def test_a_call_that_does_not_come_back_is_named_and_given_up(then: Callable[[], object]) -> None:
    host = ThreadHost(real_time_s=0.1)
    jam = Jam()
    kernel = Kernel(DefaultChooser().choose, host=host)
    calls(kernel, stuck=lambda: jam.waits_for_the_jammed_lock(then))
    with pytest.raises(HungError) as caught:
        kernel.run()
    assert caught.value.actor == "stuck"
    assert "Jam.waits_for_the_jammed_lock" in caught.value.where
    assert __file__ in caught.value.where
    assert host.hung
    kernel.close()
    jam.lock.release()
    jam.threads[0].join()
    host.close()
    assert jam.entered == 1


def test_after_a_hang_the_host_serves_on_with_other_threads() -> None:
    host = ThreadHost(real_time_s=0.1)
    jam = Jam()
    kernel = Kernel(DefaultChooser().choose, host=host)
    calls(kernel, stuck=jam.waits_for_the_jammed_lock)
    with pytest.raises(HungError):
        kernel.run()
    kernel.close()
    host.real_time_s = 10.0
    again = Kernel(DefaultChooser().choose, host=host)
    calls(again, fine=lambda: deep("x"))
    assert again.run() is Ending.REST
    assert again.actors[0].result == "x"
    again.close()
    jam.lock.release()
    jam.threads[0].join()
    host.close()


def test_clean_up_that_hangs_does_not_hang_the_end_of_the_run() -> None:
    host = ThreadHost()
    jam = Jam()

    def operation() -> None:
        try:
            park_here(Park("for ever", ready=lambda: False))
        finally:
            jam.waits_for_the_jammed_lock()

    kernel = Kernel(DefaultChooser().choose, host=host)
    calls(kernel, a=operation)
    assert kernel.run() is Ending.REST
    host.real_time_s = 0.1
    kernel.close()
    assert host.hung
    jam.lock.release()
    jam.threads[0].join()
    host.close()
