"""Ctrl-C and SIGTERM to the command that certifies: they end the campaign, and not its report.

One idea: a report that is due is written. A stop that comes while the campaign runs is the campaign's; the first one
that comes after that leaves out what the report can do without; after another one it is as everywhere.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any

_ENDING = (signal.SIGINT, signal.SIGTERM)
_SAID = b"the report is being written; once more ends without it\n"


class Stops:
    """While it is entered, the first stop is noted: then it is ``heard``."""

    def __init__(self) -> None:
        self.heard = False
        self._cuts = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Stops:
        if threading.current_thread() is threading.main_thread():
            for number in _ENDING:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._hear)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._let_go()

    def unless_heard(self, action: Callable[[], object]) -> None:
        """Do it, until a stop comes; not at all if one came before."""
        try:
            self._cuts = True
            if not self.heard:
                action()
        except KeyboardInterrupt:
            if not self.heard:
                raise
        finally:
            self._cuts = False

    def _let_go(self) -> None:
        while self._before:
            signal.signal(*self._before.popitem())

    def _hear(self, _number: int, _frame: FrameType | None) -> None:
        self.heard = True
        self._let_go()
        with suppress(OSError):
            os.write(2, _SAID)
        if self._cuts:
            raise KeyboardInterrupt
