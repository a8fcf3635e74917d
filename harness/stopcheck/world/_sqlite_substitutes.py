"""Connections and cursors that park at each statement, for gates of plain ``sqlite3`` code.

One idea: the gate's code stays as it is; its connection is a subclass of the one that it asked for. Before each
statement (also BEGIN, COMMIT and ROLLBACK, and the BEGIN that ``sqlite3`` makes by itself) there is a branch point, and
a database that another call has locked makes this one wait in virtual time instead of stopping the kit.

Known limits: a connection that is made at import time, by a function-level ``import sqlite3`` or by a factory that is
not a class is not seen; the ``touches`` of statements on attached databases name the main one only; pragmas that
concern the connection alone, and fetching, are no branch points (no other call can tell when they happen).
"""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any, Literal, cast

from stopcheck.kernel import current_call
from stopcheck.world._inner_points import InnerPoints
from stopcheck.world._sql_text import statement_of, statements_of
from stopcheck.world._sqlite_link import LEGACY, Link

_MILLISECOND_NS = 1_000_000
_PARAMETERS = ("timeout", "detect_types", "isolation_level", "check_same_thread", "factory", "cached_statements", "uri")


_set_row_factory: Callable[[sqlite3.Cursor, Any], None] = cast(Any, sqlite3.Cursor.row_factory).__set__


class SubstituteConnection(sqlite3.Connection):
    """A connection that parks. Made by :meth:`SqliteSubstitutes.connect` only. The name of its one attribute is chosen
    so that no subclass of a gate has it."""

    stopcheck_link: Link

    def commit(self) -> None:
        """COMMIT, if a transaction is open."""
        self._end("COMMIT", super().commit)

    def rollback(self) -> None:
        """ROLLBACK, if a transaction is open."""
        self._end("ROLLBACK", super().rollback)

    def _end(self, sql: str, act: Callable[[], None]) -> None:
        self.stopcheck_link.life.check()
        if self.in_transaction:
            self.stopcheck_link.guarded(self, sql, act)
        else:
            act()

    def __exit__(self, kind: Any, value: Any, trace: Any) -> Literal[False]:
        """As ``sqlite3`` has it: commit, or roll back when the block or the commit failed."""
        if kind is not None:
            self.rollback()
            return False
        try:
            self.commit()
        except sqlite3.Error:
            self.rollback()
            raise
        return False

    def close(self) -> None:
        """Close; an open transaction is rolled back by it, which others can see."""
        link = self.stopcheck_link
        link.life.check()
        if self.in_transaction:
            link.point("sql:CLOSE", "close")
        super().close()
        link.closed()

    def cursor(self, factory: Any = None) -> Any:
        """A cursor that parks."""
        link = self.stopcheck_link
        link.life.check()
        kind = SubstituteCursor if factory is None else _cursor_class(factory)
        made: SubstituteCursor = super().cursor(kind)
        made.stopcheck_link = link
        own = self.row_factory
        if own is None:
            _set_row_factory(made, link.note_row)
        else:
            made.row_factory = own
        return made

    def execute(self, sql: str, parameters: Any = (), /) -> Any:
        """As ``cursor().execute``."""
        return self.cursor().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Any:
        """As ``cursor().executemany``."""
        return self.cursor().executemany(sql, parameters)

    def executescript(self, sql_script: str, /) -> Any:
        """As ``cursor().executescript``."""
        return self.cursor().executescript(sql_script)


