"""``stopcheck explain``."""

from __future__ import annotations

import inspect

import click
from rich.console import Console
from rich.text import Text

from stopcheck.campaign import UsageFault, load_faults, load_scenarios
from stopcheck.judge import CHECKS
from stopcheck.judge.requirements import UnknownRequirementError, get


@click.command("explain", short_help="What a clause or a scenario means.")
@click.argument("name", metavar="ID")
def explain_command(name: str) -> int:
    """Explain a clause (ADM-3) or a scenario (before-admission): wording, source, checks, scenarios, and the known wrong gates
    that prove the checks."""
    console = Console(highlight=False)
    scenario = load_scenarios().get(name)
    if scenario is not None:
        console.print(Text(f"{scenario.id}: {scenario.title}", style="bold"))
        for line in (scenario.sentence, f"fault budget: {scenario.budget.describe()}"):
            console.print(Text(line), soft_wrap=True)
        console.print(Text(f"exercises: {', '.join(scenario.clauses)}"), soft_wrap=True)
        for witness in scenario.witnesses:
            console.print(Text(f"witness: {witness.name}"), soft_wrap=True)
        return 0
    try:
        requirement = get(name.upper())
    except UnknownRequirementError as error:
        raise UsageFault(
            f"no clause or scenario {name!r}: {error}",
            hint="see: stopcheck list requirements, stopcheck list scenarios",
        ) from error
    console.print(Text(f"{requirement.id}: {requirement.title}", style="bold"))
    console.print(Text(requirement.wording), soft_wrap=True)
    sources = ", ".join(requirement.sources)
    capability = f"; hangs on [{requirement.capability}]" if requirement.capability else ""
    console.print(Text(f"level {requirement.level.value}; source {sources}{capability}"), soft_wrap=True)
    if requirement.atomic:
        console.print(Text(f"atomic: needs branch points inside {', '.join(requirement.operations)}"), soft_wrap=True)
    _checks(console, requirement.id)
    return 0


def _checks(console: Console, clause: str) -> None:
    checks = [check for check in CHECKS if clause in check.clauses]
    for check in checks:
        console.print(Text(f"check {check.name}: {inspect.getdoc(check) or ''}"), soft_wrap=True)
    if not checks:
        console.print(Text("not yet checked: the kit has no check that can fail it"))
    names = [s.id for s in load_scenarios().values() if clause in s.clauses]
    console.print(Text(f"scenarios: {', '.join(names) or 'none'}"), soft_wrap=True)
    for fault in load_faults():
        if fault.clause == clause:
            console.print(Text(f"wrong gate {fault.name}: {fault.about}"), soft_wrap=True)
