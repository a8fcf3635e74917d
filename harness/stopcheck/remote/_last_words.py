"""What a process that died said last: the error, and where it was raised.

One idea: a runtime that dies of an error prints more than the error, and not in the same order. Node ends with its
version, and prints the places below the error; Python prints them above it. Where neither is recognised, the last line
is what there is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_MOST = 300
#: What Node says after everything else.
_VERSION = re.compile(r"Node\.js v[\d.]+\S*")
_FRAME = re.compile(r"\s+at .*?\(?(?:file://)?(?P<file>[^()\s]+):(?P<line>\d+):\d+\)?(?: \{)?")
_ANY_FRAME = re.compile(r"\s+at ")
#: The head of Node's report: where the error was raised, with the code below it.
_HEAD = re.compile(r"(?:file://)?(?P<file>\S+):(?P<line>\d+)")
_PYTHON = re.compile(r'\s+File "(?P<file>[^"]+)", line (?P<line>\d+)')


def last_words(text: str) -> str:
    """One line for people; empty where nothing was said."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    if lines and _VERSION.fullmatch(lines[-1].strip()):
        lines.pop()
    if not lines:
        return ""
    at, places = _of_node(lines) or _of_python(lines) or (len(lines) - 1, [])
    said = lines[at].strip()[:_MOST]
    place = next((found for found in places if not found["file"].startswith("node:")), None)
    return said if place is None else f"{said} (at {place['file'].rpartition('/')[2]}:{place['line']})"


def _of_node(lines: Sequence[str]) -> tuple[int, list[re.Match[str]]] | None:
    """Which line is the error, and the places, the nearest first: those below it, then that of the report's head."""
    last = max((number for number, line in enumerate(lines) if _ANY_FRAME.match(line)), default=None)
    if last is None or any(line[0] not in " }" for line in lines[last + 1 :]):  # below: what an error carries
        return None
    first = last
    while first > 0 and _ANY_FRAME.match(lines[first]):
        first -= 1
    frames = [_FRAME.fullmatch(line) for line in lines[first + 1 : last + 1]]
    heads = [_HEAD.fullmatch(line) for line in reversed(lines[:first])]
    return first, [found for found in (*frames, *heads) if found is not None]


def _of_python(lines: Sequence[str]) -> tuple[int, list[re.Match[str]]] | None:
    """The last line, and the places above it, the innermost first."""
    places = [_PYTHON.match(line) for line in reversed(lines[:-1])]
    found = [place for place in places if place is not None]
    return (len(lines) - 1, found) if found else None
