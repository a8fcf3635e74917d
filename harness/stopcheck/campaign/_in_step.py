"""Looking into one step of a run that is made again: what the gate printed, and stopping there in the debugger.

One idea: a run that is replayed is the same each time, so one may look at it from inside as often as one likes.
"""

from __future__ import annotations

import io
import sys
import threading
from bdb import BdbQuit
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


class _Debugger(Pdb):
    """A debugger whose ``q`` ends the program, where pdb's would be an exception that the gate raised."""

    def trace_dispatch(self, frame: FrameType, event: str, arg: Any) -> Any:
        """Called by the interpreter."""
        try:
            return super().trace_dispatch(frame, event, arg)
        except BdbQuit:
            raise KeyboardInterrupt from None


class Stop:
    """Stops in the debugger where the gate's own code first runs, or runs on, in the call that moves in one step.
    ``reached``: whether it did; ``moved``: the steps in which calls moved."""

    def __init__(self, step: int, files: Iterable[str]) -> None:
        self._step = step
        self._files = frozenset(files)
        self._who = ""
        self.reached = False
        self.moved: list[int] = []

    @contextmanager
    def segment(self, step: int, actor: str) -> Generator[None, None, None]:
        """Inside, a call runs on; what the kit asks the gate beside that (its fingerprint) is no part of it."""
        self.moved.append(step)
        self._who = actor if step == self._step and not self.reached else ""
        try:
            yield
        finally:
            self._who = ""

    @contextmanager
    def watching(self) -> Generator[None, None, None]:
        """Inside, it stops."""
        before = sys.gettrace()
        threading.settrace(self._enter)
        sys.settrace(self._enter)
        try:
            yield
        finally:
            sys.settrace(before)
            threading.settrace(None)

    def _enter(self, frame: FrameType, _event: str, _arg: Any) -> Callable[..., Any] | None:
        """A call that parks goes on in the middle of its code, so whatever is the gate's is followed from its start."""
        return self._follow if frame.f_code.co_filename in self._files else None

    def _follow(self, frame: FrameType, event: str, arg: Any) -> Callable[..., Any] | None:
        if not self._who or event not in {"line", "return"}:
            return self._follow
        debugger = _Debugger(nosigint=True)
        debugger.message(f"step {self._step}: {self._who} runs in {frame.f_code.co_qualname}")
        self._who, self.reached = "", True
        debugger.set_trace(frame)
        debugger.trace_dispatch(frame, event, arg)
        return sys.gettrace()
