"""Where runs keep their storage: on a memory file system where there is one."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_TMPFS = Path("/dev/shm")


@contextmanager
def storage_root() -> Generator[Path, None, None]:
    """A directory that is deleted at the end."""
    base = str(_TMPFS) if _TMPFS.is_dir() else None
    try:
        folder = tempfile.TemporaryDirectory(prefix="stopcheck-", dir=base)
    except OSError:
        folder = tempfile.TemporaryDirectory(prefix="stopcheck-")
    with folder as name:
        yield Path(name)
