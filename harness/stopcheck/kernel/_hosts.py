"""Hosts: how an actor's step is carried out.

One idea: the kernel says *who* moves; the host makes it move until it parks again, and knows nothing of why.
``inline`` drives coroutines by hand, without an event loop, at about a microsecond a step.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Protocol

from stopcheck.kernel._actors import Actor, Park, Perform
from stopcheck.kernel._errors import ForeignAwaitError


class Finished:
    """A nested call's end: its value, or what it raised."""

    __slots__ = ("error", "value")

    def __init__(self, value: Any = None, error: BaseException | None = None) -> None:
        self.value = value
        self.error = error


class NestedCall(Protocol):
    """A call that the host drives for an actor."""

    def advance(self) -> Park | Finished:
        """Run until it parks or ends."""
        ...

    def close(self) -> None:
        """Let go of it at the end of the run."""
        ...


class Host(Protocol):
    """What the kernel needs of a host."""

    def open(self, actor: Actor, call: Callable[[], Any]) -> NestedCall:
        """Prepare a nested call of ``actor``; nothing of it runs yet."""
        ...

    def close(self) -> None:
        """The run is over."""
        ...


def as_park(actor: Actor, yielded: object) -> Park:
    """What a coroutine yielded, as a reason to park. A bare ``yield`` (``asyncio.sleep(0)``) is a branch point."""
    if isinstance(yielded, Park):
        return yielded
    if yielded is None:
        return Park("await")
    raise ForeignAwaitError(actor.name, yielded)


class InlineCall:
    """A nested call in the ``inline`` host: a plain call, or a coroutine stepped by hand."""

    __slots__ = ("_actor", "_awaitable", "_call")

    def __init__(self, actor: Actor, call: Callable[[], Any]) -> None:
        self._actor = actor
        self._call = call
        self._awaitable: Any = None

    def advance(self) -> Park | Finished:
        """Run until it parks or ends."""
        try:
            if self._awaitable is None:
                value = self._call()
                if not inspect.isawaitable(value):
                    return Finished(value)
                self._awaitable = value if inspect.iscoroutine(value) else value.__await__()
            return as_park(self._actor, self._awaitable.send(None))
        except StopIteration as stop:
            return Finished(stop.value)
        except ForeignAwaitError:
            raise
        except Exception as error:
            return Finished(error=error)

    def close(self) -> None:
        """Finalise the coroutine; what its clean-up raises concerns nobody any more."""
        close = getattr(self._awaitable, "close", None)
        if close is not None:
            try:
                close()
            except BaseException:
                return


class InlineHost:
    """The host for gates whose calls are plain code or coroutines that await only the environment."""

    def open(self, actor: Actor, call: Callable[[], Any]) -> NestedCall:
        """Prepare a nested call."""
        return InlineCall(actor, call)

    def close(self) -> None:
        """Nothing to let go of."""


def step(actor: Actor, host: Host, graveyard: list[Any]) -> Park | Finished:
    """Move ``actor`` until it parks or ends, going through nested calls."""
    value: Any = None
    error: BaseException | None = None
    while True:
        if actor.call is not None:
            outcome = actor.call.advance()
            if isinstance(outcome, Park):
                return outcome
            graveyard_call, actor.call = actor.call, None
            graveyard_call.close()
            value, error = outcome.value, outcome.error
            actor.hear(value)
        try:
            if error is not None:
                yielded, error = actor.coroutine.throw(error), None
            else:
                yielded = actor.coroutine.send(value)
        except StopIteration as stop:
            return Finished(stop.value)
        if isinstance(yielded, Perform):
            actor.call = host.open(actor, yielded.call)
            continue
        return as_park(actor, yielded)
