"""Marks: finding every process that descends from one of ours, however it left its parents.

One idea: a process group ends with ``killpg``, but a child that leads a session of its own does not; what it cannot
easily leave is the environment that it was started with. So each start carries a mark there. Where there is no
``/proc`` nobody is found, and the group is all that ends.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
#: How often they are looked for: what was killed is gone soon, and nobody's children can keep the kit busy for ever.
_ROUNDS = 100


def marked(name: str, mark: str) -> dict[str, str]:
    """The environment of this process, and the mark: for a process that is about to be started."""
    return {**os.environ, name: mark}  # noqa: TID251 - handed on as it is, and never read


def find_marked(name: str, mark: str) -> dict[int, str]:
    """The live processes that carry a mark, with their commands, by process id."""
    wanted = f"{name}={mark}\0".encode()
    found: dict[int, str] = {}
    with suppress(OSError):
        for entry in os.scandir(_PROC):
            if entry.name.isdigit():
                with suppress(OSError):
                    place = _PROC / entry.name
                    if wanted in (place / "environ").read_bytes() + b"\0" and not _is_dead(place):
                        found[int(entry.name)] = _command(place)
    return found


def sweep(name: str, mark: str) -> dict[int, str]:
    """Kill them, until there are none; what was found, by process id."""
    swept: dict[int, str] = {}
    for _ in range(_ROUNDS):
        found = find_marked(name, mark)
        if not found:
            break
        swept |= found
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
    return swept


def _is_dead(place: Path) -> bool:
    """Whether it is a zombie, of which only its parent's interest is left."""
    return (place / "stat").read_bytes().rpartition(b")")[2].split()[:1] == [b"Z"]


def _command(place: Path) -> str:
    return " ".join((place / "cmdline").read_bytes().decode(errors="replace").split("\0")).strip()


if __name__ == "__main__":  # the watcher's program, see ``_watcher``: it needs nothing else of the kit
    while os.read(0, 1):
        pass
    sweep(*sys.argv[1:])
