"""What SQLite asks of the disk, seen from outside: which file is written, synced, deleted.

One idea: ``sqlite3`` stays as it is, and so does the gate that uses it. Around the file system that SQLite was built
with (its default VFS) lies one that passes every request on and tells of those that decide what the loss of power
leaves. It is made with ``ctypes`` in the very library that Python's ``sqlite3`` is linked to, which no package with an
SQLite of its own could reach. https://www.sqlite.org/c3ref/vfs.html and io_methods.html describe the two tables.

Beside that, files carry random numbers (the salts of a write-ahead log). Here they are drawn from the same start in
each run, so that equal runs leave equal files.
"""

from __future__ import annotations

import ctypes
import os
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p
from functools import cache
from typing import Any, Protocol


class Disk(Protocol):
    """Who is told. Paths are absolute, without symbolic links."""

    def opened(self, path: str) -> None:
        """A file was opened, and made if it was not there."""
        ...

    def written(self, path: str) -> None:
        """It was written to, or cut."""
        ...

    def synced(self, path: str, content: bytes, *, folder: bool) -> None:
        """What it holds now is safe; with ``folder`` also which names its directory has."""
        ...

    def deleted(self, path: str, *, folder: bool) -> None:
        """It is gone; with ``folder`` for good."""
        ...


class NoSqliteLibrary(Exception):
    """The library behind ``sqlite3`` cannot be reached, for the reason given."""


_OK = 0
_CREATE = 0x4
_DELETE_ON_CLOSE = 0x8
#: New files of these kinds bring their directory to the disk when they are first synced: rollback and super journals,
#: write-ahead logs.
_SYNC_FOLDER = 0x800 | 0x4000 | 0x80000

#: Words of ``sqlite3_io_methods`` by its version; the first holds the version.
_WORDS = {1: 13, 2: 17, 3: 19}
_CLOSE, _READ, _WRITE, _TRUNCATE, _SYNC, _SIZE = 1, 2, 3, 4, 5, 6

_Open: Any = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p)
_Delete: Any = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int)
_Random: Any = CFUNCTYPE(c_int, c_void_p, c_int, c_void_p)
_Transfer: Any = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_Truncate: Any = CFUNCTYPE(c_int, c_void_p, c_int64)
_Sync: Any = CFUNCTYPE(c_int, c_void_p, c_int)
_Size: Any = CFUNCTYPE(c_int, c_void_p, POINTER(c_int64))


