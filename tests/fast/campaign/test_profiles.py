"""Profiles: made of what clauses need, met by passes alone, and what they make of the exit code."""

from __future__ import annotations

import msgspec
import pytest

from stopcheck.campaign import (
    PROFILES,
    ClauseVerdict,
    ExitCode,
    Options,
    ProfileVerdict,
    UsageFault,
    Verdict,
    certify,
    load_gate,
)
from stopcheck.campaign._applicability import SPEAKS_OF_LACK, needs_of, unsupported
from stopcheck.campaign._profiles import in_words, judge_profiles, listed, profile_code
from stopcheck.campaign._verdicts import exit_code, summarise
from stopcheck.gate import Capability, GateContract
from stopcheck.judge.requirements import REQUIREMENTS, Level
from tests.fast.report.samples import FINDING

SQLITE = load_gate("sqlite").contract
MEMORY = load_gate("memory").contract
BARE = GateContract(name="bare", version="1")
JOBS = GateContract(name="jobs", version="1", ledger=False, capabilities=frozenset((Capability.DELIVERY,)))


def verdicts(contract: GateContract, **others: Verdict) -> list[ClauseVerdict]:
    """A pass for whatever the gate can be held to, but for those that are named, with ``_`` for ``-``."""
    found: list[ClauseVerdict] = []
    for requirement in REQUIREMENTS.values():
        why = unsupported(requirement, contract)
        verdict = Verdict.UNSUPPORTED if why else others.get(requirement.id.replace("-", "_"), Verdict.PASS)
        found.append(ClauseVerdict(requirement.id, verdict, why or f"{requirement.id} is {verdict}"))
    return found


def profile(name: str, contract: GateContract, **others: Verdict) -> ProfileVerdict:
    found = {verdict.name: verdict for verdict in judge_profiles(contract, verdicts(contract, **others))}
    return found[name]


def test_every_must_clause_stands_in_the_full_profile_and_no_other_does() -> None:
    must = {clause for clause, requirement in REQUIREMENTS.items() if requirement.level is Level.MUST}
    assert {requirement.id for requirement in PROFILES["full"].clauses} == must


@pytest.mark.parametrize("name", [name for name in PROFILES if name != "full"])
def test_a_profile_holds_what_needs_nothing_else(name: str) -> None:
    inside = {requirement.id for requirement in PROFILES[name].clauses}
    assert inside < {requirement.id for requirement in PROFILES["full"].clauses}
    for clause in inside:
        assert PROFILES[name].wants.issuperset(needs_of(REQUIREMENTS[clause]))


def test_tree_durable_and_bounded_hold_the_core() -> None:
    for wider in ("tree", "durable", "bounded"):
        assert set(PROFILES["core"].clauses) < set(PROFILES[wider].clauses)


def test_the_families_stand_where_one_looks_for_them() -> None:
    def families(name: str) -> set[str]:
        return {requirement.family for requirement in PROFILES[name].clauses}

    assert {"ADM", "EFF", "CMP", "LIVE", "RPT"} <= families("core")
    assert families("core").isdisjoint({"CHILD", "SHR", "DLV", "ESC", "RCN", "DDL", "RES"})
    assert {"CHILD", "SHR"} <= families("tree")
    assert "DLV" in families("durable")
    assert {"ESC", "DDL"} <= families("bounded")
    assert families("job_control").isdisjoint({"EFF", "SUP", "RCN", "SHR"})
    assert {"CHILD", "DLV", "CMP", "REC"} <= families("job_control")


def test_a_gate_that_passed_all_it_can_be_held_to_meets_the_profiles_that_want_no_more() -> None:
    assert profile("core", BARE).met
    assert profile("core", SQLITE).met
    assert profile("durable", SQLITE).met
    assert not profile("core", JOBS).met
    missed = {missed.clause: missed.why for missed in profile("core", JOBS).missed}
    assert missed["EFF-1"] == "the gate declares that it keeps no ledger"


def test_a_volatile_gate_misses_the_durable_profile_because_it_is_volatile() -> None:
    verdict = profile("durable", MEMORY)
    assert {missed.clause for missed in verdict.missed} == {"REC-2", "REC-5", "REC-7", "DLV-3", "EFF-9"}
    assert {missed.verdict for missed in verdict.missed} == {Verdict.UNSUPPORTED}
    assert profile_code(verdict) == ExitCode.VIOLATIONS
    assert in_words("memory", verdict).startswith(
        "memory is NOT certified for the profile durable: the gate is volatile"
    )


