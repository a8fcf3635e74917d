"""Worker threads of a loop: one at a time, and the loop waits for it.

One idea: a thread that runs beside the loop would make a run depend on how fast it is. So work for threads is done when
nothing else is runnable, in the order in which it was asked for, one after the other, and a step ends only when it is
done. A thread that itself waits for a task of the loop is not out: it would wait for ever if the loop waited for it.
"""

from __future__ import annotations

import queue
import sys
import threading
from collections import deque
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeAlias

from stopcheck.kernel._errors import HungError
from stopcheck.kernel._own_threads import start_thread
from stopcheck.kernel._places import describe

#: How long one look at a thread that is out lasts. It costs nothing when the thread comes back sooner.
_SLICE_S = 0.002
#: So often in a row must a thread be seen waiting for the loop: it may be just about to go on.
_SEEN = 2

Starter: TypeAlias = Callable[[Callable[[], None]], object]


class Job:
    """One piece of work. ``deliver`` is called in the loop's thread when it is done. It is not begun when it is
    ``unwanted`` by then."""

    def __init__(
        self,
        work: Callable[[], Any],
        deliver: Callable[[Any, BaseException | None], object],
        unwanted: Callable[[], bool] | None = None,
    ) -> None:
        self.deliver = deliver
        self.unwanted = unwanted
        self.ident: int | None = None
        self._work = work
        self._value: Any = None
        self._error: BaseException | None = None
        self._done: queue.SimpleQueue[None] = queue.SimpleQueue()

    def run(self) -> None:
        """In the worker thread."""
        self.ident = threading.get_ident()
        try:
            self._value = self._work()
        except BaseException as error:
            self._error = error
        self._done.put(None)

    def finish(self) -> None:
        """In the loop's thread: hand over what came of it."""
        self.deliver(self._value, self._error)

    def came_back(self, seconds: float) -> bool:
        """Wait for it, at most so long."""
        try:
            self._done.get(timeout=seconds)
        except queue.Empty:
            return False
        return True

    def frame(self) -> FrameType | None:
        """The innermost frame of its thread."""
        frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage]  # documented; there is no other way
        return None if self.ident is None else frames.get(self.ident)

    def place(self) -> str:
        """Where its thread is, in words."""
        return describe(self.frame(), Job.run.__code__)


class Threads:
    """The work that a loop gave to threads.

    ``asks`` says, given a thread's innermost frame, whether the thread waits for a task of the loop. ``called`` says
    whether a thread left something for the loop to do.
    """

    def __init__(self, real_time_s: float, asks: Callable[[FrameType], bool], called: Callable[[], bool]) -> None:
        self._real_time_s = real_time_s
        self._asks = asks
        self._called = called
        self._queue: deque[tuple[Job, Starter]] = deque()
        self._out: list[Job] = []

    def add(self, job: Job, start: Starter | None = None) -> None:
        """Ask for work. ``start`` gives it to somebody's own threads; else it gets one that lasts as long."""
        self._queue.append((job, start or _in_a_thread))

    def settle(self, mover: str) -> bool:
        """When nothing else is runnable: wait until a thread brings something. False when none can."""
        for job in self._out:
            if self.wait(job, mover):
                return True
        while self._queue:
            job, start = self._queue.popleft()
            if job.unwanted is not None and job.unwanted():
                continue
            self._out.append(job)
            start(job.run)
            if self.wait(job, mover):
                return True
        return False

    def wait(self, job: Job, mover: str) -> bool:
        """Wait for a thread that is out. Whether it brought something; False when it waits for the loop."""
        seen = 0
        slices = int(self._real_time_s / _SLICE_S) + 1
        for _ in range(slices):
            if job.came_back(_SLICE_S):
                self._out.remove(job)
                job.finish()
                return True
            if self._called():
                return True
            frame = job.frame()
            seen = seen + 1 if frame is not None and self._asks(frame) else 0
            if seen == _SEEN:
                return False
        raise HungError(mover, job.place(), self._real_time_s)


def _in_a_thread(work: Callable[[], None]) -> None:
    start_thread("stopcheck-worker", work)
