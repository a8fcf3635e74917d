"""The ``trio`` host: each nested call is a task of its own in a trio run that the kernel steps.

One idea: trio's guest mode hands each pass through its loop to a host. Ours makes passes only within a step, and only
until nothing is runnable. ``environment.branch`` is ``wait_task_rescheduled`` with an abort function that answers
``FAILED``: cancel scopes and nurseries work as they are, and a cancellation reaches a standing task when it is chosen.

Time is the kernel's, through ``trio.abc.Clock``, which is also how trio tells that nothing is runnable: it asks then
how long to sleep. Real time, sockets and subprocesses are not simulated.

Four things have no public name in trio and are reached for in :class:`_Inner` only: the order within a batch of
runnable tasks (random in trio; here the oldest first), the thread starter, how a task's coroutine is begun, and the
mark that a run is on in this thread (so that the loop of a process that died can be set aside for another). A fifth is
the scopes around another task.
"""

from __future__ import annotations

import inspect
import math
import random
import sys
import warnings
from collections import deque
from collections.abc import Callable, MutableSequence
from importlib import import_module
from types import FrameType
from typing import Any, cast

import outcome
import trio

from stopcheck.kernel._actors import Park
from stopcheck.kernel._errors import HungError, Killed
from stopcheck.kernel._loop_threads import Job, Threads
from stopcheck.kernel._loops import PASSES, ROUNDS, Loop, LoopCall, LoopHost, Standing, call_in
from stopcheck.kernel._resuming import resuming

_SECOND_NS = 1_000_000_000


class _OldestFirst(random.Random):
    """Trio sorts a batch by age, has it shuffled by this, and takes from the end."""

    def shuffle(self, x: MutableSequence[Any]) -> None:
        """The oldest last."""
        x.reverse()


_OLDEST_FIRST = _OldestFirst(0)


class _Inner:
    """Trio's insides as they must be while one of our loops runs. What they were stands again afterwards, so that trio
    itself can run around the kernel."""

    def __init__(self, start_thread: Callable[..., None], follow: Callable[[Any], Any]) -> None:
        self._follow = follow
        self._run: Any = import_module("trio._core._run")
        self._threads: Any = import_module("trio._threads")
        self._start_thread = start_thread
        self._ours: dict[str, Any] = {}
        self._hooks: Any = (None, None)
        self._theirs: tuple[Any, ...] = ()

    def __enter__(self) -> None:
        run, threads, mark = self._run, self._threads, self._run.GLOBAL_RUN_CONTEXT.__dict__
        self._theirs = (
            dict(mark),
            sys.get_asyncgen_hooks(),
            run._ALLOW_DETERMINISTIC_SCHEDULING,
            run._r,
            threads.start_thread_soon,
            run.coroutine_or_error,
        )
        mark.clear()
        mark.update(self._ours)
        sys.set_asyncgen_hooks(*self._hooks)
        run._ALLOW_DETERMINISTIC_SCHEDULING = True
        run._r = _OLDEST_FIRST
        threads.start_thread_soon = self._start_thread
        begin, follow = run.coroutine_or_error, self._follow
        run.coroutine_or_error = _begin_with(begin, follow)

    def __exit__(self, *error: object) -> None:
        run, threads, mark = self._run, self._threads, self._run.GLOBAL_RUN_CONTEXT.__dict__
        self._ours, self._hooks = dict(mark), sys.get_asyncgen_hooks()
        mark.clear()
        theirs, hooks, *rest = self._theirs
        run._ALLOW_DETERMINISTIC_SCHEDULING, run._r, threads.start_thread_soon, run.coroutine_or_error = rest
        mark.update(theirs)
        sys.set_asyncgen_hooks(*hooks)


