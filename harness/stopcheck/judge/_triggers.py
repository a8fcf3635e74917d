"""Which clause forbids a beginning after the cutoff.

One idea: the gate gives no lease whatever wakes the worker; the trigger only decides in whose name it is refused.
"""

from __future__ import annotations

from stopcheck.gate import Trigger

_CLAUSES = {
    Trigger.FIRST: "DLV-1",
    Trigger.REDELIVERY: "DLV-1",
    Trigger.REPLACEMENT: "DLV-2",
    Trigger.RESUME: "DLV-5",
}


def begin_clause(trigger: Trigger) -> str:
    """The clause; for everything that has finished and wants to be followed up it is ADM-9."""
    return _CLAUSES.get(trigger, "ADM-9")


__all__ = ["begin_clause"]
