"""The drivers of databases in the host ``asyncio``: their statements are branch points of the tasks that make them.

One idea: the simulated loop has no sockets and no threads that run beside it, so each driver's own way to wait is
played; see ``_aiosqlite_substitutes`` and ``_psycopg_tasks``. The gate's code stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from stopcheck.world._aiosqlite_substitutes import AiosqliteSubstitutes
from stopcheck.world._interior import PlainInterior, StorageArea
from stopcheck.world._psycopg_tasks import TaskPsycopgSubstitutes


class AsyncioDrivers:
    """The substitutes of all of them, in place or not."""

    def __init__(self) -> None:
        self.aiosqlite = AiosqliteSubstitutes()
        self.psycopg = TaskPsycopgSubstitutes()

    def put_in_place(self) -> None:
        """Replace their methods."""
        self.aiosqlite.put_in_place()
        self.psycopg.put_in_place()

    def take_away(self) -> None:
        """Put the originals back."""
        self.psycopg.take_away()
        self.aiosqlite.take_away()

    def end(self) -> None:
        """The run is over: close what is left, of dead processes too."""
        self.aiosqlite.end()
        self.psycopg.close()


class AsyncioInterior(PlainInterior):
    """The interior for gates on asyncio."""

    def __init__(self, area: StorageArea, drivers: AsyncioDrivers) -> None:
        super().__init__(area)
        self._drivers = drivers

    @property
    def can_be_out_of_turn(self) -> bool:
        """Whether psycopg is there."""
        return self._drivers.psycopg.in_place

    @property
    def out_of_turn(self) -> bool:
        """As the server says."""
        return self._drivers.psycopg.out_of_turn

    def begin(self, now_ns: Callable[[], int], *, inner: bool) -> None:
        """A new run, with its clock."""
        self._drivers.psycopg.begin_at(now_ns)

    def kill(self) -> None:
        """The process died: what it said to servers is over. (SQLite's files are copied as they lie.)"""
        self._drivers.psycopg.kill()

    def held(self) -> bytes:
        """Transactions that a call left open, and the like."""
        return self._drivers.psycopg.left_open()

    def reads(self, key: object) -> bytes:
        """What servers told the call: not all of that was so when one of its segments began."""
        return self._drivers.psycopg.learned(key)

    def over(self) -> None:
        """What the gates close from now on may serve another run."""
        self._drivers.psycopg.over()

    def end(self) -> None:
        """Close what the run left open."""
        self._drivers.end()


@contextmanager
def asyncio_drivers() -> Generator[AsyncioDrivers]:
    """Hold the substitutes in place."""
    drivers = AsyncioDrivers()
    try:
        drivers.put_in_place()
        yield drivers
    finally:
        drivers.end()
        drivers.take_away()
