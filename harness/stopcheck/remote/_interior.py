"""What a run needs of a gate in another process: a death that is one.

One idea: nothing is simulated where the real thing is to be had. A crash kills the process group, and the next gate
opens on the very directory that the dead one worked in.
"""

from __future__ import annotations

from pathlib import Path

from stopcheck.remote._factory import RemoteFactory
from stopcheck.world import Death, PlainInterior, StorageArea


class RemoteInterior(PlainInterior):
    """The interior for gates of one command."""

    def __init__(self, area: StorageArea, factory: RemoteFactory) -> None:
        super().__init__(area)
        self._factory = factory

    def kill(self) -> None:
        """``SIGKILL`` to the process group of each open gate."""
        self._factory.crash()

    def survive(self, storage: Path, death: Death) -> Path:
        """All that was written."""
        return storage

    def place(self, key: object) -> str:
        """Where the gate said that it stands; nothing for a call that never stood."""
        return self._factory.place if key is not None else ""
