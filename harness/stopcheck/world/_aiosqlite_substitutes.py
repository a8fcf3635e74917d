"""aiosqlite connections whose threads are played: what a connection's thread does, the loop's own thread does instead.

One idea: an aiosqlite connection is a queue and a thread that works it off. When a statement joins the queue is decided
by the task that awaits it, when it is made by the thread, and when its answer is heard by the loop; so between the
first two, and between the last two, others can move. Here the thread is no thread: the head of each queue stands at a
branch point of its own (``sql:UPDATE task``), is made when it is chosen, and the task stands once more before it goes
on. A statement never overtakes one that joined its connection's queue before it. Where SQLite would let the thread
wait for a lock, the task waits in virtual time, up to the connection's ``timeout``. A statement whose task was
cancelled is made all the same.

The gate's code stays as it is, and so does aiosqlite but for four methods of its connections, for as long as the kit
runs the gate. Known limits: ``executescript`` and ``executemany`` are one step; where the kit reads no statement
(``backup``, ``create_function``) it sees a step without a name; what a statement that commutes would show inside of a
transaction is not tried, as with ``sqlite3``.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import sqlite3
import weakref
from collections import deque
from collections.abc import Callable, Generator
from contextlib import suppress
from functools import partial
from typing import Any

from stopcheck.kernel import Loop, Park, current_loop
from stopcheck.world._inner_points import InnerPoints
from stopcheck.world._sql_text import Statement, statement_of
from stopcheck.world._sqlite_link import Link

_SECOND_NS = 1_000_000_000
_MILLISECOND_NS = 1_000_000
#: Methods whose first argument is a statement, and those that are one.
_STATED = frozenset(("execute", "executemany", "executescript", "_execute_insert", "_execute_fetchall"))
_ENDS = {"commit": "COMMIT", "rollback": "ROLLBACK"}


class _Asked:
    """Something that a task asked of a connection, in its queue."""

    __slots__ = ("abandoned", "act", "statement")

    def __init__(self, act: Callable[[], Any], statement: Statement | None) -> None:
        self.act = act
        self.statement = statement
        self.abandoned = False


class _Queue:
    """What stands in for one connection's thread."""

    def __init__(self, proxy: Any, connection: sqlite3.Connection, link: Link) -> None:
        self.proxy: weakref.ref[Any] = weakref.ref(proxy)
        self.connection = connection
        self._link = link
        self._waiting: deque[_Asked] = deque()

    async def make(self, loop: Loop, name: str, act: Callable[[], Any], arguments: tuple[Any, ...]) -> Any:
        """Join the queue, and be made when it is chosen."""
        statement = self._statement(name, arguments)
        asked = _Asked(act, statement)
        self._waiting.append(asked)
        label = statement.label if statement is not None else f"aiosqlite:{name}"
        try:
            if self._waiting[0] is asked and self._shows(name, statement):
                await loop.stand(Park(label, self._link.touches))
            while self._waiting[0] is not asked:
                await loop.stand(Park(label, self._link.touches, blocked=True))
            result = await self._through(loop, asked, label)
        except asyncio.CancelledError:
            asked.abandoned = True
            self._make_abandoned()
            raise
        except BaseException:
            self._leave(asked)
            raise
        self._leave(asked)
        await asyncio.sleep(0)  # its answer is heard when the loop comes to it
        return result

    async def _through(self, loop: Loop, asked: _Asked, label: str) -> Any:
        """Make it; where another connection holds a lock, wait and make it again."""
        link, statement = self._link, asked.statement
        give_up_ns: int | None = None
        while True:
            try:
                result = asked.act()
            except sqlite3.Error as error:
                if give_up_ns is None:
                    give_up_ns = loop.now_ns() + link.timeout_ns
                waits = statement is not None and link.would_wait(self.connection, statement, error)
                if waits and loop.now_ns() < give_up_ns:
                    timer = asyncio.get_running_loop().call_at(give_up_ns / _SECOND_NS, _nothing)
                    try:
                        await loop.stand(Park(label, link.touches, blocked=True))
                    finally:
                        timer.cancel()
                    continue
                self._acted(statement)
                raise
            self._acted(statement)
            return result

    def _leave(self, asked: _Asked) -> None:
        self._waiting.remove(asked)
        self._make_abandoned()

    def _make_abandoned(self) -> None:
        """A thread does not know that nobody waits any more."""
        while self._waiting and self._waiting[0].abandoned:
            asked = self._waiting.popleft()
            with suppress(sqlite3.Error, ValueError):
                asked.act()
            self._acted(asked.statement)

    def _acted(self, statement: Statement | None) -> None:
        if statement is not None:
            self._link.acted(self.connection, statement)
            if statement.sets_timeout:
                self.take_timeout()

    def take_timeout(self) -> None:
        """SQLite would wait in real time; it is done here."""
        kept_ms: int = self.connection.execute("PRAGMA busy_timeout").fetchone()[0]
        self.connection.execute("PRAGMA busy_timeout = 0")
        self._link.timeout_ns = kept_ms * _MILLISECOND_NS

    def _statement(self, name: str, arguments: tuple[Any, ...]) -> Statement | None:
        if name in _STATED and arguments:
            return statement_of(str(arguments[0]))
        return statement_of(_ENDS[name]) if name in _ENDS else None

    def _shows(self, name: str, statement: Statement | None) -> bool:
        """Whether another connection can tell when it is made."""
        open_ = self.connection.in_transaction
        if statement is None:
            return name == "close" and open_
        if name in _ENDS and not open_:
            return False
        return not statement.local and not self._link.commutes(self.connection, statement)


