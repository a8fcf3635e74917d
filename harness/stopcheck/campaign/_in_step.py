"""Looking into one step of a run that is made again: what the gate printed, and stopping there in the debugger.

One idea: a run that is replayed is the same each time, so one may look at it from inside as often as one likes.
"""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pdb import Pdb
from types import FrameType
from typing import Any

from stopcheck.world import Entry


class Printed(io.TextIOBase):
    """Takes in what is printed, by the step of the run in which it is. It follows the run as an observer."""

    def __init__(self) -> None:
        self.lines: dict[int, list[str]] = {}
        self._step = 0
        self._rest = ""

    def observe(self, entry: Entry) -> None:
        """An event of the run: what comes now belongs to its step."""
        if entry.step != self._step:
            self._end_line()
        self._step = entry.step

    def digest(self) -> bytes:
        """No verdict depends on it."""
        return b""

    def write(self, text: str) -> int:
        """Called by whoever prints."""
        *whole, self._rest = (self._rest + text).split("\n")
        if whole:
            self.lines.setdefault(self._step, []).extend(whole)
        return len(text)

    @contextmanager
    def listening(self) -> Generator[None, None, None]:
        """Inside, the standard streams are this."""
        with redirect_stdout(self), redirect_stderr(self):
            yield
        self._end_line()

    def _end_line(self) -> None:
        if self._rest:
            self.write("\n")


class Stop:
    """Stops in the debugger where the gate's own code first runs in one step. ``reached``: whether it did."""

    def __init__(self, step: int, files: Iterable[str]) -> None:
        self._step = step
        self._files = frozenset(files)
        self._armed = False
        self.reached = False

    def begins(self, step: int) -> None:
        """The run goes on to a step."""
        self._armed = step == self._step and not self.reached

    @contextmanager
    def watching(self) -> Generator[None, None, None]:
        """Inside, it stops."""
        before = sys.gettrace()
        threading.settrace(self._trace)
        sys.settrace(self._trace)
        try:
            yield
        finally:
            sys.settrace(before)
            threading.settrace(None)

    def _trace(self, frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        if self._armed and event == "call" and frame.f_code.co_filename in self._files:
            self._armed, self.reached = False, True
            Pdb(nosigint=True).set_trace(frame)
            return sys.gettrace()
        return None