def test_a_clause_about_gates_without_a_capability_is_not_asked_of_one_that_has_it() -> None:
    everything = GateContract(
        name="all",
        version="1",
        capabilities=frozenset(Capability),
        scopes=SQLITE.scopes,
        durability=SQLITE.durability,
    )
    assert profile("full", everything).met
    assert list(SPEAKS_OF_LACK) == ["SUP-4"]
    assert [missed.clause for missed in profile("core", BARE, SUP_4=Verdict.FAIL).missed] == ["SUP-4"]


@pytest.mark.parametrize(
    ("verdict", "code"),
    [
        (Verdict.FAIL, ExitCode.VIOLATIONS),
        (Verdict.UNKNOWN, ExitCode.INCONCLUSIVE),
        (Verdict.UNCHECKED, ExitCode.INCONCLUSIVE),
    ],
)
def test_one_clause_that_did_not_pass_misses_the_profile(verdict: Verdict, code: int) -> None:
    missed = profile("core", SQLITE, ADM_1=verdict)
    assert [each.clause for each in missed.missed] == ["ADM-1"]
    assert profile_code(missed) == code
    assert "ADM-1" in in_words("sqlite", missed)
    assert profile_code(profile("core", SQLITE, CHILD_1=verdict)) == ExitCode.CERTIFIED


@pytest.mark.parametrize(
    ("outside", "code"),
    [
        (Verdict.PASS, ExitCode.CERTIFIED),
        (Verdict.UNKNOWN, ExitCode.CERTIFIED),
        (Verdict.FAIL, ExitCode.VIOLATIONS),
    ],
)
def test_what_is_broken_outside_of_the_profile_counts_and_what_is_not_known_does_not(
    outside: Verdict, code: int
) -> None:
    clauses = verdicts(SQLITE, CHILD_1=outside)
    asked = profile("core", SQLITE, CHILD_1=outside)
    assert asked.met
    assert exit_code(clauses, (), asked) == code
    assert ("NOT certified" in summarise("sqlite", clauses, code, asked)) == (code != ExitCode.CERTIFIED)
    assert ("outside of the profile core it violates CHILD-1" in summarise("sqlite", clauses, code, asked)) == (
        outside is Verdict.FAIL
    )


def test_a_verdict_line_names_the_clauses_and_does_not_become_a_list() -> None:
    one = summarise("sqlite", verdicts(SQLITE, ADM_1=Verdict.FAIL), ExitCode.VIOLATIONS)
    assert one.startswith("sqlite is NOT certified: it violates ADM-1: ")
    late, early = (msgspec.structs.replace(FINDING, clause=name, step=n) for name, n in (("ADM-1", 9), ("ADM-3", 8)))
    both = [
        msgspec.structs.replace(c, findings=tuple(f for f in (late, early) if f.clause == c.clause))
        for c in verdicts(SQLITE, ADM_1=Verdict.FAIL, ADM_3=Verdict.FAIL)
    ]
    assert "it violates ADM-3, ADM-1: " in summarise("sqlite", both, ExitCode.VIOLATIONS)
    asked = profile("core", SQLITE, ADM_1=Verdict.FAIL, ADM_3=Verdict.FAIL)
    assert "it violates ADM-3, ADM-1: " in summarise("sqlite", both, ExitCode.VIOLATIONS, asked)
    assert listed(["ADM-1"] * 8) == ", ".join(["ADM-1"] * 8)
    assert listed(["ADM-1"] * 30).endswith(", ADM-1 and 22 more")


def test_violations_come_before_what_is_not_known() -> None:
    missed = profile("core", SQLITE, ADM_1=Verdict.UNKNOWN, ADM_2=Verdict.FAIL)
    assert profile_code(missed) == ExitCode.VIOLATIONS
    assert in_words("sqlite", missed).endswith("it violates ADM-2")


def test_an_unknown_profile_is_a_usage_error_with_the_list() -> None:
    with pytest.raises(UsageFault) as raised:
        certify("memory", Options(profile="durble"), lambda _: None)
    assert "did you mean durable" in raised.value.hint
    with pytest.raises(UsageFault) as raised:
        certify("memory", Options(profile="quantum"), lambda _: None)
    assert all(name in raised.value.hint for name in PROFILES)
