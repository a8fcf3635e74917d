"""Blocking code as a vendor would write it, for the substitutes to stand in. Nothing here knows of the kit."""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path
from time import monotonic as clock

LOCK = threading.Lock()


class CheckThenAct:
    """Selects the status, then inserts the effect, in two statements."""

    begin = ""

    def __init__(self, path: Path) -> None:
        self.path = path
        connection = self.connect()
        connection.executescript(
            """
            CREATE TABLE IF NOT EXISTS task (status TEXT); -- one; row
            CREATE TABLE IF NOT EXISTS effect (id TEXT PRIMARY KEY);
            """
        )
        if connection.execute("SELECT count(*) FROM task").fetchone()[0] == 0:
            connection.execute("INSERT INTO task VALUES ('a;b')")
        connection.close()

    def connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, isolation_level=None)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("PRAGMA journal_mode=WAL")
        return connection

    def commit_effect(self, effect: str) -> str:
        connection = self.connect()
        try:
            if self.begin:
                connection.execute(self.begin)
            (status,) = connection.execute("SELECT status FROM task").fetchone()
            answer = "stopped"
            if status != "cancelled":
                connection.execute("INSERT INTO effect VALUES (?)", (effect,))
                answer = "admitted"
            if self.begin:
                connection.execute("COMMIT")
            return answer
        finally:
            connection.close()

    def cancel(self) -> int:
        connection = self.connect()
        try:
            if self.begin:
                connection.execute(self.begin)
            connection.execute("UPDATE task SET status = 'cancelled'")
            (effects,) = connection.execute("SELECT count(*) FROM effect").fetchone()
            if self.begin:
                connection.execute("COMMIT")
            return int(effects)
        finally:
            connection.close()

    def effects(self) -> int:
        connection = self.connect()
        try:
            return int(connection.execute("SELECT count(*) FROM effect").fetchone()[0])
        finally:
            connection.close()


class Immediate(CheckThenAct):
    """The same in one transaction that takes the write lock first."""

    begin = "BEGIN IMMEDIATE"


class Implicit:
    """Leaves BEGIN to ``sqlite3``, reads first, and so meets a stale snapshot."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA synchronous=OFF")
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("CREATE TABLE count (n INTEGER)")
            connection.execute("INSERT INTO count VALUES (0)")
        connection.close()

    def increment(self) -> str:
        connection = sqlite3.connect(self.path, timeout=3)
        connection.execute("PRAGMA synchronous=OFF")
        try:
            connection.execute("BEGIN")
            (n,) = connection.execute("SELECT n FROM count").fetchone()
            connection.execute("UPDATE count SET n = ?", (n + 1,))
            connection.commit()
            return "done"
        except sqlite3.OperationalError as error:
            return str(error)
        finally:
            connection.close()

    def add(self) -> str:
        with sqlite3.connect(self.path) as connection:
            connection.execute("PRAGMA synchronous=OFF")
            cursor = connection.cursor()
            cursor.execute("UPDATE count SET n = n + 1")
        connection.close()
        return f"{cursor.rowcount} row"


class Locked:
    """Guards memory with a lock that was made at import, and is slow inside."""

    def __init__(self) -> None:
        self.inside = 0
        self.most = 0

    def work(self) -> float:
        with LOCK:
            self.inside += 1
            self.most = max(self.most, self.inside)
            time.sleep(2)
            self.inside -= 1
        return clock()

    def try_to_work(self, timeout: float) -> bool:
        if not LOCK.acquire(timeout=timeout):
            return False
        LOCK.release()
        return True


class Waiter:
    """Waits for a condition, an event and a semaphore."""

    def __init__(self) -> None:
        self.condition = threading.Condition()
        self.event = threading.Event()
        self.slots = threading.Semaphore(1)
        self.items: list[str] = []

    def put(self, item: str) -> None:
        with self.condition:
            self.items.append(item)
            self.condition.notify()
        self.event.set()

    def get(self) -> str:
        with self.condition:
            self.condition.wait_for(lambda: self.items)
            return self.items.pop(0)

    def await_event(self, timeout: float) -> bool:
        return self.event.wait(timeout)

    def use_slot(self) -> str:
        with self.slots:
            time.sleep(1)
            return "used"
