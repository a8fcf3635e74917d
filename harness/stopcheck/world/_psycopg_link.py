"""When a statement of a psycopg connection parks, when it waits, and what is remembered of it.

One idea: whatever a psycopg connection says to its server is a *generator* that talks, and one method drives it
(``Connection.wait``, and ``AsyncConnection.wait`` for the same generators). So the generator is the statement: its
arguments name it, a branch point lies before its first step, and it is driven until it is done or the server makes it
wait for another session. All of this is the same in a thread and in a task; how a call stands and waits there, the
drivers of the two hosts know (``_psycopg_threads``, ``_psycopg_tasks``). It is written as a coroutine: in a thread
nothing in it ever suspends, since whoever waits there blocks.

Under READ COMMITTED each statement sees what was committed before it, so each one parks; but for those that neither
see nor show anything (BEGIN, SAVEPOINT, SET ...). ``lock_timeout`` and ``statement_timeout`` pass in virtual time.

What a call has learned from the server decides how it goes on, and what it has written and not yet committed is seen
by no fingerprint. It is known by the text and the parameters of statements that say what they write
(``_postgres_text``). What any other writes depends on what had been committed before it, and so does what is read in a
transaction with a snapshot of its own: there, which transactions had been committed is noted too.
"""

from __future__ import annotations

import asyncio
import re
import select
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Generator
from functools import partial
from typing import TYPE_CHECKING, Any

from stopcheck.world._inner_points import InnerPoints, Life
from stopcheck.world._postgres_server import InFlight, PostgresServer, growing, ready
from stopcheck.world._postgres_text import UNSEEN, holds_on, says_what_it_writes
from stopcheck.world._psycopg_said import Said, learned, told

if TYPE_CHECKING:
    from stopcheck.world._psycopg_said import Connection
    from stopcheck.world._psycopg_threads import ConnectionLock

_PATIENCE_MS = 2
_IDLE = 0  # of libpq's PGTransactionStatusType
_READS, _WRITES = 1, 2  # what psycopg's generators wait for, and are told
_MILLISECOND_NS = 1_000_000
_OWN_SNAPSHOTS = frozenset(("REPEATABLE_READ", "SERIALIZABLE"))
_OWN_SNAPSHOT = re.compile(r"REPEATABLE\s+READ|SERIALIZABLE", re.IGNORECASE)
_KEEPS = re.compile(r"\bpg_(?:try_)?advisory_lock|\bCREATE\s+(?:LOCAL\s+|GLOBAL\s+)?TEMP", re.IGNORECASE)
_LETS_GO = re.compile(r"\bpg_advisory_unlock|\bDISCARD\s+ALL", re.IGNORECASE)
_TIMEOUT = re.compile(r"\b(?:lock|statement)_timeout\b", re.IGNORECASE)
_ARE_SET = b"SELECT current_setting('lock_timeout') <> '0' OR current_setting('statement_timeout') <> '0'"
_TIMEOUTS = b"SELECT setting FROM pg_settings WHERE name IN ('lock_timeout', 'statement_timeout') AND setting <> '0'"


class Session(InFlight):
    """The run's view of one connection, which was made with ``conninfo``. It does not refer to the connection, whose
    last reference must be the gate's. ``timeout_ns`` is how long a statement may wait for a lock now,
    ``kept_timeout_ns`` what is so without the open transaction. ``left`` says how the session came to hold what it
    holds between statements; empty: nothing. ``keeps``: it holds something outside of transactions too. ``blocking``:
    it is psycopg's blocking side. ``wakes`` and ``held_up`` are the driver's of tasks: what the task awaits, and the
    cancellation that came meanwhile."""

    def __init__(
        self, connection: Connection, server: PostgresServer, points: InnerPoints, number: int, *, blocking: bool
    ) -> None:
        super().__init__(connection.info.backend_pid, connection.pgconn.socket, lambda: None)
        self.server = server
        self.life: Life = points.life
        self.lock: ConnectionLock | None = None
        self.number = number
        self.blocking = blocking
        self.conninfo = ""
        self.pgconn = connection.pgconn
        self.touches = (f"postgres:{connection.info.dbname}",)
        self.timeout_ns: int | None = None
        self.kept_timeout_ns: int | None = None
        self.keeps_snapshot = False
        self.queued = b""
        self.keeps = False
        self.left = b""
        self.wakes: asyncio.Future[None] | None = None
        self.held_up: asyncio.CancelledError | None = None
        self.drop: weakref.finalize[..., Connection]

    @property
    def idle(self) -> bool:
        """Whether no transaction is open."""
        return self.pgconn.transaction_status == _IDLE


