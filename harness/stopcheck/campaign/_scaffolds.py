"""Writing a new gate's directory from a scaffold.

One idea: nothing that is there is touched, and nothing is mixed with it: a directory that holds anything but a
repository's own files is refused as a whole, and so is one inside of a gate that was written here before.
"""

from __future__ import annotations

import shlex
from importlib.metadata import entry_points
from pathlib import Path

from stopcheck.campaign._errors import UsageFault, did_you_mean
from stopcheck.gate import Scaffold
from stopcheck.remote import WIRE_JS

SCAFFOLDS = "stopcheck.scaffolds"
_NOT_CONTENT = frozenset((".git", ".venv"))


def load_scaffolds() -> dict[str, Scaffold]:
    """Every installed scaffold by its language."""
    points = sorted(entry_points(group=SCAFFOLDS), key=lambda p: p.name)
    return {scaffold.language: scaffold for point in points for scaffold in point.load()}


def write_scaffold(language: str, folder: Path) -> tuple[Scaffold, list[Path]]:
    """Write a gate with blanks into ``folder``, after which it is named; what was written. Raises
    :class:`UsageFault` when there is no such language, or something is there already."""
    known = load_scaffolds()
    if language not in known:
        hint = did_you_mean(language, known, f"languages: {', '.join(sorted(known)) or 'none'}")
        raise UsageFault(f"there is no scaffold in {language!r}", hint=hint)
    scaffold = known[language]
    sources = {**scaffold.files, **({scaffold.wire: WIRE_JS} if scaffold.wire else {})}
    _refuse_what_is_there(folder, language, list(sources))
    name = folder.resolve().name
    try:
        return scaffold, [_write(folder / target, source, scaffold.names, name) for target, source in sources.items()]
    except OSError as error:
        what = f"{str(folder)!r} cannot be written: {error.strerror}: {error.filename}"
        raise UsageFault(what, hint="name a directory that can be made and written") from error


def _refuse_what_is_there(folder: Path, language: str, files: list[str]) -> None:
    above = folder.resolve().parent
    if all((above / name).is_file() for name in files):
        what = f"{str(folder)!r} would stand inside of {str(above)!r}, where init has written a gate already"
        raise UsageFault(what, hint=f"fill that one: cd {shlex.quote(str(above))} && grep -n BLANK *")
    try:
        found = sorted(entry.name for entry in folder.iterdir() if entry.name not in _NOT_CONTENT)
    except (FileNotFoundError, NotADirectoryError):
        return  # the second is told when it is written
    if found:
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        again = f"stopcheck init {shlex.quote(f'{folder.resolve()}-2')} --lang {language}"
        raise UsageFault(
            f"{str(folder)!r} is not empty: it has {found[0]!r}{more} already",
            hint=f"name a new directory, nothing that is there is overwritten: {again}",
        )


def _write(target: Path, source: Path, names: tuple[str, ...], name: str) -> Path:
    text = source.read_text(encoding="utf-8")
    for word in names:
        text = text.replace(word, name)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    return target
