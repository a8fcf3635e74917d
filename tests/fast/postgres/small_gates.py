"""Blocking code on psycopg and on SQLAlchemy, as a vendor would write it. Nothing here knows of the kit."""

from __future__ import annotations

import time
from typing import LiteralString

import psycopg
from psycopg import connect, sql
from psycopg.errors import DeadlockDetected, LockNotAvailable
from sqlalchemy import create_engine, text

SCHEMA = """
CREATE TABLE IF NOT EXISTS task (id int PRIMARY KEY, status text NOT NULL);
CREATE TABLE IF NOT EXISTS effect (id text PRIMARY KEY);
INSERT INTO task VALUES (1, 'running'), (2, 'running') ON CONFLICT DO NOTHING;
"""


class CheckThenInsert:
    """In one transaction, under READ COMMITTED: the status that was read is not held."""

    read_status = "SELECT status FROM task WHERE id = 1"

    def __init__(self, conninfo: str) -> None:
        self.conninfo = conninfo

    def commit_effect(self, effect: str) -> str:
        with connect(self.conninfo) as connection:
            found = connection.execute(self.read_status).fetchone()
            if found == ("cancelled",):
                return "stopped"
            connection.execute("INSERT INTO effect VALUES (%s)", (effect,))
            return "admitted"

    def cancel(self) -> int:
        with psycopg.connect(self.conninfo) as connection:
            connection.execute("UPDATE task SET status = 'cancelled' WHERE id = 1")
            return len(connection.execute("SELECT id FROM effect").fetchall())


class Locking(CheckThenInsert):
    """The same with a lock on the row."""

    read_status = "SELECT status FROM task WHERE id = 1 FOR UPDATE"


class Blocks(Locking):
    """The same with transaction blocks on a connection that commits by itself."""

    def commit_effect(self, effect: str) -> str:
        with connect(self.conninfo, autocommit=True) as connection, connection.transaction():
            if connection.execute(self.read_status).fetchone() == ("cancelled",):
                return "stopped"
            connection.execute("INSERT INTO effect VALUES (%s)", (effect,))
            return "admitted"


class Alchemy(CheckThenInsert):
    """The locking one on SQLAlchemy."""

    for_update = " FOR UPDATE"

    def __init__(self, conninfo: str) -> None:
        super().__init__(conninfo)
        self.engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(conninfo))
        with self.engine.connect() as connection:
            connection.execute(text("SELECT 1"))

    def commit_effect(self, effect: str) -> str:
        with self.engine.begin() as connection:
            status = connection.execute(text("SELECT status FROM task WHERE id = 1" + self.for_update)).scalar_one()
            if status == "cancelled":
                return "stopped"
            connection.execute(text("INSERT INTO effect VALUES (:id)"), {"id": effect})
            return "admitted"

    def cancel(self) -> int:
        with self.engine.begin() as connection:
            connection.execute(text("UPDATE task SET status = 'cancelled' WHERE id = 1"))
            return len(connection.execute(text("SELECT id FROM effect")).all())


class AlchemyCheckThenInsert(Alchemy):
    """Without the lock."""

    for_update = ""


class Crossed:
    """Two transactions that take two rows in opposite orders."""

    def __init__(self, conninfo: str, timeout: str = "0") -> None:
        self.conninfo = conninfo
        self.timeout = timeout

    def take(self, first: int, second: int) -> str:
        try:
            with psycopg.connect(self.conninfo) as connection:
                connection.execute(f"SET lock_timeout = '{self.timeout}'")
                for row in (first, second):
                    connection.execute("UPDATE task SET status = status || 'x' WHERE id = %s", (row,))
            return "both"
        except DeadlockDetected:
            return "deadlock"
        except LockNotAvailable:
            return "timeout"


class Sleeper(Crossed):
    """Holds the first row for five seconds."""

    def hold(self) -> None:
        with psycopg.connect(self.conninfo) as connection:
            connection.execute("UPDATE task SET status = status || 'x' WHERE id = 1")
            time.sleep(5)


class Shared:
    """Two calls on one connection, which psycopg lets in one after the other."""

    def __init__(self, conninfo: str) -> None:
        self.connection = psycopg.connect(conninfo, autocommit=True)

    def add(self, effect: str) -> int:
        self.connection.execute("INSERT INTO effect VALUES (%s)", (effect,))
        return len(self.connection.execute("SELECT id FROM effect").fetchall())


