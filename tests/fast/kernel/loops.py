"""Runs of nested calls on a host with an event loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from stopcheck.kernel import Ending, Kernel, LoopHost, Park, current_loop, perform
from stopcheck.kernel._resuming import RESUMES
from tests.fast.kernel.support import Script, moves

SECOND = 1_000_000_000

MakeHost = Callable[[Callable[[], int]], LoopHost]


class Played(NamedTuple):
    """What came of a run."""

    ending: Ending
    moves: list[str]
    results: list[Any]
    now_ns: int

    @property
    def points(self) -> list[str]:
        """The moves but for those from one await of the library's own to the next: how many these are is its affair."""
        return [move for move in self.moves if not move.partition("@")[2].startswith(RESUMES)]


async def stand(label: str = "point", *, blocked: bool = False) -> None:
    """What ``environment.branch`` and ``blocked`` do."""
    loop = current_loop()
    assert loop is not None
    await loop.stand(Park(label, blocked=blocked))


class AnyTime:
    """Every timer may race, as often as it likes."""

    def options(self, timer: str, left_ns: int) -> tuple[str, ...]:
        return ("before", "at", "after")

    def spend(self, timer: str, how: str) -> None:
        pass


def play(
    make: MakeHost,
    *wanted: str,
    choose: Any = None,
    races: bool = False,
    **operations: Any,
) -> Played:
    """One actor performs each operation; its result is the operation's, or what it raised."""
    kernels: list[Kernel] = []
    host = make(lambda: kernels[0].now_ns)
    kernel = Kernel(choose or Script(*wanted).choose, host=host)
    kernels.append(kernel)
    if races:
        kernel.races = AnyTime()

    async def actor(operation: Callable[[], Any]) -> Any:
        try:
            return await perform(operation)
        except Exception as error:
            return error

    for name, operation in operations.items():
        kernel.spawn(name, actor(operation))
    try:
        ending = kernel.run()
    finally:
        kernel.close()
        host.close()
    return Played(ending, moves(kernel), [one.result for one in kernel.actors], kernel.now_ns)
