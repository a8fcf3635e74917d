"""The gate's log: what its processes wrote to standard error, kept and bounded.

One idea: it is kept in memory as long as nobody needs it, the latest part of it, and lies in a file as soon as a fault
tells people where to read.
"""

from __future__ import annotations

import os
import tempfile

from stopcheck.remote._last_words import last_words

#: How much of its end is read for what was said last.
_LAST_BYTES = 1 << 13


class GateLog:
    """The latest ``bound`` bytes that a gate's processes said. ``dropped`` counts what came before."""

    def __init__(self, bound: int) -> None:
        self.dropped = 0
        self._bound = bound
        self._kept = bytearray()
        self._path = ""

    def add(self, chunk: bytes) -> None:
        """Note what a process wrote."""
        self._kept += chunk
        over = len(self._kept) - self._bound
        if over > 0:
            self.dropped += over
            del self._kept[:over]

    @property
    def last_words(self) -> str:
        """What was said last, for people; nothing where nothing was said."""
        return last_words(self._kept[-_LAST_BYTES:].decode(errors="replace"))

    def keep(self) -> str:
        """Write it to a file, the same for every call, and name that; nothing where nothing was said."""
        if not self._kept:
            return ""
        if not self._path:
            descriptor, self._path = tempfile.mkstemp(prefix="stopcheck-gate-", suffix=".log")
            os.close(descriptor)
        with open(self._path, "wb") as file:
            if self.dropped:
                file.write(b"[%d bytes before this were dropped]\n" % self.dropped)
            file.write(self._kept)
        return self._path

    def where(self) -> str:
        """For people: where to read on."""
        path = self.keep()
        return (
            f"read the gate's log: {path}"
            if path
            else "run the command in a shell: it wrote nothing to its log, standard error"
        )
