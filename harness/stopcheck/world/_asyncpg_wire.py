"""asyncpg's transport, in a loop that has no sockets: a real socket, read by the step that wrote to it.

One idea: asyncpg speaks to its server through a transport that it writes to, and that feeds it what comes. This one
writes at once. Then, when the loop comes to it, it waits for the whole answer (``ReadyForQuery``, or what else ends
what was asked), unless the server says that the statement waits for another session of the run: then it is looked at
again when whoever let go of the lock has settled that. So a statement is made within the step of the task that asked
for it, and the task goes on, like every other, when it is chosen.

It reads the kinds of the server's messages, and of the answers as much as tells them from others.
"""

from __future__ import annotations

import asyncio
import contextvars
import hashlib
import select
import socket
import struct
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from stopcheck.kernel import call_in
from stopcheck.world._inner_points import InnerPoints
from stopcheck.world._postgres_server import PostgresServer, growing, readable, ready
from stopcheck.world._postgres_session import Memory, Rows, Session, Spoken
from stopcheck.world._postgres_text import holds_on

_SECOND_NS = 1_000_000_000
_PATIENCE_MS = 2
_CHUNK = 1 << 16
_READY, _COPY_IN, _ERROR = b"Z", b"G", b"E"
_DESCRIBED = frozenset((b"T", b"n"))
_TELLING = frozenset((b"D", b"C"))
_COPY_DATA, _SYNC, _QUERY = b"d", b"S", b"Q"
_COPY_ENDS = frozenset((b"c", b"f"))


class Asked:
    """Something that was asked of a wire. ``described``: its answer ends with a description (it is only prepared)."""

    def __init__(self, said: Spoken, call: object, *, described: bool) -> None:
        self.said = said
        self.call = call
        self.described = described
        self.written = False
        self.failed = False
        self.answer = hashlib.blake2b(digest_size=16)


class WireSession(Session):
    """The session behind a wire."""

    def __init__(self, wire: Wire, pid: int, server: PostgresServer, points: InnerPoints, database: str) -> None:
        super().__init__(pid, wire.fileno, server, points, database)
        self._wire = wire

    @property
    def idle(self) -> bool:
        """Whether no transaction is open."""
        return self._wire.status == b"I"

    def ask(self, sql: bytes) -> Rows:
        """Make a statement of the kit's own."""
        return self._wire.exchange(sql)


