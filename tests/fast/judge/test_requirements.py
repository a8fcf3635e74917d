"""The requirement catalogue is complete, in order and well formed."""

from __future__ import annotations

import pickle
import re
from collections import Counter

import msgspec
import pytest

from stopcheck.judge import requirements
from stopcheck.judge.requirements import (
    FAMILIES,
    REQUIREMENT_SET,
    REQUIREMENTS,
    SHARED_KILLERS,
    Level,
    Requirement,
    UnknownRequirementError,
    _admission,
    _completion_effects,
    _lifetime_reporting,
    _owned_work,
    _scope_record,
    _stopping,
)

CLAUSES = """
    SCOPE-1 SCOPE-2 SCOPE-3 SCOPE-4 SCOPE-5 SCOPE-6 SCOPE-7 SCOPE-8 SCOPE-9
    REC-1 REC-2 REC-3 REC-4 REC-5 REC-6 REC-7 REC-8
    ADM-1 ADM-2 ADM-3 ADM-4 ADM-5 ADM-6 ADM-7 ADM-8 ADM-9
    SUP-1 SUP-2 SUP-3 SUP-4
    CHILD-1 CHILD-2 CHILD-3 CHILD-4 CHILD-5 CHILD-6 CHILD-7 CHILD-8
    DLV-1 DLV-2 DLV-3 DLV-4 DLV-5 DLV-6 DLV-7 DLV-8
    SHR-1 SHR-2 SHR-3
    CMP-1 CMP-2 CMP-3 CMP-4 CMP-5 CMP-6
    EFF-1 EFF-2 EFF-3 EFF-4 EFF-5 EFF-6 EFF-7 EFF-8 EFF-9 EFF-10 EFF-11 EFF-12 EFF-14 EFF-13
    ACK-1 ACK-2 ACK-3 ACK-4 ACK-5
    ESC-1 ESC-2 ESC-3 ESC-4 ESC-5 ESC-6 ESC-7 ESC-8 ESC-9 ESC-10
    RCN-1 RCN-2 RCN-3
    RES-1 RES-2 RES-3 RES-4 RES-5
    DDL-1 DDL-2 DDL-3
    LIVE-1 LIVE-2 LIVE-3 LIVE-4
    RPT-1 RPT-2 RPT-3 RPT-4 RPT-5 RPT-6
    MET-1
"""
ALL_IDS = CLAUSES.split()

COUNTS = {
    "SCOPE": 9,
    "REC": 8,
    "ADM": 9,
    "SUP": 4,
    "CHILD": 8,
    "DLV": 8,
    "SHR": 3,
    "CMP": 6,
    "EFF": 14,
    "ACK": 5,
    "ESC": 10,
    "RCN": 3,
    "RES": 5,
    "DDL": 3,
    "LIVE": 4,
    "RPT": 6,
    "MET": 1,
}

ATOMIC = {
    "ADM-1": {"commit_effect", "request_cancel"},
    "ADM-3": {"commit_effect", "request_cancel", "complete"},
    "ADM-5": {"commit_effect"},
    "ADM-6": {"commit_effect", "claim_dispatch", "complete", "begin_work"},
    "SUP-1": {"suppress", "claim_dispatch"},
    "CMP-1": {"complete", "request_cancel"},
    "CMP-6": {"request_cancel", "complete"},
    "CHILD-2": {"register_child", "request_cancel"},
    "CHILD-3": {"commit_effect", "request_cancel"},
    "SCOPE-4": {"request_cancel"},
    "REC-5": {"request_cancel"},
    "SHR-3": {"release"},
}

CAPABILITIES = {
    "approvals": "ADM-8",
    "suppression": "SUP-1 SUP-2 SUP-3 SUP-4",
    "children": "CHILD-1 CHILD-2 CHILD-3 CHILD-4 CHILD-5 CHILD-6 CHILD-7 CHILD-8",
    "delivery": "DLV-1 DLV-2 DLV-3 DLV-5 DLV-6 DLV-7 DLV-8",
    "retries": "DLV-4",
    "shared": "SHR-1 SHR-2 SHR-3",
    "escalation": "ESC-1 ESC-2 ESC-3 ESC-4 ESC-5 ESC-6 ESC-7 ESC-8 ESC-9 ESC-10",
    "reconciliation": "RCN-1 RCN-2",
    "compensation": "RCN-3",
    "results": "RES-1 RES-2 RES-3 RES-4 RES-5",
    "deadlines": "DDL-1 DDL-2 DDL-3",
    "measures": "MET-1",
}

EACH = pytest.mark.parametrize("requirement", REQUIREMENTS.values(), ids=lambda requirement: requirement.id)


