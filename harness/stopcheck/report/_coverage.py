"""What a campaign tried and what it did not: as much a part of the verdict as the findings.

One idea: silence about a gap reads like a pass, so each gap is named: a search that was cut short, a witness that was
never seen, a branch point at which no stop landed, a fault that was on offer and not taken, a kind of crash that was
not tried.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from stopcheck.campaign import Cover, Gap, JobResult, Ledger, Report, Subject, missed_witnesses, power_losses_in
from stopcheck.kernel import many
from stopcheck.report._console import ReportConsole
from stopcheck.report._findings import replay_command

_LISTED = 8
_EXAMPLES = 2
#: What is counted, for one and for many.
_NAMES = {
    Subject.STOPS: ("stop point", "stop points"),
    Subject.SECOND_STOPS: ("point of a second stop", "points of a second stop"),
    Subject.FAULTS: ("fault", "faults"),
    Subject.CRASHES: ("crash point", "crash points"),
    Subject.KILLS: ("state with SIGKILL", "states with SIGKILL"),
    Subject.TIMERS: ("race of a timer", "races of timers"),
    Subject.WITNESSES: ("witness", "witnesses"),
}


def print_coverage(console: ReportConsole, report: Report, *, everything: bool = False, ledger: bool = False) -> None:
    """Figures, then gaps; the ledger of each variant when it is asked for."""
    if not report.jobs:
        return
    console.say("")
    jobs = report.jobs
    scenarios = len({job.spec.scenario for job in jobs})
    executions = sum(job.executions for job in jobs)
    console.say(f"tried: {many(scenarios, 'scenario')}, {many(len(jobs), 'job')}, {many(executions, 'execution')}")
    console.say(f"coverage: {', '.join(_total(cover) for cover in report.totals)}")
    console.say(f"crashes: {_crashes(report)}")
    if ledger or everything:
        _print_ledger(console, report.ledger)
    listed = None if everything else _LISTED
    _print_list(console, "not explored", _unexplored(jobs, everything=everything), listed)
    unsound = [f"{j.spec.name}: {j.unsound}" for j in jobs if j.unsound and j.differs is None]
    _print_list(console, "not believed", unsound, listed)
    differing = [f"{j.spec.name}: {j.unsound}" for j in jobs if j.differs is not None]
    _print_list(console, "not deterministic", differing, 1 if listed is not None else None)
    tokens = [job.differs.token for job in jobs if job.differs is not None]
    if tokens and report.gate is not None:
        console.say(f"  {replay_command(tokens[0], report.gate.reference)} --log run.jsonl (twice, and compare)")
    full = [f"{j.spec.name}: {many(j.states, 'state')}; further ones were not kept" for j in jobs if j.cache_full]
    _print_list(console, "state cache full", full, listed)
    witnesses = [f"{scenario}: {name}" for scenario, names in missed_witnesses(jobs).items() for name in names]
    _print_list(console, "never seen", witnesses, listed)
    gaps = _by_variant(report.ledger) if ledger or everything else _together(report.ledger)
    _print_list(console, "not hit", gaps, None)


def _total(cover: Cover) -> str:
    one, more = _NAMES[cover.subject]
    impossible = f" ({cover.impossible} impossible)" if cover.impossible else ""
    return f"{cover.hit:,} of {cover.planned:,} {one if cover.planned == 1 else more}{impossible}"


def _crashes(report: Report) -> str:
    if report.gate is None or report.gate.durability == "volatile":
        return "not tried, since the gate is volatile"
    killed = sum(job.deaths for job in report.jobs)
    real = f"and {killed} real ones by SIGKILL" if killed else "none for real"
    return f"simulated process deaths at branch points, {real}{_power(report)}"


def _power(report: Report) -> str:
    """Whether the loss of power was tried."""
    if report.gate is None or report.gate.durability != "power_loss":
        return ""
    lost = sum(power_losses_in(job) for job in report.jobs)
    doubt = next((job.power_doubt for job in report.jobs if job.power_doubt), "")
    tried = (
        f"power lost {many(lost, 'time')}, and with it all that was not synced"
        if lost
        else "loss of power was not tried"
    )
    return f"; {tried}{doubt and f' ({doubt})'}"


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


# -- the ledger -------------------------------------------------------------------------------------------


def _print_ledger(console: ReportConsole, ledger: Sequence[Ledger]) -> None:
    subjects = [subject for subject in Subject if any(c.subject is subject for one in ledger for c in one.covers)]
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("scenario", overflow="fold")
    table.add_column("variant", no_wrap=True)
    table.add_column("search", no_wrap=True)
    for subject in subjects:
        table.add_column(subject.value, no_wrap=True, justify="right")
    for one in ledger:
        covers = {cover.subject: _cell(cover) for cover in one.covers}
        search = "all" if one.exhausted else "none" if one.bound is None else f"<={one.bound}"
        cells = [covers.get(subject, "") for subject in subjects]
        table.add_row(one.scenario, f"{one.granularity}/{one.handles}", search, *cells)
    console.print(table)
    console.print("hit/planned, -n: n of these are impossible; search: of all runs, or of those of so many disruptions")


def _cell(cover: Cover) -> str:
    return f"{cover.hit}/{cover.planned}" + (f"-{cover.impossible}" if cover.impossible else "")


def _together(ledger: Sequence[Ledger]) -> list[str]:
    """What was missed for one reason in all variants together. Witnesses that no variant saw are listed by name."""
    reasons: dict[tuple[Subject, str], list[int]] = {}
    for one in ledger:
        for (subject, why), gaps in _reasons(one, impossible=False).items():
            reasons.setdefault((subject, why), []).append(len(gaps))
    return [
        f"{_counted(subject, sum(numbers))} in {many(len(numbers), 'variant')}, {why} (--coverage lists them)"
        for (subject, why), numbers in reasons.items()
    ]


def _by_variant(ledger: Sequence[Ledger]) -> list[str]:
    lines: list[str] = []
    for one in ledger:
        for impossible in (False, True):
            for (subject, why), gaps in _reasons(one, impossible=impossible).items():
                kind = "impossible, " if impossible else ""
                names = ", ".join(gap.what for gap in gaps)
                where = f"{one.scenario} ({one.granularity}, {many(one.handles, 'handle')})"
                lines.append(f"{where}: {_counted(subject, len(gaps))}, {kind}{why}: {names}")
    return lines


def _reasons(one: Ledger, *, impossible: bool) -> dict[tuple[Subject, str], list[Gap]]:
    reasons: dict[tuple[Subject, str], list[Gap]] = {}
    for gap in one.gaps:
        if gap.impossible is impossible and gap.subject is not Subject.WITNESSES:
            reasons.setdefault((gap.subject, gap.why), []).append(gap)
    return reasons


def _counted(subject: Subject, number: int) -> str:
    one, more = _NAMES[subject]
    return f"{number:,} {one if number == 1 else more}"


def _print_list(console: ReportConsole, what: str, lines: list[str], listed: int | None) -> None:
    shown = lines if listed is None else lines[:listed]
    for line in shown:
        console.say(f"{what}: {line}", "yellow")
    if len(lines) > len(shown):
        console.say(f"{what}: and {len(lines) - len(shown)} more (--all lists them)", "yellow")
