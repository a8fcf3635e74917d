"""Connections and cursors that park at each statement, for gates of plain ``sqlite3`` code.

One idea: the gate's code stays as it is; its connection is a subclass of the one that it asked for. Before each
statement (also BEGIN, COMMIT and ROLLBACK, and the BEGIN that ``sqlite3`` makes by itself) there is a branch point, and
a database that another call has locked makes this one wait in virtual time instead of stopping the kit.

What waits and what does not is SQLite's own rule: its busy handler is asked only by a connection that holds no read
transaction, and never for a stale snapshot (``SQLITE_BUSY_SNAPSHOT``). All other errors reach the gate at once; a wait
that lasts longer than the connection's ``timeout``, in virtual time, ends in "database is locked", as it would.

Known limits: a connection that is made at import time, by a function-level ``import sqlite3`` or by a factory that is
not a class is not seen; the ``touches`` of statements on attached databases name the main one only; pragmas that
concern the connection alone, and fetching, are no branch points (no other call can tell when they happen).
"""

from __future__ import annotations

import functools
import re
import sqlite3
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Any, Literal, TypeVar, cast

from stopcheck.world._inner_points import InnerPoints, Life

R = TypeVar("R")

_SQLITE_BUSY = 5
_SQLITE_BUSY_SNAPSHOT = 517
_SECOND_NS = 1_000_000_000
_LEGACY = getattr(sqlite3, "LEGACY_TRANSACTION_CONTROL", -1)
_PARAMETERS = ("timeout", "detect_types", "isolation_level", "check_same_thread", "factory", "cached_statements", "uri")

_LEADING = re.compile(r"(?:\s+|--[^\n]*(?:\n|$)|/\*.*?\*/|;)*", re.DOTALL)
_NAME = r"[\"'`\[]?(\w+)[\"'`\]]?"
_TABLES = (
    re.compile(rf"\b(?:INSERT|REPLACE)\b(?:\s+OR\s+\w+)?\s+INTO\s+(?:\w+\.)?{_NAME}", re.IGNORECASE),
    re.compile(rf"^UPDATE\b(?:\s+OR\s+\w+)?\s+(?:\w+\.)?{_NAME}", re.IGNORECASE),
    re.compile(rf"^(?:CREATE|DROP|ALTER)\b.*?\b(?:TABLE|INDEX|TRIGGER|VIEW)\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?{_NAME}", re.I),
    re.compile(rf"^PRAGMA\s+(?:\w+\.)?{_NAME}", re.IGNORECASE),
    re.compile(rf"\bFROM\s+(?:\w+\.)?{_NAME}", re.IGNORECASE),
)
#: Pragmas that touch the connection only.
_LOCAL_PRAGMAS = frozenset(
    "synchronous foreign_keys busy_timeout cache_size temp_store mmap_size query_only recursive_triggers data_version "
    "wal_autocheckpoint case_sensitive_like defer_foreign_keys".split()
)
_BUSY_TIMEOUT = re.compile(r"^PRAGMA\s+busy_timeout\s*[=(]", re.IGNORECASE)


class Statement:
    """What the kit needs to know of a statement's text."""

    __slots__ = ("changes_rows", "label", "local", "sets_timeout", "starts", "verb")

    def __init__(self, sql: str) -> None:
        bare = sql[cast("re.Match[str]", _LEADING.match(sql)).end() :]
        words = re.split(r"[\s(;]+", bare.strip(), maxsplit=2)
        self.verb = words[0].upper() or "EMPTY"
        self.label = f"sql:{self._named(bare, [word.upper() for word in words])}"
        pragma = self.label.rsplit(" ", 1)[-1].lower()
        self.local = self.verb == "EMPTY" or (self.verb == "PRAGMA" and pragma in _LOCAL_PRAGMAS)
        self.sets_timeout = _BUSY_TIMEOUT.match(bare) is not None
        self.starts = self.verb in {"BEGIN", "SAVEPOINT"}
        self.changes_rows = self.verb in {"INSERT", "UPDATE", "DELETE", "REPLACE"}

    def _named(self, bare: str, words: list[str]) -> str:
        if self.verb == "BEGIN":
            kind = words[1] if len(words) > 1 else ""
            return f"BEGIN {kind}" if kind in {"IMMEDIATE", "EXCLUSIVE"} else "BEGIN"
        if self.verb in {"COMMIT", "END"}:
            return "COMMIT"
        if self.verb in {"ROLLBACK", "SAVEPOINT", "RELEASE", "EMPTY"}:
            return self.verb
        for pattern in _TABLES:
            found = pattern.search(bare)
            if found is not None:
                return f"{self.verb} {found[1]}"
        return self.verb


