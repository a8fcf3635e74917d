"""Sights: what a witness looks for in a run, as a small automaton.

One idea: whether a situation was reached depends on what happened in which order, and two ways to one state of the
world may differ in just that. So how far a sight has come is part of the state that a search compares: else the way on
which the situation could still be completed might be cut off, and a right gate left without a verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

from stopcheck.world._events import Event


@runtime_checkable
class Sight(Protocol):
    """One situation. A ``stage`` is plain data (numbers, tuples): how far a run has come."""

    def first(self) -> Any:
        """The stage of a run in which nothing has happened."""
        ...

    def after(self, stage: Any, event: Event, /) -> Any:
        """The next stage."""
        ...

    def seen_at(self, stage: Any, /) -> bool:
        """Whether the situation was reached, if the run ends here."""
        ...

    def __call__(self, events: Sequence[Event], /) -> bool:
        """Whether a whole run reached it."""
        ...


class Watched:
    """How far the sights of a run's witnesses have come. What looks at whole runs only is told by nothing but whether
    it holds by now."""

    def __init__(self, looks: Sequence[Callable[[Sequence[Event]], bool]]) -> None:
        self._sights = [look for look in looks if isinstance(look, Sight)]
        self._others = [look for look in looks if not isinstance(look, Sight)]
        self._stages: list[Any] = [sight.first() for sight in self._sights]
        self._taken = 0

    def stages(self, events: Sequence[Event]) -> list[Any]:
        """After these events, which go on from those of the last call."""
        for event in events[self._taken :]:
            self._stages = [s.after(stage, event) for s, stage in zip(self._sights, self._stages, strict=True)]
        self._taken = len(events)
        return [*self._stages, *(look(events) for look in self._others)]


__all__ = ["Sight", "Watched"]
