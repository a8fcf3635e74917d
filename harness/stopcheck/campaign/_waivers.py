"""Waivers: findings that somebody has decided to live with for a while, and where that is being worked on.

One idea: a waiver turns a failure into ``WAIVED``, never into a pass, and it must keep earning its place. One whose
failure is gone, whose day is over, or that names nothing that is tried, ends the campaign with exit 5 until somebody
takes it out of the file.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Sequence
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from stopcheck.campaign._errors import UsageFault
from stopcheck.campaign._loading import load_scenarios
from stopcheck.campaign._results import ClauseVerdict, JobResult, Report, Verdict, Waived, Waiver, WaiverState
from stopcheck.judge.requirements import REQUIREMENTS

#: States in which a waiver no longer says what is.
DRIFT = (WaiverState.STALE, WaiverState.EXPIRED, WaiverState.UNMATCHED)
_HINT = "each is a table [[waiver]] with clause, scenario, reason, issue (a link) and expires (a date, 2027-01-31)"


class Waivers(msgspec.Struct, frozen=True):
    """What is waived, and the day on which that is asked; the entry layer knows it."""

    given: tuple[Waiver, ...]
    today: date


def drifted(report: Report) -> tuple[Waived, ...]:
    """The waivers that no longer hold."""
    return tuple(waived for waived in report.waivers if waived.state in DRIFT)


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    waiver: tuple[Waiver, ...] = ()


def read_waivers(path: Path) -> tuple[Waiver, ...]:
    """The waivers of a TOML file. Raises :class:`UsageFault` when it cannot be read or one of them lacks something."""
    try:
        given = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8-sig")), _File).waiver
    except OSError as error:
        raise UsageFault(f"cannot read the waivers in {str(path)!r}: {error.strerror}", hint=_HINT) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError, RecursionError) as error:
        raise UsageFault(f"the waivers in {str(path)!r} cannot be read: {error}", hint=_HINT) from error
    for at, waiver in enumerate(given):
        name = f"{waiver.clause} in {waiver.scenario}"
        if not waiver.reason.strip():
            raise UsageFault(f"the waiver of {name} in {str(path)!r} has no reason", hint=_HINT)
        if not _is_link(waiver.issue):
            raise UsageFault(f"the waiver of {name} in {str(path)!r} has no link but {waiver.issue!r}", hint=_HINT)
        if any((one.clause, one.scenario) == (waiver.clause, waiver.scenario) for one in given[:at]):
            raise UsageFault(f"{str(path)!r} waives {name} twice", hint="keep one of the two")
    return given


def _is_link(issue: str) -> bool:
    try:
        return bool(urlsplit(issue).netloc)
    except ValueError:  # such as http://[x
        return False


def broken_in(jobs: Sequence[JobResult]) -> dict[str, tuple[str, ...]]:
    """By clause the scenarios in which it was broken."""
    found: dict[str, dict[str, None]] = {}
    for job in jobs:
        for finding in job.findings:
            found.setdefault(finding.clause, {})[finding.scenario] = None
    return {clause: tuple(scenarios) for clause, scenarios in found.items()}


def apply(
    waivers: Waivers, clauses: Sequence[ClauseVerdict], jobs: Sequence[JobResult], asked: Collection[str]
) -> tuple[tuple[ClauseVerdict, ...], tuple[Waived, ...]]:
    """The verdicts, with ``WAIVED`` for the clauses of which each failing scenario is waived; and the state of each
    waiver. ``asked``: the scenarios to which the campaign was restricted, none for all."""
    broken = broken_in(jobs)
    by_key = {(one.clause, one.scenario): one for one in waivers.given}
    judged = tuple(_waived(clause, broken.get(clause.clause, ()), by_key) for clause in clauses)
    failed = {
        (clause.clause, scenario)
        for clause in clauses
        if clause.verdict is Verdict.FAIL
        for scenario in broken.get(clause.clause, ())
    }
    return judged, tuple(_state(one, waivers.today, failed, jobs, asked) for one in waivers.given)


def _waived(clause: ClauseVerdict, scenarios: Sequence[str], given: dict[tuple[str, str], Waiver]) -> ClauseVerdict:
    if clause.verdict is not Verdict.FAIL:
        return clause
    used = [given[clause.clause, scenario] for scenario in scenarios if (clause.clause, scenario) in given]
    if len(used) == len(scenarios) and used:
        first = min(used, key=lambda one: (one.expires, one.scenario))
        why = f"waived until {first.expires.isoformat()} ({first.reason}, {first.issue}): {clause.why}"
        return msgspec.structs.replace(clause, verdict=Verdict.WAIVED, why=why)
    # What is not waived comes first: that is what one has to act on.
    covered = {one.scenario for one in used}
    findings = tuple(sorted(clause.findings, key=lambda finding: finding.scenario in covered))
    return msgspec.structs.replace(clause, findings=findings, why=findings[0].message)


def _state(
    waiver: Waiver,
    today: date,
    failed: Collection[tuple[str, str]],
    jobs: Sequence[JobResult],
    asked: Collection[str],
) -> Waived:
    scenario = waiver.scenario
    of_it = [job for job in jobs if job.spec.scenario == scenario]
    if waiver.clause not in REQUIREMENTS:
        return Waived(waiver, WaiverState.UNMATCHED, f"there is no clause {waiver.clause!r}")
    if scenario not in load_scenarios():
        return Waived(waiver, WaiverState.UNMATCHED, f"there is no scenario {scenario!r}")
    if today > waiver.expires:
        return Waived(waiver, WaiverState.EXPIRED, f"it was granted until {waiver.expires.isoformat()}")
    if (waiver.clause, scenario) in failed:
        return Waived(waiver, WaiverState.APPLIED, "its failure is there")
    if not of_it and not asked:
        return Waived(waiver, WaiverState.UNMATCHED, "this gate is not tried in its scenario")
    if not of_it or any(not job.executions for job in of_it):
        return Waived(waiver, WaiverState.UNTRIED, "its scenario was not tried, or not whole")
    return Waived(waiver, WaiverState.STALE, "no run breaks the clause in its scenario any more")


def stanza(clause: str, scenario: str, expires: date) -> str:
    """What to paste into the file to waive it, but for the reason and the link."""
    return (
        f"[[waiver]]\nclause = {json.dumps(clause)}\nscenario = {json.dumps(scenario)}\n"
        f'reason = ""  # why this can be lived with until then\nissue = "https://"  # where it is worked on\n'
        f"expires = {expires.isoformat()}\n"
    )
