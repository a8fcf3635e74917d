"""Which clauses a gate can be held to at all.

One idea: ``UNSUPPORTED`` is read off the gate's own declaration, never off how a run went.
"""

from __future__ import annotations

from stopcheck.gate import Capability, GateContract, Scope
from stopcheck.judge.requirements import Requirement

#: Clauses that speak of restart and durability: a volatile gate is ``UNSUPPORTED`` there.
NEEDS_DURABILITY = frozenset({"REC-2", "REC-5", "REC-7", "DLV-3", "EFF-9", "CHILD-8"})
#: Clauses that are about a scope wider than the task.
NEEDS_SUBTREE = frozenset({"CHILD-3", "CHILD-4", "SCOPE-5"})


def unsupported(requirement: Requirement, contract: GateContract) -> str | None:
    """Why the clause cannot apply to this gate; ``None`` when it applies."""
    if requirement.id == "SUP-4":
        # SUP-4 speaks of gates without suppression, so it does not hang on the capability as its family does.
        has = contract.has(Capability.SUPPRESSION)
        return "it speaks of gates without suppression, and this gate has it" if has else None
    if requirement.capability is not None and not contract.has(Capability(requirement.capability)):
        return f"the gate does not declare [{requirement.capability}]"
    if requirement.id in NEEDS_DURABILITY and not contract.durable:
        return "the gate is volatile: it does not claim to survive its process"
    if requirement.id in NEEDS_SUBTREE and Scope.SUBTREE not in contract.scopes:
        return "the gate does not declare the scope 'subtree'"
    return None
