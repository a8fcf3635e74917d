"""For each verdict that is no pass, the command that gets on with it.

One idea: whoever reads UNKNOWN asks what to do now; so every reason that a campaign can give has an answer.
"""

from __future__ import annotations

import shlex
from typing import NamedTuple

from stopcheck.campaign import (
    COMMAND,
    DEFAULT_BUDGET,
    ClauseVerdict,
    JobResult,
    Report,
    Verdict,
    load_scenarios,
    missed_witnesses,
)
from stopcheck.report._findings import replay_command, replay_line

#: Scenarios that are named one by one.
_LISTED = 4
#: How much more a search is given that its budget did not suffice for.
_MORE = 10


def next_step(report: Report, clause: ClauseVerdict) -> str:
    """A command for a clause that failed or is unknown; empty for every other verdict."""
    if clause.verdict is Verdict.FAIL:
        return replay_line(report, clause.findings[0])
    if clause.verdict is not Verdict.UNKNOWN or report.gate is None:
        return ""
    again = _again(report.gate.reference)
    differing = next((job.differs for job in report.jobs if job.differs is not None), None)
    if differing is not None:
        return f"{replay_command(differing.token, report.gate.reference)} --log run.jsonl"
    if not clause.exercised:
        return _untried(report, clause, again)
    about = [job for job in report.jobs if job.spec.scenario in clause.scenarios]
    left_out = next((job for job in about if job.untried), None)
    if left_out is not None:
        return f"{again} --scenario {left_out.spec.scenario}"
    missed = missed_witnesses(about)
    if missed:
        return f"stopcheck explain {next(iter(missed))}"
    short = next((job for job in about if not job.complete or job.unsound), None)
    if short is not None:
        return _larger(short, again)
    if report.strategy is not None and clause.scenarios:
        return f"{again} --scenario {clause.scenarios[0]}"
    return f"stopcheck explain {clause.clause}"


class Unknown(NamedTuple):
    """Clauses that nothing may be concluded of for one reason, and the command that gets on with them."""

    clauses: tuple[str, ...]
    why: str
    command: str


def unknowns(report: Report) -> list[Unknown]:
    """The clauses that are unknown, by the reason that they share."""
    reasons: dict[str, list[ClauseVerdict]] = {}
    for clause in report.clauses:
        if clause.verdict is Verdict.UNKNOWN:
            reasons.setdefault(clause.why, []).append(clause)
    return [
        Unknown(tuple(c.clause for c in clauses), why, _together(report, [next_step(report, c) for c in clauses]))
        for why, clauses in reasons.items()
    ]


def _together(report: Report, steps: list[str]) -> str:
    """One command for many: the same, or a campaign of their scenarios, or of all when these are more than a few."""
    unlike = list(dict.fromkeys(steps))
    certifying = [step for step in unlike if step.startswith("stopcheck certify")]
    if len(unlike) == 1 or not certifying or report.gate is None:
        return unlike[0]
    words = [word for step in certifying for word in step.split(" --scenario ")[1:]]
    scenarios = list(dict.fromkeys(word.partition(" ")[0] for word in words))
    again = _again(report.gate.reference)
    return again if len(scenarios) > _LISTED else " ".join([again, *(f"--scenario {name}" for name in scenarios)])


def _again(reference: str) -> str:
    if reference.startswith(COMMAND):
        return f"stopcheck certify --command {shlex.quote(reference.removeprefix(COMMAND))}"
    return f"stopcheck certify {shlex.quote(reference)}"


def _untried(report: Report, clause: ClauseVerdict, again: str) -> str:
    """Scenarios that are about the clause and were left out, if any were."""
    tried = {job.spec.scenario for job in report.jobs if not job.untried}
    left = [s.id for s in load_scenarios().values() if clause.clause in s.clauses and s.id not in tried]
    if left:
        return f"{again} --scenario {left[0]}"
    return f"stopcheck explain {clause.clause}"


def _larger(job: JobResult, again: str) -> str:
    budget = max(job.spec.budget, DEFAULT_BUDGET) * _MORE
    return f"{again} --scenario {job.spec.scenario} --budget {budget}"
