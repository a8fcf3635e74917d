"""Gates on aiosqlite, as somebody would write them: the reference's decisions, on what one row of a database holds."""

from __future__ import annotations

import pickle
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import Any

import aiosqlite
import msgspec

from stopcheck.gate import OPERATIONS, Durability, Environment, HostKind
from stopcheck_fixtures.reference.memory import MemoryGate


class InOneTransaction(MemoryGate):
    """Right: what is read, decided and written is one transaction, which has the write lock from its beginning."""

    contract = msgspec.structs.replace(
        MemoryGate.contract,
        name="on-aiosqlite",
        host=HostKind.ASYNCIO,
        durability=Durability.PROCESS_DEATH,
        serialised_calls=False,
        fingerprint=False,
    )

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._path = environment.storage / "gate.db"
        with closing(sqlite3.connect(self._path, isolation_level=None)) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("CREATE TABLE IF NOT EXISTS state (one INTEGER PRIMARY KEY, document BLOB)")
            db.execute("INSERT OR IGNORE INTO state VALUES (1, ?)", (pickle.dumps(self._tasks),))
        for name in OPERATIONS:
            setattr(self, name, partial(self.around, getattr(self, name)))

    async def around(self, operation: Callable[[Any], Any], request: Any) -> Any:
        """An operation."""
        async with aiosqlite.connect(self._path, isolation_level=None) as db:
            await db.execute("BEGIN IMMEDIATE")
            await self.read(db)
            reply = operation(request)
            await self.write(db)
            await db.commit()
        return reply

    async def read(self, db: aiosqlite.Connection) -> None:
        """What has been committed."""
        cursor = await db.execute("SELECT document FROM state")
        row = await cursor.fetchone()
        assert row is not None
        self._tasks = pickle.loads(row[0])

    async def write(self, db: aiosqlite.Connection) -> None:
        """What was decided."""
        await db.execute("UPDATE state SET document = ?", (pickle.dumps(self._tasks),))


class ChecksThenActs(InOneTransaction):
    """Wrong: a transaction is begun when there is something to write."""

    async def around(self, operation: Callable[[Any], Any], request: Any) -> Any:
        """Check, await, act."""
        async with aiosqlite.connect(self._path, isolation_level=None) as db:
            await self.read(db)
            reply, decided = operation(request), self._tasks
            await db.execute("BEGIN IMMEDIATE")
            self._tasks = decided
            await self.write(db)
            await db.commit()
        return reply


class Raises(InOneTransaction):
    """Broken: it can not be tried at all."""

    async def around(self, operation: Callable[[Any], Any], request: Any) -> Any:
        """Never."""
        raise RuntimeError("no")
