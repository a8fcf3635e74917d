"""Asynchronous gates around the right gate in memory: one for every host, and some that use what their library has."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, cast

import msgspec
import trio

from stopcheck.gate import (
    OPERATIONS,
    CommitEffect,
    Durability,
    Environment,
    GateContract,
    GateFactory,
    HostKind,
    TaskRef,
)
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_fixtures.reference.memory._state import Task

Operation = Callable[[Any], Any]


def declared(host: HostKind, **changes: Any) -> GateContract:
    """The reference's contract, on another host."""
    return msgspec.structs.replace(MemoryGate.contract, host=host, serialised_calls=False, **changes)


class Around(MemoryGate):
    """Each operation goes through :meth:`around`, except those that only read."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self.environment = environment
        for name in OPERATIONS:
            if name != "inspect":
                setattr(self, name, partial(self.around, getattr(self, name)))

    async def around(self, operation: Operation, request: Any) -> Any:
        """What happens around an operation."""
        raise NotImplementedError


class Pausing(Around):
    """Awaits nothing but the environment, so it runs on every host."""

    contract = declared(HostKind.INLINE)

    async def around(self, operation: Operation, request: Any) -> Any:
        await self.environment.branch("before")
        reply = operation(request)
        await self.environment.branch("after")
        return reply


def pausing_on(host: HostKind) -> GateFactory:
    """The pausing gate on a host."""
    return _on(Pausing, declared(host))


def _on(kind: type[Around], contract: GateContract) -> type[Around]:
    return cast("type[Around]", type(kind.__name__, (kind,), {"contract": contract}))


class OnTrio(Around):
    """A lock, a nursery, a time-out and a thread."""

    contract = declared(HostKind.TRIO)

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._lock = trio.Lock()

    async def around(self, operation: Operation, request: Any) -> Any:
        replies: list[Any] = []

        async def do() -> None:
            with trio.CancelScope(shield=True):
                await self.environment.branch("inside")
                replies.append(await trio.to_thread.run_sync(operation, request))

        with trio.move_on_after(60):
            async with self._lock, trio.open_nursery() as nursery:
                nursery.start_soon(do)
        return replies[0]


class OnAsyncio(Around):
    """The same in asyncio."""

    contract = declared(HostKind.ASYNCIO)

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._lock = asyncio.Lock()

    async def around(self, operation: Operation, request: Any) -> Any:
        async def do() -> Any:
            await self.environment.branch("inside")
            return await asyncio.to_thread(operation, request)

        async with asyncio.timeout(60), self._lock, asyncio.TaskGroup() as group:
            work = group.create_task(do())
        return work.result()


class Surviving(Around):
    """Durable, and asleep while it commits: in its sleep it can die."""

    memories: ClassVar[dict[Path, dict[TaskRef, Task]]] = {}
    woken: ClassVar[list[str]] = []

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._tasks = self.memories.setdefault(environment.storage, {})

    async def around(self, operation: Operation, request: Any) -> Any:
        if isinstance(request, CommitEffect):
            await self.environment.branch("committing")
            await (trio.sleep(1) if self.contract.host is HostKind.TRIO else asyncio.sleep(1))
            self.woken.append(self.environment.fresh_id("woken"))
        return operation(request)


def surviving_on(host: HostKind) -> GateFactory:
    """The surviving gate on a host."""
    return _on(Surviving, declared(host, durability=Durability.PROCESS_DEATH))


class Selfish(Around):
    """Takes two locks in the order of its handles' names and so, on two handles, in both orders."""

    locks: ClassVar[dict[HostKind, Callable[[], Any]]] = {HostKind.TRIO: trio.Lock, HostKind.ASYNCIO: asyncio.Lock}

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        make = self.locks[self.contract.host]
        self._first, self._second = make(), make()

    async def around(self, operation: Operation, request: Any) -> Any:
        one, other = self._first, self._second
        if isinstance(request, CommitEffect):
            one, other = other, one
        async with one:
            await self.environment.branch("one lock")
            async with other:
                return operation(request)


def selfish_on(host: HostKind) -> GateFactory:
    """The gate that may deadlock, on a host."""
    return _on(Selfish, declared(host))


class Peeking(Around):
    """Remembers what it saw before it got the lock: so what it does depends on where its calls stand, on what each has
    seen, and on who waits for the lock before whom. ``notes`` is part of its state."""

    last: ClassVar[tuple[str, ...]] = ()

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._lock = trio.Lock() if self.contract.host is HostKind.TRIO else asyncio.Lock()
        self.notes: list[str] = []

    async def around(self, operation: Operation, request: Any) -> Any:
        await self.environment.branch("peek")
        peeked = len(self.notes)
        async with self._lock:
            await self.environment.branch("locked")
            reply = operation(request)
            self.notes.append(f"{request.operation} of {request.call_id} missed {len(self.notes) - peeked}")
        return reply

    def fingerprint(self) -> bytes:
        return super().fingerprint() + repr(self.notes).encode()

    def close(self) -> None:
        Peeking.last = tuple(self.notes)


def peeking_on(host: HostKind) -> type[Around]:
    """The peeking gate on a host."""
    return _on(Peeking, declared(host))
