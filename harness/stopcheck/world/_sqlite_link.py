"""When a statement parks, and when it waits: SQLite's own rules, in virtual time.

One idea: one :class:`Link` lies beside each of a gate's connections and acts for it.

What waits and what does not is SQLite's own rule: its busy handler is asked only by a connection that holds no read
transaction, and never for a stale snapshot (``SQLITE_BUSY_SNAPSHOT``). All other errors reach the gate at once; a wait
that lasts longer than the connection's ``timeout``, in virtual time, ends in "database is locked", as it would.

A statement inside a transaction that holds the write lock, and a SELECT inside one whose snapshot is fixed, park only
when ``every_statement`` is asked for: SQLite isolates them, so they commute with whatever another connection does, and
a death there leaves what a death at the COMMIT leaves. (Held by a test: the same outcomes with and without.) Not so
with a shared cache, with ``read_uncommitted`` or with an attached database: there every statement parks.
"""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Callable
from pathlib import PurePath
from typing import Any, Protocol, TypeVar

from stopcheck.world._inner_points import InnerPoints, Life
from stopcheck.world._sql_text import Statement, statement_of

R = TypeVar("R")

LEGACY = getattr(sqlite3, "LEGACY_TRANSACTION_CONTROL", -1)
_SQLITE_BUSY = 5
_SQLITE_BUSY_SNAPSHOT = 517
_SECOND_NS = 1_000_000_000


class Releases(Protocol):
    """What connections share: the points of the run, and how often a lock may have been let go of."""

    points: InnerPoints
    released: int

    def release(self) -> None:
        """Those who wait may try again."""
        ...


class Link:
    """What the kit keeps with one connection, and how it acts for it. It does not refer to the connection, whose last
    reference must be the gate's: dropping it closes the connection."""

    __slots__ = ("drop", "has_read", "has_written", "isolated", "life", "points", "store", "timeout_ns", "touches")

    def __init__(self, store: Releases, database: object, timeout_s: float) -> None:
        self.store = store
        self.drop: weakref.finalize[..., sqlite3.Connection] | None = None
        self.points = store.points
        self.life: Life = store.points.life
        self.timeout_ns = round(timeout_s * _SECOND_NS)
        self.touches = (f"sqlite:{_file_name(database)}",)
        self.has_read = False
        self.has_written = False
        self.isolated = "cache=shared" not in str(database)

    def closed(self) -> None:
        """The connection was closed. When its memory is reclaimed is no event any more: that can be in another run."""
        if self.drop is not None:
            self.drop.detach()
        self.store.release()

    def point(self, label: str, sql: str) -> None:
        """A branch point of this connection."""
        self.life.check()
        self.points.point(label, self.touches, sql)
        self.life.check()

    def guarded(self, connection: sqlite3.Connection, sql: str, act: Callable[[], R]) -> R:
        """Park, then act; while the database is locked by another, wait and act again."""
        statement = statement_of(sql)
        if statement.breaks_isolation:
            self.isolated = False
        if statement.local or self.commutes(connection, statement):
            self.life.check()
        else:
            self.point(statement.label, sql)
        give_up_ns: int | None = None
        while True:
            try:
                result = act()
            except sqlite3.Error as error:
                if give_up_ns is None:
                    give_up_ns = self.points.now_ns() + self.timeout_ns
                if self.would_wait(connection, statement, error) and self._wait(statement, sql, give_up_ns):
                    continue
                self.points.heard((sql, str(error)))
                self.acted(connection, statement)
                raise
            self.acted(connection, statement)
            return result

    def begin_by_itself(self, connection: sqlite3.Connection) -> None:
        """The BEGIN that ``sqlite3`` makes before a statement that changes rows."""
        level = connection.isolation_level
        if level is None or connection.in_transaction:
            return
        if getattr(connection, "autocommit", LEGACY) == LEGACY:
            begin = f"BEGIN {level}".strip()
            self.guarded(connection, begin, lambda: sqlite3.Cursor(connection).execute(begin))

    def fetched(self, connection: sqlite3.Connection, rows: int) -> None:
        """That no rows came is news too; and outside a transaction a fetch may end a read that others wait for."""
        self.points.heard(rows)
        if not connection.in_transaction:
            self.store.release()

    def note_row(self, cursor: sqlite3.Cursor, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """A row factory that changes nothing."""
        self.points.heard(row)
        return row

    def commutes(self, connection: sqlite3.Connection, statement: Statement) -> bool:
        """Whether SQLite keeps this statement apart from whatever other connections do meanwhile."""
        if self.points.every_statement or not self.isolated or not connection.in_transaction:
            return False
        if self.has_written:
            return statement.writes or statement.reads
        return self.has_read and statement.reads

    def would_wait(self, connection: sqlite3.Connection, statement: Statement, error: sqlite3.Error) -> bool:
        """Whether SQLite would ask its busy handler instead of raising this."""
        code: int = getattr(error, "sqlite_errorcode", 0)
        if code & 0xFF != _SQLITE_BUSY or code == _SQLITE_BUSY_SNAPSHOT:
            return False
        # SQLite does not ask its busy handler for a connection that already reads: waiting could be for ever.
        return statement.label == "sql:COMMIT" or not (connection.in_transaction and self.has_read)

    def _wait(self, statement: Statement, sql: str, give_up_ns: int) -> bool:
        if self.points.now_ns() >= give_up_ns:
            return False
        seen = self.store.released
        waited = self.points.wait(
            statement.label, self.touches, sql, ready=lambda: self.store.released != seen, until_ns=give_up_ns
        )
        self.life.check()
        return waited

    def acted(self, connection: sqlite3.Connection, statement: Statement) -> None:
        """A statement was made, or failed."""
        if statement.local:
            return
        if not connection.in_transaction or statement.ends:
            self.has_read = self.has_written = False
            self.store.release()
        elif not statement.starts:
            self.has_read = True
        if connection.in_transaction and (statement.writes or statement.locks):
            self.has_written = True


def _file_name(database: object) -> str:
    """A database's file name without its directory, which differs from run to run."""
    text = database.decode() if isinstance(database, bytes) else str(database)
    return PurePath(text.removeprefix("file:").split("?", 1)[0]).name or ":memory:"