class EveryWay:
    """What else psycopg offers to say something with."""

    def __init__(self, conninfo: str) -> None:
        self.conninfo = conninfo

    def speak(self) -> list[object]:
        heard: list[object] = []
        with psycopg.connect(self.conninfo) as connection, connection.cursor() as cursor:
            cursor.executemany("INSERT INTO effect VALUES (%s)", [("a",), ("b",)])
            with cursor.copy("COPY effect FROM STDIN") as copy:
                copy.write_row(("c",))
            with cursor.copy("COPY (SELECT id FROM effect ORDER BY 1) TO STDOUT") as copy:
                heard.append(list(copy.rows()))
            heard.append(list(cursor.stream("SELECT id FROM effect ORDER BY 1")))
            with connection.cursor("named") as named:
                named.execute("SELECT id FROM effect ORDER BY 1")
                heard.append([named.fetchone(), *named.fetchall()])
            with connection.pipeline():
                connection.execute("INSERT INTO effect VALUES ('d')")
                heard.append(connection.execute("SELECT count(*) FROM effect").fetchall())
            with connection.transaction(force_rollback=True):
                connection.execute("DELETE FROM effect")
            heard.append(
                connection.execute(sql.SQL("SELECT max({}) FROM effect").format(sql.Identifier("id"))).fetchone()
            )
            heard.append(cursor.execute("SELECT 1; SELECT 2").nextset())
        return heard


class Writes:
    """A transaction whose text says what it writes, an update by key."""

    write = "INSERT INTO effect VALUES ('running')"

    def __init__(self, conninfo: str) -> None:
        self.conninfo = conninfo

    def commit_effect(self) -> None:
        with psycopg.connect(self.conninfo) as connection:
            connection.execute(self.write)

    def cancel(self) -> None:
        with psycopg.connect(self.conninfo, autocommit=True) as connection:
            connection.execute("UPDATE task SET status = 'cancelled' WHERE id = 1")

    def look(self) -> None:
        with psycopg.connect(self.conninfo, autocommit=True) as connection:
            connection.execute("SELECT 1")


class Copies(Writes):
    """What it writes depends on what was committed before it, and its row count does not tell."""

    write = "INSERT INTO effect SELECT status FROM task WHERE id = 1"


class KeepsSnapshot(Writes):
    """What it will read depends on what was committed before its first statement."""

    def commit_effect(self) -> None:
        with psycopg.connect(self.conninfo) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.execute(self.write)


class Holds:
    """A session that keeps something when a call is over."""

    def __init__(self, conninfo: str) -> None:
        self.connection = psycopg.connect(conninfo)

    def say(self, *statements: LiteralString) -> None:
        for statement in statements:
            self.connection.execute(statement)


class Speaks:
    """Says something on a connection that it keeps, and is told the first value of each answer."""

    def __init__(self, conninfo: str, *, keeps_cursor: bool = False) -> None:
        self.conninfo = conninfo
        self.keeps_cursor = keeps_cursor
        self.cursors: list[object] = []
        self.connect()

    def connect(self) -> None:
        self.connection = psycopg.connect(self.conninfo, autocommit=True)

    def say(self, *statements: str) -> list[object]:
        told: list[object] = []
        for statement in statements:
            cursor = self.connection.execute(statement.encode())
            if cursor.description is not None:
                row = cursor.fetchone()
                told.append(None if row is None else row[0])
            else:
                told.append(None)
            if self.keeps_cursor:
                self.cursors.append(cursor)
        return told


class Queue:
    """Takes rows in the order of their numbers; whoever takes two is busy for long between them."""

    busy: LiteralString = "(SELECT count(*) FROM generate_series(1, 1000000)) > 0"

    def __init__(self, conninfo: str) -> None:
        self.conninfo = conninfo

    def change_both(self) -> None:
        with psycopg.connect(self.conninfo) as connection:
            connection.execute("UPDATE task SET status = status || 'x'")

    def take_both(self) -> str:
        return self._take(f"id = 1 OR (id = 2 AND {self.busy})")

    def take_second(self) -> str:
        return self._take("id = 2")

    def _take(self, which: LiteralString) -> str:
        with psycopg.connect(self.conninfo) as connection:
            rows = connection.execute(f"SELECT status FROM task WHERE {which} FOR UPDATE").fetchall()
            return ",".join(status for (status,) in rows)
