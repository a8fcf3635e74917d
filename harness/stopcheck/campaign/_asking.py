"""Asking a gate by itself, when nobody else calls: an answer that has to be awaited is driven to its end."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Generator
from typing import Any, cast

import trio

from stopcheck.gate import HostKind

#: Real seconds that an answer may take in a loop of its own.
_PATIENCE_S = 10.0
#: How often a coroutine without a loop is sent on. It cannot wait for others, for there are none.
_MOST_STEPS = 10_000


def answer_of(answer: object, host: HostKind) -> object:
    """The answer, awaited where it has to be, as the host does it. Raises what the gate raises, and ``TimeoutError``
    when it never answers."""
    if not inspect.isawaitable(answer):
        return answer
    if host is HostKind.TRIO:
        return trio.run(_in_trio, answer)
    if host is HostKind.ASYNCIO:
        return asyncio.run(_in_asyncio(answer))
    return _stepped(answer)


async def _in_trio(answer: Awaitable[object]) -> object:
    try:
        with trio.fail_after(_PATIENCE_S):
            return await answer
    except trio.TooSlowError as error:
        raise TimeoutError from error


async def _in_asyncio(answer: Awaitable[object]) -> object:
    async with asyncio.timeout(_PATIENCE_S):
        return await answer


def _stepped(answer: Awaitable[object]) -> object:
    steps = cast("Generator[object, None, Any]", answer.__await__())
    try:
        for _ in range(_MOST_STEPS):
            next(steps)
    except StopIteration as end:
        return end.value
    steps.close()
    raise TimeoutError
