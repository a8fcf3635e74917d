"""When a statement of a psycopg connection parks, and when it waits.

One idea: whatever a psycopg connection says to its server is a *generator* that talks, and one method drives it
(``Connection.wait``, and ``AsyncConnection.wait`` for the same generators). So the generator is the statement: its
arguments name it, a branch point lies before its first step, and it is driven until it is done or the server makes it
wait for another session. All of this is the same in a thread and in a task; how a call stands and waits there, the
drivers of the two hosts know (``_psycopg_threads``, ``_psycopg_tasks``). It is written as a coroutine: in a thread
nothing in it ever suspends, since whoever waits there blocks.

Under READ COMMITTED each statement sees what was committed before it, so each one parks; but for those that neither
see nor show anything (BEGIN, SAVEPOINT, SET ...). What is remembered of it: ``_postgres_session``.
"""

from __future__ import annotations

import asyncio
import select
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Generator
from functools import partial
from typing import TYPE_CHECKING, Any

from stopcheck.world._inner_points import InnerPoints
from stopcheck.world._postgres_server import PostgresServer, growing, ready
from stopcheck.world._postgres_session import Memory, Rows, Session
from stopcheck.world._postgres_text import holds_on
from stopcheck.world._psycopg_said import Said, learned, told

if TYPE_CHECKING:
    from stopcheck.world._psycopg_said import Connection
    from stopcheck.world._psycopg_threads import ConnectionLock

#: Whatever a connection says to its server.
Talk = Generator[Any, Any, Any]
#: What makes the error of a statement that is ended; ``None`` to go on.
Ends = Callable[[], Exception] | None

_PATIENCE_MS = 2
_IDLE = 0  # of libpq's PGTransactionStatusType
_READS, _WRITES = 1, 2  # what psycopg's generators wait for, and are told
_OWN_SNAPSHOTS = frozenset(("REPEATABLE_READ", "SERIALIZABLE"))


class PsycopgSession(Session):
    """The run's view of one connection, which was made with ``conninfo``. It does not refer to the connection, whose
    last reference must be the gate's. ``blocking``: it is psycopg's blocking side. ``wakes`` and ``held_up`` are the
    driver's of tasks: what the task awaits, and the cancellation that came meanwhile."""

    def __init__(
        self, connection: Connection, server: PostgresServer, points: InnerPoints, number: int, *, blocking: bool
    ) -> None:
        info = connection.info
        super().__init__(info.backend_pid, connection.pgconn.socket, server, points, info.dbname)
        self.lock: ConnectionLock | None = None
        self.number = number
        self.blocking = blocking
        self.conninfo = ""
        self.pgconn = connection.pgconn
        self.wakes: asyncio.Future[None] | None = None
        self.held_up: asyncio.CancelledError | None = None
        self.drop: weakref.finalize[..., Connection]

    @property
    def idle(self) -> bool:
        """Whether no transaction is open."""
        return self.pgconn.transaction_status == _IDLE

    def ask(self, sql: bytes) -> Rows:
        """Make a statement of the kit's own."""
        found = self.pgconn.exec_(sql)
        columns = range(found.nfields)
        return [[found.get_value(row, column) for column in columns] for row in range(found.ntuples)]


class Driver(Memory, ABC):
    """Drives what connections say. ``cancelled`` is the error class of a statement that somebody cancelled."""

    def __init__(self, points: InnerPoints, cancelled: type[Exception], timed_out: Callable[[], Exception]) -> None:
        super().__init__(points, timed_out)
        self._cancelled = cancelled

    def drive(self, connection: Connection, session: PsycopgSession, generator: Talk) -> Any:
        """In place of ``Connection.wait``."""
        return at_once(self._driven(connection, session, generator))

    async def _driven(self, connection: Connection, session: PsycopgSession, generator: Talk) -> Any:
        """Park, then let the statement be made; where it waits for another session, wait in virtual time."""
        session.life.check()
        said = Said(generator, connection)
        if said.parks and not (said.ends and session.idle):
            await self._stand(connection, session, said, generator)
            session.life.check()
        level = connection.isolation_level
        if level is not None and level.name in _OWN_SNAPSHOTS:
            session.keeps_snapshot = True
        self.note_before(session, said)
        session.error = None
        try:
            answer = await self._through(session, said, generator)
        except Exception as error:
            self._points.heard((said.sql, said.parameters, told(error)))
            self.note_left(session, said)
            self.settle(session.server)
            raise
        self._points.heard((said.sql, said.parameters, learned(said.speaker, answer)))
        self.note_after(session, said)
        self.note_left(session, said)
        if session.idle or not holds_on(said.sql, said.verb):
            self.settle(session.server)
        return answer

    # -- what each host does in its way -------------------------------------------------------------------

    @abstractmethod
    async def _stand(self, connection: Connection, session: PsycopgSession, said: Said, generator: Talk) -> None:
        """A branch point before a statement."""

    @abstractmethod
    def _may_wait(self, session: PsycopgSession, said: Said) -> None:
        """Raise where a statement that waits would wait for ever."""

    @abstractmethod
    async def _let_others(
        self, session: PsycopgSession, said: Said, give_up_ns: int | None
    ) -> Callable[[], Exception] | None:
        """Let others move until the statement is answered, or its time is over. What ends it, if it is not answered,
        and how that is told; ``None`` to look again."""

    # -- making it ----------------------------------------------------------------------------------------

    async def _through(self, session: PsycopgSession, said: Said, generator: Talk) -> Any:
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

    async def _wait(self, session: PsycopgSession, said: Said) -> None:
        """Leave the statement in the server until it is answered, or until its time is over."""
        self._may_wait(session, said)
        server, call = session.server, self._points.asking()
        give_up_ns = self.note_waits(session, call)
        session.on_answer = partial(self._answered, session, call)
        server.in_flight.append(session)
        try:
            server.settle()
            while not session.answered:
                ends = await self._let_others(session, said, give_up_ns)
                session.life.check()
                if ends is not None and session.unanswered:
                    server.cancel(session, ends)
                    self.settle(server)
        finally:
            if session in server.in_flight:
                server.in_flight.remove(session)

    def _answered(self, session: PsycopgSession, call: object) -> None:
        """The answer came, while another moved."""
        self.note_answered(call)


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
