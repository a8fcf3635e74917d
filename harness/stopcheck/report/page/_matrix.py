"""Clauses against scenarios: which scenario put which clause to the test, and what came of it.

One idea: a scenario is a row, with how tidy it was left in the column next to its name, since a stop that holds may
still leave a mess; then a cell for each clause, which leads to the evidence.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from stopcheck.campaign import JobResult, Report

#: What a stop may leave behind, and its words.
_LEFT = {
    "orphans": ("orphan", "orphans"),
    "unknown": ("unknown outcome", "unknown outcomes"),
    "forced": ("forced worker", "forced workers"),
}
HELD, OPEN, FAILED = "p", "u", "f"


class Cell(NamedTuple):
    """``state``: :data:`HELD` by a completed search, :data:`OPEN` (tried, and nothing may be concluded),
    :data:`FAILED`, or empty. ``anchor``: where its evidence stands."""

    state: str
    anchor: str


class Line(NamedTuple):
    """A scenario."""

    scenario: str
    cleanup: str
    tidy: bool
    cells: tuple[Cell, ...]


class Matrix(NamedTuple):
    """The clauses of the columns, and the lines."""

    clauses: tuple[str, ...]
    lines: tuple[Line, ...]


def matrix(report: Report, anchors: dict[str, str]) -> Matrix:
    """The matrix. ``anchors``: where the failure of a clause stands."""
    jobs: dict[str, list[JobResult]] = {}
    for job in report.jobs:
        jobs.setdefault(job.spec.scenario, []).append(job)
    failed = {(finding.scenario, c.clause) for c in report.clauses for finding in c.findings}
    failed |= {(job.spec.scenario, finding.clause) for job in report.jobs for finding in job.findings}
    shown = [c.clause for c in report.clauses if c.exercised or c.findings]
    lines: list[Line] = []
    for scenario, mine in jobs.items():
        tried = {clause for job in mine for clause in job.exercised}
        searched = {clause for job in mine for clause in job.searched}
        doubtful = any(not job.complete or job.unsound for job in mine)
        cells: list[Cell] = []
        for clause in shown:
            if (scenario, clause) in failed:
                cells.append(Cell(FAILED, anchors.get(clause, clause)))
            elif clause in tried:
                cells.append(Cell(HELD if clause in searched and not doubtful else OPEN, clause))
            else:
                cells.append(Cell("", ""))
        words = cleanup(mine)
        lines.append(Line(scenario, words or "tidy", not words, tuple(cells)))
    return Matrix(tuple(shown), tuple(lines))


def cleanup(jobs: Iterable[JobResult]) -> str:
    """What the stops of these jobs left behind, summed over their runs; empty when nothing was left."""
    sums = dict.fromkeys(_LEFT, 0)
    for job in jobs:
        for tally in job.measures:
            if tally.reason is not None:
                for name in _LEFT:
                    sums[name] += tally.counts.get(name, 0)
    return ", ".join(f"{count:,} {_LEFT[name][count != 1]}" for name, count in sums.items() if count)
