"""Choice points: the one function through which everything undetermined is asked.

One idea: **a run is a pure function of its choices.** Who moves next, what a fault does, when time passes and where
a process dies are all asked of ``choose(point) -> index``. Option 0 is always the default: go on with the actor
that moved last, else the first declared one; no fault; time only when nobody can move. So a run that answers 0
everywhere is the plain run, and shrinking means fewer answers that are not 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec

#: Kinds of choice points.
SCHEDULE = "run"
FAULT = "fault"

#: Prefixes of options at a scheduling point that are not an actor's step.
TIME_PREFIX = "time:"
CRASH_PREFIX = "crash:"


class Point(msgspec.Struct, eq=False):
    """One question to the strategy.

    ``options`` are names, never empty, option 0 the default: ``actor@label`` for a step, ``time:at:timer`` (or
    ``before``, ``after``) for time, ``crash:what`` for a death, and the fault's own names at a fault point.
    ``actor`` moved last, or asks for the fault. ``touches`` stands beside each option that is a step.
    ``state`` computes the digest of the whole simulated world, for strategies that cache; ``None`` at points where
    a step is half done.
    """

    kind: str
    actor: str
    label: str
    options: tuple[str, ...]
    step: int
    state: Callable[[], bytes] | None = None
    touches: tuple[tuple[str, ...], ...] = ()

    @property
    def name(self) -> str:
        """What is asked, in words that stand in a schedule: the kind, and at a fault point who and where."""
        return self.kind if self.kind == SCHEDULE else f"{self.actor}@{self.label}"


class Choice(msgspec.Struct, frozen=True, array_like=True):
    """One answer: what was asked (``Point.name``), the option's name, and its index when it was recorded."""

    point: str
    option: str
    index: int

    @property
    def deviates(self) -> bool:
        """Whether the answer was not the default."""
        return self.index != 0


class Chooser(Protocol):
    """A strategy's whole interface towards a run."""

    def choose(self, point: Point) -> int:
        """Answer with the index of one of ``point.options``. May raise :class:`Cut` to end the run here."""
        ...


class Cut(Exception):
    """Raised by a strategy to end a run: what follows from here is known already."""


class DefaultChooser:
    """Always option 0."""

    def choose(self, point: Point) -> int:
        """The default."""
        return 0


class Recorder:
    """Wraps a strategy and keeps the answers."""

    __slots__ = ("choices", "inner")

    def __init__(self, inner: Chooser) -> None:
        self.inner = inner
        self.choices: list[Choice] = []

    def choose(self, point: Point) -> int:
        """Ask the wrapped strategy and note its answer."""
        index = self.inner.choose(point)
        self.choices.append(Choice(point.name, point.options[index], index))
        return index
