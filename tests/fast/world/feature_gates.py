"""Adapters around the right gate in memory, each written with one means of its library: nothing in them knows the kit.

One idea: an adapter that works in production works here as it is. So each does what adapters do with that means, with
one branch point inside of it, where everybody else may move.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, cast

import trio

from stopcheck.gate import Environment, HostKind
from tests.fast.world.async_gates import Around, Operation, declared

#: What an operation is to an adapter: something to await, with a branch point inside.
Do = Callable[[], Awaitable[Any]]
Means = Callable[["Feature", Do], Awaitable[Any]]

#: Seconds that do not pass, and seconds that do.
LONG_S, SHORT_S = 60.0, 0.001
_caller: contextvars.ContextVar[str] = contextvars.ContextVar("caller", default="nobody")


class Feature(Around):
    """Wraps each operation in ``means``."""

    means: Means

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self.lock = trio.Lock() if self.contract.host is HostKind.TRIO else asyncio.Lock()
        self.request: Any = None
        self.do_in_thread: Callable[[], Any] = lambda: None

    async def around(self, operation: Operation, request: Any) -> Any:
        async def do() -> Any:
            await self.environment.branch("inside")
            return operation(request)

        self.request, self.do_in_thread = request, lambda: operation(request)
        return await type(self).means(self, do)


# -- trio -------------------------------------------------------------------------------------------------


async def _nursery(gate: Feature, do: Do) -> Any:
    replies: list[Any] = []

    async def child() -> None:
        replies.append(await do())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(child)
        nursery.start_soon(gate.environment.branch, "sibling")
    return replies[0]


async def _cancel_scope(gate: Feature, do: Do) -> Any:
    helper = trio.CancelScope()

    async def helps() -> None:
        with helper:
            await trio.sleep_forever()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(helps)
        reply = await do()
        helper.cancel()
    assert helper.cancelled_caught
    return reply


async def _move_on_after(gate: Feature, do: Do) -> Any:
    with trio.move_on_after(LONG_S):
        reply = await do()
    with trio.move_on_after(SHORT_S) as scope:
        await trio.sleep_forever()
    assert scope.cancelled_caught
    return reply


async def _trio_shield(gate: Feature, do: Do) -> Any:
    replies: list[Any] = []
    with trio.CancelScope() as scope:
        scope.cancel()
        with trio.CancelScope(shield=True):
            replies.append(await do())
        await trio.lowlevel.checkpoint()
        replies.clear()
    return replies[0]


async def _fail_after(gate: Feature, do: Do) -> Any:
    with trio.fail_after(LONG_S):
        return await do()


async def _trio_thread(gate: Feature, do: Do) -> Any:
    work = gate.do_in_thread
    await gate.environment.branch("inside")
    return await trio.to_thread.run_sync(work)


async def _trio_context(gate: Feature, do: Do) -> Any:
    mine = gate.request.call_id
    _caller.set(mine)
    seen: list[str] = []

    async def child() -> None:
        await gate.environment.branch("child")
        seen.append(_caller.get())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(child)
        reply = await do()
    seen += [_caller.get(), await trio.to_thread.run_sync(_caller.get)]
    assert seen == [mine] * 3
    return reply


# -- asyncio ----------------------------------------------------------------------------------------------


async def _task_group(gate: Feature, do: Do) -> Any:
    async with asyncio.TaskGroup() as group:
        work = group.create_task(_coroutine(do))
        group.create_task(cast("Coroutine[Any, Any, None]", gate.environment.branch("sibling")))
    return work.result()


async def _coroutine(do: Do) -> Any:
    return await do()


async def _task_cancel(gate: Feature, do: Do) -> Any:
    helper = asyncio.create_task(asyncio.Event().wait())
    reply = await do()
    helper.cancel()
    await asyncio.wait([helper])
    assert helper.cancelled()
    return reply


async def _timeout(gate: Feature, do: Do) -> Any:
    async with asyncio.timeout(LONG_S):
        reply = await do()
    try:
        async with asyncio.timeout(SHORT_S):
            await asyncio.Event().wait()
    except TimeoutError:
        return reply
    raise AssertionError("the time-out did not strike")


async def _asyncio_shield(gate: Feature, do: Do) -> Any:
    work = asyncio.ensure_future(_coroutine(do))
    waits = asyncio.ensure_future(_coroutine(lambda: asyncio.shield(work)))
    await asyncio.sleep(0)
    waits.cancel()
    await asyncio.wait([waits])
    return await work


async def _wait_for(gate: Feature, do: Do) -> Any:
    return await asyncio.wait_for(_coroutine(do), LONG_S)


async def _asyncio_thread(gate: Feature, do: Do) -> Any:
    work = gate.do_in_thread
    await gate.environment.branch("inside")
    return await asyncio.to_thread(work)


async def _asyncio_context(gate: Feature, do: Do) -> Any:
    mine = gate.request.call_id
    _caller.set(mine)

    async def child() -> str:
        await gate.environment.branch("child")
        return _caller.get()

    task = asyncio.create_task(child())
    reply = await do()
    assert [await task, _caller.get(), await asyncio.to_thread(_caller.get)] == [mine] * 3
    return reply


async def _lock(gate: Feature, do: Do) -> Any:
    async with cast("Any", gate.lock):
        return await do()


FEATURES: dict[HostKind, dict[str, Means]] = {
    HostKind.TRIO: {
        "nursery": _nursery,
        "cancel scope": _cancel_scope,
        "move_on_after": _move_on_after,
        "fail_after": _fail_after,
        "shield": _trio_shield,
        "to_thread": _trio_thread,
        "lock": _lock,
        "context variables": _trio_context,
    },
    HostKind.ASYNCIO: {
        "task group": _task_group,
        "cancelled task": _task_cancel,
        "timeout": _timeout,
        "wait_for": _wait_for,
        "shield": _asyncio_shield,
        "to_thread": _asyncio_thread,
        "lock": _lock,
        "context variables": _asyncio_context,
    },
}


def written_with(host: HostKind, feature: str) -> type[Feature]:
    """The adapter that uses one means of its host's library."""
    body = {"contract": declared(host), "means": staticmethod(FEATURES[host][feature])}
    return cast("type[Feature]", type("Feature", (Feature,), body))
