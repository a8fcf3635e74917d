"""The real-time bound on a run: code that never comes back is a finding, not a hung campaign.

One idea: only a signal can interrupt ``while True: pass`` in the main thread, and it can raise where the code hangs.
The watchdog looks a few times per period whether a new run began since; so a run tells it with one assignment.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

from stopcheck.kernel._errors import HungError
from stopcheck.kernel._hosts import step
from stopcheck.kernel._loop_threads import Threads
from stopcheck.kernel._places import caller, describe
from stopcheck.kernel._threads import ThreadCall

_LOOKS = 4  # per period; a hang is found between one period and a quarter more


class Watchdog:
    """Raises :class:`HungError` in the main thread when more than ``seconds`` pass without a call of :meth:`rearm`.

    Use it around one run or around many, calling ``rearm`` at the start of each. It raises again, every quarter of the
    period, if the hung code swallows the error. Off the main thread, and where there are no interval timers
    (Windows), it does nothing. It uses ``SIGALRM``, and puts back whoever used that before.
    """

    def __init__(self, seconds: float) -> None:
        if seconds <= 0:
            raise ValueError(f"a watchdog needs a positive number of seconds, not {seconds:g}")
        self.seconds = seconds
        self.armed = False
        self._looks = 0
        self._before: tuple[Any, float, float] = (None, 0.0, 0.0)

    def rearm(self) -> None:
        """A new run begins."""
        self._looks = 0

    def __enter__(self) -> Watchdog:
        self._looks = 0
        self.armed = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        if self.armed:
            handler = signal.signal(signal.SIGALRM, self._look)
            every = self.seconds / _LOOKS
            self._before = (handler, *signal.setitimer(signal.ITIMER_REAL, every, every))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.armed:
            self.armed = False
            handler, delay, interval = self._before
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL if handler is None else handler)
            signal.setitimer(signal.ITIMER_REAL, delay, interval)

    def _look(self, number: int, frame: FrameType | None) -> None:
        if not self.armed:
            return
        self._looks += 1
        if self._looks >= _LOOKS:
            raise HungError(*_who_and_where(frame), self.seconds)


def _who_and_where(frame: FrameType | None) -> tuple[str, str]:
    """The actor whose step hangs, and where; read from the kit's own frames on the stack, so that a run need not tell
    anybody what it is doing."""
    waiting = caller(frame, ThreadCall.advance.__code__)
    outside = caller(frame, Threads.wait.__code__)
    if waiting is not None:
        where = waiting.f_locals["self"].place()
    else:
        where = describe(frame, step.__code__) if outside is None else outside.f_locals["job"].place()
    stepping = caller(frame, step.__code__)
    return ("the run" if stepping is None else stepping.f_locals["actor"].name), where
