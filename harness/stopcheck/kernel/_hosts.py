"""Hosts: how an actor's step is carried out.

One idea: the kernel says *who* moves; the host makes it move until it parks again, and knows nothing of why.
``inline`` drives coroutines by hand, without an event loop, at about a microsecond a step.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol

import msgspec

from stopcheck.kernel._actors import Actor, Park, Perform
from stopcheck.kernel._errors import ForeignAwaitError, HungError


class Finished(msgspec.Struct, eq=False):
    """A nested call's end: its value, or what it raised."""

    value: Any = None
    error: BaseException | None = None


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
        """No run uses it any more."""
        ...


def as_park(actor: Actor, yielded: object) -> Park:
    """What a coroutine yielded, as a reason to park. A bare ``yield`` (``asyncio.sleep(0)``) is a branch point."""
    if isinstance(yielded, Park):
        return yielded
    if yielded is None:
        return Park("await")
    raise ForeignAwaitError(actor.name, yielded)


def as_coroutine(value: Any) -> Coroutine[Any, Any, Any] | None:
    """What a call returned, as something to step; ``None`` when it returned a plain value."""
    if inspect.iscoroutine(value):
        return value
    return _await(value) if inspect.isawaitable(value) else None


async def _await(value: Awaitable[Any]) -> Any:
    return await value


def quietly_close(coroutine: Coroutine[Any, Any, Any]) -> None:
    """Finalise a coroutine; what its clean-up raises (or that it goes on waiting) concerns nobody any more."""
    try:
        coroutine.close()
    except (KeyboardInterrupt, HungError):
        raise
    except BaseException:
        return


class InlineCall:
    """A nested call in the ``inline`` host: a plain call, or a coroutine stepped by hand."""

    __slots__ = ("_actor", "_call", "_coroutine")

    def __init__(self, actor: Actor, call: Callable[[], Any]) -> None:
        self._actor = actor
        self._call = call
        self._coroutine: Coroutine[Any, Any, Any] | None = None

    def advance(self) -> Park | Finished:
        """Run until it parks or ends."""
        coroutine = self._coroutine
        try:
            if coroutine is None:
                value = self._call()
                coroutine = self._coroutine = as_coroutine(value)
                if coroutine is None:
                    return Finished(value)
            try:
                yielded = coroutine.send(None)
            except StopIteration as stop:
                return Finished(stop.value)
        except (KeyboardInterrupt, HungError):
            raise
        except BaseException as error:
            return Finished(error=error)
        return as_park(self._actor, yielded)

    @property
    def coroutine(self) -> Coroutine[Any, Any, Any] | None:
        """What is parked, for whoever wants to say where; ``None`` before and for a plain call."""
        return self._coroutine

    def close(self) -> None:
        """Finalise the coroutine."""
        if self._coroutine is not None:
            quietly_close(self._coroutine)


class InlineHost:
    """The host for gates whose calls are plain code or coroutines that await only the environment."""

    def open(self, actor: Actor, call: Callable[[], Any]) -> NestedCall:
        """Prepare a nested call."""
        return InlineCall(actor, call)

    def close(self) -> None:
        """Nothing to let go of."""


class Answered:
    """Stands in for a nested call that was abandoned: it ends at once with a given value."""

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = value

    def advance(self) -> Park | Finished:
        """The answer."""
        return Finished(self._value)

    def close(self) -> None:
        """Nothing to let go of."""


def step(actor: Actor, host: Host) -> Park | None:
    """Move ``actor`` until it parks (why) or has ended (``None``), going through nested calls."""
    value: Any = None
    error: BaseException | None = None
    while True:
        call = actor.call
        if call is not None:
            outcome = call.advance()
            if isinstance(outcome, Park):
                return outcome
            actor.call = None
            call.close()
            value, error = outcome.value, outcome.error
            actor.hear(value if error is None else f"raised {type(error).__qualname__}")
        try:
            yielded = actor.coroutine.send(value) if error is None else actor.coroutine.throw(error)
        except StopIteration as stop:
            actor.done, actor.free = True, False
            actor.result = stop.value
            return None
        except BaseException as failure:
            actor.done, actor.free = True, False
            actor.failure = failure
            raise
        if type(yielded) is Park:
            return yielded
        if not isinstance(yielded, Perform):
            return as_park(actor, yielded)
        actor.call = host.open(actor, yielded.call)
        error = None
