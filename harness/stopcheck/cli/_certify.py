"""``stopcheck certify``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stopcheck.campaign import (
    DEFAULT_BUDGET,
    PROFILES,
    RESTRICTED_SAMPLES,
    Options,
    UsageFault,
    known_strategies,
    run_campaign,
)
from stopcheck.cli._completion import clauses, gates, scenarios
from stopcheck.cli._options import (
    command_option,
    edition_option,
    execution_seconds,
    given_waivers,
    jobs_option,
    named_gate,
    shard,
    silence_seconds,
    waivers_option,
)
from stopcheck.cli._outputs import output_options, take_outputs, write_outputs
from stopcheck.cli._progress import live_progress, progress_options
from stopcheck.cli._stops import Stops
from stopcheck.report import ReportConsole, make_console

_BUDGET = click.IntRange(1)
#: Where the journal of a campaign is left that was interrupted and has none.
_LEAVE = Path("stopcheck-resume.jsonl")


@click.command("certify", short_help="Certify a gate.")
@click.argument("gate", required=False, shell_complete=gates)
@command_option
@click.option(
    "--scenario",
    "scenarios",
    multiple=True,
    metavar="ID",
    shell_complete=scenarios,
    help="Only this scenario (may be repeated).",
)
@click.option(
    "--clause",
    "clauses",
    multiple=True,
    metavar="ID",
    shell_complete=clauses,
    help="Only scenarios that are about this clause (may be repeated); that certifies nothing.",
)
@click.option("--fail-fast", is_flag=True, help="End at the first finding.")
@click.option("--seed", default=0, show_default=True, help="Seed of the sampling strategies.")
@click.option(
    "--budget",
    type=_BUDGET,
    help=f"Executions per search; of one strategy, per job. [default: {DEFAULT_BUDGET}; of a sampler "
    f"{RESTRICTED_SAMPLES}]",
)
@click.option("--strategy", metavar="NAME", help=f"Only this strategy: {', '.join(known_strategies())}.")
@click.option(
    "--profile",
    metavar="NAME",
    help=f"Exit 0 only if each clause of this profile passes: {', '.join(PROFILES)}. (see: stopcheck list profiles)",
)
@waivers_option
@edition_option
@click.option(
    "--granularity",
    type=click.Choice(["calls", "inner"]),
    help="Try whole calls only, or also between inner branch points (the default where there are any).",
)
@jobs_option
@click.option(
    "--resume",
    "journal",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write down in FILE what each job finds, at once, and go on from it if it is there.",
)
@shard
@output_options
@progress_options
@execution_seconds
@silence_seconds
def certify_command(
    gate: str | None, command: str | None, waivers_path: Path | None, *, quiet: bool, plain: bool, **flags: Any
) -> int:
    """Certify GATE: an installed gate's name, package.module:factory, or path/to/file.py:factory; or, with --command,
    a gate in a process of its own, in any language.

    Ctrl-C and SIGTERM end a campaign in good order: what is known is reported, the rest is UNKNOWN, and what to go on
    from is written down. With --resume even kill -9 costs no more than the jobs under way: the same command again goes
    on, and ends in the report of a campaign that nobody disturbed. A second Ctrl-C does not cost the report either, but
    only the pictures of its failures; a third one may.

    \b
    Examples:
      stopcheck certify sqlite
      stopcheck certify sqlite --profile full
      stopcheck certify my_gate.py:Gate --scenario before-admission
      stopcheck certify my_gate.py:Gate --clause ADM-3 --fail-fast
      stopcheck certify my_package.gate:make --html report.html --junit report.xml
      stopcheck certify sqlite --shard 1/3 --resume shard-1.jsonl   (then: stopcheck merge shard-*.jsonl)
      stopcheck certify --command "node gate.js"

    Flags that are the same each time may stand in pyproject.toml, under [tool.stopcheck], by their long names:
    gate = "my_gate.py:Gate", profile = "core", waivers = "stopcheck-waivers.toml".
    """
    reference = named_gate(gate, command)
    if flags["shard"].of > 1 and flags["journal"] is None:
        what = f"what shard {flags['shard']} finds would be lost: it is merged from a file, and none is named"
        raise UsageFault(what, hint="add --resume FILE, one for each shard; then: stopcheck merge FILE FILE ...")
    outputs = take_outputs(flags)
    console = make_console()
    waivers = given_waivers(waivers_path)
    flags["clauses"] = tuple(name.upper() for name in flags["clauses"])
    with Stops() as stops:
        with live_progress(quiet=quiet, plain=plain) as live:
            done = run_campaign(reference, Options(**flags, waivers=waivers, leave=_LEAVE), live.on_event)
        write_outputs(console, done, outputs, stops)
    if done.left is not None:
        _go_on(console, done.left)
    return done.report.exit_code


def _go_on(console: ReportConsole, journal: Path) -> None:
    """How to go on with a campaign that was interrupted."""
    console.say(f"interrupted; to go on, give the same command, with: --resume {journal}", "bold")
