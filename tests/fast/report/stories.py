"""A report with a failure whose interleaving is told: the race of :func:`test_timeline.lost_race`."""

from __future__ import annotations

from functools import cache

from msgspec.structs import replace

from stopcheck.campaign import Interleaving, Report, load_gate
from stopcheck.report import interleaving
from tests.fast.report.samples import FINDING, REPORT
from tests.fast.report.test_timeline import GATE, lost_race


@cache
def story() -> Interleaving:
    """What the report files draw from."""
    return interleaving(lost_race(), load_gate(GATE).contract, FINDING.token, "ADM-3")


@cache
def failed() -> Report:
    """The report made by hand, with that story to its finding."""
    assert REPORT.gate is not None
    finding = replace(FINDING, step=story().step, where="stopcheck_fixtures/vendor/flag_gate.py:138 Gate.commit_effect")
    clauses = tuple(replace(c, findings=(finding,)) if c.clause == "ADM-3" else c for c in REPORT.clauses)
    gate = replace(REPORT.gate, reference=GATE)
    return replace(REPORT, gate=gate, clauses=clauses, interleavings=(story(),))


def empty() -> Report:
    """Of a gate that could not be opened."""
    return replace(REPORT, gate=None, clauses=(), jobs=(), ledger=(), totals=(), exit_code=4)
