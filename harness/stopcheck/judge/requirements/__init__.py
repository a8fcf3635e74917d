"""The requirement catalogue: what a cancellation gate must guarantee, clause by clause, as data.

Checks, findings, reports and waivers name a clause by its id; this package says what the id means. It is data
only: it knows no gate, no check and no verdict, and imports nothing else of the kit.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import MappingProxyType

from stopcheck.judge.requirements._admission import ADMISSION
from stopcheck.judge.requirements._completion_effects import COMPLETION_EFFECTS
from stopcheck.judge.requirements._editions import EDITIONS, Edition
from stopcheck.judge.requirements._exclusions import EXCLUSIONS, MOST_EXCLUSIONS
from stopcheck.judge.requirements._lifetime_reporting import LIFETIME_REPORTING
from stopcheck.judge.requirements._owned_work import OWNED_WORK
from stopcheck.judge.requirements._scope_record import SCOPE_RECORD
from stopcheck.judge.requirements._stopping import STOPPING
from stopcheck.judge.requirements._types import Level, Requirement

__all__ = [
    "EDITIONS",
    "EXCLUSIONS",
    "FAMILIES",
    "MOST_EXCLUSIONS",
    "REQUIREMENTS",
    "REQUIREMENT_SET",
    "SHARED_KILLERS",
    "Edition",
    "Level",
    "Requirement",
    "UnknownRequirementError",
    "get",
]

REQUIREMENT_SET = "2026-11"
"""The name of this edition of the catalogue; verdicts compare only within one edition."""

FAMILIES: Mapping[str, str] = MappingProxyType(
    {
        "SCOPE": "identity and authority",
        "REC": "the record",
        "ADM": "the admission boundary",
        "SUP": "suppression",
        "CHILD": "owned work",
        "DLV": "delivery and restart",
        "SHR": "shared work",
        "CMP": "completion against stop",
        "EFF": "the ledger",
        "ACK": "what an acknowledgement proves",
        "ESC": "bounded stop",
        "RCN": "reconciliation and compensation",
        "RES": "late results",
        "DDL": "one shrinking lifetime",
        "LIVE": "usefulness",
        "RPT": "what is shown",
        "MET": "measures",
    }
)
"""The heading of each family of requirements, in the contract's order."""

REQUIREMENTS: Mapping[str, Requirement] = MappingProxyType(
    {
        requirement.id: requirement
        for requirement in (
            *SCOPE_RECORD,
            *ADMISSION,
            *OWNED_WORK,
            *COMPLETION_EFFECTS,
            *STOPPING,
            *LIFETIME_REPORTING,
        )
    }
)
"""Every requirement by its id, in the contract's order (in which EFF-14 stands before EFF-13)."""

SHARED_KILLERS: tuple[tuple[str, str], ...] = (
    ("RCN-2", "ADM-1"),
    ("RES-3", "RES-1"),
    ("CMP-2", "CMP-6"),
    ("DLV-2", "DLV-1"),
)
"""The pairs of clauses that can only fail together, so that one faulty gate serves as the killer of both."""


class UnknownRequirementError(LookupError):
    """No requirement of the catalogue has the given id."""

    def __init__(self, clause_id: str) -> None:
        """Find the ids that were probably meant."""
        super().__init__(clause_id)
        self.clause_id = clause_id
        self.suggestions = tuple(difflib.get_close_matches(clause_id.strip().upper(), REQUIREMENTS, n=3))

    # Not passed to the base class: an exception is unpickled by calling its type with the base's arguments.
    def __str__(self) -> str:
        """Say which id was not found, and what was probably meant or how ids are made."""
        if self.suggestions:
            hint = f"did you mean {' or '.join(self.suggestions)}?"
        else:
            hint = f"ids look like ADM-3, and the families are {', '.join(FAMILIES)}"
        return f"no requirement {self.clause_id!r} in the set {REQUIREMENT_SET}; {hint}"


def get(clause_id: str) -> Requirement:
    """Return the requirement with the given id.

    Raises:
        UnknownRequirementError: no requirement has this id; the message names the closest ones.
    """
    try:
        return REQUIREMENTS[clause_id]
    except KeyError:
        raise UnknownRequirementError(clause_id) from None
