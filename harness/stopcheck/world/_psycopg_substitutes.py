"""psycopg connections that park at each statement, for gates of plain ``psycopg`` code, and for what is built on it.

One idea: the gate's code stays as it is, and so do psycopg's classes but for three methods, for as long as the kit runs
the gate: ``Connection.connect`` notes a connection that a run makes, ``Connection.wait`` drives what it says (see
``_psycopg_link``), and ``Connection.close`` takes effect in the server before it returns. So SQLAlchemy and others
need no substitutes of their own. Connections that no run made are left alone.

Known limits: asynchronous connections are seen in the host ``asyncio`` only (``_psycopg_tasks``); ``executemany`` and a
pipeline are one step; a pool that waits with locks of its own does so in real time, and so does who waits for a
notification (exit 4 when that hangs); rows without ORDER BY have no order, here as there; the server's own clock shows
real time. Who waits for a row is served in the order of waiting, also where a server might rarely do otherwise
(``_in_turn``).
"""

from __future__ import annotations

import hashlib
import importlib
import sys
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stopcheck.world._inner_points import InnerPoints
from stopcheck.world._postgres_server import MONITOR, PostgresServer
from stopcheck.world._psycopg_link import Driver, PsycopgSession
from stopcheck.world._psycopg_spare import SpareSessions
from stopcheck.world._psycopg_threads import ConnectionLock, ThreadDriver

if TYPE_CHECKING:
    from stopcheck.world._psycopg_said import Connection

_UNKNOWN = 4  # of libpq's PGTransactionStatusType: the connection is broken
_ACTIVE = 1
_UNLOCK = b"SELECT pg_advisory_unlock_all()"


