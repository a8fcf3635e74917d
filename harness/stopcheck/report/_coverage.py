"""What a campaign tried and what it did not: as much a part of the verdict as the findings.

One idea: silence about a gap reads like a pass, so each gap is named: a search that was cut short, a witness that was
never seen, a branch point at which no stop landed, a kind of crash that was not tried.
"""

from __future__ import annotations

from collections.abc import Sequence

from stopcheck.campaign import JobResult, Report, missed_witnesses
from stopcheck.report._console import ReportConsole

_LISTED = 8


def print_coverage(console: ReportConsole, report: Report, *, everything: bool = False) -> None:
    """Figures, then gaps."""
    if not report.jobs:
        return
    console.say("")
    jobs = report.jobs
    scenarios = len({job.spec.scenario for job in jobs})
    executions = sum(job.executions for job in jobs)
    plural = "" if scenarios == 1 else "s"
    console.say(f"tried: {scenarios} scenario{plural}, {len(jobs)} jobs, {executions:,} executions")
    planned = sum(job.sweep_planned for job in jobs)
    if planned:
        hit = sum(job.sweep_hit for job in jobs)
        console.say(f"stop sweep: a stop landed at {hit:,} of {planned:,} branch points")
    console.say(f"crashes: {_crashes(report)}")
    listed = None if everything else _LISTED
    _print_list(console, "not explored", _unexplored(jobs, everything=everything), listed)
    _print_list(console, "not believed", [f"{j.spec.name}: {j.unsound}" for j in jobs if j.unsound], listed)
    _print_list(console, "no stop at", [f"{j.spec.scenario}: {at}" for j in jobs for at in j.sweep_missed], listed)
    witnesses = [f"{scenario}: {name}" for scenario, names in missed_witnesses(jobs).items() for name in names]
    _print_list(console, "never seen", witnesses, listed)


def _crashes(report: Report) -> str:
    if report.gate is None or report.gate.durability == "volatile":
        return "not tried, since the gate is volatile"
    killed = sum(job.deaths for job in report.jobs)
    real = f"and {killed} real ones by SIGKILL" if killed else "none for real"
    untried = "; loss of power was not tried" if report.gate.durability == "power_loss" else ""
    return f"simulated process deaths at branch points, {real}{untried}"


def _unexplored(jobs: Sequence[JobResult], *, everything: bool) -> list[str]:
    """Jobs that did not reach their target; several with one reason are one line, unless everything is asked for."""
    reasons: dict[str, list[str]] = {}
    for job in jobs:
        if not job.complete:
            reasons.setdefault(job.left, []).append(job.spec.name)
    lines: list[str] = []
    for left, names in reasons.items():
        if everything or len(names) == 1:
            lines += [f"{name}: {left}" for name in names]
        else:
            lines.append(f"{len(names)} jobs, the first {names[0]}: {left}")
    return lines


def _print_list(console: ReportConsole, what: str, lines: list[str], listed: int | None) -> None:
    shown = lines if listed is None else lines[:listed]
    for line in shown:
        console.say(f"{what}: {line}", "yellow")
    if len(lines) > len(shown):
        console.say(f"{what}: and {len(lines) - len(shown)} more (--all lists them)", "yellow")
