"""What the loss of power leaves of a directory: of each file what it held when it was last synced.

One idea: nothing is dropped in fact. Beside the directory that a gate works in, the kit keeps the one that would be
found after the power was lost: a file enters it, whole, when SQLite syncs it, and leaves it when its deletion reached
the disk. What was written since is lost altogether; that some of it may have arrived is not tried.

A state with something unsynced has two futures that its rows do not tell apart, so it has a digest of its own.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path


class _Folder:
    """One run's directory as the disk has it. Names are relative to it."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.safe = files
        #: Files that SQLite has opened: of all others nothing is known.
        self.opened: set[str] = set()
        self.unsynced: set[str] = set()
        #: Deleted, but not in the directory as the disk has it.
        self.leaving: set[str] = set()

    def like(self) -> _Folder:
        """The same for a copy, which a dead process leaves: what was not synced still is not."""
        other = _Folder(dict(self.safe))
        other.opened, other.unsynced, other.leaving = set(self.opened), set(self.unsynced), set(self.leaving)
        return other


class SyncedFiles:
    """Keeps what is safe in each of a campaign's directories. Implements ``Disk``.

    ``beyond``: files that a gate wrote past SQLite, for which the loss of power cannot be tried."""

    def __init__(self) -> None:
        self.restart: Callable[[], None] = _nothing
        self.beyond: tuple[str, ...] = ()
        self._folders: dict[str, _Folder] = {}

    # -- directories -----------------------------------------------------------------------------------------

    def begin(self, path: Path) -> None:
        """A new directory; what lies in it is safe. No connection may be open on it."""
        self.restart()
        self._folders[os.path.realpath(path)] = _Folder({name: (path / name).read_bytes() for name in _names(path)})

    def copied(self, path: Path, target: Path) -> None:
        """A process died: another goes on in a copy."""
        self._folders[os.path.realpath(target)] = self._folders[os.path.realpath(path)].like()

    def lose(self, path: Path, target: Path) -> None:
        """Make ``target`` what the loss of power leaves of ``path``."""
        folder = self._folders[os.path.realpath(path)]
        others = [name for name in _names(path) if name not in folder.opened and not name.endswith("-shm")]
        past = [name for name in others if folder.safe.get(name) != (path / name).read_bytes()]
        self.beyond = tuple(sorted({*self.beyond, *past}))
        target.mkdir()
        for name, content in sorted(folder.safe.items()):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes(content)
        self._folders[os.path.realpath(target)] = _Folder(dict(folder.safe))

    def forget(self, path: Path) -> None:
        """The directory is not needed any more."""
        self._folders.pop(os.path.realpath(path), None)

    def digest(self, path: Path) -> bytes:
        """Of what the loss of power would leave, if it is less than the death of the process would; else empty."""
        folder = self._folders[os.path.realpath(path)]
        if not folder.unsynced and not folder.leaving:
            return b""
        digest = hashlib.blake2b(repr((sorted(folder.unsynced), sorted(folder.leaving))).encode(), digest_size=16)
        for name, content in sorted(folder.safe.items()):
            digest.update(f"|{name}|{len(content)}|".encode() + content)
        return digest.digest()

    # -- what SQLite does ------------------------------------------------------------------------------------

    def opened(self, path: str) -> None:
        """The file is SQLite's."""
        folder, name = self._find(path)
        if folder is not None:
            folder.opened.add(name)

    def written(self, path: str) -> None:
        """What it holds is not safe any more."""
        folder, name = self._find(path)
        if folder is not None:
            folder.unsynced.add(name)

    def synced(self, path: str, content: bytes, *, folder: bool) -> None:
        """What it holds is safe, and the deletions before it with ``folder``."""
        found, name = self._find(path)
        if found is None:
            return
        found.leaving.discard(name)
        if folder:
            self._sync_folder(found)
        found.safe[name] = content
        found.unsynced.discard(name)

    def deleted(self, path: str, *, folder: bool) -> None:
        """It comes back with the power, unless its directory was synced."""
        found, name = self._find(path)
        if found is None:
            return
        found.unsynced.discard(name)
        if name in found.safe:
            found.leaving.add(name)
        if folder:
            self._sync_folder(found)

    def _sync_folder(self, folder: _Folder) -> None:
        for name in folder.leaving:
            del folder.safe[name]
        folder.leaving.clear()

    def _find(self, path: str) -> tuple[_Folder | None, str]:
        """The directory that a file is in, if it is one of a run that goes on."""
        root = os.path.dirname(path)
        while len(root) > 1:
            if root in self._folders:
                return self._folders[root], os.path.relpath(path, root)
            root = os.path.dirname(root)
        return None, ""


def _names(path: Path) -> list[str]:
    return sorted(str(found.relative_to(path)) for found in path.rglob("*") if found.is_file())


def _nothing() -> None:
    """Nobody draws random numbers."""