def _begin_with(begin: Callable[..., Any], follow: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda *started: follow(begin(*started))  # pyright: ignore[reportUnknownLambdaType]


class _Clock(trio.abc.Clock):
    """The kernel's clock. ``idle``: trio asked how long to sleep, so nothing is runnable."""

    def __init__(self, now_ns: Callable[[], int]) -> None:
        self.idle = False
        self.timers = False
        self._now_ns = now_ns
        self._due_ns = 0
        self._due_s = 0.0

    def start_clock(self) -> None:
        """It runs already."""

    def current_time(self) -> float:
        """Virtual time in seconds. A deadline between two nanoseconds is met at the one it is rounded to."""
        now_ns = self._now_ns()
        now_s = now_ns / _SECOND_NS
        return self._due_s if self._due_ns <= now_ns and self._due_s > now_s else now_s

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """Not at all: time passes only when the kernel says so."""
        self.idle = True
        self.timers = deadline != math.inf
        if self.timers:
            self._due_s = deadline
            self._due_ns = _to_ns(deadline)
        return 0.0


def _to_ns(seconds: float) -> int:
    return round(seconds * _SECOND_NS)


class TrioLoop(Loop):
    """One trio run."""

    def __init__(self, now_ns: Callable[[], int], real_time_s: float) -> None:
        super().__init__(now_ns, real_time_s)
        self._clock = _Clock(now_ns)
        self._threads = Threads(real_time_s, _asks, _called)
        self._inner = _Inner(self._start_thread, self._follow)
        self._passes: deque[Callable[[], object]] = deque()
        self._nursery: trio.Nursery | None = None
        self._ended: outcome.Outcome[None] | None = None
        self._delivering: set[trio.lowlevel.Task] = set()
        with self._inner:
            trio.lowlevel.start_guest_run(
                self._main,
                run_sync_soon_threadsafe=self._passes.append,
                run_sync_soon_not_threadsafe=self._passes.append,
                done_callback=self._end,
                host_uses_signal_set_wakeup_fd=True,
                clock=self._clock,
            )
            self.run_on()

    async def _main(self) -> None:
        async with trio.open_nursery() as self._nursery:
            await trio.sleep_forever()

    def _end(self, ended: outcome.Outcome[None]) -> None:
        self._ended = ended

    def _start_thread(self, work: Callable[[], Any], deliver: Callable[[Any], object], name: str | None = None) -> None:
        """In trio's place, as ``to_thread`` calls it."""
        self._threads.add(Job(lambda: outcome.capture(work), lambda value, _error: deliver(value)))

    # -- steps -----------------------------------------------------------------------------------------------

    def drain(self, starts: LoopCall | None, waking: list[Standing], *, late: bool) -> None:
        """Make passes until nothing is runnable and no thread is out."""
        with self._inner:
            if late:
                self.release()
            if starts is not None and self._nursery is not None:
                self._nursery.start_soon(self._host_call, starts, name=starts.actor.name)
            for standing in waking:
                trio.lowlevel.reschedule(standing.handle)
            self.run_on()
            while self._threads.settle(self.mover):
                # What a thread leaves is seen at the end of the first pass, and done in the second.
                self.run_on(least=2)
        if self._ended is not None:
            self._broken(self._ended)

    def run_on(self, least: int = 1) -> None:
        """Make passes until nothing is runnable, but at least so many."""
        clock = self._clock
        while self._ended is None:
            clock.idle = False
            self._passes.popleft()()
            least -= 1
            if (clock.idle and least <= 0) or (self.closing and least < -PASSES):
                return

    def _broken(self, ended: outcome.Outcome[None]) -> None:
        """The run has ended under its calls: something was raised where trio allows nothing to be."""
        error = ended.error if isinstance(ended, outcome.Error) else RuntimeError("trio's run ended under its calls")
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, HungError | KeyboardInterrupt):
            cause = cause.__cause__ or cause.__context__
        raise cause or error

    async def _host_call(self, call: LoopCall) -> None:
        call.task = trio.lowlevel.current_task()
        await resuming(call.begin(), self)

    def _follow(self, coroutine: Any) -> Any:
        """In place of a new task's coroutine."""
        return coroutine if call_in(None) is None else resuming(coroutine, self)

    def stands(self, trap: object) -> bool:
        """Whether the task waits to be chosen, or is being told of a cancellation where it was."""
        if getattr(trap, "abort_func", None) is _cannot_be_aborted:
            return True
        return trio.lowlevel.current_task() in self._delivering

    async def stand(self, park: Park, *, cancellable: bool = True) -> None:
        """Stand until chosen, then, if ``cancellable``, be cancelled if that came meanwhile."""
        task = trio.lowlevel.current_task()
        if not self.closing:
            self.enter(park, task, task)
        await trio.lowlevel.wait_task_rescheduled(_cannot_be_aborted)
        if cancellable:
            self._delivering.add(task)
            try:
                await trio.lowlevel.checkpoint_if_cancelled()
            finally:
                self._delivering.discard(task)

    def _over(self) -> bool:
        return self._ended is not None

    # -- timers ----------------------------------------------------------------------------------------------

    def next_timer_ns(self, call: LoopCall) -> int | None:
        """The next deadline of a cancel scope around one of the call's tasks."""
        if not self._clock.timers or call.task is None:
            return None
        now_ns = self.now_ns()
        due = [_to_ns(at) for task in _family(call.task) for at in _deadlines(task)]
        return min((at for at in due if at > now_ns), default=None)

    def outlived(self) -> bool:
        """Trio's nurseries leave nothing behind; system tasks could."""
        return bool(self._outliving)

    # -- the end ---------------------------------------------------------------------------------------------

    def shut(self) -> None:
        """Cancel everything, and kill what stands or does not end by itself."""
        if self.closing:
            return
        self.closing = self.free = True
        if self._over():
            return
        with self._inner:
            for standing in self.all_standing():
                trio.lowlevel.reschedule(standing.handle, outcome.Error(Killed()))
            nursery = self._nursery
            assert nursery is not None
            nursery.cancel_scope.cancel()
            self.run_on()
            for _ in range(ROUNDS):
                if self._over():
                    return
                if not self._clock.idle:
                    break
                for task in _leaves(nursery):
                    trio.lowlevel.reschedule(task, outcome.Error(Killed()))
                self.run_on(least=2)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that the run is left to itself is what we mean
                self._passes.clear()


