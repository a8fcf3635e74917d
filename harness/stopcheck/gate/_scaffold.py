"""What ``stopcheck init`` may write: a gate with blanks.

One idea: whoever ships gates can ship beginnings of gates, found by entry point (``stopcheck.scaffolds``), in any
language.
"""

from __future__ import annotations

from pathlib import Path

import msgspec


class Scaffold(msgspec.Struct, frozen=True, kw_only=True):
    """A gate with blanks in ``language``.

    ``files``: where each file is copied from, by its path in the new directory. ``names``: words in them that stand for
    the gate's name. ``wire``: the file into which the kit's own end of the wire is written, where the gate is a process
    in JavaScript. ``gate`` or ``command``: how the finished gate is named to ``certify``, seen from its directory.
    """

    language: str
    files: dict[str, Path]
    names: tuple[str, ...] = ("my-gate",)
    wire: str = ""
    gate: str = ""
    command: str = ""
