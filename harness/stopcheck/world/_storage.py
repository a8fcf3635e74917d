"""Directories for runs: cheap to make, and copied as they lie at a crash.

One idea: a run owns a directory and nothing else on the disk. Names come from a counter, so that they are the same
in each replay. At a crash the directory is copied **without closing a file of it**: SQLite's locks are POSIX locks,
and a process loses those that it has on a file as soon as it closes any descriptor of that file. So the descriptors
that a copy was read through stay open until the directory is discarded.

Measured on tmpfs: ``fresh`` of an SQLite template 0.1 ms, ``crash_copy`` 0.1 ms, ``discard`` 0.1 ms. (A process of its
own that copies took 0.5 ms, and 4 ms when the machine is busy.)
"""

from __future__ import annotations

import itertools
import os
import shutil
from pathlib import Path

from stopcheck.world._interior import StorageArea
from stopcheck.world._synced_files import SyncedFiles

#: What SQLite rebuilds.
_NOT_COPIED = "-shm"
#: How SQLite's own files begin (a database, a journal and one that is not synced yet, a write-ahead log): in them it
#: undoes what a death leaves half done.
_RECOVERS = (b"SQLite format 3\0", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", bytes(8), b"\x37\x7f\x06")


class Workspace(StorageArea):
    """Implements ``StorageArea`` under ``root``, which must exist. Close it when all runs are over. The loss of power
    can be tried in it where ``synced`` is told what SQLite does; ``untried`` says why it cannot,
    if somebody wants it."""

    def __init__(self, root: Path, synced: SyncedFiles | None = None, untried: str = "") -> None:
        self._root = root
        self._synced = synced
        self._untried = untried
        self._numbers = itertools.count(1)
        self._template: dict[str, bytes] = {}
        self._folders: list[str] = []
        self._held: dict[str, list[int]] = {}
        self._plain: set[str] = set()

    def use_template(self, path: Path) -> None:
        """From now on a fresh directory is filled with the files under ``path`` (small ones: they are kept in memory).
        No connection may be open on them."""
        found = sorted(path.rglob("*"))
        self._folders = [str(p.relative_to(path)) for p in found if p.is_dir()]
        self._template = {str(p.relative_to(path)): p.read_bytes() for p in found if p.is_file()}

    def fresh(self) -> Path:
        """A new directory, empty or filled from the template."""
        path = self._next("run")
        path.mkdir()
        for folder in self._folders:
            (path / folder).mkdir()
        for name, content in self._template.items():
            _write(f"{path}/{name}", content)
        if self._synced is not None:
            self._synced.begin(path)
        return path

    @property
    def loses_power(self) -> bool:
        """Whether ``power_copy`` can be made."""
        return self._synced is not None

    @property
    def power_doubt(self) -> str:
        """Why it was not tried, or not for all files."""
        beyond = () if self._synced is None else self._synced.beyond
        if beyond:
            return f"the kit knows only what Python's sqlite3 syncs, and the gate writes {', '.join(beyond)} past it"
        return self._untried

    def take_torn_doubt(self) -> str:
        """Why a death between two writes of a file was not tried; of the copies since this was asked last."""
        plain, self._plain = sorted(self._plain), set()
        names = f"{', '.join(plain[:3])}{' and others' if len(plain) > 3 else ''}"
        return names and f"the gate writes {names} by itself, and the kit does not see each write of it"

    def power_copy(self, path: Path) -> Path:
        """What of ``path`` is left when the power is lost now."""
        target = self._next("dark")
        assert self._synced is not None
        self._synced.lose(path, target)
        return target

    def unsynced(self, path: Path) -> bytes:
        """A digest of what ``power_copy`` would leave; empty where that is all."""
        return b"" if self._synced is None else self._synced.digest(path)

    def crash_copy(self, path: Path) -> Path:
        """A copy of what lies in ``path`` now, without ``-shm`` files. What another descriptor has locked stays locked.

        Raises ``OSError`` if it cannot be copied."""
        target = self._next("crash")
        try:
            self._copy(str(path), str(target), self._held.setdefault(str(path), []), "")
        except OSError as error:
            raise OSError(f"{path} could not be copied to {target}: {error}") from error
        if self._synced is not None:
            self._synced.copied(path, target)
        return target

    def _copy(self, source: str, target: str, held: list[int], above: str) -> None:
        with os.scandir(source) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        os.mkdir(target)
        for entry in found:
            if entry.is_dir():
                self._copy(entry.path, f"{target}/{entry.name}", held, f"{above}{entry.name}/")
            elif not entry.name.endswith(_NOT_COPIED):
                descriptor = os.open(entry.path, os.O_RDONLY | os.O_CLOEXEC)
                held.append(descriptor)
                content, name = _read(descriptor), f"{above}{entry.name}"
                _write(f"{target}/{entry.name}", content)
                if content and not content.startswith(_RECOVERS) and content != self._template.get(name):
                    self._plain.add(name)

    def discard(self, path: Path) -> None:
        """Delete a directory that a run no longer needs. Descriptors that others still have open keep what they need;
        locks on its files are gone."""
        for descriptor in self._held.pop(str(path), ()):
            os.close(descriptor)
        if self._synced is not None:
            self._synced.forget(path)
        shutil.rmtree(path, ignore_errors=True)

    def close(self) -> None:
        """Let go of all files. Directories that were not discarded stay."""
        for held in self._held.values():
            for descriptor in held:
                os.close(descriptor)
        self._held.clear()

    def _next(self, kind: str) -> Path:
        return self._root / f"{kind}-{next(self._numbers)}"


def _read(descriptor: int) -> bytes:
    size = os.fstat(descriptor).st_size
    content = os.read(descriptor, size + 1)
    while len(content) < size:
        more = os.read(descriptor, size - len(content))
        if not more:
            break
        content += more
    return content


def _write(path: str, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        left = memoryview(content)
        while left:
            left = left[os.write(descriptor, left) :]
    finally:
        os.close(descriptor)