statement_of: Callable[[str], Statement] = functools.lru_cache(maxsize=2048)(Statement)


class _Link:
    """What one connection knows of the kit: the run's points, the life it was made in, its database, its timeout."""

    __slots__ = ("has_read", "life", "store", "timeout_ns", "touches")

    def __init__(self, store: SqliteSubstitutes, database: object, timeout_s: float) -> None:
        self.store = store
        self.life: Life = store.points.life
        self.timeout_ns = round(timeout_s * _SECOND_NS)
        self.touches = (f"sqlite:{_file_name(database)}",)
        self.has_read = False


class SubstituteConnection(sqlite3.Connection):
    """A connection that parks. Made by :meth:`SqliteSubstitutes.connect` only."""

    _link: _Link

    # -- transactions -------------------------------------------------------------------------------------

    def commit(self) -> None:
        """COMMIT, if a transaction is open."""
        self._end("COMMIT", super().commit)

    def rollback(self) -> None:
        """ROLLBACK, if a transaction is open."""
        self._end("ROLLBACK", super().rollback)

    def _end(self, sql: str, act: Callable[[], None]) -> None:
        self._link.life.check()
        if self.in_transaction:
            self._guarded(statement_of(sql), sql, act)
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
        self._link.life.check()
        store = self._link.store
        if self.in_transaction:
            store.points.point("sql:CLOSE", self._link.touches, "close")
            self._link.life.check()
        super().close()
        store.release()

    # -- statements ---------------------------------------------------------------------------------------

    def cursor(self, factory: type[sqlite3.Cursor] | None = None) -> Any:  # type: ignore[override]
        """A cursor that parks."""
        self._link.life.check()
        made = super().cursor(_cursor_class(factory or sqlite3.Cursor))
        made.row_factory = self.row_factory
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

    def _begins_by_itself(self, statement: Statement) -> bool:
        legacy = getattr(self, "autocommit", _LEGACY) == _LEGACY
        return legacy and statement.changes_rows and self.isolation_level is not None and not self.in_transaction

    def _begin_by_itself(self) -> None:
        sql = f"BEGIN {self.isolation_level}".strip()
        self._guarded(statement_of(sql), sql, lambda: sqlite3.Cursor(self).execute(sql))

    def _guarded(self, statement: Statement, sql: str, act: Callable[[], R]) -> R:
        """Park, then act; while the database is locked by another, wait and act again."""
        link, points = self._link, self._link.store.points
        link.life.check()
        if not statement.local:
            points.point(statement.label, link.touches, sql)
            link.life.check()
        give_up_ns: int | None = None
        while True:
            try:
                result = act()
            except sqlite3.OperationalError as error:
                if give_up_ns is None:
                    give_up_ns = points.now_ns() + link.timeout_ns
                if not (self._would_wait(statement, error) and self._wait(statement, sql, give_up_ns)):
                    points.heard((sql, str(error)))
                    raise
                continue
            except sqlite3.Error as error:
                points.heard((sql, str(error)))
                raise
            self._acted(statement)
            return result

    def _would_wait(self, statement: Statement, error: sqlite3.Error) -> bool:
        code: int = error.sqlite_errorcode
        if code & 0xFF != _SQLITE_BUSY or code == _SQLITE_BUSY_SNAPSHOT:
            return False
        # SQLite does not ask its busy handler for a connection that already reads: waiting could be for ever.
        return statement.label == "sql:COMMIT" or not (self.in_transaction and self._link.has_read)

    def _wait(self, statement: Statement, sql: str, give_up_ns: int) -> bool:
        link, store = self._link, self._link.store
        if store.points.now_ns() >= give_up_ns:
            return False
        seen = store.released
        waited = store.points.wait(
            statement.label, link.touches, sql, ready=lambda: store.released != seen, until_ns=give_up_ns
        )
        link.life.check()
        return waited

    def _acted(self, statement: Statement) -> None:
        if not self.in_transaction:
            self._link.has_read = False
            self._link.store.release()
        elif not statement.starts and not statement.local:
            self._link.has_read = True


