"""Places in the gate's code as other tools want them: a file relative to where the gate was named from, and a line."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import NamedTuple

_PLACE = re.compile(r"(?P<file>.+?):(?P<line>\d+)(?: (?P<function>[^|]*))?")
#: In the place of a file, where a gate is named by nothing that looks like one.
NO_FILE = "pyproject.toml"


class Place(NamedTuple):
    """A line of a file; ``function`` is empty where it is not known."""

    file: str
    line: int
    function: str


def code_place(where: str, reference: str) -> Place:
    """The place that ``where`` names (``gate.py:12 Gate.f``, perhaps with a statement), or else the gate itself.

    A finding's place is told from the gate's top-level module on; a gate that was named by a path gives the rest."""
    named = _file_of(reference)
    match = _PLACE.match(where)
    if match is None:
        return Place(named, 1, "")
    file = match["file"]
    if named != NO_FILE and PurePosixPath(named).name == PurePosixPath(file).name:
        file = named
    return Place(file, max(1, int(match["line"])), (match["function"] or "").strip())


def _file_of(reference: str) -> str:
    head, separator, _ = reference.rpartition(":")
    if separator and head.endswith(".py"):
        return head
    if separator and re.fullmatch(r"[\w.]+", head):
        return f"{head.replace('.', '/')}.py"
    words = [word for word in reference.split() if re.search(r"\w\.\w+$", word) and not word.startswith("-")]
    return words[-1] if words else NO_FILE
