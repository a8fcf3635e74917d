"""``stopcheck init``."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from stopcheck.campaign import UsageFault, write_scaffold
from stopcheck.report import make_console

#: The CI configurations: where each is written, and which file it is.
CI_FILES = {
    "github": (Path(".github") / "workflows" / "stopcheck.yml", "github.yml"),
    "gitlab": (Path(".gitlab") / "stopcheck.yml", "gitlab.yml"),
}


@click.command("init", short_help="Write a gate with blanks to fill.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option("--lang", "language", default="python", show_default=True, help="python or node.")
@click.option(
    "--ci", type=click.Choice([*CI_FILES]), help="Write no gate, but what certifies one there in this CI, in shards."
)
def init_command(folder: Path, language: str, ci: str | None) -> int:
    """Write a gate into DIR, with a test and a CI file. Its rules are those of a small right gate; where its tasks are
    kept is left blank. With the blanks filled it is certified for the profile core.

    With --ci github or gitlab, write a whole CI configuration instead, for the gate that DIR/pyproject.toml names:
    certify in shards, merge, annotate, upload, and fail unless it is certified.

    Nothing that is there is overwritten: for a gate DIR must be new, or empty but for .git.
    """
    if ci is not None:
        return _write_ci(folder, ci)
    scaffold, written = write_scaffold(language, folder)
    console = make_console()
    for path in written:
        console.say(f"wrote {path}")
    named = scaffold.gate or f"--command {shlex.quote(scaffold.command)}"
    blanks = " ".join(
        path.name for path in written if "BLANK" in path.read_text(encoding="utf-8") and path.suffix in {".py", ".js"}
    )
    console.say("next:", "bold")
    for line in (
        f"cd {shlex.quote(str(folder))}",
        f"grep -n BLANK {blanks}",
        f"stopcheck smoke {named}",
        f"stopcheck certify {named} --profile core",
    ):
        console.say(f"  {line}")
    return 0


def _write_ci(folder: Path, ci: str) -> int:
    place, name = CI_FILES[ci]
    target = folder / place
    if target.exists():
        raise UsageFault(f"{str(target)!r} is there already", hint="nothing that is there is overwritten: move it away")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((Path(__file__).parent / "ci" / name).read_bytes())
    except OSError as error:
        what = f"{str(target)!r} cannot be written: {error.strerror}"
        raise UsageFault(what, hint="name a directory that can be made and written") from error
    console = make_console()
    console.say(f"wrote {target}")
    console.say("next:", "bold")
    if ci == "gitlab":
        console.say(f"  in .gitlab-ci.yml: include: {place.as_posix()}")
    console.say('  in pyproject.toml: [tool.stopcheck], gate = "my_package.gate:Gate", profile = "core"')
    return 0
