"""The reference gate and its faulty kin on psycopg's asynchronous side, with the very same SQL.

One idea: as SQLAlchemy does it, each operation runs in a greenlet, in which whatever looks blocking awaits. So nothing
of the gates is written twice, and each statement is one of an ``AsyncConnection``, made by a task of the loop.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from typing import Any, LiteralString

import psycopg
from msgspec.structs import replace
from sqlalchemy.util import await_only, greenlet_spawn
from sqlalchemy.util.concurrency import in_greenlet

from stopcheck.gate import OPERATIONS, Environment, HostKind
from stopcheck_fixtures.faulty.between_statements import BETWEEN_STATEMENTS, Between, Optimistic
from stopcheck_fixtures.reference.postgres import PostgresGate
from stopcheck_fixtures.reference.postgres._store import Connection


class _Cursor:
    def __init__(self, cursor: psycopg.AsyncCursor[Any]) -> None:
        self._cursor = cursor
        self.rowcount = cursor.rowcount

    def fetchone(self) -> Any:
        return await_only(self._cursor.fetchone())

    def fetchall(self) -> Any:
        return await_only(self._cursor.fetchall())


class _Connection:
    """Of a blocking connection, what the reference uses."""

    def __init__(self, conninfo: str) -> None:
        self._connection = await_only(psycopg.AsyncConnection.connect(conninfo, autocommit=True))

    def execute(self, query: LiteralString, parameters: tuple[object, ...] | None = None) -> _Cursor:
        return _Cursor(await_only(self._connection.execute(query, parameters)))

    @contextmanager
    def transaction(self) -> Generator[None]:
        block = self._connection.transaction()
        await_only(block.__aenter__())
        try:
            yield
        except BaseException as error:
            await_only(block.__aexit__(type(error), error, error.__traceback__))
            raise
        await_only(block.__aexit__(None, None, None))

    def close(self) -> None:
        await_only(self._connection.close())


class InTasks(PostgresGate):
    """A gate of the reference's kind whose operations are tasks. What the kit asks outside of them blocks."""

    contract = replace(PostgresGate.contract, name="postgres-in-tasks", host=HostKind.ASYNCIO)

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._free: list[Any] = []
        for name in OPERATIONS:
            setattr(self, name, partial(greenlet_spawn, getattr(self, name)))

    @contextmanager
    def _connection(self) -> Generator[Connection]:
        if not in_greenlet():
            with super()._connection() as blocking:
                yield blocking
            return
        db: Any = self._free.pop() if self._free else _Connection(self._conninfo)
        try:
            yield db
        except BaseException:
            db.close()
            raise
        self._free.append(db)


class OptimisticInTasks(InTasks, Optimistic):
    """Right, and holds nothing."""


def in_tasks(between: Between) -> Between:
    """The same fault on the asynchronous side."""
    kind = type(f"{between.gate.__name__}InTasks", (InTasks, between.gate), {})
    return between._replace(gate=kind)


BETWEEN_AWAITS = tuple(map(in_tasks, BETWEEN_STATEMENTS))