def _cannot_be_aborted(_raise_cancel: object) -> trio.lowlevel.Abort:
    return trio.lowlevel.Abort.FAILED


def _deadlines(task: trio.lowlevel.Task) -> list[float]:
    """Those of all scopes around a task, also beyond a shield, behind which it will come out one day."""
    found: list[float] = []
    status: Any = cast(Any, task)._cancel_status
    while status is not None:
        scope = status._scope
        if scope.deadline != math.inf and not scope._cancel_called:  # its public name looks at the clock
            found.append(scope.deadline)
        status = status._parent
    return found


def _family(task: trio.lowlevel.Task) -> list[trio.lowlevel.Task]:
    """A task and all tasks below it."""
    family = [task]
    for one in family:
        for nursery in one.child_nurseries:
            family.extend(nursery.child_tasks)
    return family


def _leaves(nursery: trio.Nursery) -> list[trio.lowlevel.Task]:
    """The tasks below a nursery that do not wait for tasks of their own."""
    tasks = [task for child in nursery.child_tasks for task in _family(child)]
    return [task for task in tasks if not any(n.child_tasks for n in task.child_nurseries)]


def _called() -> bool:
    """Whether a thread left something for the run to do."""
    return trio.lowlevel.current_statistics().run_sync_soon_queue_size > 0


def _asks(frame: FrameType) -> bool:
    """Whether the thread waits in ``trio.from_thread.run`` for a task."""
    at: FrameType | None = frame
    while at is not None:
        if at.f_code is _ASKS:
            message = at.f_locals.get("message_to_trio")
            return message is not None and bool(message.queue.empty())
        at = at.f_back
    return False


_ASKS = inspect.unwrap(import_module("trio._threads")._send_message_to_trio).__code__


class TrioHost(LoopHost):
    """The host for gates written for trio.

    ``now_ns`` is the kernel's clock, the only one that the loop shows. ``real_time_s`` bounds, in real seconds, how
    long a worker thread may stay out. One host serves one run; then close it.
    """

    def __init__(self, now_ns: Callable[[], int], real_time_s: float = 10.0) -> None:
        super().__init__(lambda: TrioLoop(now_ns, real_time_s))
