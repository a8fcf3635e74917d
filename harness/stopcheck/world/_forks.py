"""Forks: a process that a gate forks would be a copy of the kit, and go on with the whole campaign.

One idea: so it never comes to be. Python asks its audit hooks before it forks, and where a gate's code may run ours
refuses, at the very line; that is noted, since a gate may take the refusal for an error of its own. What native code
forks is not asked about; a copy ends where it comes back to the kit.

What runs another program (``subprocess``) is no fork of the kit, and is left alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from stopcheck.gate import GateForked
from stopcheck.world._code_places import calling_place

#: What Python says that it is about to do.
_FORKS = frozenset({"os.fork", "os.forkpty"})
#: How a copy ends. Nobody reads it.
_COPY = 70


class _Guard:
    """There is one, as there is one process; hooks cannot be taken out again, so it is idle outside of runs."""

    def __init__(self) -> None:
        self.depth = 0
        self.pid = 0
        self.refused: GateForked | None = None
        self._hooked = False

    def enter(self) -> None:
        if not self._hooked:
            self._hooked = True
            sys.addaudithook(self._hook)
        if self.depth == 0:
            self.refused = None
            self.pid = os.getpid()  # noqa: TID251 - compared with itself, to know a copy; enters nothing
        self.depth += 1

    def leave(self) -> None:
        self.came_back()
        self.depth -= 1

    def came_back(self) -> None:
        if self.depth and os.getpid() != self.pid:  # noqa: TID251 - see above
            os._exit(_COPY)

    def _hook(self, event: str, _arguments: tuple[Any, ...]) -> None:
        if self.depth and event in _FORKS:
            self.refused = _fault(event)
            raise self.refused


_guard = _Guard()


@contextmanager
def forks_refused() -> Generator[None, None, None]:
    """While a gate's code may run. Ask :func:`refused_fork` afterwards. May be entered within itself."""
    _guard.enter()
    try:
        yield
    finally:
        _guard.leave()


def refused_fork() -> GateForked | None:
    """The latest fork that was refused, once; ``None`` when there was none."""
    refused, _guard.refused = _guard.refused, None
    return refused


def end_copies() -> None:
    """The gate's code has come back: if this is a copy that native code made of the process, it ends here."""
    _guard.came_back()


def _fault(event: str) -> GateForked:
    place = calling_place(sys._getframe(2))  # pyright: ignore[reportPrivateUsage]  # documented; no other way
    return GateForked(
        f"the gate forks its process ({event}), at {place or 'an unknown place'}",
        cause="the copy would be one of the kit too, and go on with its campaign; and what a process does that the kit "
        "did not start is outside of the simulation",
        hint="do the work within the call; a gate that needs processes can be one itself: --command",
    )
