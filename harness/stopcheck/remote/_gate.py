"""A gate in another process, behind the same protocol as any other.

One idea: for the kit it is a gate of coroutines that await only what the environment gives: where its process parks,
the coroutine does. So everything that the kit does with gates, it does with this one.
"""

from __future__ import annotations

from typing import Any, Protocol

from stopcheck.gate import OPERATIONS, Environment, Gate, GateContract, Request
from stopcheck.remote._session import Parked, Session
from stopcheck.remote._wire import Branch, Fingerprint


class Keeper(Protocol):
    """Who owns the process behind a gate."""

    @property
    def contract(self) -> GateContract:
        """What the gate declares."""
        ...

    def step(self, session: Session, number: int, environment: Environment) -> Any:
        """Let a call of the session go on."""
        ...

    def ask(self, session: Session, message: Fingerprint) -> Any:
        """Ask something that cannot park."""
        ...

    def take_back(self, session: Session) -> None:
        """The run is over."""
        ...


class RemoteGate(Gate):
    """One handle: a session on one storage. Each operation is ``call``."""

    def __init__(self, keeper: Keeper, session: Session, environment: Environment) -> None:
        self.contract = keeper.contract  # type: ignore[misc] # a class of gates for each command would be no clearer
        self._keeper = keeper
        self._session = session
        self._environment = environment

    async def call(self, request: Request) -> Any:
        """Any operation."""
        operation = request.operation
        number = self._session.note(f"{operation} (call {request.call_id})", operation, request)
        while True:
            outcome = self._keeper.step(self._session, number, self._environment)
            if not isinstance(outcome, Parked):
                return outcome
            point = outcome.point
            if isinstance(point, Branch):
                await self._environment.branch(point.label, point.touches)
            else:
                await self._environment.blocked(point.label)

    def fingerprint(self) -> bytes | None:
        """What the process says, if its contract promises one."""
        if not self.contract.fingerprint:
            return None
        return str(self._keeper.ask(self._session, Fingerprint())).encode()

    def close(self) -> None:
        """The run is over."""
        self._keeper.take_back(self._session)


for _name in OPERATIONS:
    setattr(RemoteGate, _name, RemoteGate.call)