def test_every_clause_is_there_in_the_order_of_the_contract() -> None:
    assert list(REQUIREMENTS) == ALL_IDS
    assert REQUIREMENT_SET == "2026-11"


def test_no_clause_is_written_twice() -> None:
    """A mapping would hide a second entry under the same id."""
    written = (
        *_scope_record.SCOPE_RECORD,
        *_admission.ADMISSION,
        *_owned_work.OWNED_WORK,
        *_completion_effects.COMPLETION_EFFECTS,
        *_stopping.STOPPING,
        *_lifetime_reporting.LIFETIME_REPORTING,
    )
    assert [requirement.id for requirement in written] == ALL_IDS


def test_families_have_their_count_and_a_heading() -> None:
    assert Counter(requirement.family for requirement in REQUIREMENTS.values()) == COUNTS
    assert list(FAMILIES) == list(COUNTS)
    assert all(FAMILIES.values())


def test_atomic_clauses_and_their_operations() -> None:
    atomic = [requirement for requirement in REQUIREMENTS.values() if requirement.atomic]
    assert {requirement.id: set(requirement.operations) for requirement in atomic} == ATOMIC
    assert all(len(requirement.operations) == len(set(requirement.operations)) for requirement in atomic)
    assert not [r.id for r in REQUIREMENTS.values() if r.operations and not r.atomic]


def test_capabilities() -> None:
    expected = {clause: capability for capability, clauses in CAPABILITIES.items() for clause in clauses.split()}
    assert {r.id: r.capability for r in REQUIREMENTS.values() if r.capability is not None} == expected


def test_only_the_measures_are_a_should() -> None:
    assert [r.id for r in REQUIREMENTS.values() if r.level is Level.SHOULD] == ["MET-1"]


def test_titles_and_wordings_are_distinct() -> None:
    assert len({requirement.title for requirement in REQUIREMENTS.values()}) == len(ALL_IDS)
    assert len({requirement.wording for requirement in REQUIREMENTS.values()}) == len(ALL_IDS)


@EACH
def test_entry_is_well_formed(requirement: Requirement) -> None:
    assert requirement.id.rpartition("-")[0] == requirement.family
    assert 3 <= len(requirement.title.split()) <= 7
    assert not requirement.title.endswith(".")
    assert requirement.sources
    assert list(requirement.sources) in (
        [source for source in ("A", "B", "C") if source in requirement.sources],
        ["field"],
    )


@EACH
def test_wording_is_normative_and_stands_alone(requirement: Requirement) -> None:
    wording = requirement.wording
    assert wording.endswith(".")
    assert wording == " ".join(wording.split())
    assert len(re.findall(r"\.(?: |$)", wording)) <= 2
    assert requirement.level.value in wording.split()
    assert not re.search(r"\((?:[ABC](?:, [ABC])*|field)\)", wording)
    assert "[" not in wording
    assert "section" not in wording
    assert wording.count("`") % 2 == 0
    assert not any(clause in wording.replace(",", " ").split() for clause in ALL_IDS)


def test_shared_killers() -> None:
    assert set(SHARED_KILLERS) == {
        ("RCN-2", "ADM-1"),
        ("RES-3", "RES-1"),
        ("CMP-2", "CMP-6"),
        ("DLV-2", "DLV-1"),
    }


def test_get_returns_the_requirement() -> None:
    assert requirements.get("ADM-3") is REQUIREMENTS["ADM-3"]


@pytest.mark.parametrize(
    ("wrong", "meant"), [("ADM3", "ADM-3"), ("adm-3", "ADM-3"), ("CHLD-2", "CHILD-2"), (" REC-5 ", "REC-5")]
)
def test_get_suggests_what_was_meant(wrong: str, meant: str) -> None:
    with pytest.raises(UnknownRequirementError, match=f"did you mean .*{meant}") as caught:
        requirements.get(wrong)
    assert caught.value.clause_id == wrong
    assert meant in caught.value.suggestions


def test_get_lists_the_families_when_nothing_is_close() -> None:
    with pytest.raises(UnknownRequirementError, match="families are SCOPE, REC, ADM") as caught:
        requirements.get("???")
    assert caught.value.suggestions == ()


def test_unknown_requirement_survives_a_process_boundary() -> None:
    error = UnknownRequirementError("ADM3")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)


def test_requirements_are_immutable_and_survive_json() -> None:
    requirement, attribute = requirements.get("ADM-3"), "wording"
    with pytest.raises(AttributeError):
        setattr(requirement, attribute, "A gate MAY do as it likes.")
    encoded = msgspec.json.encode(requirement)
    assert msgspec.json.decode(encoded, type=Requirement) == requirement
