"""The kill matrix, on a terminal and in a log."""

from __future__ import annotations

from stopcheck.campaign import Row, unproved
from stopcheck.judge import checked_clauses
from stopcheck.judge.requirements import EXCLUSIONS, REQUIREMENTS, SHARED_KILLERS, Level
from stopcheck.report import print_matrix
from tests.fast.report.samples import pipe, terminal


def row(gate: str, named: str, *failed: str) -> Row:
    return Row(gate, named, "", failed, "a-scenario", "auto", 7)


ROWS = [
    row("right", ""),
    row("lease-is-enough", "ADM-1", "ADM-1", "ADM-3", "CMP-3"),
    row("survivor", "ADM-4"),
    row("elsewhere", "ADM-5", "REC-1"),
]


def test_in_a_log_each_clause_is_a_line() -> None:
    console, out = pipe()
    print_matrix(console, ROWS)
    lines = out.getvalue().splitlines()
    assert len(lines) == len(REQUIREMENTS)
    assert "ADM-1: killed lease-is-enough" in lines
    assert "ADM-3: also broken by lease-is-enough" in lines
    assert "ADM-4: SURVIVED BY survivor" in lines
    assert "ADM-5: SURVIVED BY elsewhere" in lines
    assert "REC-1: also broken by elsewhere" in lines
    assert "REC-2: no wrong gate" in lines


def test_on_a_terminal_each_family_is_a_table() -> None:
    console, out = terminal()
    print_matrix(console, ROWS)
    text = out.getvalue()
    assert "ADM: the admission boundary" in text
    assert "REC: the record" not in text
    assert all(gate in text for gate in ("lease-is-enough", "survivor", "elsewhere"))


def test_only_a_kill_for_the_named_reason_proves_a_clause() -> None:
    missing = unproved(ROWS)
    assert set(missing) == checked_clauses() - {"ADM-1", "RCN-2"}
    assert not ROWS[2].good
    assert not ROWS[3].good


def test_a_whole_selftest_asks_for_a_killer_of_each_must_clause() -> None:
    must = {clause for clause, each in REQUIREMENTS.items() if each.level is Level.MUST} - set(EXCLUSIONS)
    assert must <= set(unproved([], everything=True))
    everyone = [row(f"for-{clause}", clause, clause) for clause in REQUIREMENTS]
    assert unproved(everyone, everything=True) == []


def test_clauses_that_can_only_fail_together_share_a_killer() -> None:
    for one, other in SHARED_KILLERS:
        for killed in (one, other):
            assert {one, other}.isdisjoint(unproved([row("gate", killed, killed)], everything=True))
