"""Code on psycopg's asynchronous side, as a vendor would write it. Nothing here knows of the kit."""

from __future__ import annotations

import asyncio
from typing import LiteralString

import psycopg
from psycopg import AsyncConnection
from psycopg.errors import DeadlockDetected, LockNotAvailable
from psycopg_pool import AsyncConnectionPool
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine


class CheckThenInsert:
    """In one transaction, under READ COMMITTED: the status that was read is not held."""

    read_status: LiteralString = "SELECT status FROM task WHERE id = 1"

    def __init__(self, conninfo: str) -> None:
        self.conninfo = conninfo

    async def commit_effect(self) -> str:
        async with await AsyncConnection.connect(self.conninfo) as connection:
            found = await (await connection.execute(self.read_status)).fetchone()
            if found == ("cancelled",):
                return "stopped"
            await connection.execute("INSERT INTO effect VALUES ('e')")
            return "admitted"

    async def cancel(self) -> int:
        async with await psycopg.AsyncConnection.connect(self.conninfo) as connection:
            await connection.execute("UPDATE task SET status = 'cancelled' WHERE id = 1")
            return len(await (await connection.execute("SELECT id FROM effect")).fetchall())


class Locking(CheckThenInsert):
    """The same with a lock on the row."""

    read_status = "SELECT status FROM task WHERE id = 1 FOR UPDATE"


class Blocks(Locking):
    """The same with transaction blocks on a connection that commits by itself."""

    async def commit_effect(self) -> str:
        async with (
            await AsyncConnection.connect(self.conninfo, autocommit=True) as connection,
            connection.transaction(),
        ):
            found = await (await connection.execute(self.read_status)).fetchone()
            if found == ("cancelled",):
                return "stopped"
            await connection.execute("INSERT INTO effect VALUES ('e')")
            return "admitted"


class Alchemy(Locking):
    """The locking one on SQLAlchemy."""

    async def commit_effect(self) -> str:
        engine = create_async_engine(
            "postgresql+psycopg_async://", async_creator=lambda: AsyncConnection.connect(self.conninfo)
        )
        try:
            async with engine.begin() as connection:
                if (await connection.execute(text(self.read_status))).scalar_one() == "cancelled":
                    return "stopped"
                await connection.execute(text("INSERT INTO effect VALUES (:id)"), {"id": "e"})
                return "admitted"
        finally:
            await engine.dispose()


class Pooled(Locking):
    """The locking one on a pool."""

    def __init__(self, conninfo: str) -> None:
        super().__init__(conninfo)
        self.pool: AsyncConnectionPool | None = None

    async def commit_effect(self) -> str:
        if self.pool is None:
            self.pool = AsyncConnectionPool(self.conninfo, min_size=1, max_size=2, open=False)
        await self.pool.open()
        async with self.pool.connection() as connection:
            if await (await connection.execute(self.read_status)).fetchone() == ("cancelled",):
                return "stopped"
            await connection.execute("INSERT INTO effect VALUES ('e')")
            return "admitted"


class Crossed:
    """Two transactions that take two rows in opposite orders."""

    def __init__(self, conninfo: str, timeout: str = "0") -> None:
        self.conninfo = conninfo
        self.timeout = timeout

    async def take(self, first: int, second: int) -> str:
        try:
            async with await AsyncConnection.connect(self.conninfo) as connection:
                await connection.execute(f"SET lock_timeout = '{self.timeout}'")
                for row in (first, second):
                    await connection.execute("UPDATE task SET status = status || 'x' WHERE id = %s", (row,))
            return "both"
        except DeadlockDetected:
            return "deadlock"
        except LockNotAvailable:
            return "timeout"

    async def hold(self) -> None:
        """The first row, for five seconds."""
        async with await AsyncConnection.connect(self.conninfo) as connection:
            await connection.execute("UPDATE task SET status = status || 'x' WHERE id = 1")
            await asyncio.sleep(5)


class InMemoryToo:
    """What a reader knows when its answer is there, and what is in memory when it hears it."""

    def __init__(self, conninfo: str) -> None:
        self.conninfo = conninfo
        self.told = False

    async def look(self) -> tuple[str, bool]:
        async with await AsyncConnection.connect(self.conninfo, autocommit=True) as connection:
            found = await (await connection.execute("SELECT status FROM task WHERE id = 1")).fetchone()
            assert found is not None
            return found[0], self.told

    async def tell(self) -> None:
        async with await AsyncConnection.connect(self.conninfo, autocommit=True) as connection:
            self.told = True
            await connection.execute("UPDATE task SET status = 'cancelled' WHERE id = 1")


class EveryWay:
    """What else psycopg offers to say something with."""

    def __init__(self, conninfo: str) -> None:
        self.conninfo = conninfo

    async def speak(self) -> list[object]:
        heard: list[object] = []
        async with await AsyncConnection.connect(self.conninfo) as connection, connection.cursor() as cursor:
            await cursor.executemany("INSERT INTO effect VALUES (%s)", [("a",), ("b",)])
            async with cursor.copy("COPY effect FROM STDIN") as copy:
                await copy.write_row(("c",))
            async with cursor.copy("COPY (SELECT id FROM effect ORDER BY 1) TO STDOUT") as copy:
                heard.append([row async for row in copy.rows()])
            heard.append([row async for row in cursor.stream("SELECT id FROM effect ORDER BY 1")])
            async with connection.cursor("named") as named:
                await named.execute("SELECT id FROM effect ORDER BY 1")
                heard.append([await named.fetchone(), *await named.fetchall()])
            async with connection.pipeline():
                await connection.execute("INSERT INTO effect VALUES ('d')")
                heard.append(await (await connection.execute("SELECT count(*) FROM effect")).fetchall())
            async with connection.transaction(force_rollback=True):
                await connection.execute("DELETE FROM effect")
            await connection.set_isolation_level(None) if connection.info.transaction_status == 0 else None
            heard.append(await (await connection.execute("SELECT max(id) FROM effect")).fetchone())
        return heard
