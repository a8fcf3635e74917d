"""The order of concurrent calls, as a check: what the linearisability monitor finds becomes violations.

One idea: an order is put to the test only where two operations could collide, so each clause is exercised by a run in
which both sides of its race were really called.
"""

from __future__ import annotations

from stopcheck.gate import GateContract
from stopcheck.judge._checks import Docket, Violation
from stopcheck.judge.linearisability import Followed, GateMemo, HistoryVerdict, LinearisabilityMonitor
from stopcheck.world import Called, Entry

NAME = "one-order-of-calls"

#: A clause is exercised by a run in which all of these operations were called.
RACES: dict[str, frozenset[str]] = {
    "ADM-3": frozenset({"commit_effect", "request_cancel", "inspect"}),
    "CMP-1": frozenset({"complete", "request_cancel"}),
    "SUP-1": frozenset({"suppress", "claim_dispatch"}),
    "CHILD-2": frozenset({"register_child", "request_cancel"}),
}


#: The operations that were called, whether a finding was told, and how far the monitor is.
Saved = tuple[frozenset[str], bool, Followed]


class Order:
    """Feeds the monitor, and writes its findings into the docket."""

    def __init__(self, contract: GateContract, docket: Docket, memo: GateMemo | None) -> None:
        self._monitor = LinearisabilityMonitor(contract, memo)
        self._docket = docket
        self._called: set[str] = set()
        self._told = False

    @property
    def undecided(self) -> str:
        """Why the verdict is unknown; empty when it is not."""
        return self._monitor.why_unknown if self._monitor.verdict is HistoryVerdict.UNKNOWN else ""

    def observe(self, entry: Entry) -> None:
        """An event happened."""
        if isinstance(entry.event, Called):
            self._called.add(entry.event.operation)
        self._monitor.observe(entry)
        found = self._monitor.illegal
        if found is not None and not self._told:
            self._told = True
            for clause in found.clauses:
                self._docket.violate(Violation(clause, NAME, found.step, found.now_ns, found.message))

    def close(self) -> None:
        """The run is over: which races were in it?"""
        if self._monitor.verdict is HistoryVerdict.UNKNOWN:
            return
        for clause, operations in RACES.items():
            if operations <= self._called:
                self._docket.exercise(clause)

    def digest(self) -> bytes:
        """The monitor's state."""
        return self._monitor.digest()

    def saved(self) -> Saved:
        """All that was followed so far, apart from what follows."""
        return frozenset(self._called), self._told, self._monitor.saved()

    def resume(self, saved: Saved) -> None:
        """Go on from what was saved; that may be done any number of times."""
        called, self._told, monitor = saved
        self._called = set(called)
        self._monitor.resume(monitor)
