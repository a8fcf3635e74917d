"""What a gate's calls may change of the process that the kit runs in too, and what of it is put back after each run.

One idea: a run must not depend on the runs before it, and the kit not on any: where it works and how deep it may call
is the same for each.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress


class Surroundings:
    """The working directory and the limit of recursion, as they are now."""

    def __init__(self) -> None:
        self._folder = folder()
        self._limit = sys.getrecursionlimit()

    def put_back(self) -> None:
        """What was changed is as it was."""
        if sys.getrecursionlimit() != self._limit:
            sys.setrecursionlimit(self._limit)
        if folder() != self._folder:
            with suppress(OSError):  # it is gone, so nobody can be in it
                os.chdir(self._folder)


def folder() -> str:
    """The working directory; empty when it is gone."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""