class Driver(ABC):
    """Drives what connections say. ``cancelled`` is the error class of a statement that somebody cancelled,
    ``timed_out`` makes the one that a time-out gives instead."""

    def __init__(self, points: InnerPoints, cancelled: type[Exception], timed_out: Callable[[], Exception]) -> None:
        self._points = points
        self._cancelled = cancelled
        self._timed_out = timed_out
        self._history = b""

    def begin(self) -> None:
        """A new run: nothing has been committed."""
        self._history = b""

    def drive(self, connection: Connection, session: Session, generator: Generator[Any, Any, Any]) -> Any:
        """In place of ``Connection.wait``."""
        return at_once(self._driven(connection, session, generator))

    async def _driven(self, connection: Connection, session: Session, generator: Generator[Any, Any, Any]) -> Any:
        """Park, then let the statement be made; where it waits for another session, wait in virtual time."""
        session.life.check()
        said = Said(generator, connection)
        if said.parks and not (said.ends and session.idle):
            await self._stand(connection, session, said, generator)
            session.life.check()
        self._note_before(connection, session, said)
        session.error = None
        try:
            answer = await self._through(session, said, generator)
        except Exception as error:
            self._points.heard((said.sql, said.parameters, told(error)))
            self._note_left(session, said)
            self._settle(session.server)
            raise
        self._points.heard((said.sql, said.parameters, learned(said.speaker, answer)))
        self._note_after(session, said)
        self._note_left(session, said)
        if session.idle or not holds_on(said.sql, said.verb):
            self._settle(session.server)
        return answer

    def _settle(self, server: PostgresServer) -> None:
        """After what may have let go of a lock."""
        self._points.out_of_turn |= server.settle()

    # -- what each host does in its way -------------------------------------------------------------------

    @abstractmethod
    async def _stand(
        self, connection: Connection, session: Session, said: Said, generator: Generator[Any, Any, Any]
    ) -> None:
        """A branch point before a statement."""

    @abstractmethod
    def _may_wait(self, session: Session, said: Said) -> None:
        """Raise where a statement that waits would wait for ever."""

    @abstractmethod
    async def _let_others(self, session: Session, said: Said, give_up_ns: int | None) -> Callable[[], Exception] | None:
        """Let others move until the statement is answered, or its time is over. What ends it, if it is not answered,
        and how that is told; ``None`` to look again."""

    # -- making it ----------------------------------------------------------------------------------------

    async def _through(self, session: Session, said: Said, generator: Generator[Any, Any, Any]) -> Any:
        given: Any = None
        try:
            while True:
                wanted = int(generator.send(given))
                looks = growing(_PATIENCE_MS)
                while not (given := _come(session.socket, wanted, next(looks))):
                    if session.server.waits(session.pid):
                        await self._wait(session, said)
        except StopIteration as stop:
            return stop.value
        except self._cancelled as error:
            if session.error is None:
                raise
            instead, session.error = session.error(), None
            raise instead from error

    async def _wait(self, session: Session, said: Said) -> None:
        """Leave the statement in the server until it is answered, or until its time is over."""
        self._may_wait(session, said)
        points, server, call = self._points, session.server, self._points.asking()
        give_up_ns = None if session.timeout_ns is None else points.now_ns() + session.timeout_ns
        points.heard(("waits behind", tuple(ahead.queued for ahead in self._queue(server)), self._history))
        session.queued = points.open_call_digest(call)
        session.answered = False
        session.on_answer = partial(self._answered, session, call)
        server.in_flight.append(session)
        try:
            server.settle()
            while not session.answered:
                ends = await self._let_others(session, said, give_up_ns)
                session.life.check()
                if ends is not None and session.unanswered:
                    server.cancel(session, ends)
                    self._settle(server)
        finally:
            if session in server.in_flight:
                server.in_flight.remove(session)

    def _answered(self, session: Session, call: object) -> None:
        """The answer came, while another moved."""
        if call is not None:
            self._points.heard_by(call, ("answered", self._history))

    def _queue(self, server: PostgresServer) -> list[Session]:
        return [ahead for ahead in server.in_flight if isinstance(ahead, Session)]

    # -- what is remembered -------------------------------------------------------------------------------

    def _note_before(self, connection: Connection, session: Session, said: Said) -> None:
        level = connection.isolation_level
        if _OWN_SNAPSHOT.search(said.sql) is not None or (level is not None and level.name in _OWN_SNAPSHOTS):
            session.keeps_snapshot = True
        if session.keeps_snapshot or not says_what_it_writes(said.sql, said.verb):
            self._points.heard(self._history)

    def _note_left(self, session: Session, said: Said) -> None:
        if _KEEPS.search(said.sql) is not None:
            session.keeps = True
        elif _LETS_GO.search(said.sql) is not None:
            session.keeps = False
        session.left = b"" if session.idle and not session.keeps else self._points.chained(session.left)

    def _note_after(self, session: Session, said: Said) -> None:
        if session.idle and said.verb not in {"ROLLBACK", *UNSEEN}:
            self._history = self._points.chained(self._history)
        if _TIMEOUT.search(said.sql) is not None:
            self.take_timeout(session)
            if session.idle:
                session.kept_timeout_ns = session.timeout_ns
        elif session.idle:
            session.timeout_ns = session.kept_timeout_ns

    def take_timeout(self, session: Session) -> None:
        """The server counts its time-outs in real time; the kit takes them over."""
        found = session.pgconn.exec_(_ARE_SET)
        if found.ntuples and found.get_value(0, 0) == b"f":
            session.timeout_ns = None
            return
        found = session.pgconn.exec_(_TIMEOUTS)
        times = [int(found.get_value(row, 0) or b"0") for row in range(found.ntuples)]
        session.timeout_ns = min(times) * _MILLISECOND_NS if times else None
        if times:
            scope = b"SESSION" if session.idle else b"LOCAL"
            session.pgconn.exec_(b"SET %b lock_timeout = 0; SET %b statement_timeout = 0" % (scope, scope))


def _come(socket: int, wanted: int, patience_ms: int) -> int:
    events = (select.POLLIN if wanted & _READS else 0) | (select.POLLOUT if wanted & _WRITES else 0)
    found = ready(socket, events, patience_ms)
    return (_READS if found & select.POLLIN else 0) | (_WRITES if found & select.POLLOUT else 0)


def at_once(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine comes to in which nothing suspends."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value
    coroutine.close()
    raise RuntimeError("a statement suspended where nothing can")
