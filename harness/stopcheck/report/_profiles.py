"""Which profiles a gate meets, and what it misses of the one that was asked for.

One idea: a profile that is missed is missed for a few reasons, each of many clauses; so the reasons are the rows.
"""

from __future__ import annotations

from rich.text import Text

from stopcheck.campaign import ProfileVerdict, Report, Verdict
from stopcheck.report._console import ReportConsole


def print_profiles(console: ReportConsole, report: Report, styles: dict[Verdict, str]) -> None:
    """A line for each profile; for the one that was asked for, what it misses and why."""
    for profile in report.profiles:
        console.say(f"profile {_summary(profile)}")
    asked = report.asked()
    if asked is not None:
        for (verdict, why), clauses in _reasons(asked).items():
            console.print(Text(f"{asked.name} misses {', '.join(clauses)}: {verdict}, {why}", styles[verdict]))


def _summary(verdict: ProfileVerdict) -> str:
    if verdict.met:
        return f"{verdict.name} met: all {verdict.clauses} clauses passed"
    counts = {kind: sum(1 for missed in verdict.missed if missed.verdict is kind) for kind in Verdict}
    figures = ", ".join(f"{count} {kind.value}" for kind, count in counts.items() if count)
    return f"{verdict.name} missed: {figures} of {verdict.clauses} clauses"


def _reasons(asked: ProfileVerdict) -> dict[tuple[Verdict, str], list[str]]:
    reasons: dict[tuple[Verdict, str], list[str]] = {}
    for missed in asked.missed:
        reasons.setdefault((missed.verdict, missed.why), []).append(missed.clause)
    return reasons
