"""Gates whose calls wait for ever, on every host, and gates that lack what every gate must have."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, ClassVar

import trio

from stopcheck.gate import BeginWork, CommitEffect, Environment, GateContract, HostKind, RequestCancel
from stopcheck_fixtures.reference.memory import MemoryGate
from tests.fast.world.async_gates import declared


class WaitsInline(MemoryGate):
    """Its commitment waits for something that nobody brings."""

    contract: ClassVar[GateContract] = declared(HostKind.INLINE)

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self.environment = environment

    async def commit_effect(self, request: CommitEffect) -> Any:  # type: ignore[override]
        """Never answers."""
        while True:
            await self.environment.blocked("a flag")


class WaitsOnTrio(MemoryGate):
    """Its commitment waits for an event that nobody sets."""

    contract: ClassVar[GateContract] = declared(HostKind.TRIO)

    async def commit_effect(self, request: CommitEffect) -> Any:  # type: ignore[override]
        """Never answers."""
        await trio.Event().wait()


class WaitsOnAsyncio(MemoryGate):
    """Its commitment takes its own lock twice."""

    contract: ClassVar[GateContract] = declared(HostKind.ASYNCIO)

    async def commit_effect(self, request: CommitEffect) -> Any:  # type: ignore[override]
        """Never answers."""
        lock = asyncio.Lock()
        async with lock, lock:
            return super().commit_effect(request)


class TakesItsLockTwice(MemoryGate):
    """The same, of blocking code."""

    contract: ClassVar[GateContract] = declared(HostKind.THREAD)

    def commit_effect(self, request: CommitEffect) -> Any:
        """Never answers."""
        lock = threading.Lock()
        with lock, lock:
            return super().commit_effect(request)


class InOtherOrders(MemoryGate):
    """Commitments and stops take two locks, each in its own order, and let others move between."""

    contract: ClassVar[GateContract] = declared(HostKind.ASYNCIO)

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self.environment = environment
        self.tasks, self.effects = asyncio.Lock(), asyncio.Lock()

    async def commit_effect(self, request: CommitEffect) -> Any:  # type: ignore[override]
        """The effects first."""
        async with self.effects:
            await self.environment.branch("between")
            async with self.tasks:
                return super().commit_effect(request)

    async def request_cancel(self, request: RequestCancel) -> Any:  # type: ignore[override]
        """The tasks first."""
        async with self.tasks:
            await self.environment.branch("between")
            async with self.effects:
                return super().request_cancel(request)


class StuckFromTheStart(MemoryGate):
    """No worker ever gets to work, in setup neither."""

    contract: ClassVar[GateContract] = declared(HostKind.ASYNCIO)

    async def begin_work(self, request: BeginWork) -> Any:  # type: ignore[override]
        """Never answers."""
        await asyncio.get_running_loop().create_future()