class SubstituteCursor(sqlite3.Cursor):
    """A cursor that parks before each statement and notes each row that it hands out."""

    @property
    def _home(self) -> SubstituteConnection:
        return cast(SubstituteConnection, self.connection)

    def execute(self, sql: str, parameters: Any = (), /) -> Any:
        """One statement."""
        home, statement = self._home, statement_of(sql)
        if home._begins_by_itself(statement):
            home._begin_by_itself()
        act = super().execute
        if statement.verb == "PRAGMA" and statement.label.endswith(" busy_timeout"):
            return self._busy_timeout(statement, sql)
        home._guarded(statement, sql, lambda: act(sql, parameters))
        self._note(sql, parameters, self.rowcount, self.lastrowid)
        return self

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Any:
        """One statement for each set of parameters. Outside a transaction each is one of its own, so each parks."""
        home, statement, rows = self._home, statement_of(sql), list(parameters)
        if home._begins_by_itself(statement):
            home._begin_by_itself()
        act = super().executemany
        batches = [rows] if home.in_transaction or not rows else [[row] for row in rows]
        for batch in batches:
            home._guarded(statement, sql, lambda batch=batch: act(sql, batch))
            self._note(sql, batch, self.rowcount)
        return self

    def executescript(self, sql_script: str, /) -> Any:
        """A script, statement by statement; as ``sqlite3`` does, it first commits what is open and then leaves
        transactions to the script."""
        home = self._home
        if getattr(home, "autocommit", _LEGACY) == _LEGACY:
            home.commit()
        act = super().execute
        level, home.isolation_level = home.isolation_level, None
        try:
            for sql in _statements(sql_script):
                home._guarded(statement_of(sql), sql, lambda sql=sql: act(sql))
                self._note(sql)
        finally:
            home.isolation_level = level
        return self

    def _busy_timeout(self, statement: Statement, sql: str) -> Any:
        """The pragma is kept from SQLite, whose own waiting would stop the kit."""
        home = self._home
        if statement.sets_timeout:
            home._guarded(statement, sql, lambda: sqlite3.Cursor(home).execute(sql).fetchall())
            kept = sqlite3.Cursor(home).execute("PRAGMA busy_timeout").fetchone()[0]
            home._link.timeout_ns = kept * (_SECOND_NS // 1000)
            sqlite3.Cursor(home).execute("PRAGMA busy_timeout = 0")
        return super().execute("SELECT ? AS timeout", (home._link.timeout_ns // (_SECOND_NS // 1000),))

    # -- rows ---------------------------------------------------------------------------------------------

    @property
    def row_factory(self) -> Any:  # type: ignore[override]
        """The gate's own row factory; around it lies one that notes the row."""
        return self.__dict__.get("_own_factory")

    @row_factory.setter
    def row_factory(self, own: Any) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        self.__dict__["_own_factory"] = own
        points = self._home._link.store.points

        def noting(cursor: sqlite3.Cursor, row: tuple[Any, ...]) -> Any:
            points.heard(row)
            return row if own is None else own(cursor, row)

        cast(Any, sqlite3.Cursor.row_factory).__set__(self, noting)

    def fetchone(self) -> Any:
        """The next row."""
        self._home._link.life.check()
        row = super().fetchone()
        if row is None:
            self._exhausted()
        return row

    def fetchmany(self, size: int | None = None) -> list[Any]:
        """The next rows."""
        self._home._link.life.check()
        rows = super().fetchmany(self.arraysize if size is None else size)
        self._exhausted()
        return rows

    def fetchall(self) -> list[Any]:
        """All rows that are left."""
        self._home._link.life.check()
        rows = super().fetchall()
        self._exhausted()
        return rows

    def __next__(self) -> Any:
        self._home._link.life.check()
        try:
            return super().__next__()
        except StopIteration:
            self._exhausted()
            raise

    def __iter__(self) -> Iterator[Any]:
        return self

    def _exhausted(self) -> None:
        """That no more rows came is news too; and outside a transaction it ends a read that others may wait for."""
        home = self._home
        home._link.store.points.heard("no more rows")
        if not home.in_transaction:
            home._link.store.release()

    def _note(self, *what: object) -> None:
        self._home._link.store.points.heard(what)


class SqliteSubstitutes:
    """The run's connections. ``released`` counts the times at which a lock may have been let go of."""

    def __init__(self, points: InnerPoints) -> None:
        self.points = points
        self.released = 0
        self._alive: weakref.WeakSet[SubstituteConnection] = weakref.WeakSet()
        self._dead: list[SubstituteConnection] = []

    def release(self) -> None:
        """Somebody may have let go of a lock: those who wait may try again."""
        self.released += 1

    def connect(self, database: Any, *args: Any, **keywords: Any) -> sqlite3.Connection:
        """Stands in for ``sqlite3.connect``."""
        self.points.life.check()
        keywords.update(zip(_PARAMETERS, args, strict=False))
        own = keywords.pop("factory", sqlite3.Connection)
        if not (isinstance(own, type) and issubclass(own, sqlite3.Connection)):
            return sqlite3.connect(database, factory=own, **keywords)
        timeout_s = keywords.pop("timeout", 5.0)
        # The kit closes connections that are left at the end, from its own thread.
        keywords["check_same_thread"] = False
        kind = _connection_class(own)
        made: SubstituteConnection = kind.__new__(kind, database)
        made._link = _Link(self, database, timeout_s)
        made.__init__(database, timeout=0.0, **keywords)  # type: ignore[misc]
        self._alive.add(made)
        weakref.finalize(made, self.release).atexit = False
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
            sqlite3.Connection.close(connection)


@functools.cache
def _connection_class(own: type[sqlite3.Connection]) -> type[SubstituteConnection]:
    if own is sqlite3.Connection:
        return SubstituteConnection
    return type(own.__name__, (SubstituteConnection, own), {})


@functools.cache
def _cursor_class(own: type[sqlite3.Cursor]) -> type[SubstituteCursor]:
    if own is sqlite3.Cursor:
        return SubstituteCursor
    return type(own.__name__, (SubstituteCursor, own), {})


def _file_name(database: object) -> str:
    """A database's file name without its directory, which differs from run to run."""
    text = database.decode() if isinstance(database, bytes) else str(database)
    return PurePath(text.removeprefix("file:").split("?", 1)[0]).name or ":memory:"


def _statements(script: str) -> Sequence[str]:
    """A script's statements. A semicolon may stand in a string or a trigger: SQLite's own check decides."""
    found: list[str] = []
    pending = ""
    for piece in script.split(";"):
        pending += piece + ";"
        if sqlite3.complete_statement(pending):
            found.append(pending)
            pending = ""
    rest = pending[:-1]
    if statement_of(rest).verb != "EMPTY":
        found.append(rest)
    return [sql for sql in found if statement_of(sql).verb not in {"EMPTY", ";"}]
