"""Which clauses a gate can be held to at all.

One idea: each clause says what it *needs* of a gate, and ``UNSUPPORTED`` is read off the gate's own declaration, never
off how a run went. Profiles are made of the same needs.
"""

from __future__ import annotations

from enum import StrEnum

from stopcheck.gate import Capability, GateContract, Scope
from stopcheck.judge.requirements import Requirement


class Trait(StrEnum):
    """What a gate may declare beside its capabilities, and a clause need."""

    DURABILITY = "durability"
    SUBTREE = "scope subtree"
    LEDGER = "a ledger"


Need = Capability | Trait

#: Clauses that speak of restart and durability: a volatile gate is ``UNSUPPORTED`` there.
NEEDS_DURABILITY = frozenset({"REC-2", "REC-5", "REC-7", "DLV-3", "EFF-9", "CHILD-8"})
#: Clauses that are about a scope wider than the task.
NEEDS_SUBTREE = frozenset({"CHILD-3", "CHILD-4", "SCOPE-5", "RPT-3"})
#: Clauses about owned work and its lifetimes.
NEEDS_CHILDREN = frozenset({"SCOPE-5", "DDL-1", "DDL-2", "RPT-3"})
#: Clauses about what only some gates keep beside the rest of their family.
NEEDS_MORE = {
    "ESC-5": Capability.CLEANUP,
    "ESC-7": Capability.CLEANUP,
    "ESC-9": Capability.CAPACITY,
    "RPT-3": Capability.RESULTS,
}
#: Families, and clauses of others, that speak of effects: a gate that keeps no ledger is ``UNSUPPORTED`` there.
NEEDS_LEDGER_FAMILIES = frozenset({"SUP", "EFF", "RCN"})
NEEDS_LEDGER = frozenset(
    {
        "ADM-1",
        "ADM-2",
        "ADM-3",
        "ADM-4",
        "ADM-5",
        "ADM-7",
        "ACK-5",
        "CHILD-3",
        "CMP-4",
        "CMP-5",
        "ESC-2",
        "ESC-3",
        "RPT-2",
        "RPT-3",
    }
)
#: Clauses that speak of gates *without* a capability: not asked of one that has it, and no need of any profile.
SPEAKS_OF_LACK = {"SUP-4": Capability.SUPPRESSION}


def needs_of(requirement: Requirement) -> tuple[Need, ...]:
    """What a gate must declare to be held to the clause."""
    clause = requirement.id
    needs: list[Need] = []
    if requirement.capability is not None and clause not in SPEAKS_OF_LACK:
        needs.append(Capability(requirement.capability))
    if clause in NEEDS_MORE:
        needs.append(NEEDS_MORE[clause])
    if clause in NEEDS_CHILDREN:
        needs.append(Capability.CHILDREN)
    if clause in NEEDS_DURABILITY:
        needs.append(Trait.DURABILITY)
    if clause in NEEDS_SUBTREE:
        needs.append(Trait.SUBTREE)
    if requirement.family in NEEDS_LEDGER_FAMILIES or clause in NEEDS_LEDGER:
        needs.append(Trait.LEDGER)
    return tuple(needs)


def lacks(contract: GateContract, need: Need) -> str:
    """Why the gate does not have what is needed, in words; empty when it has it."""
    if isinstance(need, Capability):
        return "" if contract.has(need) else f"the gate does not declare [{need}]"
    if need is Trait.DURABILITY:
        return "" if contract.durable else "the gate is volatile: it does not claim to survive its process"
    if need is Trait.SUBTREE:
        return "" if Scope.SUBTREE in contract.scopes else "the gate does not declare the scope 'subtree'"
    return "" if contract.ledger else "the gate declares that it keeps no ledger"


def not_asked(requirement: Requirement, contract: GateContract) -> str:
    """Why the clause speaks of other gates than this one; empty when it does not."""
    lack = SPEAKS_OF_LACK.get(requirement.id)
    has = lack is not None and contract.has(lack)
    return f"it speaks of gates without {lack}, and this gate has it" if has else ""


def unsupported(requirement: Requirement, contract: GateContract) -> str | None:
    """Why the clause cannot apply to this gate; ``None`` when it applies."""
    reasons = (lacks(contract, need) for need in needs_of(requirement))
    return not_asked(requirement, contract) or next((reason for reason in reasons if reason), None)
