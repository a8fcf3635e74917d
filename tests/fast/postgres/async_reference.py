"""The reference gate and its faulty kin on asynchronous drivers of PostgreSQL, with the very same SQL.

One idea: as SQLAlchemy does it, each operation runs in a greenlet, in which whatever looks blocking awaits. So nothing
of the gates is written twice, and each statement is one of an asynchronous connection, made by a task of the loop.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from typing import Any, ClassVar, LiteralString

import asyncpg
import psycopg
from msgspec.structs import replace
from sqlalchemy.util import await_only, greenlet_spawn
from sqlalchemy.util.concurrency import in_greenlet

from stopcheck.gate import OPERATIONS, Environment, HostKind
from stopcheck_fixtures.faulty.between_statements import BETWEEN_STATEMENTS, Between, Optimistic
from stopcheck_fixtures.reference.postgres import PostgresGate
from stopcheck_fixtures.reference.postgres._store import Connection
from tests.fast.postgres.asyncpg_gates import connected


class _Bridge:
    """Of a blocking connection, what the reference uses but for its statements."""

    _connection: Any

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


class _Cursor:
    def __init__(self, cursor: psycopg.AsyncCursor[Any]) -> None:
        self._cursor = cursor
        self.rowcount = cursor.rowcount

    def fetchone(self) -> Any:
        return await_only(self._cursor.fetchone())

    def fetchall(self) -> Any:
        return await_only(self._cursor.fetchall())


class _Connection(_Bridge):
    """On psycopg's."""

    def __init__(self, conninfo: str) -> None:
        self._connection = await_only(psycopg.AsyncConnection.connect(conninfo, autocommit=True))

    def execute(self, query: LiteralString, parameters: tuple[object, ...] | None = None) -> _Cursor:
        return _Cursor(await_only(self._connection.execute(query, parameters)))


class _Found:
    """What asyncpg answers, as a cursor."""

    def __init__(self, rows: list[Any]) -> None:
        self._rows = [tuple(row) for row in rows]
        self.rowcount = len(rows)

    def fetchone(self) -> Any:
        return self._rows[0] if self._rows else None

    def fetchall(self) -> Any:
        return self._rows


class _OnAsyncpg(_Bridge):
    """On asyncpg's."""

    def __init__(self, conninfo: str) -> None:
        self._connection = await_only(connected(conninfo))

    def execute(self, query: LiteralString, parameters: tuple[object, ...] = ()) -> _Found:
        numbers = itertools.count(1)
        return await_only(self._made(re.sub("%s", lambda _: f"${next(numbers)}", query), parameters))

    async def _made(self, query: str, parameters: tuple[object, ...]) -> _Found:
        try:
            if query.split(maxsplit=1)[0] in {"SELECT", "INSERT"}:
                rows = await self._connection.fetch(f"{query} RETURNING 1" if query[0] == "I" else query, *parameters)
                return _Found(rows)
            await self._connection.execute(query, *parameters)
            return _Found([])
        except asyncpg.SerializationError as error:
            raise psycopg.errors.SerializationFailure(str(error)) from error


class InTasks(PostgresGate):
    """A gate of the reference's kind whose operations are tasks. What the kit asks outside of them blocks."""

    contract = replace(PostgresGate.contract, name="postgres-in-tasks", host=HostKind.ASYNCIO)
    connection: ClassVar[Any] = _Connection

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
        db: Any = self._free.pop() if self._free else self.connection(self._conninfo)
        try:
            yield db
        except BaseException:
            db.close()
            raise
        self._free.append(db)


class OnAsyncpg(InTasks):
    """The same on asyncpg."""

    connection = _OnAsyncpg


class OptimisticInTasks(InTasks, Optimistic):
    """Right, and holds nothing."""


class OptimisticOnAsyncpg(OnAsyncpg, Optimistic):
    """The same on asyncpg."""


def with_the_fault(between: Between, kind: type[InTasks]) -> Between:
    """The same fault on the asynchronous side."""
    name = f"{between.gate.__name__}{kind.__name__}"
    return between._replace(gate=type(name, (kind, between.gate), {}))


BETWEEN_AWAITS = tuple(with_the_fault(between, InTasks) for between in BETWEEN_STATEMENTS)
BETWEEN_AWAITS_ON_ASYNCPG = tuple(with_the_fault(between, OnAsyncpg) for between in BETWEEN_STATEMENTS)
