"""What a run needs from outside itself: storage, and a view into the gate's blocking code.

One idea: the run loop is the same for a gate of plain calls and for one whose every SQL statement is a branch point;
what differs is the *interior*, handed in. ``PlainInterior`` sees nothing of the inside.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from pathlib import Path
from typing import Protocol


class Death(StrEnum):
    """How a gate dies: what was written stays, or only what was synced."""

    PROCESS = "process_death"
    POWER = "power_loss"


class StorageArea(Protocol):
    """Directories for runs; see ``Workspace``. One that derives from it keeps its power."""

    def fresh(self) -> Path:
        """A new directory, empty or filled from a template."""
        ...

    def crash_copy(self, path: Path) -> Path:
        """A copy of what lies on the disk, made without closing a file of it."""
        ...

    @property
    def loses_power(self) -> bool:
        """Whether the loss of power can be tried here."""
        return False

    @property
    def power_doubt(self) -> str:
        """Why nothing follows from it for this gate, though it claims to survive it; else empty."""
        return ""

    def take_torn_doubt(self) -> str:
        """Why a death in the middle of a write was not tried, since this was asked last; empty where no doubt is."""
        return ""

    def power_copy(self, path: Path) -> Path:
        """What is left when the power is lost: all that was written, where everything is synced at once."""
        return self.crash_copy(path)

    def unsynced(self, path: Path) -> bytes:
        """A digest of what the loss of power would leave; empty where it would be all that is there."""
        return b""

    def discard(self, path: Path) -> None:
        """Done with it."""
        ...


class Interior(Protocol):
    """The inside of the gate as the run sees it."""

    @property
    def watches_reads(self) -> bool:
        """Whether ``reads`` covers everything that decides how an open call goes on."""
        ...

    @property
    def can_be_out_of_turn(self) -> bool:
        """Whether statements of several calls can wait for each other in a server."""
        ...

    @property
    def out_of_turn(self) -> bool:
        """Whether in this run somebody was served before one who had waited longer."""
        ...

    def begin(self, now_ns: Callable[[], int], *, inner: bool) -> None:
        """A new run, with its clock; ``inner``: whether plain inner points are wanted."""
        ...

    def pause(self, *, paused: bool) -> None:
        """Where nothing is a choice (setup, final phase) plain inner points would only cost time."""
        ...

    def heard(self, value: object) -> None:
        """The current call learned something from its environment, which may decide how it goes on."""
        ...

    def fresh_storage(self) -> Path:
        """Storage for one run."""
        ...

    def opening(self) -> AbstractContextManager[None]:
        """Around the making of a gate."""
        ...

    def kill(self) -> None:
        """The process died: its connections and locks are dead from now on."""
        ...

    @property
    def loses_power(self) -> bool:
        """Whether the loss of power can be tried."""
        ...

    @property
    def power_doubt(self) -> str:
        """Why nothing follows from it for this gate, though it claims to survive it; else empty."""
        ...

    def take_torn_doubt(self) -> str:
        """Why a death in the middle of a write was not tried, since this was asked last; empty where no doubt is."""
        ...

    def survive(self, storage: Path, death: Death) -> Path:
        """What of the storage is there after the death."""
        ...

    def unsynced(self, storage: Path) -> bytes:
        """A digest of what only the death of a process would leave of the storage; empty where there is nothing."""
        ...

    def held(self) -> bytes:
        """A digest of what the gate's connections hold that no fingerprint shows; empty where they hold nothing."""
        ...

    def reads(self, key: object) -> bytes:
        """A digest of what the open call has read so far."""
        ...

    def place(self, key: object) -> str:
        """Where in the gate's own code the call is."""
        ...

    def over(self) -> None:
        """The run is over, and its gates are about to be closed."""
        ...

    def end(self) -> None:
        """The run is over: let go of what is left open."""
        ...

    def discard(self, storage: Path) -> None:
        """Delete a storage that is not needed any more."""
        ...


def surviving(area: StorageArea, storage: Path, death: Death) -> Path:
    """What of the storage in this area is there after the death."""
    return area.power_copy(storage) if death is Death.POWER else area.crash_copy(storage)


class OnStorage:
    """What an interior knows of deaths because its storage is an area on the disk."""

    _area: StorageArea

    @property
    def loses_power(self) -> bool:
        """Where the area can."""
        return self._area.loses_power

    @property
    def power_doubt(self) -> str:
        """As the area says."""
        return self._area.power_doubt

    def take_torn_doubt(self) -> str:
        """As the area says."""
        return self._area.take_torn_doubt()

    def survive(self, storage: Path, death: Death) -> Path:
        """A copy of what lies on the disk."""
        return surviving(self._area, storage, death)

    def unsynced(self, storage: Path) -> bytes:
        """As the area says."""
        return self._area.unsynced(storage)

    def over(self) -> None:
        """Nothing to prepare."""


class PlainInterior(OnStorage):
    """For gates of plain calls, and for any gate at granularity ``calls``."""

    watches_reads = False

    def __init__(self, area: StorageArea) -> None:
        self._area = area

    @property
    def can_be_out_of_turn(self) -> bool:
        """No server is seen."""
        return False

    @property
    def out_of_turn(self) -> bool:
        """No server is seen."""
        return False

    def begin(self, now_ns: Callable[[], int], *, inner: bool) -> None:
        """Nothing to prepare."""

    def pause(self, *, paused: bool) -> None:
        """There are no points."""

    def heard(self, value: object) -> None:
        """Calls that can park are digested by segments."""

    def fresh_storage(self) -> Path:
        """A directory of the run's own."""
        return self._area.fresh()

    def opening(self) -> AbstractContextManager[None]:
        """Nothing to prepare."""
        return nullcontext()

    def kill(self) -> None:
        """The environment's death is all there is."""

    def held(self) -> bytes:
        """Nothing is seen."""
        return b""

    def reads(self, key: object) -> bytes:
        """Nothing is seen."""
        return b""

    def place(self, key: object) -> str:
        """Not known."""
        return ""

    def end(self) -> None:
        """Nothing was held."""

    def discard(self, storage: Path) -> None:
        """Delete it."""
        self._area.discard(storage)