class Wire(asyncio.Transport):
    """One of them. ``session`` and ``owner``, asyncpg's connection, are known when that is made, ``status`` is that of
    its transaction. ``busy``: a task of it stands, or waits for an answer."""

    def __init__(self, loop: asyncio.AbstractEventLoop, made: socket.socket, protocol: Any, memory: Memory) -> None:
        super().__init__()
        made.setblocking(False)
        self.fileno = made.fileno()
        self.session: WireSession | None = None
        self.owner: Callable[[], Any] = _nobody
        self.status = b"I"
        self.busy = False
        self._loop = loop
        self._socket = made
        self._protocol: Any = protocol
        self._memory = memory
        self._messages = _Messages()
        self._queue: deque[Asked] = deque()
        self._early: list[bytes] = []
        self._whole = bytearray()
        self._context = contextvars.copy_context()
        self._awaits = False
        self._copied = False
        self._comes = False
        self._paused = False
        self._closed = False

    # -- what asyncpg uses of a transport -----------------------------------------------------------------

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """It is plain, and has a socket."""
        return self._socket if name == "socket" else default

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Feed another."""
        self._protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Who is fed."""
        found: asyncio.BaseProtocol = self._protocol
        return found

    def is_closing(self) -> bool:
        """Whether nothing is written any more."""
        return self._closed

    def pause_reading(self) -> None:
        """Feed nothing for a while."""
        self._paused = True

    def resume_reading(self) -> None:
        """Feed it again."""
        self._paused = False
        self._look()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Say something to the server."""
        if self._closed:
            return
        kind = bytes(data[:1])
        if kind != _COPY_DATA:
            self._awaits, self._copied = True, kind in _COPY_ENDS
            if self._queue:
                self._queue[-1].written = True
                self._queue[-1].described &= kind != _SYNC
        self._send(memoryview(data))
        self._context = contextvars.copy_context()
        self._look()

    def writelines(self, list_of_data: Any) -> None:
        """The same, in pieces."""
        self.write(b"".join(list_of_data))

    def close(self) -> None:
        """Hang up."""
        self.abort()

    def abort(self) -> None:
        """Hang up; the server has noticed it when this returns."""
        if self._closed:
            return
        self.let_go()
        if not self._loop.is_closed():
            self._loop.call_soon(self._protocol.connection_lost, None)

    def let_go(self) -> None:
        """End the session, if its process lives."""
        self._closed = True
        self._socket.close()
        session = self.session
        if session is not None and not session.life.dead:
            if session in session.server.in_flight:
                session.server.in_flight.remove(session)
            session.server.end_sessions((session.pid,))
            session.left = b""
            self._memory.settle(session.server)

    # -- what is asked ------------------------------------------------------------------------------------

    def begins(self, said: Spoken, *, described: bool) -> Asked:
        """Something is about to be asked."""
        asked = Asked(said, call_in(None), described=described)
        self._queue.append(asked)
        return asked

    def never_asked(self, asked: Asked) -> None:
        """It was not, if nothing of it was written."""
        if not asked.written and asked in self._queue:
            self._queue.remove(asked)

    def instead(self) -> Exception | None:
        """What is to be told in place of the cancellation by which the kit ended a statement."""
        session = self.session
        if session is None or session.error is None:
            return None
        error, session.error = session.error(), None
        return error

    def exchange(self, sql: bytes) -> Rows:
        """Between statements: a simple query of the kit's own."""
        self._send(memoryview(_QUERY + struct.pack("!i", len(sql) + 5) + sql + b"\0"))
        rows: list[list[bytes | None]] = []
        while True:
            readable(self.fileno, _PATIENCE_MS)
            for kind, body in self._messages.of(self._received()):
                if kind == b"D":
                    rows.append(_fields(body))
                if kind == _READY:
                    return rows

    def _send(self, rest: memoryview) -> None:
        while rest:
            try:
                rest = rest[self._socket.send(rest) :]
            except BlockingIOError:
                # The server may wait until its answers are taken.
                if ready(self.fileno, select.POLLIN | select.POLLOUT, _PATIENCE_MS) & select.POLLIN:
                    self._early.append(self._received())

    def _received(self) -> bytes:
        """What has come; nothing when nothing has, or when the server has hung up."""
        try:
            found = self._socket.recv(_CHUNK)
        except BlockingIOError:
            return b""
        if not found:
            raise ConnectionResetError("the server has closed the connection")
        return found

    # -- what comes ---------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Look for the answer when the loop comes to it."""
        if not (self._comes or self._closed or self._loop.is_closed()):
            self._comes = True
            self._loop.call_soon(self._take, context=self._context)

    def _take(self) -> None:
        """Wait for the answer, and feed it."""
        self._comes = False
        session = self.session
        if session is not None and session in session.server.in_flight:
            session.server.in_flight.remove(session)
        looks = growing(_PATIENCE_MS)
        while self._awaits and not (self._paused or self._closed):
            if not self._early and not readable(self.fileno, next(looks)):
                if session is not None and session.server.waits(session.pid):
                    self._wait(session)
                    return
                continue
            try:
                data = self._early.pop(0) if self._early else self._received()
            except OSError:
                self._feed()
                self._lost()
                return
            self._whole += data
            # All at once: how it was cut on its way would decide how often the task goes on.
            if self._note(data) or not self._awaits:
                self._feed()
            looks = growing(_PATIENCE_MS)

    def _feed(self) -> None:
        whole, self._whole = bytes(self._whole), bytearray()
        if whole:
            self._protocol.data_received(whole)

    def _note(self, data: bytes) -> bool:
        """Look at what came. Whether the server may wait for what the protocol says to it."""
        is_asked = False
        for kind, body in self._messages.of(data):
            asked = self._queue[0] if self._queue else None
            if kind == _READY:
                self.status, self._awaits = body, False
            elif kind == _COPY_IN:
                self._awaits = self._copied  # else the server waits for rows
            elif asked is not None and asked.described and kind in _DESCRIBED:
                self._awaits = False
            if asked is None:
                is_asked = True
                continue
            is_asked |= kind == _ERROR and asked.described
            if kind in _TELLING:
                asked.answer.update(kind + body)
            elif kind == _ERROR:
                asked.failed = True
                asked.answer.update(_what_failed(body))
            if not self._awaits and kind != _COPY_IN:
                self._queue.popleft()
                self._answered(asked)
        return is_asked

    def _answered(self, asked: Asked) -> None:
        """The server has done what was asked. Who asked does not know it yet."""
        session, memory, said = self.session, self._memory, asked.said
        if session is None:
            return
        memory.note_told(asked.call, (said.sql, said.parameters, asked.answer.hexdigest()))
        if not asked.failed:
            memory.note_after(session, said)
        memory.note_left(session, said)
        if asked.failed or session.idle or not holds_on(said.sql, said.verb):
            memory.settle(session.server)

    def _lost(self) -> None:
        self.let_go()
        self._protocol.connection_lost(None)

    # -- waiting ------------------------------------------------------------------------------------------

    def _wait(self, session: WireSession) -> None:
        """Leave the statement in the server, and look again when it is answered, or when its time is over."""
        call = call_in(None)
        give_up_ns = self._memory.note_waits(session, call)

        def answered() -> None:
            self._memory.note_answered(call)
            if timer is not None:
                timer.cancel()
            self._look()

        def give_up() -> None:
            self.end_wait(self._memory.timed_out)

        timer = None if give_up_ns is None else self._loop.call_at(give_up_ns / _SECOND_NS, give_up)
        session.on_answer = answered
        session.server.in_flight.append(session)
        session.server.settle()

    def end_wait(self, error: Callable[[], Exception] | None = None) -> None:
        """End the statement, if it waits; ``error`` is what is told instead."""
        session = self.session
        if session is not None and session in session.server.in_flight and session.unanswered:
            session.server.cancel(session, error)
            self._memory.settle(session.server)


def _nobody() -> None:
    """There is no connection yet."""


class _Messages:
    """Cuts what comes into messages."""

    def __init__(self) -> None:
        self._rest = b""

    def of(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Kind and body of each that is whole now."""
        rest = self._rest + data
        at = 0
        while len(rest) - at >= 5:
            (length,) = struct.unpack_from("!i", rest, at + 1)
            if len(rest) - at <= length:
                break
            kind, body = rest[at : at + 1], rest[at + 5 : at + 1 + length]
            at += 1 + length
            self._rest = rest[at:]
            yield kind, body
        self._rest = rest[at:]


def _fields(body: bytes) -> list[bytes | None]:
    """A row's columns."""
    (count,) = struct.unpack_from("!h", body)
    at, fields = 2, list[bytes | None]()
    for _ in range(count):
        (length,) = struct.unpack_from("!i", body, at)
        at += 4
        fields.append(None if length < 0 else body[at : at + length])
        at += max(length, 0)
    return fields


def _what_failed(body: bytes) -> bytes:
    """What is the same of an error in each replay: its details may name rows by where they lie, or processes."""
    return b"|".join(field for field in body.split(b"\0") if field[:1] in {b"C", b"M"})