class AiosqliteSubstitutes:
    """The run's connections. In place only where aiosqlite is installed."""

    def __init__(self) -> None:
        self.points = InnerPoints(())
        self.released = 0
        self._queues: weakref.WeakKeyDictionary[Any, _Queue] = weakref.WeakKeyDictionary()
        self._opened: list[_Queue] = []
        self._undo: list[tuple[str, Any]] = []
        self._kind: Any = None

    def release(self) -> None:
        """Who waits stands blocked in the loop, and looks again by itself."""
        self.released += 1

    # -- in place, or not ------------------------------------------------------------------------------------

    def put_in_place(self) -> None:
        """Replace the methods."""
        if importlib.util.find_spec("aiosqlite") is None:
            return
        self._kind = importlib.import_module("aiosqlite.core").Connection
        stand_ins = {
            "__await__": self._in_place_of_await(),
            "_execute": self._in_place_of_execute(),
            "stop": self._in_place_of_stop(),
        }
        for name, stand_in in stand_ins.items():
            self._undo.append((name, self._kind.__dict__.get(name)))
            setattr(self._kind, name, stand_in)

    def take_away(self) -> None:
        """Put the originals back."""
        while self._undo:
            name, original = self._undo.pop()
            if original is None:
                delattr(self._kind, name)
            else:
                setattr(self._kind, name, original)

    def end(self) -> None:
        """The run is over: close what is left, of dead processes too."""
        for queue in self._opened:
            proxy = queue.proxy()
            if proxy is not None:
                proxy._connection = None
            queue.connection.close()
        self._opened.clear()

    # -- the methods -----------------------------------------------------------------------------------------

    def _in_place_of_await(self) -> Callable[..., Any]:
        """Opening one: no thread is started."""

        async def connect(proxy: Any) -> Any:
            loop = current_loop()
            if proxy._connection is None:
                if loop is not None:
                    await asyncio.sleep(0)
                made = proxy._connector()
                proxy._connection = made
                self._know(proxy, made)
            return proxy

        def awaited(proxy: Any) -> Generator[Any, Any, Any]:
            opening: Generator[Any, Any, Any] = connect(proxy).__await__()
            return opening

        return awaited

    def _know(self, proxy: Any, made: sqlite3.Connection) -> None:
        name = made.execute("PRAGMA database_list").fetchone()[2]
        queue = _Queue(proxy, made, Link(self, name, 0.0))
        queue.take_timeout()
        self._queues[proxy] = queue
        self._opened.append(queue)

    def _in_place_of_execute(self) -> Callable[..., Any]:
        """What everything goes through that a connection or its cursors are asked."""

        async def execute(proxy: Any, fn: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
            if proxy._connection is None:
                raise ValueError("Connection closed")
            queue, loop = self._queues.get(proxy), current_loop()
            act = partial(fn, *args, **keywords)
            if queue is None or loop is None:  # the kit tidies up
                return act()
            return await queue.make(loop, fn.__name__, act, args)

        return execute

    def _in_place_of_stop(self) -> Callable[..., Any]:
        """There is no thread to stop."""

        def stop(proxy: Any) -> None:
            proxy._running = False
            if proxy._connection is not None:  # dropped without being closed
                proxy._connection.close()
                proxy._connection = None

        return stop


def _nothing() -> None:
    """Time has passed; who waits looks again."""
