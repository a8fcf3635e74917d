"""The ground on which a gate's runs stand: storage, its template, and the view into blocking code.

One idea: runs must be cheap, so what is the same for all of a gate's runs is made once: an empty gate is opened and
closed, and what it left on the disk is what every run starts from.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext, suppress
from pathlib import Path

from stopcheck.campaign._databases import Database, DatabaseArea, name_database
from stopcheck.campaign._loading import LoadedGate
from stopcheck.campaign._storage_root import storage_root
from stopcheck.gate import Durability, HostKind, Receipt
from stopcheck.remote import RemoteFactory, RemoteInterior
from stopcheck.world import (
    AsyncioInterior,
    Granularity,
    Interior,
    NoSqliteLibrary,
    PlainInterior,
    RunEnvironment,
    StorageArea,
    SubstitutedInterior,
    SyncedFiles,
    Workspace,
    asyncio_drivers,
    gate_modules,
    open_gate,
    substituted,
    watched,
)


@contextmanager
def ground(
    loaded: LoadedGate, granularity: Granularity, moved: Callable[[Path], object] | None = None
) -> Generator[Interior, None, None]:
    """An interior for any number of runs of the gate at this granularity. ``moved`` is told of each place at which a
    run's storage lies from then on."""
    with storage_root() as root, _database(loaded) as database, _area(loaded, root) as workspace:
        try:
            _make_template(loaded, workspace, root / "template", database)
            area: StorageArea = workspace if database is None else DatabaseArea(workspace, database)
            area = area if moved is None else _Told(area, moved)
            if isinstance(loaded.factory, RemoteFactory):
                yield RemoteInterior(area, loaded.factory)
            elif loaded.contract.host is HostKind.THREAD and (granularity is Granularity.INNER or database is not None):
                # Also for whole calls: a dead gate's connections are kept, and closed when its run is over.
                with substituted(gate_modules(loaded.factory)) as substitutes:
                    yield SubstitutedInterior(area, substitutes)
            elif loaded.contract.host is HostKind.ASYNCIO:
                with asyncio_drivers() as drivers:
                    yield AsyncioInterior(area, drivers)
            else:
                yield PlainInterior(area)
        finally:
            workspace.close()


def _database(loaded: LoadedGate) -> AbstractContextManager[Database | None]:
    return nullcontext() if loaded.contract.database is None else closing(Database())


@contextmanager
def _area(loaded: LoadedGate, root: Path) -> Generator[Workspace]:
    """Where runs have their directories; for a gate that claims to survive it, one in which power can be lost."""
    if loaded.contract.durability is not Durability.POWER_LOSS:
        yield Workspace(root)
    elif loaded.contract.database is not None:
        yield Workspace(
            root, untried="it cannot be for a gate whose state is in a server, whose writes the kit does not see"
        )
    elif isinstance(loaded.factory, RemoteFactory):
        yield Workspace(root, untried="it cannot be for a gate in another process, whose writes the kit does not see")
    else:
        synced = SyncedFiles()
        with ExitStack() as stack:
            untried = ""
            try:
                synced.restart = stack.enter_context(watched(synced))
            except NoSqliteLibrary as error:
                untried = f"the SQLite library behind this Python's sqlite3 is out of reach: {error}"
            yield Workspace(root, untried=untried) if untried else Workspace(root, synced)


def _make_template(loaded: LoadedGate, area: Workspace, folder: Path, database: Database | None) -> None:
    if not loaded.contract.durable and database is None:
        return
    folder.mkdir()
    if database is not None:
        name_database(folder, database)
    environment = RunEnvironment(storage=lambda: folder, now=_zero, verify=_trusts_nothing, counter={}, inner=False)
    gate = open_gate(loaded.factory, environment)
    with suppress(Exception):
        gate.close()
    if database is not None:
        database.keep_template()
    area.use_template(folder)


class _Told(StorageArea):
    """A storage area that tells somebody where the storage lies."""

    def __init__(self, area: StorageArea, moved: Callable[[Path], object]) -> None:
        self._area = area
        self._moved = moved

    def fresh(self) -> Path:
        """As the area does it."""
        place = self._area.fresh()
        self._moved(place)
        return place

    def crash_copy(self, path: Path) -> Path:
        """As the area does it."""
        place = self._area.crash_copy(path)
        self._moved(place)
        return place

    @property
    def loses_power(self) -> bool:
        """As the area says."""
        return self._area.loses_power

    @property
    def power_doubt(self) -> str:
        """As the area says."""
        return self._area.power_doubt

    def take_torn_doubt(self) -> str:
        """As the area says."""
        return self._area.take_torn_doubt()

    def power_copy(self, path: Path) -> Path:
        """As the area does it."""
        place = self._area.power_copy(path)
        self._moved(place)
        return place

    def unsynced(self, path: Path) -> bytes:
        """As the area says."""
        return self._area.unsynced(path)

    def discard(self, path: Path) -> None:
        """As the area does it."""
        self._area.discard(path)


def _zero() -> int:
    return 0


def _trusts_nothing(_receipt: Receipt) -> bool:
    return False
