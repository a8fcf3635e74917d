"""Failures grouped by cause: one flaw in a gate breaks several clauses, and is mended once.

One idea: findings are of one cause when one run shows them, or when they broke at the same place in the gate's code. It
is a guess, and only groups; no finding is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from stopcheck.campaign import ClauseVerdict, Finding, Report, Verdict


class Cause(NamedTuple):
    """The clauses that one flaw seems to break; the first has the finding that is easiest to read, and of those that
    one run shows the earliest."""

    clauses: tuple[ClauseVerdict, ...]

    @property
    def finding(self) -> Finding:
        """The finding to look at first."""
        return self.clauses[0].findings[0]

    @property
    def names(self) -> str:
        """The clauses, for a heading."""
        return ", ".join(clause.clause for clause in self.clauses)


def causes(report: Report) -> list[Cause]:
    """The failures of a report, grouped; first those that need the fewest choices, in the contract's order."""
    groups: list[list[ClauseVerdict]] = []
    for clause in report.clauses:
        if clause.verdict is Verdict.FAIL:
            marks = set(_marks(clause.findings[0]))
            alike = [group for group in groups if marks & {mark for one in group for mark in _marks(one.findings[0])}]
            for group in alike:
                groups.remove(group)
            groups.append([one for group in alike for one in group] + [clause])
    made = [Cause(tuple(sorted(group, key=lambda one: one.findings[0].reading_order))) for group in groups]
    order = [clause.clause for clause in report.clauses]
    return sorted(made, key=lambda cause: (cause.finding.deviations, min(order.index(c.clause) for c in cause.clauses)))


def _marks(finding: Finding) -> Iterator[str]:
    yield finding.token
    if finding.where:
        yield finding.where
