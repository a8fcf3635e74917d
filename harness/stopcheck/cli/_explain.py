"""``stopcheck explain``."""

from __future__ import annotations

import inspect

import click

from stopcheck.campaign import Coverage, UsageFault, catalogue, did_you_mean, load_scenarios
from stopcheck.judge import CHECKS
from stopcheck.judge.requirements import REQUIREMENTS
from stopcheck.report import ReportConsole, make_console
from stopcheck.world import Scenario

_ORDER = "The calls and their answers, put into one order that the contract's rules explain; none does when this fails."


@click.command("explain", short_help="What a clause or a scenario means.")
@click.argument("name", metavar="ID")
def explain_command(name: str) -> int:
    """Explain a clause (ADM-3) or a scenario (before-admission).

    A clause comes with its wording, its source, the checks and scenarios that try it, and the known wrong gates that
    prove the checks; a scenario with what it exercises and what must be seen for its pass to mean anything.
    """
    console = make_console()
    scenarios = load_scenarios()
    if name in scenarios:
        _scenario(console, scenarios[name])
    elif name.upper() in REQUIREMENTS:
        _requirement(console, catalogue()[name.upper()])
    else:
        hint = did_you_mean(name.upper(), REQUIREMENTS, "") or did_you_mean(name, scenarios, "")
        raise UsageFault(
            f"no clause or scenario is named {name!r}",
            hint=hint or "see: stopcheck list requirements, stopcheck list scenarios",
        )
    return 0


def _scenario(console: ReportConsole, scenario: Scenario) -> None:
    console.say(f"{scenario.id}: {scenario.title}", "bold")
    console.say(scenario.sentence)
    console.say(f"fault budget: {scenario.budget.describe()}")
    console.say(f"exercises: {', '.join(scenario.clauses)}")
    for witness in scenario.witnesses:
        console.say(f"witness: {witness.name}")


def _requirement(console: ReportConsole, coverage: Coverage) -> None:
    requirement = coverage.requirement
    console.say(f"{requirement.id}: {requirement.title}", "bold")
    console.say(requirement.wording)
    capability = f"; hangs on [{requirement.capability}]" if requirement.capability else ""
    console.say(f"level {requirement.level.value}; source {', '.join(requirement.sources)}{capability}")
    if requirement.atomic:
        console.say(f"atomic: needs branch points inside {', '.join(requirement.operations)}")
    about = {check.name: " ".join((inspect.getdoc(check) or "").split()) for check in CHECKS}
    for name in coverage.checks:
        console.say(f"check {name}: {about.get(name, _ORDER)}")
    if not coverage.checks:
        why = coverage.exclusion or "the kit has no check that can fail it"
        console.say(f"not {'checked' if coverage.exclusion else 'yet checked'}: {why}")
    console.say(f"scenarios: {', '.join(coverage.scenarios) or 'none'}")
    for fault in coverage.killers:
        shared = f" (shared with {fault.clause})" if fault.clause != requirement.id else ""
        console.say(f"wrong gate {fault.name}{shared}: {fault.about}")
