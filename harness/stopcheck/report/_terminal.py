"""The verdict in the terminal: a table of clauses, the findings with their replay lines, the verdict line."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from stopcheck.campaign import ClauseVerdict, FaultReport, Finding, Report, Verdict

_STYLES = {
    Verdict.PASS: "green",
    Verdict.FAIL: "bold red",
    Verdict.UNKNOWN: "yellow",
    Verdict.UNSUPPORTED: "cyan",
    Verdict.UNCHECKED: "dim",
}


def verdict_style(verdict: Verdict) -> str:
    """The colour of a verdict; colour is never the only sign."""
    return _STYLES[verdict]


def print_report(console: Console, report: Report, *, everything: bool = False) -> None:
    """The whole report. Unchecked clauses are counted, and listed only when ``everything`` is asked for."""
    if report.clauses:
        console.print(_table(report, everything=everything))
    for clause in report.clauses:
        if clause.verdict is Verdict.FAIL:
            _print_finding(console, report, clause)
    print_faults(console, report.faults)
    _print_coverage(console, report)
    style = "bold green" if report.exit_code == 0 else "bold red"
    console.print(Text(report.summary, style=style), soft_wrap=True)
    console.print(f"seed {report.seed}, requirement set {report.requirement_set}, exit {report.exit_code}")


def _table(report: Report, *, everything: bool) -> Table:
    gate = report.gate
    title = f"{gate.name} {gate.version} ({gate.reference})" if gate is not None else "no gate"
    table = Table(title=title, title_justify="left", expand=False)
    table.add_column("clause", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("why", overflow="fold")
    for clause in report.clauses:
        if clause.verdict is Verdict.UNCHECKED and not everything:
            continue
        why = clause.why + (f" [{clause.assumption}]" if clause.assumption else "")
        table.add_row(clause.clause, Text(clause.verdict.value, style=verdict_style(clause.verdict)), Text(why))
    return table


def _print_finding(console: Console, report: Report, clause: ClauseVerdict) -> None:
    finding = clause.findings[0]
    console.print(Text(f"FAIL {clause.clause}: {finding.message}", style="red"), soft_wrap=True)
    console.print(
        f"  in {finding.scenario} ({finding.granularity}, handles {finding.handles}), found by {finding.strategy} after "
        f"{finding.executions_to_find} executions; {finding.deviations} deviations from the default order, broken at step "
        f"{finding.step}",
        soft_wrap=True,
        highlight=False,
    )
    console.print(f"  {replay_line(report, finding)}", soft_wrap=True, highlight=False, markup=False)


def replay_line(report: Report, finding: Finding) -> str:
    """The command that replays a finding."""
    reference = report.gate.reference if report.gate is not None else "GATE"
    return f"stopcheck replay {finding.token} --gate {reference}"


def print_faults(console: Console, faults: Sequence[FaultReport]) -> None:
    """What the adapter (or the kit) did wrong, each once."""
    for fault in faults:
        who = "KIT FAULT" if fault.kind == "kit" else "ADAPTER FAULT"
        console.print(Text(f"{who} {fault.kind}: {fault.what}", style="bold magenta"), soft_wrap=True)
        if fault.cause:
            console.print(f"  cause: {fault.cause}", soft_wrap=True, highlight=False, markup=False)
        if fault.hint:
            console.print(f"  next: {fault.hint}", soft_wrap=True, highlight=False, markup=False)


def _print_coverage(console: Console, report: Report) -> None:
    if not report.jobs:
        return
    executions = sum(job.executions for job in report.jobs)
    planned = sum(job.sweep_planned for job in report.jobs)
    hit = sum(job.sweep_hit for job in report.jobs)
    incomplete = [job for job in report.jobs if not job.complete]
    console.print(
        f"{len(report.jobs)} jobs, {executions} executions; stop sweep: {hit} of {planned} branch points hit by a stop",
        highlight=False,
    )
    for job in incomplete:
        console.print(f"  not explored: {job.spec.name}: {job.left}", soft_wrap=True, highlight=False, markup=False)
