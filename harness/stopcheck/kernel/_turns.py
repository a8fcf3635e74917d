"""What may happen in a run beside an actor's step, and how a run ends.

One idea: deaths and races against the clock are declared by whoever builds the run, as small objects that say what
may happen now; the kernel only puts it among the options.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

import msgspec


class Ending(StrEnum):
    """How a run (or a phase of it) ended.

    ``rest``: nothing can happen any more; who has not finished waits for something that never comes. ``deadlock``:
    likewise, but somebody waits for what another actor holds. ``cut`` is for whoever catches :class:`Cut`.
    """

    REST = "rest"
    DEADLOCK = "deadlock"
    STEP_BOUND = "step_bound"
    TIME_BOUND = "time_bound"
    CUT = "cut"


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of one run. ``steps`` usually runs out because two actors wait for each other by polling;
    ``virtual_ns`` because a gate names ever later wake-ups. ``real_s`` is for a :class:`Watchdog` around the run:
    the kernel itself reads no real clock."""

    steps: int = 5_000
    virtual_ns: int = 24 * 3600 * 1_000_000_000
    real_s: float = 10.0


class Peril(Protocol):
    """Something that may strike at any scheduling point, such as a crash."""

    def options(self) -> tuple[str, ...]:
        """The names of what may happen now, without prefix; empty when nothing may."""
        ...

    def strike(self, option: str) -> None:
        """It happens."""
        ...


class TimeRaces(Protocol):
    """Which timers may fire while actors could still move, and how often."""

    def options(self, timer: str, left_ns: int) -> tuple[str, ...]:
        """Of ``before``, ``at`` and ``after``: what may be chosen now for this timer, which is due in ``left_ns``."""
        ...

    def spend(self, timer: str, how: str) -> None:
        """One of them was chosen."""
        ...
