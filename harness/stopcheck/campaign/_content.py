"""The digest of a gate's files: what a certificate and a journal hold against the gate that is tried later.

One idea: it covers rather too much than too little. Of a gate in a package these are all sources of the top-level
package; of one in a file all of that kind in its folder, not below it; of a module outside of any package that one; of
a command the files that its words name, and those of the same kind beside them. What else a gate uses, its libraries
above all, is not covered.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shlex
from collections.abc import Iterable
from importlib.metadata import entry_points
from pathlib import Path

from stopcheck.campaign._loading import COMMAND, GATES, LoadedGate


def content_digest(loaded: LoadedGate) -> str:
    """``sha256:`` and the digest over names and bytes of the gate's files; the same wherever these lie."""
    root, files = _files(loaded)
    digest = hashlib.sha256()
    for name, path in sorted((path.relative_to(root).as_posix(), path) for path in files):
        digest.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return f"sha256:{digest.hexdigest()}"


def _files(loaded: LoadedGate) -> tuple[Path, Iterable[Path]]:
    reference = loaded.reference
    if reference.startswith(COMMAND):
        return _of_command(shlex.split(reference.removeprefix(COMMAND)))
    named = {point.name: point.value for point in entry_points(group=GATES)}
    place = named.get(reference, reference).rpartition(":")[0]
    if place.endswith(".py"):
        return _beside(Path(place).resolve())
    module = place or str(getattr(loaded.factory, "__module__", ""))
    top = importlib.util.find_spec(module.partition(".")[0]) if module else None
    if top is not None and top.submodule_search_locations:
        folder = Path(next(iter(top.submodule_search_locations))).resolve()
        return folder, (path for path in folder.rglob("*.py") if path.is_file())
    if top is not None and top.origin is not None and Path(top.origin).is_file():
        alone = Path(top.origin).resolve()
        return alone.parent, [alone]
    return Path(), ()


def _beside(path: Path) -> tuple[Path, Iterable[Path]]:
    return path.parent, (each for each in path.parent.glob(f"*{path.suffix}") if each.is_file())


def _of_command(words: list[str]) -> tuple[Path, Iterable[Path]]:
    named = [Path(word).resolve() for word in words if Path(word).is_file() and Path(word).suffix]
    if not named:
        return Path(), ()
    root = Path(os.path.commonpath([path.parent for path in named]))
    return root, sorted({path for one in named for path in _beside(one)[1]})
