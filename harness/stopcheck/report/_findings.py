"""Findings and faults in words, each with the line that replays it.

One idea: a finding is worth as much as somebody else can make of it, so it ends in a command that can be copied whole.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from stopcheck.campaign import COMMAND, FaultReport, Finding, FirstBreak, Report
from stopcheck.kernel import many, plural
from stopcheck.report._console import ReportConsole, one_line
from stopcheck.report._parting import what_decides


def print_finding(console: ReportConsole, reference: str, finding: Finding, *, others: int = 0) -> None:
    """What broke, where, how small the interleaving is, and its replay line. ``reference`` names the gate."""
    console.say(f"FAIL {finding.clause}: {finding.message}", "bold red")
    console.say(f"  where: {short_place(finding)}, step {finding.step}")
    if finding.first is not None:
        console.say(f"  first: {broke_first(finding.first)}")
    if finding.where:
        console.say(f"  code: {finding.where}")
    shrunk = "shrunk to" if finding.shrunk else "not shrunk:"
    more = f"; {others} more {plural(others, 'finding')} of this clause in the JSON report" if others else ""
    console.say(f"  size: {shrunk} {size(finding)}; found by {finding.strategy}{more}")
    if finding.nearest is not None:
        console.say(f"  decides: {what_decides(finding.nearest)}")
    console.say(f"  {replay_command(finding.token, reference)}")


def broke_first(first: FirstBreak) -> str:
    """That a run broke another clause before."""
    return f"the run broke {first.clause} before that, at step {first.step}; what follows may follow from that"


def size(finding: Finding) -> str:
    """How far the interleaving leaves the default order."""
    deviations = f"{many(finding.deviations, 'deviation')}"
    return f"{deviations} from the default order ({many(finding.choices, 'choice')} in all)"


def short_place(finding: Finding) -> str:
    """The scenario and its variant."""
    where = "whole calls" if finding.granularity == "calls" else "inside calls"
    handles = f"{many(finding.handles, 'handle')}"
    return f"{finding.scenario} ({where}, {handles})"


def replay_line(report: Report, finding: Finding) -> str:
    """The command that replays a finding."""
    return replay_command(finding.token, gate_reference(report))


def gate_reference(report: Report) -> str:
    """How the gate was named."""
    return report.gate.reference if report.gate is not None else "GATE"


def replay_command(token: str, reference: str) -> str:
    """A command that can be pasted into a shell."""
    return f"stopcheck replay {token} --gate {shlex.quote(reference)}"


def from_where(reference: str) -> str:
    """From where a command that names the gate can be given; empty if from anywhere."""
    if reference.startswith(COMMAND):
        return "in the folder in which the gate's command was given"
    place = reference.rpartition(":")[0]
    relative = place.endswith(".py") and not place.startswith("/")
    return f"in the folder from which {place} is seen" if relative else ""


def print_faults(console: ReportConsole, faults: Sequence[FaultReport], reference: str = "") -> None:
    """What the adapter (or the kit) did wrong. Faults of one kind and cause are one fault, seen several times."""
    alike: dict[tuple[str, str], list[FaultReport]] = {}
    for fault in faults:
        alike.setdefault((fault.kind, fault.cause), []).append(fault)
    for group in alike.values():
        _print_fault(console, group, reference)


def _print_fault(console: ReportConsole, group: list[FaultReport], reference: str) -> None:
    fault = group[0]
    whose, _, kind = fault.title.partition(":")
    what = whose.upper() + kind
    console.say("")
    console.say(f"{what}: {one_line(fault.what)}", "bold magenta")
    if fault.cause:
        console.say(f"  cause: {one_line(fault.cause)}")
    scenarios = list(dict.fromkeys(f.scenario for f in group if f.scenario))
    if scenarios:
        times = f", {len(group)} times" if len(group) > 1 else ""
        console.say(f"  seen in: {', '.join(scenarios[:3])}{', ...' if len(scenarios) > 3 else ''}{times}")
    if fault.hint:
        console.say(f"  next: {one_line(fault.hint)}")
    if fault.token and reference:
        console.say(f"  {replay_command(fault.token, reference)}")