class SubstituteCursor(sqlite3.Cursor):
    """A cursor that parks before each statement and notes each row that it hands out."""

    stopcheck_link: Link
    own_row_factory: Any = None

    def execute(self, sql: str, parameters: Any = (), /) -> Any:
        """One statement."""
        link, act, statement = self.stopcheck_link, super().execute, statement_of(sql)
        if statement.is_busy_timeout:
            return self._busy_timeout(sql)
        if statement.changes_rows:
            link.begin_by_itself(self.connection)
        link.guarded(self.connection, sql, lambda: act(sql, parameters))
        told = cast(object, parameters if type(parameters) is tuple else repr(parameters))  # a list could still change
        link.points.heard((sql, told, self.rowcount, self.lastrowid))
        return self

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Any:
        """One statement for each set of parameters. Outside a transaction each is one of its own, so each parks."""
        link, act, rows = self.stopcheck_link, super().executemany, list(parameters)
        if statement_of(sql).changes_rows:
            link.begin_by_itself(self.connection)
        batches = [rows] if self.connection.in_transaction or not rows else [[row] for row in rows]
        for batch in batches:
            link.guarded(self.connection, sql, partial(act, sql, batch))
            link.points.heard((sql, repr(batch), self.rowcount))
        return self

    def executescript(self, sql_script: str, /) -> Any:
        """A script, statement by statement; as ``sqlite3`` does, it first commits what is open and then leaves
        transactions to the script."""
        home, link, act = self.connection, self.stopcheck_link, super().execute
        if getattr(home, "autocommit", LEGACY) == LEGACY:
            home.commit()
        level = home.isolation_level
        if level is not None:
            home.isolation_level = None
        try:
            for sql in statements_of(sql_script):
                link.guarded(home, sql, partial(act, sql))
                link.points.heard(sql)
        finally:
            if level is not None:  # assigning None would commit what the script left open
                home.isolation_level = level
        return self

    def _busy_timeout(self, sql: str) -> Any:
        """The pragma is kept from SQLite, whose own waiting would stop the kit."""
        link = self.stopcheck_link
        link.life.check()
        if statement_of(sql).sets_timeout:
            plain = sqlite3.Cursor(self.connection)
            kept_ms: int = plain.execute(sql).fetchone()[0]
            plain.execute("PRAGMA busy_timeout = 0")
            link.timeout_ns = kept_ms * _MILLISECOND_NS
        return super().execute("SELECT ? AS timeout", (link.timeout_ns // _MILLISECOND_NS,))

    # -- rows ---------------------------------------------------------------------------------------------

    @property
    def row_factory(self) -> Any:
        """The gate's own row factory; around it lies one that notes the row."""
        return self.own_row_factory

    @row_factory.setter
    def row_factory(self, own: Any) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        self.own_row_factory = own
        note_row = self.stopcheck_link.note_row

        def noting(cursor: sqlite3.Cursor, row: tuple[Any, ...]) -> Any:
            return own(cursor, note_row(cursor, row))

        _set_row_factory(self, note_row if own is None else noting)

    def fetchone(self) -> Any:
        """The next row."""
        self.stopcheck_link.life.check()
        row = super().fetchone()
        self.stopcheck_link.fetched(self.connection, row is not None)
        return row

    def fetchmany(self, size: int | None = None) -> list[Any]:
        """The next rows."""
        self.stopcheck_link.life.check()
        rows = super().fetchmany(self.arraysize if size is None else size)
        self.stopcheck_link.fetched(self.connection, len(rows))
        return rows

    def fetchall(self) -> list[Any]:
        """All rows that are left."""
        self.stopcheck_link.life.check()
        rows = super().fetchall()
        self.stopcheck_link.fetched(self.connection, len(rows))
        return rows

    def __next__(self) -> Any:
        self.stopcheck_link.life.check()
        try:
            return super().__next__()
        except StopIteration:
            self.stopcheck_link.fetched(self.connection, 0)
            raise


class SqliteSubstitutes:
    """The run's connections. ``released`` counts the times at which a lock may have been let go of."""

    def __init__(self, points: InnerPoints) -> None:
        self.points = points
        self.released = 0
        self._alive: weakref.WeakSet[SubstituteConnection] = weakref.WeakSet()
        self._dead: list[SubstituteConnection] = []

    def release(self) -> None:
        """A call may have let go of a lock: those who wait may try again. What the kit does outside calls (reading a
        fingerprint) is no event of the run."""
        if current_call() is not None:
            self.released += 1

    def _lost(self) -> None:
        """A connection was dropped without being closed."""
        self.released += 1

    def connect(self, database: Any, *args: Any, **keywords: Any) -> Any:
        """Stands in for ``sqlite3.connect``."""
        self.points.life.check()
        keywords.update(zip(_PARAMETERS, args, strict=False))
        own: Any = keywords.pop("factory", sqlite3.Connection)
        if not isinstance(own, type):
            return sqlite3.connect(database, factory=own, **keywords)
        timeout_s = keywords.pop("timeout", 5.0)
        # The kit closes connections that are left at the end, from its own thread.
        keywords["check_same_thread"] = False
        kind: Any = _connection_class(cast(Any, own))
        made: SubstituteConnection = kind.__new__(kind)
        made.stopcheck_link = Link(self, database, timeout_s)
        cast(Any, made).__init__(database, timeout=0.0, **keywords)
        self._alive.add(made)
        made.stopcheck_link.drop = weakref.finalize(made, self._lost)
        made.stopcheck_link.drop.atexit = False
        return made

    def kill(self) -> None:
        """The process died. Its connections are kept as they are, so that none of their clean-up helps anybody."""
        self._dead.extend(self._alive)
        self._alive.clear()

    def close(self) -> None:
        """The run is over: close what is left."""
        left = [*self._dead, *self._alive]
        self._dead.clear()
        self._alive.clear()
        for connection in left:
            connection.stopcheck_link.closed()
            sqlite3.Connection.close(connection)


@cache
def _connection_class(own: Any) -> type[SubstituteConnection]:
    if own is sqlite3.Connection:
        return SubstituteConnection
    return type(own.__name__, (SubstituteConnection, own), {})


@cache
def _cursor_class(own: Any) -> type[SubstituteCursor]:
    if own is sqlite3.Cursor:
        return SubstituteCursor
    return type(own.__name__, (SubstituteCursor, own), {})
