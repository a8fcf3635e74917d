"""The ``thread`` host: blocking code, stepped one thread at a time.

One idea: there is one baton. A nested call runs in a thread of its own and hands the baton back where it reaches a
branch point, so that a branch point can lie deep inside a blocking call, and still nothing runs in parallel.
Threads are pooled; one that is abandoned (its process "died") stays parked until the run ends, so that none
of its ``finally`` blocks helps the dead.
"""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

from stopcheck.kernel._actors import Actor, Park
from stopcheck.kernel._errors import HungError, Killed
from stopcheck.kernel._hosts import Finished, NestedCall

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
    """A pooled thread that runs one nested call after another."""

    def __init__(self) -> None:
        self.go = threading.Semaphore(0)
        self.job: ThreadCall | None = None
        self.thread = threading.Thread(target=self._serve, name="stopcheck-actor", daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        while True:
            self.go.acquire()
            job = self.job
            if job is None:
                return
            _current.call = job
            job.run()
            _current.call = None
            job.baton.release()


class ThreadCall:
    """A nested call on a thread of its own."""

    def __init__(self, host: ThreadHost, actor: Actor, call: Callable[[], Any]) -> None:
        self._host = host
        self._actor = actor
        self._call = call
        self._worker: _Worker | None = None
        self._outcome: Park | Finished | None = None
        self._kill = False
        self.baton = threading.Semaphore(0)

    def advance(self) -> Park | Finished:
        """Hand the baton over and wait until the call parks or ends."""
        if self._worker is None:
            self._worker = self._host.hire()
            self._worker.job = self
        self._outcome = None
        self._worker.go.release()
        if not self.baton.acquire(timeout=self._host.real_time_s):
            where = self._where()
            self._host.hung = True
            raise HungError(self._actor.name, where, self._host.real_time_s)
        outcome = self._outcome
        assert outcome is not None
        if isinstance(outcome, Finished):
            self._host.free(self._worker)
            self._worker = None
        return outcome

    def _where(self) -> str:
        worker = self._worker
        assert worker is not None
        frame = sys._current_frames().get(worker.thread.ident or 0)
        if frame is None:
            return "an unknown place"
        frames = traceback.extract_stack(frame)
        own = [f for f in frames if "stopcheck/kernel" not in f.filename] or list(frames)
        return f"{own[-1].filename}:{own[-1].lineno} in {own[-1].name}"

    def run(self) -> None:
        """In the worker thread: run the call to its end."""
        try:
            self._outcome = Finished(self._call())
        except Killed:
            self._outcome = Finished()
        except BaseException as error:
            self._outcome = Finished(error=error)

    def park(self, park: Park) -> None:
        """In the worker thread: hand the baton back and wait for it."""
        if self._kill:
            raise Killed
        worker = self._worker
        assert worker is not None
        self._outcome = park
        self.baton.release()
        worker.go.acquire()
        if self._kill:
            raise Killed

    def close(self) -> None:
        """End an abandoned call: each place where it would park raises ``Killed``."""
        worker = self._worker
        if worker is None:
            return
        self._kill = True
        worker.go.release()
        if self.baton.acquire(timeout=self._host.real_time_s):
            self._host.free(worker)
        self._worker = None


class ThreadHost:
    """The host for gates whose calls block. ``real_time_s`` bounds one step, in real seconds."""

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
        while self._idle:
            self._idle.pop().go.release()
