"""What is left of a run's fault budget."""

from __future__ import annotations

from stopcheck.kernel import GATE_TIMER
from stopcheck.world._scenario import FaultBudget, FaultKind

#: What of the gate's own timers races: longer ones are time-outs, and would tell of a machine that stood still.
NAP_NS = 1_000_000_000


class Purse:
    """Counts faults down. Part of the world's state: two situations with different purses are different."""

    __slots__ = ("_declared", "left")

    def __init__(self, declared: FaultBudget) -> None:
        self._declared = declared
        self.left: dict[FaultKind, int] = declared.limits()

    def may(self, kind: FaultKind) -> bool:
        """Whether one more fault of ``kind`` is within the budget."""
        return self.left[kind] > 0

    def spend(self, kind: FaultKind) -> None:
        """One fault of ``kind`` happened."""
        self.left[kind] -= 1

    def admits(self, fault: str) -> bool:
        """Whether the scenario admits this provider fault."""
        return fault in self._declared.provider_faults

    def digest(self) -> bytes:
        """For the state key."""
        return ",".join(f"{v}" for v in self.left.values()).encode()


class NamedTimers:
    """The kernel's question which timers may race, answered from the budget."""

    __slots__ = ("_names", "_purse")

    def __init__(self, declared: FaultBudget, purse: Purse) -> None:
        self._names = frozenset(declared.timers)
        self._purse = purse

    def options(self, timer: str, left_ns: int) -> tuple[str, ...]:
        """Before, at and after for a named timer, and at for a nap of the gate's own, while the budget lasts."""
        if timer == GATE_TIMER:
            return ("at",) if left_ns <= NAP_NS and self._purse.may(FaultKind.GATE_TIMER) else ()
        if timer in self._names and self._purse.may(FaultKind.TIME):
            return ("before", "at", "after")
        return ()

    def spend(self, timer: str, how: str) -> None:
        """Count it."""
        self._purse.spend(FaultKind.GATE_TIMER if timer == GATE_TIMER else FaultKind.TIME)
