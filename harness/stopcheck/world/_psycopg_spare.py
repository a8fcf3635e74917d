"""Sessions of runs that are over, kept for runs that come.

One idea: a new session costs a server process and everything that it has to look up first, several times what a call
costs. So what a run leaves idle is put back to what a new session is (all that ``DISCARD ALL`` does) and given to a
later run that connects in the same way. Within a run nothing changes: a session that is closed there ends there, and
those of a gate that died end with it.

The gate of the earlier run keeps its connection, but not the wire behind it: the connection is closed, and where
anything else still holds the wire (a cursor) the session ends.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from typing import Any

from stopcheck.world._postgres_server import MONITOR

#: How many are kept; each is a process of the server.
MOST = 8
_IDLE = 0  # of libpq's PGTransactionStatusType
_TUPLES_OK, _NO_PIPELINE = 2, 0
#: All that DISCARD ALL does, which can not stand beside others; and the name of sessions that no gate has.
_AS_NEW = f"""
    CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; DEALLOCATE ALL; UNLISTEN *; DISCARD PLANS; DISCARD TEMP;
    DISCARD SEQUENCES; SET application_name = '{MONITOR}'; SELECT pg_advisory_unlock_all()
""".encode()
_OWN_NAME = b"RESET application_name"
#: Who holds a wire that nobody else does: the variable, and the call that counts.
_NOBODY_ELSE = 2


class SpareSessions:
    """``real`` is the module ``psycopg``. ``conninfo`` is how the newest connection was made."""

    def __init__(self, real: Any) -> None:
        self.conninfo = ""
        self._original: Callable[..., Generator[Any, Any, Any]] = real.generators.connect
        self._no_wire: Any = real.pq.PGconn.connect_start(b"none")
        self._no_wire.finish()
        self._kept: list[tuple[str, Any]] = []
        self._gives = False

    def connect(self, conninfo: str, *args: Any, **keywords: Any) -> Generator[Any, Any, Any]:
        """In place of ``psycopg.generators.connect``: a session that is kept, or a new one."""
        if not self._gives:
            return (yield from self._original(conninfo, *args, **keywords))
        self.conninfo = conninfo
        found = next((kept for kept in self._kept if kept[0] == conninfo), None)
        if found is None:
            return (yield from self._original(conninfo, *args, **keywords))
        self._kept.remove(found)
        found[1].exec_(_OWN_NAME)
        return found[1]

    def giving(self, connect: Callable[[], Any]) -> Any:
        """Connect, with a session that is kept if one fits."""
        self._gives = True
        try:
            return connect()
        finally:
            self._gives = False

    def keep(self, connection: Any, session: Any) -> bool:
        """Take the session behind a connection, and close that. ``False``: it must be ended."""
        pgconn = connection.pgconn
        fit = pgconn.transaction_status == _IDLE and pgconn.pipeline_status == _NO_PIPELINE
        if not fit or len(self._kept) >= MOST:
            return False
        connection.pgconn = session.pgconn = self._no_wire
        if sys.getrefcount(pgconn) > _NOBODY_ELSE or pgconn.exec_(_AS_NEW).status != _TUPLES_OK:
            connection.pgconn = session.pgconn = pgconn
            return False
        while pgconn.notifies() is not None:
            continue
        self._kept.append((session.conninfo, pgconn))
        return True

    def close(self) -> None:
        """End them."""
        while self._kept:
            self._kept.pop()[1].finish()
