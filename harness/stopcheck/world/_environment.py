"""The environment that a gate is given in a run, and its death.

One idea: everything a gate can reach goes through here, so that when its process "dies", everything it
still holds is dead at once: each further use raises :class:`ProcessDied`, which no ``except Exception`` catches.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from pathlib import Path
from typing import Any

from stopcheck.gate import Receipt
from stopcheck.kernel import Park, current_call, current_loop, park_here


class ProcessDied(BaseException):
    """The process that this code belonged to died in the simulation."""


class _Point:
    """An inner branch point without an event loop: it can be awaited, or was already taken in a thread."""

    __slots__ = ("_park", "_taken")

    def __init__(self, park: Park, *, taken: bool) -> None:
        self._park = park
        self._taken = taken

    def __await__(self) -> Generator[Any, Any, None]:
        if not self._taken:
            yield self._park


def _deaf(value: object) -> None:
    """Nobody asks what a call has learned."""


class RunEnvironment:
    """Implements :class:`stopcheck.gate.Environment` for one handle of one generation of the gate."""

    def __init__(
        self,
        *,
        storage: Callable[[], Path],
        now: Callable[[], int],
        verify: Callable[[Receipt], bool],
        counter: dict[str, int],
        inner: bool,
        heard: Callable[[object], None] = _deaf,
    ) -> None:
        self._storage = storage
        self._now = now
        self._verify = verify
        self._counter = counter
        self._inner = inner
        self._heard = heard
        self.dead = False
        #: The latest branch point whose ``touches`` are the gate's own word.
        self.promised: Park | None = None

    def _alive(self) -> None:
        if self.dead:
            raise ProcessDied

    @property
    def storage(self) -> Path:
        """The directory of the gate's generation."""
        self._alive()
        return self._storage()

    def now_ns(self) -> int:
        """Virtual time."""
        self._alive()
        now_ns = self._now()
        self._heard(now_ns)
        return now_ns

    def fresh_id(self, prefix: str) -> str:
        """A new id: the prefix and an ordinal of its own."""
        self._alive()
        number = self._counter.get(prefix, 0) + 1
        self._counter[prefix] = number
        made = f"{prefix}-{number}"
        self._heard(made)
        return made

    def verify(self, receipt: Receipt) -> bool:
        """Whether the receiver that the receipt names signed it."""
        self._alive()
        genuine = self._verify(receipt)
        self._heard(genuine)
        return genuine

    def branch(self, label: str, touches: tuple[str, ...] = ()) -> Awaitable[None]:
        """An inner branch point."""
        self.promised = Park(label, touches)
        return self._point(self.promised)

    def blocked(self, label: str) -> Awaitable[None]:
        """Wait until another actor has moved."""
        return self._point(Park(label, blocked=True))

    def _point(self, park: Park) -> Awaitable[None]:
        self._alive()
        loop = current_loop()
        if loop is not None:
            return loop.stand(park)  # a coroutine, for nurseries and tasks want one
        if current_call() is None:
            return _Point(park, taken=False)
        if self._inner or park.blocked:
            park_here(park)
            self._alive()
        return _Point(park, taken=True)
