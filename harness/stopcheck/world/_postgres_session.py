"""A session of a run in a PostgreSQL server, and what is remembered of what it was told and what it holds.

One idea: what a call has learned from the server decides how it goes on, and what it has written and not yet committed
is seen by no fingerprint. It is known by the text and the parameters of statements that say what they write
(``_postgres_text``). What any other writes depends on what had been committed before it, and so does what is read in a
transaction with a snapshot of its own: there, which transactions had been committed is noted too.

``lock_timeout`` and ``statement_timeout`` pass in virtual time. The server counts them in real time, so the kit takes
them over: it reads them and puts them to nothing.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from stopcheck.world._inner_points import InnerPoints, Life
from stopcheck.world._postgres_server import InFlight, PostgresServer
from stopcheck.world._postgres_text import UNSEEN, says_what_it_writes

_MILLISECOND_NS = 1_000_000
_OWN_SNAPSHOT = re.compile(r"REPEATABLE\s+READ|SERIALIZABLE", re.IGNORECASE)
_KEEPS = re.compile(r"\bpg_(?:try_)?advisory_lock|\bCREATE\s+(?:LOCAL\s+|GLOBAL\s+)?TEMP", re.IGNORECASE)
_LETS_GO = re.compile(r"\bpg_advisory_unlock|\bDISCARD\s+ALL", re.IGNORECASE)
_HOLDS = (
    b"SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())"
    b" OR EXISTS (SELECT FROM pg_class WHERE relnamespace = pg_my_temp_schema())"
)
_TIMEOUT = re.compile(r"\b(?:lock|statement)_timeout\b", re.IGNORECASE)
_ARE_SET = b"SELECT current_setting('lock_timeout') <> '0' OR current_setting('statement_timeout') <> '0'"
_TIMEOUTS = b"SELECT setting FROM pg_settings WHERE name IN ('lock_timeout', 'statement_timeout') AND setting <> '0'"

Rows = Sequence[Sequence[bytes | None]]


class Spoken:
    """A statement: its text, its verb, how schedules name it, and its parameters. ``parks``: it has a branch point
    before it."""

    sql: str
    verb: str
    label: str
    parameters: str
    parks: bool


class Session(InFlight, ABC):
    """``timeout_ns`` is how long a statement may wait for a lock now, ``kept_timeout_ns`` what is so without the open
    transaction. ``left`` says how the session came to hold what it holds between statements; empty: nothing.
    ``keeps``: it holds something outside of transactions too; ``lets_go``: perhaps no more. ``queued`` tells the
    statement that waits from others."""

    def __init__(self, pid: int, socket: int, server: PostgresServer, points: InnerPoints, database: str) -> None:
        super().__init__(pid, socket, lambda: None)
        self.server = server
        self.life: Life = points.life
        self.touches = (f"postgres:{database}",)
        self.timeout_ns: int | None = None
        self.kept_timeout_ns: int | None = None
        self.keeps_snapshot = False
        self.queued = b""
        self.keeps = False
        self.lets_go = False
        self.left = b""

    @property
    @abstractmethod
    def idle(self) -> bool:
        """Whether no transaction is open."""

    @abstractmethod
    def ask(self, sql: bytes) -> Rows:
        """Between statements, for the kit: make one of its own."""


class Memory:
    """What a run remembers of what its sessions say. ``timed_out`` makes the error of a statement that waited too
    long for a lock."""

    def __init__(self, points: InnerPoints, timed_out: Callable[[], Exception]) -> None:
        self._points = points
        self.timed_out = timed_out
        self._history = b""

    def begin(self) -> None:
        """A new run: nothing has been committed."""
        self._history = b""

    def note_before(self, session: Session, said: Spoken) -> None:
        """It is about to be made."""
        if _OWN_SNAPSHOT.search(said.sql) is not None:
            session.keeps_snapshot = True
        if session.keeps_snapshot or not says_what_it_writes(said.sql, said.verb):
            self._points.heard(self._history)

    def note_after(self, session: Session, said: Spoken) -> None:
        """It was made, well."""
        if session.idle and said.verb not in {"ROLLBACK", *UNSEEN}:
            self._history = self._points.chained(self._history)
        if _TIMEOUT.search(said.sql) is not None:
            self.take_timeout(session)
            if session.idle:
                session.kept_timeout_ns = session.timeout_ns
        elif session.idle:
            session.timeout_ns = session.kept_timeout_ns

    def note_left(self, session: Session, said: Spoken) -> None:
        """It was made, or failed."""
        if _KEEPS.search(said.sql) is not None:
            session.keeps = True
        elif _LETS_GO.search(said.sql) is not None:
            session.lets_go = True
        if session.lets_go and session.idle:  # else locks of the transaction count too
            session.lets_go = False
            session.keeps = session.ask(_HOLDS)[0][0] == b"t"
        session.left = b"" if session.idle and not session.keeps else self._points.chained(session.left)

    def note_new(self, session: Session) -> None:
        """It was opened a moment ago."""
        self.take_timeout(session)
        session.kept_timeout_ns = session.timeout_ns

    def take_timeout(self, session: Session) -> None:
        """Time-outs are the kit's."""
        found = session.ask(_ARE_SET)
        if found and found[0][0] == b"f":
            session.timeout_ns = None
            return
        times = [int(row[0] or b"0") for row in session.ask(_TIMEOUTS)]
        session.timeout_ns = min(times) * _MILLISECOND_NS if times else None
        if times:
            scope = b"SESSION" if session.idle else b"LOCAL"
            session.ask(b"SET %b lock_timeout = 0; SET %b statement_timeout = 0" % (scope, scope))

    # -- waiting ------------------------------------------------------------------------------------------

    def note_waits(self, session: Session, call: object) -> int | None:
        """Its statement waits in the server, behind whoever waits there. Until when it may."""
        ahead = tuple(other.queued for other in session.server.in_flight if isinstance(other, Session))
        self._points.heard(("waits behind", ahead, self._history))
        session.queued = self._points.open_call_digest(call)
        session.answered = False
        return None if session.timeout_ns is None else self._points.now_ns() + session.timeout_ns

    def note_told(self, call: object, what: object) -> None:
        """Its statement was answered; the call hears it when it goes on."""
        if call is not None:
            self._points.heard_by(call, what)

    def settle(self, server: PostgresServer) -> None:
        """After what may have let go of a lock."""
        self._points.out_of_turn |= server.settle()

    def note_answered(self, call: object) -> None:
        """The answer came, while another moved."""
        if call is not None:
            self._points.heard_by(call, ("answered", self._history))
