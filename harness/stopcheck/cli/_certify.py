"""``stopcheck certify``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stopcheck.campaign import DEFAULT_BUDGET, PROFILES, RESTRICTED_SAMPLES, Options, certify, known_strategies
from stopcheck.cli._options import command_option, execution_seconds, named_gate, silence_seconds
from stopcheck.cli._report_files import picked, report_files, with_interleavings, write_files
from stopcheck.report import (
    LiveProgress,
    check_folder,
    make_console,
    print_report,
    write_failures,
)

_BUDGET = click.IntRange(1)


@click.command("certify", short_help="Certify a gate.")
@click.argument("gate", required=False)
@command_option
@click.option("--scenario", "scenarios", multiple=True, metavar="ID", help="Only this scenario (may be repeated).")
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
@click.option(
    "--granularity",
    type=click.Choice(["calls", "inner"]),
    help="Try whole calls only, or also between inner branch points (the default where there are any).",
)
@click.option(
    "--jobs", "children", default=2, show_default=True, type=click.IntRange(1, 64), help="Processes at a time."
)
@report_files
@click.option("--failures", type=click.Path(path_type=Path), help="Write a file for each failed clause there.")
@click.option("--all", "everything", is_flag=True, help="List unchecked clauses and every gap.")
@click.option("--coverage", is_flag=True, help="Show the coverage ledger of each scenario in each variant.")
@click.option("--quiet", is_flag=True, help="No live progress.")
@execution_seconds
@silence_seconds
def certify_command(
    gate: str | None,
    command: str | None,
    failures: Path | None,
    *,
    everything: bool,
    coverage: bool,
    quiet: bool,
    **options: Any,
) -> int:
    """Certify GATE: an installed gate's name, package.module:factory, or path/to/file.py:factory; or, with --command,
    a gate in a process of its own, in any language.

    \b
    Examples:
      stopcheck certify sqlite
      stopcheck certify sqlite --profile full
      stopcheck certify my_gate.py:Gate --scenario before-admission
      stopcheck certify my_package.gate:make --html report.html --junit report.xml
      stopcheck certify --command "node gate.js"
    """
    reference = named_gate(gate, command)
    files = picked(options)
    if failures is not None:
        check_folder(failures)
    console = make_console()
    with LiveProgress(console, quiet=quiet) as live:
        asked = Options(**options)
        report = certify(reference, asked, live.on_event)
    if files:
        report = with_interleavings(report, execution_s=asked.execution_s, silence_s=asked.silence_s)
    # Files first: a reader of the terminal that goes away costs nobody the report.
    write_files(files, report)
    if failures is not None:
        write_failures(failures, report)
    print_report(console, report, everything=everything, coverage=coverage)
    return report.exit_code
