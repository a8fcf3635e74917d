"""The judge: requirements, facts, checks, linearisability, final account.

One idea: ground truth first. The judge reads one totally ordered log of what was asked and answered and of what
receivers and workers really did; it never imports a gate, and it accepts every answer that the contract allows."""

from stopcheck.judge._checks import Check, Docket, Violation, first_breaks
from stopcheck.judge._facts import Facts
from stopcheck.judge._judge import Judge
from stopcheck.judge._order import NAME as ORDER_CHECK
from stopcheck.judge._order import RACES
from stopcheck.judge._past import Past
from stopcheck.judge._tallies import Tally, summed, tallies_of_run, weighted_percentile
from stopcheck.judge._wording import label, seconds
from stopcheck.judge.checks import CHECKS
from stopcheck.judge.linearisability import GateMemo, gate_memo


def checked_clauses() -> frozenset[str]:
    """The clauses that some check can fail."""
    return frozenset(RACES) | {clause for check in CHECKS for clause in check.clauses}


__all__ = [
    "CHECKS",
    "ORDER_CHECK",
    "RACES",
    "Check",
    "Docket",
    "Facts",
    "GateMemo",
    "Judge",
    "Past",
    "Tally",
    "Violation",
    "checked_clauses",
    "first_breaks",
    "gate_memo",
    "label",
    "seconds",
    "summed",
    "tallies_of_run",
    "weighted_percentile",
]