class _Vfs(ctypes.Structure):
    _fields_ = (
        ("version", c_int),
        ("file_size", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", c_void_p),
        ("delete", c_void_p),
        ("access_to_load_error", c_void_p * 6),
        ("randomness", c_void_p),
        ("sleep", c_void_p),
        ("current_time", c_void_p),
        ("last_error", c_void_p),
        ("since_versions_2_and_3", c_void_p * 4),
    )


class _File:
    """One open file: where it is, and the methods that it would have had."""

    __slots__ = ("folder_unsynced", "methods", "path")

    def __init__(self, path: str, methods: Any, *, folder_unsynced: bool) -> None:
        self.path = path
        self.methods = methods
        self.folder_unsynced = folder_unsynced


class _Watcher:
    """The file system around the default one. Made once for a process and never freed: SQLite keeps what points into
    it for as long as a connection is open, also one that nobody uses any more."""

    def __init__(self, library: Any) -> None:
        self.disk: Disk | None = None
        self._library = library
        library.sqlite3_vfs_find.restype = c_void_p
        found = library.sqlite3_vfs_find(None)
        if not found:
            raise NoSqliteLibrary("it names no default file system")
        self._default: int = found
        self._files: dict[int, _File] = {}
        self._methods: dict[int, tuple[Any, Any]] = {}
        self._kept: list[Any] = []
        real = _Vfs.from_address(found)
        self._real_open = _Open(real.open)
        self._real_delete = _Delete(real.delete)
        newer = ctypes.sizeof(c_void_p) * (4 if real.version >= 3 else 1 if real.version == 2 else 0)
        made = _Vfs()
        ctypes.memmove(ctypes.byref(made), found, _Vfs.since_versions_2_and_3.offset + newer)
        made.next = None
        made.name = b"stopcheck"
        made.open = self._callback(_Open, self._open)
        made.delete = self._callback(_Delete, self._delete)
        made.randomness = self._callback(_Random, self._randomness)
        self._made = made

    def put_first(self) -> None:
        """Connections that are opened from now on are seen."""
        self._library.sqlite3_vfs_register(ctypes.byref(self._made), 1)

    def take_away(self) -> None:
        """Those that are opened from now on are not."""
        self._library.sqlite3_vfs_unregister(ctypes.byref(self._made))
        self.disk = None

    def restart_randomness(self) -> None:
        """What SQLite draws begins anew."""
        self._library.sqlite3_randomness(0, None)

    # -- what SQLite calls -----------------------------------------------------------------------------------

    def _open(self, _vfs: int, name: int | None, file: int, flags: int, flags_out: int | None) -> int:
        path = os.fsdecode(ctypes.string_at(name)) if name and not flags & _DELETE_ON_CLOSE else ""
        made = bool(path) and bool(flags & _CREATE) and not os.path.exists(path)
        result: int = self._real_open(self._default, name, file, flags, flags_out)
        self._files.pop(file, None)
        at = c_void_p.from_address(file)
        if result == _OK and path and at.value:
            methods, around = self._around(at.value)
            self._files[file] = _File(path, methods, folder_unsynced=made and bool(flags & _SYNC_FOLDER))
            at.value = ctypes.addressof(around)
            if self.disk is not None:
                self.disk.opened(path)
        return result

    def _delete(self, _vfs: int, name: bytes, folder: int) -> int:
        seen = self.disk is not None
        result: int = self._real_delete(self._default, name, 0 if seen else folder)  # as in ``_sync``
        if result == _OK and self.disk is not None:
            self.disk.deleted(os.fsdecode(name), folder=bool(folder))
        return result

    def _randomness(self, _vfs: int, size: int, out: int) -> int:
        ctypes.memset(out, 0, size)
        return size

    def _write(self, file: int, data: int, size: int, offset: int) -> int:
        known = self._files[file]
        if self.disk is not None:
            self.disk.written(known.path)
        result: int = _Transfer(known.methods[_WRITE])(file, data, size, offset)
        return result

    def _truncate(self, file: int, size: int) -> int:
        known = self._files[file]
        if self.disk is not None:
            self.disk.written(known.path)
        result: int = _Truncate(known.methods[_TRUNCATE])(file, size)
        return result

    def _sync(self, file: int, flags: int) -> int:
        """Nothing is synced in fact: what the power leaves is what was told here."""
        known = self._files[file]
        if self.disk is None:
            result: int = _Sync(known.methods[_SYNC])(file, flags)
            return result
        content = self._content(file, known)
        if content is None:
            return sqlite3.SQLITE_IOERR
        folder, known.folder_unsynced = known.folder_unsynced, False
        self.disk.synced(known.path, content, folder=folder)
        return _OK

    def _content(self, file: int, known: _File) -> bytes | None:
        """All that is in it, read through SQLite's own descriptor: closing another one would drop its locks."""
        size = c_int64()
        if _Size(known.methods[_SIZE])(file, ctypes.byref(size)) != _OK:
            return None
        buffer = ctypes.create_string_buffer(size.value)
        if size.value and _Transfer(known.methods[_READ])(file, ctypes.addressof(buffer), size.value, 0) != _OK:
            return None
        return buffer.raw

    # -- tables ----------------------------------------------------------------------------------------------

    def _around(self, address: int) -> tuple[Any, Any]:
        """A file's own methods, and the table that it gets instead."""
        if address not in self._methods:
            words = _WORDS.get(c_int.from_address(address).value, _WORDS[3])
            own = (c_void_p * words).from_address(address)
            around = (c_void_p * words)(*own)
            around[_WRITE] = self._callback(_Transfer, self._write)
            around[_TRUNCATE] = self._callback(_Truncate, self._truncate)
            around[_SYNC] = self._callback(_Sync, self._sync)
            self._methods[address] = own, around
        return self._methods[address]

    def _callback(self, kind: Any, act: Callable[..., int]) -> int | None:
        made = kind(act)
        self._kept.append(made)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))  # a connection may outlive all else of the process
        return ctypes.cast(made, c_void_p).value


@cache
def _watcher() -> _Watcher | str:
    """The process's one, or why there can be none."""
    try:
        watcher = _Watcher(ctypes.CDLL(getattr(sys.modules["_sqlite3"], "__file__", None)))
        _try_out(watcher)
    except (OSError, AttributeError, NoSqliteLibrary) as error:
        return str(error)
    return watcher


def _try_out(watcher: _Watcher) -> None:
    """Python's ``sqlite3`` must be the one that is seen: another SQLite may lie in the same process."""
    seen = _Seen()
    watcher.disk = seen
    watcher.put_first()
    try:
        with tempfile.TemporaryDirectory() as folder, closing(sqlite3.connect(f"{folder}/seen.db")) as db:
            db.execute("CREATE TABLE seen (it)")
    finally:
        watcher.take_away()
    if not {"opened", "written", "synced"} <= seen.what:
        raise NoSqliteLibrary(f"of what it does only this was seen: {', '.join(sorted(seen.what)) or 'nothing'}")


class _Seen:
    """Notes what it was told of at all."""

    def __init__(self) -> None:
        self.what: set[str] = set()

    def opened(self, path: str) -> None:
        self.what.add("opened")

    def written(self, path: str) -> None:
        self.what.add("written")

    def synced(self, path: str, content: bytes, *, folder: bool) -> None:
        self.what.add("synced")

    def deleted(self, path: str, *, folder: bool) -> None:
        self.what.add("deleted")


@contextmanager
def watched(disk: Disk) -> Generator[Callable[[], None]]:
    """Tell ``disk`` what the connections do that are opened meanwhile; one disk at a time. Yields what makes SQLite's
    random numbers begin anew. Raises :class:`NoSqliteLibrary`."""
    watcher = _watcher()
    if isinstance(watcher, str):
        raise NoSqliteLibrary(watcher)
    if watcher.disk is not None:
        raise RuntimeError("somebody watches what SQLite syncs already")
    watcher.disk = disk
    watcher.put_first()
    try:
        yield watcher.restart_randomness
    finally:
        watcher.take_away()
