"""psycopg's asynchronous side in the host ``asyncio``: whoever stands or waits is a task of the simulated loop.

One idea: an asynchronous statement is sent, made by the server at some time, and its answer is heard when the loop
comes to it. Between the first two and between the last two, others can move. So its task stands at a branch point
(``sql:UPDATE task``), the statement is made at once, without the loop, and then the task gives the loop away, as one
does whose answer is on its way. A statement that waits for another session's lock waits in the server; its task waits
for a future, which the step that lets go of the lock fulfils.

A task that is cancelled in a statement cancels it in the server, as psycopg does. Where it stood, the server had not
made the statement, which fails now, and with it its transaction. Where it waited for a lock, likewise. Once made, it
stays made, and only its answer is lost.

psycopg's blocking side in such a gate has no branch points. What would make it wait for another call stops the loop in
which that call would let go, so it is the adapter's fault.

Known limits: ``executemany``, a pipeline and each piece of a COPY are one step; LISTEN is not simulated.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from stopcheck.gate import HostMismatch
from stopcheck.kernel import Killed, Park, call_in, current_loop
from stopcheck.world._inner_points import InnerPoints
from stopcheck.world._postgres_session import Memory
from stopcheck.world._psycopg_link import Driver, PsycopgSession, Talk, at_once
from stopcheck.world._psycopg_spare import SpareSessions
from stopcheck.world._psycopg_substitutes import PsycopgSubstitutes, raised_by

if TYPE_CHECKING:
    from stopcheck.world._psycopg_said import Connection, Said

_SECOND_NS = 1_000_000_000
_IN_ERROR = 3  # of libpq's PGTransactionStatusType: the transaction has failed
_BEGIN, _FAIL = b"BEGIN", b"SELECT 1/0"


class TaskDriver(Driver):
    """Drives statements of calls that are tasks."""

    async def drive_in_task(self, connection: Connection, session: PsycopgSession, generator: Talk) -> Any:
        """In place of ``AsyncConnection.wait``."""
        if current_loop() is None:  # the run is over, and its tasks are told so
            session.life.check()
            raise Killed
        try:
            answer = await self._driven(connection, session, generator)
        except Exception:
            await self._heard(session)
            raise
        await self._heard(session)
        return answer

    async def _heard(self, session: PsycopgSession) -> None:
        """The answer is heard when the loop comes to it, and a cancellation that came meanwhile is not forgotten."""
        held_up, session.held_up = session.held_up, None
        if held_up is not None:
            raise held_up
        await asyncio.sleep(0)

    async def _stand(self, connection: Connection, session: PsycopgSession, said: Said, generator: Talk) -> None:
        loop = current_loop()
        if session.blocking or loop is None:
            return
        if said.listens:
            raise HostMismatch(
                "the gate waits for a notification (LISTEN), and the simulated loop hears none",
                cause=f"{type(connection).__name__}.notifies() was iterated inside of a call",
                hint="look for what the call waits for with a statement, or let the gate be a process (--command)",
            )
        try:
            await loop.stand(Park(said.label, session.touches))
        except asyncio.CancelledError:
            self._take_back(connection, session, said, generator)
            raise

    def _take_back(self, connection: Connection, session: PsycopgSession, said: Said, generator: Talk) -> None:
        """A statement was cancelled before the server made it: its transaction has failed."""
        if current_loop() is None:
            return
        session.life.check()
        if session.idle and not connection.autocommit:
            session.ask(_BEGIN)  # psycopg had sent it
        if not session.idle:
            session.ask(_FAIL)
            if said.ends:  # psycopg had begun to end its block
                with suppress(Exception):
                    at_once(self._through(session, said, generator))
            _fail_again(session)
        self._points.heard(("taken back", said.sql))
        self.note_left(session, said)
        self.settle(session.server)

    # -- waiting ------------------------------------------------------------------------------------------

    def _may_wait(self, session: PsycopgSession, said: Said) -> None:
        if session.blocking or current_loop() is None:
            raise HostMismatch(
                f"a statement of a blocking psycopg connection waits for another call's lock ({said.label}), and stops "
                "the event loop, in which that call would let go of it",
                cause="psycopg.Connection was used inside of a call, and the gate declares host 'asyncio'",
                hint="use psycopg.AsyncConnection there, or declare host 'thread'",
            )

    async def _let_others(
        self, session: PsycopgSession, said: Said, give_up_ns: int | None
    ) -> Callable[[], Exception] | None:
        loop = asyncio.get_running_loop()
        if session.held_up is None:
            session.wakes = loop.create_future()
            timer = None if give_up_ns is None else loop.call_at(give_up_ns / _SECOND_NS, _wake, session)
            try:
                await session.wakes
            except asyncio.CancelledError as error:
                if current_loop() is None:
                    session.life.check()
                    raise Killed from error
                session.held_up = error
            finally:
                session.wakes = None
                if timer is not None:
                    timer.cancel()
        if session.held_up is not None:
            return raised_by(self._cancelled, "canceling statement due to user request")
        return self.timed_out if give_up_ns is not None and self._points.now_ns() >= give_up_ns else None

    def _answered(self, session: PsycopgSession, call: object) -> None:
        super()._answered(session, call)
        _wake(session)


def _fail_again(session: PsycopgSession) -> None:
    """The end of a transaction that had failed ended it; but it failed in its end."""
    if session.idle:
        session.ask(_BEGIN)
    if session.pgconn.transaction_status != _IN_ERROR:
        session.ask(_FAIL)


def _wake(session: PsycopgSession) -> None:
    if session.wakes is not None and not session.wakes.done():
        session.wakes.set_result(None)


class TaskPsycopgSubstitutes(PsycopgSubstitutes):
    """The run's connections, of both sides of psycopg."""

    def __init__(self) -> None:
        super().__init__(InnerPoints((), partial(call_in, None)))
        self._in_tasks: TaskDriver | None = None

    def begin_at(self, now_ns: Callable[[], int]) -> None:
        """A new run, with its clock."""
        self._points.begin(now_ns, inner=True)
        self.begin()

    def kill(self) -> None:
        """The process died."""
        self._points.kill()
        super().kill()

    def learned(self, call: object) -> bytes:
        """A digest of what the call was told by servers."""
        return self._points.open_call_digest(call)

    @property
    def points(self) -> InnerPoints:
        """What calls have learned; other drivers' sessions tell it too."""
        return self._points

    @property
    def memory(self) -> Memory:
        """What was committed, by whatever driver."""
        assert self._in_tasks is not None
        return self._in_tasks

    # -- the methods --------------------------------------------------------------------------------------

    def _drive_with(self, cancelled: type[Exception], timed_out: Callable[[], Exception]) -> None:
        self._driver = self._in_tasks = TaskDriver(self._points, cancelled, timed_out)

    def _guard(self, made: Any, session: PsycopgSession) -> None:
        """psycopg's own locks do: calls come one after the other."""

    def _stand_ins(self, real: Any, spare: SpareSessions) -> list[tuple[Any, str, Any]]:
        kind = real.AsyncConnection
        return [
            *super()._stand_ins(real, spare),
            (kind, "connect", classmethod(self._in_place_of_connecting(kind.connect.__func__))),
            (kind, "wait", self._in_place_of_waiting(kind.wait)),
            (kind, "close", self._in_place_of_closing(kind.close)),
            (real.waiting, "wait_conn_async", self._in_place_of_reaching(real.waiting, spare)),
        ]

    def _in_place_of_connecting(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """``AsyncConnection.connect``."""

        async def connect(kind: Any, *args: Any, **keywords: Any) -> Any:
            self._points.life.check()
            if current_loop() is not None:
                await asyncio.sleep(0)
            made = await original(kind, *args, **keywords)
            self._know(made, blocking=False)
            return made

        return connect

    def _in_place_of_reaching(self, waiting: Any, spare: SpareSessions) -> Callable[..., Any]:
        """``waiting.wait_conn_async``, which the simulated loop can not do: it has no sockets."""
        original = waiting.wait_conn_async

        async def wait_conn_async(gen: Any, *args: Any, **keywords: Any) -> Any:
            if current_loop() is None:
                return await original(gen, *args, **keywords)
            return spare.giving(lambda: waiting.wait_conn(gen, *args, **keywords))

        return wait_conn_async

    def _in_place_of_waiting(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """``AsyncConnection.wait``."""

        async def wait(connection: Any, gen: Any, *args: Any, **keywords: Any) -> Any:
            session = self._sessions.get(connection)
            if session is None or (self._points.asking() is None and current_loop() is None and not session.life.dead):
                return await original(connection, gen, *args, **keywords)
            assert self._in_tasks is not None
            return await self._in_tasks.drive_in_task(connection, session, gen)

        return wait

    def _in_place_of_closing(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """``AsyncConnection.close``. It suspends nobody, so it is no branch point."""

        async def close(connection: Any) -> None:
            session = self._sessions.get(connection)
            if session is None or connection.closed:
                await original(connection)
                return
            if self._over and self._kept(connection):
                return
            session.life.check()
            self._leave(connection, session)
            await original(connection)
            self._points.out_of_turn |= session.server.settle()

        return close
