"""psycopg's blocking side in the host ``thread``: whoever stands or waits blocks its thread.

One idea: psycopg keeps two threads from using one connection at once with a lock, which is held while a statement is
made. Taking it is no branch point: the one of the statement lies before it, since it is let go of there.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from stopcheck.world._inner_points import InnerPoints
from stopcheck.world._psycopg_link import Driver, PsycopgSession, Talk

if TYPE_CHECKING:
    from stopcheck.world._psycopg_said import Connection, Said


class ConnectionLock:
    """In place of psycopg's lock of a connection."""

    def __init__(self, points: InnerPoints, session: PsycopgSession) -> None:
        self._points = points
        self._session = session
        self._held = False

    def __enter__(self) -> None:
        while self._held:
            if not self._points.wait("psycopg:lock", self._session.touches, ready=lambda: not self._held):
                raise RuntimeError("a call holds this connection while the gate is being opened")
            self._session.life.check()
        self._held = True

    def __exit__(self, *_: object) -> None:
        self._held = False

    @contextmanager
    def aside(self) -> Generator[None]:
        """Let go of it for a while, if it is held."""
        held, self._held = self._held, False
        yield
        if held:
            self.__enter__()


class ThreadDriver(Driver):
    """Drives statements of calls that have threads of their own."""

    async def _stand(self, connection: Connection, session: PsycopgSession, said: Said, generator: Talk) -> None:
        assert session.lock is not None
        with session.lock.aside():
            self._points.point(said.label, session.touches, said.sql)

    def _may_wait(self, session: PsycopgSession, said: Said) -> None:
        if self._points.asking() is None:
            raise RuntimeError(f"{said.label} would wait for ever: the gate is being opened, and no call can let go")

    async def _let_others(
        self, session: PsycopgSession, said: Said, give_up_ns: int | None
    ) -> Callable[[], Exception] | None:
        points = self._points
        points.wait(said.label, session.touches, said.sql, ready=lambda: session.answered, until_ns=give_up_ns)
        return self.timed_out if give_up_ns is not None and points.now_ns() >= give_up_ns else None
