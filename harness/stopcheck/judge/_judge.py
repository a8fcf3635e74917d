"""The judge of one run: facts, checks and linearisability, fed with the log as it grows.

One idea: judging is observing. The judge follows a run, so that its own state is part of the state that a cache
compares, and a violation is known at the step at which it happened."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache

from stopcheck.gate import GateContract
from stopcheck.judge._checks import Check, Docket, Violation
from stopcheck.judge._facts import Facts
from stopcheck.judge._order import Order
from stopcheck.judge.linearisability import GateMemo
from stopcheck.world import Entry, Event, InnerPoint, PhaseBegan, Returned


class Judge:
    """Observes one run. ``violations`` grow while it runs; ``close`` makes the final account.

    ``memo`` is shared by the judges of many runs of one gate: it only saves time."""

    def __init__(self, contract: GateContract, checks: Sequence[type[Check]], memo: GateMemo | None = None) -> None:
        self.facts = Facts(contract)
        self._docket = Docket()
        self._order = Order(contract, self._docket, memo)
        self._kinds = tuple(checks)
        self._checks = [check(self.facts, self._docket) for check in self._kinds]
        self._account = False

    @property
    def violations(self) -> list[Violation]:
        """What was broken, in order."""
        return self._docket.violations

    @property
    def exercised(self) -> dict[str, int]:
        """How often each clause was put to the test."""
        return self._docket.exercised

    @property
    def undecided(self) -> str:
        """Why the order of calls could not be decided; empty when it could."""
        return self._order.undecided

    def observe(self, entry: Entry) -> None:
        """An event happened."""
        kind = type(entry.event)
        if kind is InnerPoint:
            return
        if isinstance(entry.event, PhaseBegan) and entry.event.phase == "account":
            self._account = True
        self.facts.apply(entry)
        self._order.observe(entry)
        operation = entry.event.operation if isinstance(entry.event, Returned) else ""
        for index in _listeners(self._kinds, kind, operation):
            self._checks[index].on_entry(entry)

    def close(self) -> None:
        """The run ended; if it came as far as its final account, that is judged too."""
        self._order.close()
        if self._account:
            for check in self._checks:
                check.at_rest()

    def digest(self) -> bytes:
        """The judge's own state."""
        digest = hashlib.blake2b(self.facts.digest(), digest_size=16)
        digest.update(self._order.digest())
        for check in self._checks:
            digest.update(check.digest())
        digest.update(repr([(v.clause, v.check) for v in self._docket.violations]).encode())
        return digest.digest()


@cache
def _listeners(checks: tuple[type[Check], ...], kind: type[Event], operation: str) -> tuple[int, ...]:
    """Which checks an event concerns: there are many checks, and most concern few kinds of events."""
    return tuple(index for index, check in enumerate(checks) if check.listens(kind, operation))
