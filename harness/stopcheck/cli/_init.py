"""``stopcheck init``."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from stopcheck.campaign import write_scaffold
from stopcheck.report import make_console


@click.command("init", short_help="Write a gate with blanks to fill.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option("--lang", "language", default="python", show_default=True, help="python or node.")
def init_command(folder: Path, language: str) -> int:
    """Write a gate into DIR, with a test and a CI file. Its rules are those of a small right gate; where its tasks are
    kept is left blank. With the blanks filled it is certified for the profile core.

    Nothing that is there is overwritten.
    """
    scaffold, written = write_scaffold(language, folder)
    console = make_console()
    for path in written:
        console.say(f"wrote {path}")
    named = scaffold.gate or f"--command {shlex.quote(scaffold.command)}"
    blanks = " ".join(path.name for path in written if "BLANK" in path.read_text() and path.suffix in {".py", ".js"})
    console.say("next:", "bold")
    for line in (
        f"cd {shlex.quote(str(folder))}",
        f"grep -n BLANK {blanks}",
        f"stopcheck smoke {named}",
        f"stopcheck certify {named} --profile core",
    ):
        console.say(f"  {line}")
    return 0
