"""Whatever a task awaits is a place where others can move, so it is a branch point too.

One idea: a task that gave the loop away goes on only when it is chosen. ``environment.branch`` says so itself; any
other await (a sleep, a lock that was held, a thread, a bare checkpoint) leads to a point as soon as the loop would go
on with the task. An await that does not suspend is no point: nobody can move there.

A cancellation is not held up: it reaches the task at once, since when it came was chosen already. Nor is what the
passage of time releases: whoever could move did so before it passed.
"""

from __future__ import annotations

import types
from collections.abc import Awaitable, Coroutine, Generator
from typing import Any, Protocol

from stopcheck.kernel._actors import Park

#: The label of a point to which another await than ``branch`` has led.
RESUMES = "await"


class Stage(Protocol):
    """The loop, as far as this module needs it."""

    free: bool

    def stand(self, park: Park, *, cancellable: bool = True) -> Awaitable[None]:
        """In a task: stand until chosen."""
        ...

    def stands(self, trap: object) -> bool:
        """Whether a task that yielded this stands already."""
        ...


#: A value that was sent, or an error that was thrown.
_Heard = tuple[Any, BaseException | None]


async def resuming(coroutine: Coroutine[Any, Any, Any], loop: Stage) -> Any:
    """Runs a task's coroutine, and stands after each await that suspended it."""
    try:
        return await _driven(coroutine, loop)
    except GeneratorExit:
        coroutine.close()
        raise


@types.coroutine
def _driven(coroutine: Coroutine[Any, Any, Any], loop: Stage) -> Generator[Any, Any, Any]:
    value: Any = None
    error: BaseException | None = None
    while True:
        try:
            trap = coroutine.send(value) if error is None else coroutine.throw(error)
        except StopIteration as stop:
            return stop.value
        value, error = yield from _asking(trap)
        if not loop.stands(trap) and not loop.free and (error is None or isinstance(error, Exception)):
            _, held_up = yield from _standing(loop)
            error = held_up or error


def _asking(trap: object) -> Generator[Any, Any, _Heard]:
    """What the loop answers."""
    try:
        return (yield trap), None
    except GeneratorExit:
        raise
    except BaseException as error:
        return None, error


def _standing(loop: Stage) -> Generator[Any, Any, _Heard]:
    """A point. What the loop has for the task is not lost by a cancellation that comes meanwhile."""
    try:
        yield from loop.stand(Park(RESUMES), cancellable=False).__await__()
    except GeneratorExit:
        raise
    except BaseException as error:
        return None, error
    return None, None


__all__ = ["RESUMES", "resuming"]