class PsycopgSubstitutes:
    """The run's connections. In place only where psycopg has been loaded."""

    def __init__(self, points: InnerPoints) -> None:
        self._points = points
        self._psycopg: Any = None
        self._driver: Driver | None = None
        self._spare: SpareSessions | None = None
        self._over = False
        self._undo: list[tuple[Any, str, Any]] = []
        self._servers: dict[tuple[str, int, str], PostgresServer] = {}
        self._sessions: weakref.WeakKeyDictionary[Connection, PsycopgSession] = weakref.WeakKeyDictionary()
        self._dead: list[Connection] = []
        self._unclosed: list[Connection] = []
        self._count = 0

    # -- in place, or not ---------------------------------------------------------------------------------

    @property
    def in_place(self) -> bool:
        """Whether connections of this run would be seen."""
        return self._driver is not None

    @property
    def out_of_turn(self) -> bool:
        """Whether in this run a server served somebody before one who had waited longer."""
        return self._points.out_of_turn

    def put_in_place(self) -> list[tuple[object, Callable[..., Any]]]:
        """Replace the methods. Returns which functions a module may hold, and what stands in for them."""
        if "psycopg" not in sys.modules:
            return []
        real: Any = importlib.import_module("psycopg")
        self._psycopg = real
        errors = real.errors
        self._drive_with(errors.QueryCanceled, raised_by(errors.LockNotAvailable, "lock timeout"))
        self._spare = SpareSessions(real)
        connect = real.connect
        for owner, name, stand_in in self._stand_ins(real, self._spare):
            self._undo.append((owner, name, owner.__dict__[name]))
            setattr(owner, name, stand_in)
        self._undo.append((real, "connect", connect))
        real.connect = real.Connection.connect
        return [(connect, real.connect)]

    def _drive_with(self, cancelled: type[Exception], timed_out: Callable[[], Exception]) -> None:
        self._driver = ThreadDriver(self._points, cancelled, timed_out)

    def _stand_ins(self, real: Any, spare: SpareSessions) -> list[tuple[Any, str, Any]]:
        """What is replaced, and by what."""
        kind = real.Connection
        return [
            (kind, "connect", classmethod(self._connect)),
            (kind, "wait", self._in_place_of_wait(kind.wait)),
            (kind, "close", self._in_place_of_close(kind.close)),
            (real.generators, "connect", spare.connect),
        ]

    def take_away(self) -> None:
        """Put the originals back, and let go of the servers."""
        while self._undo:
            owner, name, original = self._undo.pop()
            setattr(owner, name, original)
        if self._spare is not None:
            self._spare.close()
        for server in self._servers.values():
            server.close()
        self._servers.clear()

    # -- a run --------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """A new run."""
        self._count = 0
        self._over = False
        if self._driver is not None:
            self._driver.begin()

    def kill(self) -> None:
        """The process died: its sessions end, and the server has let go of what they held. The connections are kept
        as they are, so that none of their clean-up helps anybody."""
        alive = self._alive()
        self._dead.extend(alive)
        self._end_sessions(alive)

    def over(self) -> None:
        """The run is over: what its gates close from now on may serve another."""
        self._over = True

    def close(self) -> None:
        """No gate will move any more: end what is left, or keep it for another run."""
        left = [connection for connection in self._alive() if not self._kept(connection)]
        self._end_sessions(left)
        for connection in [*self._dead, *left]:
            self._sessions.pop(connection).drop.detach()
            _shut(connection)
        self._dead.clear()
        self._unclosed.clear()

    def _kept(self, connection: Connection) -> bool:
        session = self._sessions[connection]
        if session.life.dead or self._spare is None or not self._spare.keep(connection, session):
            return False
        self._forget(connection, session)
        return True

    def _forget(self, connection: Connection, session: PsycopgSession) -> None:
        del self._sessions[connection]
        session.drop.detach()
        session.server.pids.discard(session.pid)

    def left_open(self) -> bytes:
        """A digest of what sessions hold: transactions that are open, advisory locks, temporary tables."""
        return digest_of_left(self.left())

    def left(self) -> list[bytes]:
        """What each of them holds that holds something."""
        return [session.left for session in self._sessions.values() if session.left and not session.life.dead]

    def _alive(self) -> list[Connection]:
        alive = [c for c in self._sessions if not any(c is dead for dead in self._dead)]
        return sorted(alive, key=lambda connection: self._sessions[connection].number)

    def _end_sessions(self, connections: list[Connection]) -> None:
        for server in self._servers.values():
            server.in_flight.clear()
            server.end_sessions(s.pid for c in connections if (s := self._sessions[c]).server is server)

    # -- the methods --------------------------------------------------------------------------------------

    def _connect(self, kind: Any, *args: Any, **keywords: Any) -> Any:
        """``Connection.connect``."""
        self._points.life.check()
        assert self._spare is not None
        made = self._spare.giving(lambda: self._original("connect").__func__(kind, *args, **keywords))
        session = self._know(made, blocking=True)
        self._guard(made, session)
        return made

    def _know(self, made: Connection, *, blocking: bool) -> PsycopgSession:
        """A connection that the run made a moment ago."""
        assert self._spare is not None
        assert self._driver is not None
        self._count += 1
        session = PsycopgSession(made, self._server_of(made), self._points, self._count, blocking=blocking)
        session.conninfo = self._spare.conninfo
        session.server.pids.add(session.pid)
        session.drop = weakref.finalize(made, _lost, session)
        session.drop.atexit = False
        self._sessions[made] = session
        self._driver.note_new(session)
        return session

    def _guard(self, made: Any, session: PsycopgSession) -> None:
        made.lock = session.lock = ConnectionLock(self._points, session)

    def _original(self, name: str) -> Any:
        return next(o for owner, found, o in self._undo if found == name and owner is self._psycopg.Connection)

    def _server_of(self, connection: Connection) -> PostgresServer:
        info = connection.info
        return self.server_at(info.host, info.port, info.user, info.password or None, info.dbname)

    def server_at(self, host: str, port: int, user: str, password: str | None, database: str) -> PostgresServer:
        """The server at an address, with a connection of the kit's own."""
        key = (host, port, user)
        if key not in self._servers:
            connect = self._original("connect").__func__
            where = {"host": host, "port": port, "user": user, "password": password, "dbname": database}
            monitor = connect(self._psycopg.Connection, application_name=MONITOR, autocommit=True, **where)
            deadlock = raised_by(self._psycopg.errors.DeadlockDetected, "deadlock detected")
            self._servers[key] = PostgresServer(monitor, deadlock)
        return self._servers[key]

    def _in_place_of_wait(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """``Connection.wait``."""

        def wait(connection: Connection, gen: Any, *args: Any, **keywords: Any) -> Any:
            session = self._sessions.get(connection)
            if session is None or (self._points.asking() is None and not session.life.dead):
                return original(connection, gen, *args, **keywords)
            assert self._driver is not None
            return self._driver.drive(connection, session, gen)

        return wait

    def _stand_before_closing(self, connection: Connection, session: PsycopgSession) -> None:
        try:
            self._points.point("sql:CLOSE", session.touches, "close")
        except BaseException:  # the run ends here, and ends the session
            self._unclosed.append(connection)
            raise

    def _in_place_of_close(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """``Connection.close``."""

        def close(connection: Connection) -> None:
            session = self._sessions.get(connection)
            if session is None or connection.closed:
                original(connection)
                return
            if self._over and self._kept(connection):
                return
            session.life.check()
            if not session.idle:
                self._stand_before_closing(connection, session)
                session.life.check()
            self._leave(connection, session)
            original(connection)
            self._points.out_of_turn |= session.server.settle()

        return close

    def _leave(self, connection: Connection, session: PsycopgSession) -> None:
        """What closing a connection does, but for closing it."""
        del self._sessions[connection]
        session.drop.detach()
        _let_go(session)


def digest_of_left(left: list[bytes]) -> bytes:
    """A digest of what sessions hold, whichever; empty where none holds anything."""
    return hashlib.blake2b(b"".join(sorted(left)), digest_size=16).digest() if left else b""


def _let_go(session: PsycopgSession) -> None:
    """What the server does some time after a connection is closed, done now."""
    if session.pgconn.transaction_status not in {_ACTIVE, _UNKNOWN}:
        if not session.idle:
            session.pgconn.exec_(b"ROLLBACK")
        session.pgconn.exec_(_UNLOCK)
    session.server.pids.discard(session.pid)


def _shut(connection: Any) -> None:
    """As ``Connection.close``, and ``AsyncConnection.close`` outside of any loop."""
    connection._closed = True
    connection.pgconn.finish()


def _lost(session: PsycopgSession) -> None:
    """A connection was dropped without being closed."""
    _let_go(session)
    session.pgconn.finish()
    session.server.settle()


def raised_by(kind: Callable[[str], Exception], message: str) -> Callable[[], Exception]:
    """Makes an error of the kind."""
    return lambda: kind(message)
