"""The ``thread`` host: blocking code, stepped one thread at a time.

One idea: there is one baton. A nested call runs in a thread of its own and hands the baton back where it reaches a
branch point, so that a branch point can lie deep inside a blocking call, and still nothing runs in parallel.
Threads are pooled; one that is abandoned (its process "died") stays parked until the run ends, so that none
of its ``finally`` blocks helps the dead. One that hangs is left to itself: it has no place in the pool, and where it
next would park it ends.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from stopcheck.kernel._actors import Actor, Park
from stopcheck.kernel._errors import ForeignAwaitError, HungError, Killed
from stopcheck.kernel._hosts import Finished, NestedCall, as_coroutine, as_park, quietly_close
from stopcheck.kernel._own_threads import start_thread
from stopcheck.kernel._places import describe

_current = threading.local()


def current_call() -> ThreadCall | None:
    """The nested call whose thread is asking, if any."""
    return getattr(_current, "call", None)


def park_here(park: Park) -> bool:
    """Park the calling thread's nested call. False when the caller is not inside one: then nothing happens."""
    call = current_call()
    if call is None:
        return False
    call.park(park)
    return True


class _Worker:
    """A pooled thread that runs one nested call after another. The baton is two locks: ``go`` gives it to the
    thread, ``back`` returns it. (Locks, not semaphores: these cost five times as much.)"""

    def __init__(self) -> None:
        self.job: ThreadCall | None = None
        self.retired = False
        self._go = threading.Lock()
        self._back = threading.Lock()
        self._go.acquire()
        self._back.acquire()
        self.thread = start_thread("stopcheck-actor", self._serve)

    def run(self, seconds: float) -> bool:
        """In the kernel's thread: give the baton and wait for it. False when it does not come back in time."""
        self._go.release()
        return self._back.acquire(timeout=seconds)

    def hand_back(self) -> None:
        """In the worker thread: return the baton and wait for it."""
        self._return_baton()
        self._go.acquire()

    def end(self) -> None:
        """In the kernel's thread: let the thread end, now if it is idle, else when its hung call ends or parks."""
        self.job = None
        self.retired = True
        self._go.release()

    def _return_baton(self) -> None:
        if self._back.locked():  # else nobody took it the last time: the call hung and was given up
            self._back.release()

    def _serve(self) -> None:
        while not self.retired:
            self._go.acquire()
            job = self.job
            if job is None:
                return
            _current.call = job
            job.run()
            _current.call = None
            self._return_baton()


class ThreadCall:
    """A nested call on a thread of its own."""

    def __init__(self, host: ThreadHost, actor: Actor, call: Callable[[], Any]) -> None:
        self._host = host
        self._actor = actor
        self._call = call
        self._worker: _Worker | None = None
        self._outcome: Park | Finished = Finished()
        self._kill = False

    def advance(self) -> Park | Finished:
        """Hand the baton over and wait until the call parks or ends."""
        worker = self._worker
        if worker is None:
            worker = self._worker = self._host.hire()
            worker.job = self
        if not self._resume(worker):
            error = HungError(self._actor.name, self.place(), self._host.real_time_s)
            self._give_up(worker)
            raise error
        outcome = self._outcome
        if isinstance(outcome, Finished):
            self._host.free(worker)
            self._worker = None
            if isinstance(outcome.error, ForeignAwaitError):
                raise outcome.error
        return outcome

    def _resume(self, worker: _Worker) -> bool:
        try:
            return worker.run(self._host.real_time_s)
        except BaseException:  # of a signal's handler, such as the watchdog's: the thread is out there still
            self._give_up(worker)
            raise

    def place(self) -> str:
        """Where the call's thread is now."""
        worker = self._worker
        if worker is None or worker.thread.ident is None:
            return "an unknown place"
        frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage]  # documented; there is no other way
        return describe(frames.get(worker.thread.ident), ThreadCall.run.__code__)

    def run(self) -> None:
        """In the worker thread: run the call to its end."""
        try:
            value = self._call()
            coroutine = as_coroutine(value)
            self._outcome = Finished(value if coroutine is None else self._drive(coroutine))
        except Killed:
            self._outcome = Finished()
        except BaseException as error:
            self._outcome = Finished(error=error)

    def _drive(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        try:
            while True:
                try:
                    yielded = coroutine.send(None)
                except StopIteration as stop:
                    return stop.value
                self.park(as_park(self._actor, yielded))
        finally:
            quietly_close(coroutine)

    def park(self, park: Park) -> None:
        """In the worker thread: hand the baton back and wait for it."""
        worker = self._worker
        if self._kill or worker is None:
            raise Killed
        self._outcome = park
        worker.hand_back()
        if self._kill:
            raise Killed

    def close(self) -> None:
        """End an abandoned call: each place where it would park raises ``Killed``."""
        worker = self._worker
        if worker is None:
            return
        self._kill = True
        if self._resume(worker):
            self._host.free(worker)
            self._worker = None
        else:
            self._give_up(worker)

    def _give_up(self, worker: _Worker) -> None:
        self._host.hung = True
        self._kill = True
        self._worker = None
        worker.end()


class ThreadHost:
    """The host for gates whose calls block. ``real_time_s`` bounds one step, in real seconds. One host may serve many
    runs, one after another, and keeps its threads; ``hung`` says that one of them was lost."""

    def __init__(self, real_time_s: float = 10.0) -> None:
        self.real_time_s = real_time_s
        self.hung = False
        self._idle: list[_Worker] = []

    def hire(self) -> _Worker:
        """An idle thread, or a new one."""
        return self._idle.pop() if self._idle else _Worker()

    def free(self, worker: _Worker) -> None:
        """The thread's call has ended."""
        worker.job = None
        self._idle.append(worker)

    def open(self, actor: Actor, call: Callable[[], Any]) -> NestedCall:
        """Prepare a nested call."""
        return ThreadCall(self, actor, call)

    def close(self) -> None:
        """End the idle threads."""
        ending = self._idle
        self._idle = []
        for worker in ending:
            worker.end()
        for worker in ending:
            worker.thread.join()
