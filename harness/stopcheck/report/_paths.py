"""Where report files go: found out before a long campaign, written after it."""

from __future__ import annotations

from pathlib import Path

from stopcheck.campaign import UsageFault


def write_report(path: Path, content: bytes) -> None:
    """Write a report file. Raises :class:`UsageFault` when the path cannot be written."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise _cannot(path, error) from error


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
