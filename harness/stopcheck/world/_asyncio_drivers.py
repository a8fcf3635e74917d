"""The drivers of databases in the host ``asyncio``: their statements are branch points of the tasks that make them.

One idea: the simulated loop has no sockets and no threads that run beside it, so each driver's own way to wait is
played; see ``_aiosqlite_substitutes``, ``_psycopg_tasks`` and ``_asyncpg_substitutes``. The gate's code stays as it is.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Generator
from contextlib import contextmanager

from stopcheck.world._aiosqlite_substitutes import AiosqliteSubstitutes
from stopcheck.world._asyncpg_substitutes import AsyncpgSubstitutes
from stopcheck.world._interior import PlainInterior, StorageArea
from stopcheck.world._psycopg_substitutes import digest_of_left
from stopcheck.world._psycopg_tasks import TaskPsycopgSubstitutes


class AsyncioDrivers:
    """The substitutes of all of them, in place or not."""

    def __init__(self) -> None:
        self.aiosqlite = AiosqliteSubstitutes()
        self.psycopg = psycopg = TaskPsycopgSubstitutes()
        self.asyncpg = AsyncpgSubstitutes(psycopg.points, psycopg.server_at, lambda: psycopg.memory)

    def put_in_place(self) -> None:
        """Replace their methods."""
        self.aiosqlite.put_in_place()
        if self.asyncpg.loaded and importlib.util.find_spec("psycopg") is not None:
            importlib.import_module("psycopg")  # the kit's own way to look into the server
        self.psycopg.put_in_place()
        self.asyncpg.put_in_place()

    def take_away(self) -> None:
        """Put the originals back."""
        self.asyncpg.take_away()
        self.psycopg.take_away()
        self.aiosqlite.take_away()

    def kill(self) -> None:
        """The process died: what it said to servers is over. (SQLite's files are copied as they lie.)"""
        self.asyncpg.kill()
        self.psycopg.kill()

    def held(self) -> bytes:
        """What sessions in servers hold when calls have ended."""
        return digest_of_left([*self.psycopg.left(), *self.asyncpg.left()])

    def end(self) -> None:
        """The run is over: close what is left, of dead processes too."""
        self.aiosqlite.end()
        self.asyncpg.close()
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
        """The process died."""
        self._drivers.kill()

    def held(self) -> bytes:
        """Transactions that a call left open, and the like."""
        return self._drivers.held()

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
