"""``stopcheck list``."""

from __future__ import annotations

import click
from rich.table import Table

from stopcheck.campaign import installed_gates, load_scenarios
from stopcheck.judge import CHECKS, checked_clauses
from stopcheck.judge.requirements import REQUIREMENTS
from stopcheck.report import ReportConsole, make_console


@click.command("list", short_help="List gates, scenarios or requirements.")
@click.argument("what", type=click.Choice(["gates", "scenarios", "requirements"]))
@click.option("--uncovered", is_flag=True, help="Requirements only: those that no check can fail yet.")
def list_command(what: str, *, uncovered: bool) -> int:
    """List what is installed: gates, scenarios, or the requirement catalogue."""
    console = make_console()
    if what == "gates":
        _gates(console)
    elif what == "scenarios":
        _scenarios(console)
    else:
        _requirements(console, uncovered=uncovered)
    return 0


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns[:-1]:
        table.add_column(column, no_wrap=True)
    table.add_column(columns[-1], overflow="fold")
    return table


def _gates(console: ReportConsole) -> None:
    table = _table("gate", "place")
    for name, value in installed_gates():
        table.add_row(name, value)
    console.print(table)


def _scenarios(console: ReportConsole) -> None:
    table = _table("scenario", "case", "what it is about")
    for scenario in load_scenarios().values():
        table.add_row(scenario.id, str(scenario.case or ""), scenario.sentence)
    console.print(table)


def _requirements(console: ReportConsole, *, uncovered: bool) -> None:
    checked = checked_clauses()
    table = _table("clause", "level", "checks", "capability", "title")
    for requirement in REQUIREMENTS.values():
        if uncovered and requirement.id in checked:
            continue
        checks = sum(1 for check in CHECKS if requirement.id in check.clauses)
        table.add_row(
            requirement.id,
            requirement.level.value,
            str(checks) if checks else "none yet",
            requirement.capability or "",
            requirement.title,
        )
    console.print(table)
    unchecked = len(REQUIREMENTS) - len(checked & REQUIREMENTS.keys())
    console.print(f"{len(REQUIREMENTS)} requirements, {unchecked} not yet checked")
