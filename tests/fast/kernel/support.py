"""Small strategies and programs to try the kernel with."""

from __future__ import annotations

import random
from collections.abc import Coroutine, Generator, Iterable
from typing import Any

from stopcheck.kernel import Ending, Host, Kernel, Point, branch


class Script:
    """Answers by option name, one name per question; then the default. Keeps what it was asked."""

    def __init__(self, *wanted: str) -> None:
        self._wanted = list(wanted)
        self.asked: list[Point] = []

    def choose(self, point: Point) -> int:
        self.asked.append(point)
        return point.options.index(self._wanted.pop(0)) if self._wanted else 0


class Walk:
    """A seeded random walk."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def choose(self, point: Point) -> int:
        return self._random.randrange(len(point.options))


def moves(kernel: Kernel) -> list[str]:
    """What happened, in order, by option name."""
    return [what for _step, _now, what in kernel.log]


def play(
    actors: Iterable[tuple[str, Coroutine[Any, Any, Any]]], *wanted: str, host: Host | None = None
) -> tuple[Kernel, Ending]:
    """Run actors under a script, and close."""
    kernel = Kernel(Script(*wanted).choose, host=host)
    for name, coroutine in actors:
        kernel.spawn(name, coroutine)
    try:
        ending = kernel.run()
    finally:
        kernel.close()
    return kernel, ending


async def walker(*labels: str) -> None:
    """An actor that passes branch points with these labels."""
    for label in labels:
        await branch(label)


class Foreign:
    """An awaitable that only an event loop could answer."""

    def __await__(self) -> Generator[object, None, None]:
        yield self
