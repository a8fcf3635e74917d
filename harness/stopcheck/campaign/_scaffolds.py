"""Writing a new gate's directory from a scaffold.

One idea: nothing that is there is touched; a directory in which one of the files exists is refused as a whole.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

from stopcheck.campaign._errors import UsageFault, did_you_mean
from stopcheck.gate import Scaffold
from stopcheck.remote import WIRE_JS

SCAFFOLDS = "stopcheck.scaffolds"


def load_scaffolds() -> dict[str, Scaffold]:
    """Every installed scaffold by its language."""
    points = sorted(entry_points(group=SCAFFOLDS), key=lambda p: p.name)
    return {scaffold.language: scaffold for point in points for scaffold in point.load()}


def write_scaffold(language: str, folder: Path) -> tuple[Scaffold, list[Path]]:
    """Write a gate with blanks into ``folder``, after which it is named; what was written. Raises
    :class:`UsageFault` when there is no such language, or a file is there already."""
    known = load_scaffolds()
    if language not in known:
        hint = did_you_mean(language, known, f"languages: {', '.join(sorted(known)) or 'none'}")
        raise UsageFault(f"there is no scaffold in {language!r}", hint=hint)
    scaffold = known[language]
    sources = {**scaffold.files, **({scaffold.wire: WIRE_JS} if scaffold.wire else {})}
    there = [name for name in sources if (folder / name).exists()]
    if there:
        what = f"{str(folder)!r} has a file {there[0]!r} already"
        raise UsageFault(what, hint="name a new directory: nothing that is there is overwritten")
    name = folder.resolve().name
    try:
        return scaffold, [_write(folder / target, source, scaffold.names, name) for target, source in sources.items()]
    except OSError as error:
        what = f"{str(folder)!r} cannot be written: {error.strerror}: {error.filename}"
        raise UsageFault(what, hint="name a directory that can be made and written") from error


def _write(target: Path, source: Path, names: tuple[str, ...], name: str) -> Path:
    text = source.read_text()
    for word in names:
        text = text.replace(word, name)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    return target
