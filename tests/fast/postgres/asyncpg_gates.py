"""Code on asyncpg, as a vendor would write it. Nothing here knows of the kit."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
from asyncpg.exceptions import DeadlockDetectedError, LockNotAvailableError
from psycopg.conninfo import conninfo_to_dict


async def connected(conninfo: str, **more: Any) -> Any:
    """A connection to the database that libpq would be told of so."""
    known = conninfo_to_dict(conninfo)
    names = {"host": "host", "port": "port", "user": "user", "password": "password", "dbname": "database"}
    return await asyncpg.connect(**{ours: known[name] for name, ours in names.items() if name in known}, **more)


class CheckThenInsert:
    """In one transaction, under READ COMMITTED: the status that was read is not held."""

    read_status = "SELECT status FROM task WHERE id = $1"

    def __init__(self, conninfo: str) -> None:
        self.conninfo = conninfo

    async def commit_effect(self) -> str:
        connection = await connected(self.conninfo)
        try:
            async with connection.transaction():
                if await connection.fetchval(self.read_status, 1) == "cancelled":
                    return "stopped"
                await connection.execute("INSERT INTO effect VALUES ($1)", "e")
                return "admitted"
        finally:
            await connection.close()

    async def cancel(self) -> int:
        connection = await connected(self.conninfo)
        try:
            async with connection.transaction():
                await connection.execute("UPDATE task SET status = 'cancelled' WHERE id = 1")
                return len(await connection.fetch("SELECT id FROM effect"))
        finally:
            await connection.close()


class Locking(CheckThenInsert):
    """The same with a lock on the row."""

    read_status = "SELECT status FROM task WHERE id = $1 FOR UPDATE"


class Pooled(Locking):
    """The same on a pool."""

    def __init__(self, conninfo: str) -> None:
        super().__init__(conninfo)
        self.pool: Any = None

    async def commit_effect(self) -> str:
        if self.pool is None:
            self.pool = asyncpg.create_pool(
                min_size=1, max_size=2, connect=lambda *_, **more: connected(self.conninfo, **more)
            )
        await self.pool
        async with self.pool.acquire() as connection, connection.transaction():
            if await connection.fetchval(self.read_status, 1) == "cancelled":
                return "stopped"
            await connection.execute("INSERT INTO effect VALUES ($1)", "e")
            return "admitted"


class Crossed:
    """Two transactions that take two rows in opposite orders."""

    def __init__(self, conninfo: str, timeout: str = "0") -> None:
        self.conninfo = conninfo
        self.timeout = timeout

    async def take(self, first: int, second: int) -> str:
        connection = await connected(self.conninfo)
        try:
            async with connection.transaction():
                await connection.execute(f"SET LOCAL lock_timeout = '{self.timeout}'")
                for row in (first, second):
                    await connection.execute("UPDATE task SET status = status || 'x' WHERE id = $1", row)
            return "both"
        except DeadlockDetectedError:
            return "deadlock"
        except LockNotAvailableError:
            return "timeout"
        finally:
            await connection.close()

    async def hold(self) -> None:
        """The first row, for five seconds."""
        connection = await connected(self.conninfo)
        try:
            async with connection.transaction():
                await connection.execute("UPDATE task SET status = status || 'x' WHERE id = 1")
                await asyncio.sleep(5)
        finally:
            await connection.close()


class InMemoryToo:
    """What a reader knows when its answer is there, and what is in memory when it hears it."""

    def __init__(self, conninfo: str) -> None:
        self.conninfo = conninfo
        self.told = False

    async def look(self) -> tuple[str, bool]:
        connection = await connected(self.conninfo)
        try:
            return await connection.fetchval("SELECT status FROM task WHERE id = 1"), self.told
        finally:
            await connection.close()

    async def tell(self) -> None:
        connection = await connected(self.conninfo)
        try:
            self.told = True
            await connection.execute("UPDATE task SET status = 'cancelled' WHERE id = 1")
        finally:
            await connection.close()


class EveryWay:
    """What else asyncpg offers to say something with."""

    def __init__(self, conninfo: str) -> None:
        self.conninfo = conninfo

    async def speak(self) -> list[object]:
        heard: list[object] = []
        connection = await connected(self.conninfo)
        await connection.executemany("INSERT INTO effect VALUES ($1)", [("a",), ("b",)])
        await connection.copy_records_to_table("effect", records=[("c",), ("d",)])
        written: list[bytes] = []

        async def write(data: bytes) -> None:
            written.append(data)

        await connection.copy_from_query("SELECT id FROM effect ORDER BY 1", output=write)
        heard.append(b"".join(written))
        async with connection.transaction():
            heard.append([row[0] async for row in connection.cursor("SELECT id FROM effect ORDER BY 1", prefetch=1)])
            statement = await connection.prepare("SELECT count(*) FROM effect WHERE id > $1")
            heard.append([await statement.fetchval("a"), await statement.fetchval("b")])
        try:
            async with connection.transaction():
                await connection.execute("DELETE FROM effect")
                async with connection.transaction():
                    await connection.execute("SELECT 1/0")
        except asyncpg.DivisionByZeroError as error:
            heard.append(error.sqlstate)
        try:
            await connection.fetch("SELECT nothing FROM effect")
        except asyncpg.UndefinedColumnError as error:
            heard.append(error.sqlstate)
        heard.append(await connection.fetchval("SELECT repeat('x', 300000)") == "x" * 300000)
        heard.append(await connection.fetchval("SELECT count(*) FROM effect WHERE id < $1", "z" * 900000))
        heard.append(await connection.execute("SELECT 1; SELECT 2"))
        await connection.close()
        return heard
