"""``stopcheck explain``."""

from __future__ import annotations

import inspect

import click

from stopcheck.campaign import PROFILES, Coverage, Profile, UsageFault, catalogue, did_you_mean, load_scenarios
from stopcheck.explore import STRATEGIES, Strategy
from stopcheck.gate import OPERATIONS, Capability, OperationSpec
from stopcheck.judge import CHECKS
from stopcheck.judge.requirements import FAMILIES, REQUIREMENTS
from stopcheck.report import ReportConsole, make_console
from stopcheck.world import Scenario

_ORDER = "The calls and their answers, put into one order that the contract's rules explain; none does when this fails."


@click.command("explain", short_help="What a clause, a scenario or any other name means.")
@click.argument("name", metavar="NAME")
def explain_command(name: str) -> int:
    """Explain a clause (ADM-3) or a scenario (before-admission); or a family of clauses (ADM), a profile, a strategy,
    an operation of the gate protocol, or a capability.

    A clause comes with its wording, its source, the checks and scenarios that try it, and the known wrong gates that
    prove the checks; a scenario with what it exercises and what must be seen for its pass to mean anything.
    """
    console = make_console()
    scenarios = load_scenarios()
    if name in scenarios:
        _scenario(console, scenarios[name])
    elif name.upper() in REQUIREMENTS:
        _requirement(console, catalogue()[name.upper()])
    elif name.upper() in FAMILIES:
        _family(console, name.upper())
    elif name in PROFILES:
        _profile(console, PROFILES[name])
    elif name in STRATEGIES:
        _strategy(console, STRATEGIES[name])
    elif name in OPERATIONS:
        _operation(console, OPERATIONS[name])
    elif name in list(Capability):
        _capability(console, Capability(name))
    else:
        others = (*scenarios, *PROFILES, *STRATEGIES, *OPERATIONS, *Capability)
        hint = did_you_mean(name.upper(), REQUIREMENTS, "") or did_you_mean(name, others, "")
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
    console.say("a scenario; all of them: stopcheck list scenarios")
    console.say(f"its default order with a gate: stopcheck replay {scenario.id} --gate GATE")


def _family(console: ReportConsole, family: str) -> None:
    console.say(f"{family}: {FAMILIES[family]}", "bold")
    for each in REQUIREMENTS.values():
        if each.family == family:
            console.say(f"{each.id}: {each.title}")
    console.say("a family of clauses; all of them: stopcheck list requirements")


def _profile(console: ReportConsole, profile: Profile) -> None:
    console.say(f"{profile.name}: {profile.about}", "bold")
    console.say(f"clauses: {', '.join(clause.id for clause in profile.clauses)}")
    console.say("a profile; all of them, and what they want a gate to declare: stopcheck list profiles")
    console.say(f"whether a gate meets it: stopcheck certify GATE --profile {profile.name}")


def _strategy(console: ReportConsole, strategy: Strategy) -> None:
    console.say(f"{strategy.name}: {strategy.about}", "bold")
    console.say(f"completes: {strategy.completes.value}")
    console.say("a strategy; all of them: stopcheck list strategies")


def _operation(console: ReportConsole, operation: OperationSpec) -> None:
    about = inspect.getdoc(operation.request) or ""
    console.say(f"{operation.name}: {' '.join(about.split())}", "bold")
    console.say(f"answers: {', '.join(reply.__name__ for reply in operation.replies)}")
    wants = f"a gate that declares [{operation.capability}]" if operation.capability else "every gate"
    console.say(f"an operation of the gate protocol, for {wants}; the reference: stopcheck list protocol")
    atomic = [each.id for each in REQUIREMENTS.values() if each.atomic and operation.name in each.operations]
    if atomic:
        console.say(f"competes with others under {', '.join(atomic)}")


def _capability(console: ReportConsole, capability: Capability) -> None:
    console.say(f"{capability}: a capability, which a gate declares in its contract", "bold")
    operations = [each.name for each in OPERATIONS.values() if each.capability is capability]
    console.say(f"adds the operations: {', '.join(operations) or 'none'}")
    clauses = [each.id for each in REQUIREMENTS.values() if each.capability == capability]
    console.say(f"adds the clauses: {', '.join(clauses) or 'none'}")
    console.say("the reference: stopcheck list protocol")


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
