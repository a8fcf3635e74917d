"""Where report files go: found out before a long campaign, written after it.

One idea: at its path there is a whole report or the one of before, whatever ends the kit while it writes.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from pathlib import Path

from stopcheck.campaign import UsageFault


def write_report(path: Path, content: bytes) -> None:
    """Write a report file, at once. Raises :class:`UsageFault` when the path cannot be written."""
    try:
        if path.exists() and not path.is_file():  # a pipe or a device
            path.write_bytes(content)
        else:
            _whole(path.resolve(), content)  # of a link, what it points to
    except OSError as error:
        raise _cannot(path, error) from error


#: Of a file that may be written, but not replaced: its folder may not, or it alone is mounted there.
_IN_PLACE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY)


def _whole(path: Path, content: bytes) -> None:
    try:
        _replace(path, content)
    except OSError as error:
        if error.errno not in _IN_PLACE:
            raise
        path.write_bytes(content)


def _replace(path: Path, content: bytes) -> None:
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".stopcheck-") as folder:
        beside = Path(folder) / "report"
        beside.write_bytes(content)
        if path.exists():
            shutil.copymode(path, beside)
        os.replace(beside, path)


def check_writable(path: Path) -> None:
    """Find out before a long campaign whether its report can be written at its end."""
    existed = path.exists()
    try:
        with path.open("ab"):
            pass
    except OSError as error:
        raise _cannot(path, error) from error
    if not existed:
        path.unlink()


def _cannot(path: Path, error: OSError) -> UsageFault:
    return UsageFault(
        f"cannot write the report to {str(path)!r}: {error.strerror or error}",
        hint="give a path in a folder that exists and may be written",
    )


def check_folder(path: Path) -> None:
    """Make the folder if it is not there. Raises :class:`UsageFault` when that cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageFault(
            f"cannot make the folder {str(path)!r}: {error.strerror or error}",
            hint="give the path of a folder, or of one that can be made",
        ) from error
