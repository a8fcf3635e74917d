"""The digest of a gate's files: what a certificate and a journal hold against the gate that is tried later.

One idea: it covers rather too much than too little, and where it would not cover the gate itself there is none. Of a
gate in a package these are all sources of the top-level package; of one in a file all of that kind in its folder, not
below it; of a module outside of any package that one; of a command the files that its words name, and those of the same
kind beside them. What else a gate uses, its libraries and interpreter above all, is not covered.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shlex
from collections.abc import Iterable, Sequence
from importlib.metadata import entry_points
from itertools import pairwise
from pathlib import Path

from stopcheck.campaign._errors import UsageFault
from stopcheck.campaign._loading import COMMAND, GATES, LoadedGate

#: A file, and how it is called wherever the gate lies.
Named = tuple[str, Path]

#: What runs other people's code. Named without a file of theirs (``python -m gate``), it says nothing of the gate.
_RUNNERS = frozenset(
    {"bash", "bun", "cargo", "dash", "deno", "docker", "dotnet", "env", "go", "java", "ksh", "lua", "mono", "nice"}
    | {"node", "nodejs", "npm", "npx", "perl", "php", "pipx", "pnpm", "podman", "poetry", "pypy", "python", "ruby"}
    | {"sh", "sudo", "timeout", "ts-node", "tsx", "uv", "uvx", "yarn", "zsh"}
)
#: What a gate is told, and what it keeps: the first counts beside the code, the second changes in every run.
_SETTINGS = frozenset(
    {".cfg", ".conf", ".env", ".ini", ".json", ".properties", ".toml", ".txt", ".xml", ".yaml", ".yml"}
)
_STATE = frozenset({".db", ".log", ".pid", ".sock", ".sqlite", ".sqlite3"})


def content_digest(loaded: LoadedGate) -> str:
    """``sha256:`` and the digest over names and bytes of the gate's files, the same wherever these lie; empty when they
    are not known. Raises :class:`UsageFault` for one that cannot be read."""
    files = sorted(_files(loaded))
    if not files:
        return ""
    digest = hashlib.sha256()
    for name, path in files:
        try:
            content = path.read_bytes()
        except OSError as error:
            what = f"cannot read {str(path)!r}, which lies with the gate {loaded.reference!r}: {error.strerror}"
            raise UsageFault(what, hint="the digest of a gate's files needs all of them: make it readable") from error
        digest.update(f"{name}\0{hashlib.sha256(content).hexdigest()}\n".encode())
    return f"sha256:{digest.hexdigest()}"


def _files(loaded: LoadedGate) -> list[Named]:
    reference = loaded.reference
    if reference.startswith(COMMAND):
        return _of_command(shlex.split(reference.removeprefix(COMMAND)))
    named = {point.name: point.value for point in entry_points(group=GATES)}
    place = named.get(reference, reference).rpartition(":")[0]
    if place.endswith(".py"):
        path = Path(place).resolve()
        return _from(path.parent, _beside(path))
    module = place or str(getattr(loaded.factory, "__module__", ""))
    top = importlib.util.find_spec(module.partition(".")[0]) if module else None
    if top is not None and top.submodule_search_locations:  # of a namespace package several
        folders = [Path(location).resolve() for location in top.submodule_search_locations]
        return [one for folder in folders for one in _from(folder, (p for p in folder.rglob("*.py") if p.is_file()))]
    if top is not None and top.origin is not None and Path(top.origin).is_file():
        alone = Path(top.origin).resolve()
        return _from(alone.parent, [alone])
    return []


def _from(root: Path, files: Iterable[Path]) -> list[Named]:
    return [(path.relative_to(root).as_posix(), path) for path in files]


def _beside(path: Path) -> list[Path]:
    return [each for each in path.parent.glob(f"*{path.suffix}") if each.is_file()]


def _of_command(words: Sequence[str]) -> list[Named]:
    named = _named_by(words)
    code = [path.resolve() for path in named if _kind(path) and _kind(path) not in _SETTINGS | _STATE]
    files = [each for path in code for each in _beside(path)] or _programs(named)
    if not files:
        return []
    files += [path.resolve() for path in named if _kind(path) in _SETTINGS]
    return _from(Path(os.path.commonpath([path.parent for path in files])), sorted(set(files)))


def _named_by(words: Sequence[str]) -> list[Path]:
    """The files that a command names: its program, unless that is looked for elsewhere, and arguments, also those that
    follow a flag's ``=``. What follows ``-m`` is a module."""
    parts = [word for word in words[:1] if "/" in word]
    for before, word in pairwise(words):
        parts += [word, word.partition("=")[2]] if before != "-m" else []
    return [Path(part) for part in parts if part and Path(part).is_file()]


def _programs(named: Iterable[Path]) -> list[Path]:
    """The programs without an ending that are the gate; those that are named by a whole path, as the system's are, only
    where there are no others."""
    own = [path for path in named if not _kind(path) and _stem(path) not in _RUNNERS]
    return [path.resolve() for path in own if not path.is_absolute()] or [path.resolve() for path in own]


def _kind(path: Path) -> str:
    """What a file's name ends in; a version (``python3.11``) is no kind."""
    return "" if re.fullmatch(r"\.\d+", path.suffix) else path.suffix


def _stem(path: Path) -> str:
    """A program's name without its version."""
    return re.sub(r"[-.\d]+$", "", path.name)
