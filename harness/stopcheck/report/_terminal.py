"""The verdict in the terminal: a table of clauses, what was found, what was not tried, and the verdict line last.

One idea: the table is for scanning, so a row is short; what one has to act on (a finding, a gap) stands below in full.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from stopcheck.campaign import ClauseVerdict, GateIdentity, Report, Verdict
from stopcheck.report._causes import Cause, causes
from stopcheck.report._console import ReportConsole
from stopcheck.report._coverage import print_coverage
from stopcheck.report._findings import gate_reference, print_faults, print_finding, short_place
from stopcheck.report._grounds import print_passes
from stopcheck.report._measures import print_measures
from stopcheck.report._next_steps import unknowns
from stopcheck.report._profiles import print_profiles
from stopcheck.report._waivers import print_waivers

#: What stands in the table of what one has to act on; all else is a line, or has a table of its own.
_ROWS = (Verdict.FAIL, Verdict.WAIVED, Verdict.UNKNOWN)
#: Commands for what is unknown, and clauses of each, that are shown unless everything is asked for.
_COMMANDS, _CLAUSES = 2, 6
_STYLES = {
    Verdict.PASS: "green",
    Verdict.FAIL: "bold red",
    Verdict.WAIVED: "magenta",
    Verdict.UNKNOWN: "yellow",
    Verdict.UNSUPPORTED: "cyan",
    Verdict.UNCHECKED: "dim",
}


def verdict_style(verdict: Verdict) -> str:
    """The colour of a verdict; colour is never the only sign."""
    return _STYLES[verdict]


def print_report(
    console: ReportConsole,
    report: Report,
    *,
    everything: bool = False,
    coverage: bool = False,
    notes: Sequence[str] = (),
) -> None:
    """The whole report. Unchecked clauses and gaps are counted, and listed only when ``everything`` is asked for;
    ``coverage`` asks for the ledger alone. ``notes`` stand before the verdict line."""
    _print_head(console, report)
    reasons = _shared_reasons(report)
    passes = [c for c in report.clauses if c.verdict is Verdict.PASS]
    if passes:
        print_passes(console, report, passes, verdict_style(Verdict.PASS))
        console.say("")
    rows = [c for c in report.clauses if c.verdict in _ROWS and (c.verdict, c.why) not in reasons]
    if rows:
        console.print(_table(rows))
    for (verdict, reason), clauses in reasons.items():
        console.print(Text(f"{verdict} {', '.join(clauses)}: {reason}", style=verdict_style(verdict)))
    _print_unchecked(console, report, everything=everything)
    for cause in causes(report):
        _print_cause(console, report, cause, everything=everything)
    _print_next(console, report, everything=everything)
    print_faults(console, report.faults, report.gate.reference if report.gate is not None else "")
    print_coverage(console, report, everything=everything, ledger=coverage)
    print_measures(console, report, everything=everything)
    print_profiles(console, report, _STYLES)
    print_waivers(console, report)
    for note in notes:
        console.say(note)
    for clause in report.unscored:
        console.say(f"unscored, since it is later than {report.requirement_set}: {clause.clause} {clause.verdict}")
    if report.strategy is not None:
        console.say(f"restricted to the strategy {report.strategy}; the same samples again: --seed {report.seed}")
    console.say(
        f"stopcheck {report.kit_version}, requirement set {report.requirement_set}, seed {report.seed}, "
        f"exit {report.exit_code}"
    )
    console.say(report.summary, "bold green" if report.exit_code == 0 else "bold red")


def _print_cause(console: ReportConsole, report: Report, cause: Cause, *, everything: bool) -> None:
    """The finding to begin with in full, and what else its cause breaks in a line each unless all is asked for."""
    lead = cause.clauses[0]
    console.say("")
    print_finding(console, gate_reference(report), lead.findings[0], others=len(lead.findings) - 1)
    others = cause.clauses[1:]
    if others and not everything:
        console.say(f"  the same cause, it seems; mend {lead.clause} first (--all shows each with its run):")
    for clause in others:
        if not everything:
            console.say(f"    {clause.clause}: {clause.why}", "red")
            continue
        console.say("")
        print_finding(console, gate_reference(report), clause.findings[0], others=len(clause.findings) - 1)
        console.say(f"  cause: that of {lead.clause}, it seems; mend that first")


def _print_head(console: ReportConsole, report: Report) -> None:
    if report.gate is not None:
        print_gate(console, report.gate)


def print_gate(console: ReportConsole, gate: GateIdentity) -> None:
    """Who the gate is, and what it declares."""
    console.say(f"{gate.name} {gate.version}  {gate.reference}", "bold")
    capabilities = ", ".join(gate.capabilities) or "none"
    serialised = "; calls declared serialised" if gate.serialised_calls else ""
    console.print(f"host {gate.host}; {gate.durability}; capabilities: {capabilities}{serialised}")
    console.say("")


def _table(rows: list[ClauseVerdict]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("clause", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("why", overflow="fold")
    for clause in rows:
        verdict = Text(clause.verdict.value, style=verdict_style(clause.verdict))
        table.add_row(clause.clause, verdict, Text(_why(clause)))
    return table


def _why(clause: ClauseVerdict) -> str:
    if clause.verdict is not Verdict.FAIL:
        return clause.why
    return short_place(clause.findings[0])


def _shared_reasons(report: Report) -> dict[tuple[Verdict, str], list[str]]:
    """Clauses to which the gate is not held, and such as nothing put to the test, by the reason that they share; and
    those that are unknown for one and the same reason."""
    reasons: dict[tuple[Verdict, str], list[str]] = {}
    for clause in report.clauses:
        if clause.verdict in {Verdict.UNSUPPORTED, Verdict.UNKNOWN}:
            reasons.setdefault((clause.verdict, clause.why), []).append(clause.clause)
    untried = {clause.why for clause in report.clauses if not clause.exercised}
    return {key: names for key, names in reasons.items() if key[1] in untried or len(names) > 1}


def _print_next(console: ReportConsole, report: Report, *, everything: bool) -> None:
    """For what is unknown, the commands that get on with it; those of most clauses first."""
    groups: dict[str, list[str]] = {}
    for unknown in unknowns(report):
        if unknown.command:
            groups.setdefault(unknown.command, []).extend(unknown.clauses)
    ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
    for command, clauses in ordered if everything else ordered[:_COMMANDS]:
        more = f" and {len(clauses) - _CLAUSES} more" if len(clauses) > _CLAUSES else ""
        console.say("")
        console.say(f"next, for {', '.join(clauses[:_CLAUSES])}{more}:")
        console.say(f"  {command}")


def _print_unchecked(console: ReportConsole, report: Report, *, everything: bool) -> None:
    unchecked = [c.clause for c in report.clauses if c.verdict is Verdict.UNCHECKED]
    if unchecked:
        names = f": {', '.join(unchecked)}" if everything else " (--all lists them)"
        what = "clause" if len(unchecked) == 1 else "clauses"
        text = f"UNCHECKED {len(unchecked)} {what} for which the kit has no check yet{names}"
        console.print(Text(text, style=verdict_style(Verdict.UNCHECKED)))
