"""The ``asyncio`` host: each nested call is a task of its own in a loop that the kernel steps.

One idea: our loop is asyncio's own (``BaseEventLoop``) with another clock and another selector. The clock is the
kernel's. The selector never waits: when asyncio asks it to, nothing is runnable, and the step has ended.
``environment.branch`` is a future whose ``cancel()`` answers False: asyncio notes the cancellation in the task and
delivers it when the task goes on, which is when it is chosen.

Callbacks run first in, first out. Sets of tasks (a task group's, ``asyncio.wait``'s) are ordered by address in asyncio;
here tasks hash to their ordinals, so that the order is the same in a replay. Sockets and subprocesses are not
simulated: the loop has none.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Callable, Coroutine
from contextvars import Context
from functools import partial
from types import FrameType
from typing import Any, TypeVar, TypeVarTuple, Unpack

from stopcheck.kernel._actors import Park
from stopcheck.kernel._errors import Killed
from stopcheck.kernel._loop_threads import Job, Starter, Threads
from stopcheck.kernel._loops import PASSES, ROUNDS, Loop, LoopCall, LoopHost, Standing, call_in, fatal_in
from stopcheck.kernel._resuming import resuming

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_SECOND_NS = 1_000_000_000
#: Timers lie on whole nanoseconds, so half of one tells "due" from "not due" whatever floats do.
_HALF_S = 0.5e-9


class _Task(asyncio.Task[Any]):
    """A task whose place in a set is the same in each replay."""

    def __init__(self, ordinal: int, coroutine: Coroutine[Any, Any, Any], **options: Any) -> None:
        self._ordinal = ordinal
        super().__init__(coroutine, **options)

    def __hash__(self) -> int:
        return self._ordinal


class _Chosen(asyncio.Future[None]):
    """What a standing task awaits. It cannot be cancelled: who awaits it goes on when it is chosen."""

    def cancel(self, msg: Any | None = None) -> bool:
        """No; the task keeps the cancellation in mind."""
        return False


class _Selector:
    """What asyncio calls between its passes. It is asked to wait only when nothing is runnable."""

    def __init__(self, between: Callable[[bool], None]) -> None:
        self._between = between

    def select(self, timeout: float | None = None) -> list[Any]:
        """No events, at once."""
        self._between(timeout is None or timeout > _HALF_S)
        return []


class _EventLoop(asyncio.BaseEventLoop):
    """asyncio's loop, on the kernel's clock."""

    def __init__(self, stage: AsyncioLoop, between: Callable[[bool], None], threads: Threads) -> None:
        super().__init__()
        self._stage = stage
        self.owners: list[tuple[_Task, LoopCall | None]] = []
        self.timers: dict[LoopCall, list[asyncio.TimerHandle]] = {}
        self.starts: LoopCall | None = None
        self.called = False
        self._now_ns = stage.now_ns
        self._threads = threads
        self._executor: concurrent.futures.Executor | None = None
        self._selector = _Selector(between)
        self._clock_resolution = _HALF_S
        self.set_debug(False)
        self.set_task_factory(self._make_task)

    def time(self) -> float:
        """Virtual time in seconds."""
        return self._now_ns() / _SECOND_NS

    def call_at(
        self, when: float, callback: Callable[[Unpack[Ts]], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """A timer on the nearest nanosecond, noted with the call for which it is set."""
        handle = super().call_at(round(when * _SECOND_NS) / _SECOND_NS, callback, *args, context=context)
        call = call_in(context)
        if call is not None:
            self.timers.setdefault(call, []).append(handle)
        return handle

    def run_in_executor(
        self, executor: concurrent.futures.Executor | None, func: Callable[[Unpack[Ts]], T], *args: *Ts
    ) -> asyncio.Future[T]:
        """Work for a thread, done when nothing else is runnable."""
        future: asyncio.Future[T] = self.create_future()

        def deliver(value: Any, error: BaseException | None) -> None:
            if future.done():
                return
            if error is None:
                future.set_result(value)
            else:
                future.set_exception(error)

        pool = executor or self._executor
        start: Starter | None = None if pool is None else pool.submit
        self._threads.add(Job(partial(func, *args), deliver, future.cancelled), start)
        return future

    def set_default_executor(self, executor: concurrent.futures.ThreadPoolExecutor) -> None:  # type: ignore[override]
        """Whose threads work is given to."""
        self._executor = executor

    def _make_task(self, loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> _Task:
        ordinal = len(self.owners) + 1
        name = options.pop("name", None)  # asyncio's own default counts all tasks of the process
        owner = self.starts if self.starts is not None else call_in(options.get("context"))
        if owner is not None:
            coroutine = resuming(coroutine, self._stage)
        made = _Task(ordinal, coroutine, loop=loop, name=f"Task-{ordinal}" if name is None else name, **options)
        self.owners.append((made, owner))
        return made

    def _process_events(self, event_list: list[Any]) -> None:
        """There are none."""

    def _write_to_self(self) -> None:
        """In any thread: something was left for the loop."""
        self.called = True


class AsyncioLoop(Loop):
    """One asyncio loop."""

    def __init__(self, now_ns: Callable[[], int], real_time_s: float) -> None:
        super().__init__(now_ns, real_time_s)
        self._passes = 0
        self._threads = Threads(real_time_s, _asks, self._called)
        self._loop = _EventLoop(self, self._between, self._threads)
        self._loop.set_exception_handler(self._unhandled)

    # -- steps -----------------------------------------------------------------------------------------------

    def drain(self, starts: LoopCall | None, waking: list[Standing], *, late: bool) -> None:
        """Make passes until nothing is runnable and no thread is out."""
        if late:
            self.release()
        if starts is not None:
            self._loop.starts = starts
            starts.task = self._loop.create_task(starts.begin(), name=starts.actor.name)
            self._loop.starts = None
        for standing in waking:
            standing.handle.set_result(None)
        self.run_on()

    def run_on(self) -> None:
        """Run until nothing is runnable, and threads have brought what they were out for."""
        while True:
            try:
                self._loop.run_forever()
                return
            except SystemExit:  # of some task, which has it as its outcome; asyncio raises it here as well
                continue

    def _between(self, idle: bool) -> None:
        if self.closing:
            self._passes += 1
            if idle or self._passes > PASSES:
                self._loop.stop()
        elif idle and not self._called() and not self._threads.settle(self.mover):
            self._loop.stop()

    def _called(self) -> bool:
        called, self._loop.called = self._loop.called, False
        return called

    def _unhandled(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        fatal = fatal_in(context["exception"]) if "exception" in context else None
        if fatal is not None:
            self.fatal = fatal
        elif not self.closing:
            loop.default_exception_handler(context)

    async def stand(self, park: Park, *, cancellable: bool = True) -> None:
        """Stand until chosen, then be cancelled if that came meanwhile."""
        if self.closing:
            await self._loop.create_future()  # until it is cancelled
            return
        chosen = _Chosen(loop=self._loop)
        self.enter(park, asyncio.current_task(), chosen)
        await chosen

    def stands(self, trap: object) -> bool:
        """Whether the task awaits to be chosen."""
        return isinstance(trap, _Chosen)

    # -- timers ----------------------------------------------------------------------------------------------

    def next_timer_ns(self, call: LoopCall) -> int | None:
        """The next timer that was set for the call."""
        timers = self._loop.timers
        if call not in timers:
            return None
        now_ns = self.now_ns()
        left = [timer for timer in timers[call] if not timer.cancelled() and _due_ns(timer) > now_ns]
        if left:
            timers[call] = left
        else:
            del timers[call]
        return min(map(_due_ns, left), default=None)

    def outlived(self) -> bool:
        """Whether a task lives whose call has ended, standing or not."""
        return any(call not in self.calls for task, call in self._loop.owners if not task.done())

    # -- the end ---------------------------------------------------------------------------------------------

    def shut(self) -> None:
        """Cancel everything, and kill what stands."""
        if self.closing:
            return
        self.closing = self.free = True
        killed = self.all_standing()
        for standing in killed:
            standing.handle.set_exception(Killed())
        told = {standing.task for standing in killed}
        for _ in range(ROUNDS):
            living = [task for task, _ in self._loop.owners if not task.done()]
            if not living:
                break
            for task in living:
                if task not in told:
                    task.cancel()
            told.clear()
            self._passes = 0
            self.run_on()
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()


def _due_ns(timer: asyncio.TimerHandle) -> int:
    return round(timer.when() * _SECOND_NS)


def _asks(frame: FrameType) -> bool:
    """Whether the thread waits for a future, such as that of ``run_coroutine_threadsafe``."""
    at: FrameType | None = frame
    while at is not None:
        if at.f_code is _ASKS:
            return not at.f_locals["self"].done()
        at = at.f_back
    return False


_result: Any = concurrent.futures.Future[Any].result
_ASKS = _result.__code__


class AsyncioHost(LoopHost):
    """The host for gates written for asyncio.

    ``now_ns`` is the kernel's clock, the only one that the loop shows. ``real_time_s`` bounds, in real seconds, how
    long a worker thread may stay out. One host serves one run; then close it.
    """

    def __init__(self, now_ns: Callable[[], int], real_time_s: float = 10.0) -> None:
        super().__init__(lambda: AsyncioLoop(now_ns, real_time_s))
