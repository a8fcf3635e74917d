"""``stopcheck list``."""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Table

from stopcheck.campaign import installed_gates, load_scenarios
from stopcheck.judge import CHECKS, checked_clauses
from stopcheck.judge.requirements import REQUIREMENTS


@click.command("list", short_help="List gates, scenarios or requirements.")
@click.argument("what", type=click.Choice(["gates", "scenarios", "requirements"]))
@click.option("--uncovered", is_flag=True, help="Requirements only: those that no check can fail yet.")
def list_command(what: str, *, uncovered: bool) -> int:
    """List what is installed: gates, scenarios, or the requirement catalogue."""
    console = Console()
    {"gates": _gates, "scenarios": _scenarios, "requirements": lambda c: _requirements(c, uncovered=uncovered)}[what](
        console
    )
    return 0


def _gates(console: Console) -> None:
    table = Table("gate", "place")
    for name, value in installed_gates():
        table.add_row(name, value)
    console.print(table)


def _scenarios(console: Console) -> None:
    table = Table("scenario", "case", "sentence", "fault budget")
    for scenario in load_scenarios().values():
        table.add_row(scenario.id, str(scenario.case or ""), scenario.sentence, scenario.budget.describe())
    console.print(table)


def _requirements(console: Console, *, uncovered: bool) -> None:
    checked = checked_clauses()
    table = Table("clause", "level", "capability", "title", "checks")
    for requirement in REQUIREMENTS.values():
        if uncovered and requirement.id in checked:
            continue
        checks = sum(1 for check in CHECKS if requirement.id in check.clauses)
        table.add_row(
            requirement.id,
            requirement.level.value,
            requirement.capability or "",
            requirement.title,
            str(checks) if checks else "not yet checked",
        )
    console.print(table)
    unchecked = len(REQUIREMENTS) - len(checked & REQUIREMENTS.keys())
    console.print(f"{len(REQUIREMENTS)} requirements, {unchecked} not yet checked")
