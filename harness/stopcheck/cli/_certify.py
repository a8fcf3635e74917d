"""``stopcheck certify``."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from stopcheck.campaign import DEFAULT_BUDGET, Options, certify
from stopcheck.report import LiveProgress, check_writable, json_report, junit_report, print_report, write_report


@click.command("certify", short_help="Certify a gate.")
@click.argument("gate")
@click.option("--scenario", "scenarios", multiple=True, metavar="ID", help="Only this scenario (may be repeated).")
@click.option("--seed", default=0, show_default=True, help="Seed of the sampling strategies.")
@click.option(
    "--budget", default=DEFAULT_BUDGET, show_default=True, type=click.IntRange(1), help="Executions per search."
)
@click.option(
    "--granularity",
    type=click.Choice(["calls", "inner"]),
    help="Try whole calls only, or also between inner branch points (the default where there are any).",
)
@click.option("--jobs", default=2, show_default=True, type=click.IntRange(1, 64), help="Child processes.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the report as JSON.")
@click.option("--junit", "junit_path", type=click.Path(path_type=Path), help="Write the report as JUnit XML.")
@click.option("--all", "everything", is_flag=True, help="List unchecked clauses too.")
@click.option("--quiet", is_flag=True, help="No live progress.")
def certify_command(
    gate: str,
    scenarios: tuple[str, ...],
    seed: int,
    budget: int,
    granularity: str | None,
    jobs: int,
    json_path: Path | None,
    junit_path: Path | None,
    *,
    everything: bool,
    quiet: bool,
) -> int:
    """Certify GATE: an installed gate's name, package.module:factory, or path/to/file.py:factory.

    \b
    Examples:
      stopcheck certify sqlite
      stopcheck certify my_gate.py:Gate --scenario before-admission
      stopcheck certify my_package.gate:make --json report.json --junit report.xml
    """
    for path in (json_path, junit_path):
        if path is not None:
            check_writable(path)
    console = Console()
    options = Options(scenarios=scenarios, seed=seed, budget=budget, granularity=granularity, children=jobs)
    with LiveProgress(console, quiet=quiet) as live:
        report = certify(gate, options, live.on_event)
    print_report(console, report, everything=everything)
    if json_path is not None:
        write_report(json_path, json_report(report))
    if junit_path is not None:
        write_report(junit_path, junit_report(report))
    return report.exit_code
