"""What both libraries can do, said in one way: so that what holds on both hosts is tested once, in the library's own
means.

One idea: a dialect hides spelling, never behaviour; where the two behave differently the test belongs to one host.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol

import pytest
import trio

from stopcheck.kernel import AsyncioHost, TrioHost
from tests.fast.kernel.loops import MakeHost, Played, play

Body = Callable[[], Awaitable[Any]]
#: Starts a child: a function and its arguments.
Start = Callable[..., object]


class Cancellable(Protocol):
    """Work that somebody else may cancel."""

    async def run(self, body: Body) -> bool:
        """Do it; whether it was cancelled."""
        ...

    def cancel(self) -> None:
        """Cancel it, wherever it is."""
        ...


class Dialect(Protocol):
    """A library, and the host for what is written with it."""

    make: MakeHost
    cancelled: type[BaseException]
    #: What a task is called that a thread starts by calling back; on trio it is the call's own.
    called_back: str
    #: The moves from where a call asks for a free lock to where it has it: trio lets others move there.
    takes_a_lock: tuple[str, ...]

    def lock(self) -> AbstractAsyncContextManager[Any]: ...

    def event(self) -> Any: ...

    async def sleep(self, seconds: float) -> None: ...

    def now(self) -> float: ...

    def group(self) -> AbstractAsyncContextManager[Start]: ...

    async def late(self, seconds: float, body: Body) -> bool: ...

    def cancellable(self) -> Cancellable: ...

    async def in_thread(self, work: Callable[..., Any], *args: Any) -> Any: ...

    def calling_back(self, body: Body) -> Callable[[], Any]: ...


class _Scope:
    def __init__(self) -> None:
        self._scope = trio.CancelScope()

    async def run(self, body: Body) -> bool:
        with self._scope:
            await body()
        return self._scope.cancelled_caught

    def cancel(self) -> None:
        self._scope.cancel()


class Trio:
    """``trio``."""

    make: MakeHost = TrioHost
    cancelled: type[BaseException] = trio.Cancelled
    called_back = "called back"
    takes_a_lock: tuple[str, ...] = ("a@await",)

    def lock(self) -> AbstractAsyncContextManager[Any]:
        return trio.Lock()

    def event(self) -> Any:
        return trio.Event()

    async def sleep(self, seconds: float) -> None:
        await trio.sleep(seconds)

    def now(self) -> float:
        return trio.current_time()

    @asynccontextmanager
    async def group(self) -> AsyncGenerator[Start]:
        async with trio.open_nursery() as nursery:
            yield nursery.start_soon

    async def late(self, seconds: float, body: Body) -> bool:
        """Give it so much time; whether that ended first."""
        with trio.move_on_after(seconds) as scope:
            await body()
        return scope.cancelled_caught

    def cancellable(self) -> Cancellable:
        return _Scope()

    async def in_thread(self, work: Callable[..., Any], *args: Any) -> Any:
        return await trio.to_thread.run_sync(work, *args)

    def calling_back(self, body: Body) -> Callable[[], Any]:
        """For a thread: do this in the loop, and wait for it."""
        return lambda: trio.from_thread.run(body)


class _Task:
    def __init__(self) -> None:
        self._task: asyncio.Task[Any] | None = None

    async def run(self, body: Body) -> bool:
        self._task = asyncio.current_task()
        assert self._task is not None
        try:
            await body()
        except asyncio.CancelledError:
            self._task.uncancel()
            return True
        return False

    def cancel(self) -> None:
        assert self._task is not None
        assert self._task.cancel()


class Asyncio:
    """``asyncio``."""

    make: MakeHost = AsyncioHost
    cancelled: type[BaseException] = asyncio.CancelledError
    called_back = "called back#1"
    takes_a_lock: tuple[str, ...] = ()

    def lock(self) -> AbstractAsyncContextManager[Any]:
        return asyncio.Lock()

    def event(self) -> Any:
        return asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    @asynccontextmanager
    async def group(self) -> AsyncGenerator[Start]:
        async with asyncio.TaskGroup() as tasks:
            yield lambda child, *args: tasks.create_task(child(*args))

    async def late(self, seconds: float, body: Body) -> bool:
        """Give it so much time; whether that ended first."""
        try:
            async with asyncio.timeout(seconds):
                await body()
        except TimeoutError:
            return True
        return False

    def cancellable(self) -> Cancellable:
        return _Task()

    async def in_thread(self, work: Callable[..., Any], *args: Any) -> Any:
        return await asyncio.to_thread(work, *args)

    def calling_back(self, body: Body) -> Callable[[], Any]:
        """For a thread: do this in the loop, and wait for it."""
        loop = asyncio.get_running_loop()

        async def run() -> Any:
            return await body()

        return lambda: asyncio.run_coroutine_threadsafe(run(), loop).result()


def run(dialect: Dialect, *wanted: str, races: bool = False, **operations: Any) -> Played:
    """Play operations on the dialect's host."""
    return play(dialect.make, *wanted, races=races, **operations)


both = pytest.mark.parametrize("dialect", [Trio(), Asyncio()], ids=["trio", "asyncio"])
