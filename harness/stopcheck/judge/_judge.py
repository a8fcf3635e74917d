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
from stopcheck.judge._past import Halt, Past
from stopcheck.judge.linearisability import GateMemo
from stopcheck.world import Entry, Event, InnerPoint, PhaseBegan, Returned


class Judge:
    """Observes one run. ``violations`` grow while it runs; ``close`` makes the final account.

    ``memo`` is shared by the judges of many runs of one gate, ``past`` handed from run to run of one trial: they only
    save time."""

    def __init__(
        self,
        contract: GateContract,
        checks: Sequence[type[Check]],
        memo: GateMemo | None = None,
        past: Past | None = None,
    ) -> None:
        self.facts = Facts(contract)
        self._docket = Docket()
        self._order = Order(contract, self._docket, memo)
        self._kinds = tuple(checks)
        self._made: dict[int, Check] = {}
        self._concerns = _concerns(self._kinds)
        self._account = False
        self._past = past or Past()
        #: How many entries are known to be those of the last run; what follows from them was not taken in yet.
        self._following: int | None = 0
        self._halt_is_due = False
        if not self._past.halts:
            self._past.halts.append(self._halt())

    @property
    def violations(self) -> list[Violation]:
        """What was broken, in order."""
        return self._docket.violations

    @property
    def exercised(self) -> dict[str, int]:
        """How often each clause was put to the test, once the run is closed."""
        return self._docket.exercised

    @property
    def undecided(self) -> str:
        """Why the order of calls could not be decided; empty when it could. Asked when the run is closed."""
        return self._order.undecided

    def observe(self, entry: Entry) -> None:
        """An event happened."""
        event = entry.event
        if type(event) is InnerPoint:
            return
        at = self._following
        if at is not None:
            if self._past.repeats(at, entry):
                self._following = at + 1
                self._bring_up(at)
                return
            self._catch_up()
        elif self._halt_is_due:
            self._past.halts.append(self._halt())
        self._halt_is_due = type(event) is PhaseBegan and event.phase == "main"
        self._take(entry)

    def _take(self, entry: Entry) -> None:
        event = entry.event
        kind = type(event)
        if isinstance(event, PhaseBegan) and event.phase == "account":
            self._account = True
        docket, past = self._docket, self._past
        known = len(docket.violations)
        self.facts.apply(entry)
        self._order.observe(entry)
        operation = event.operation if isinstance(event, Returned) else ""
        made = self._made
        for index in self._concerns.by(kind, operation):
            (made.get(index) or self._check(index)).on_entry(entry)
        past.violations += [(len(past.entries), violation) for violation in docket.violations[known:]]
        past.entries.append(entry)

    def _check(self, index: int) -> Check:
        """A check is made when something first concerns it: most runs of a search are cut short."""
        check = self._made.get(index)
        if check is None:
            check = self._made[index] = self._kinds[index](self.facts, self._docket)
        return check

    def close(self) -> None:
        """The run ended; if it came as far as its final account, that is judged too."""
        if self._following is not None:
            self._catch_up()
        self._order.close()
        if self._account:
            for index in self._concerns.at_rest:
                self._check(index).at_rest()

    def digest(self) -> bytes:
        """The judge's own state."""
        if self._following is not None:
            self._catch_up()
        self._halt_is_due = True
        digest = hashlib.blake2b(self.facts.digest(), digest_size=16)
        digest.update(self._order.digest())
        for index in self._concerns.with_state:
            digest.update(self._check(index).digest())
        digest.update(repr([(v.clause, v.check) for v in self._docket.violations]).encode())
        return digest.digest()

    # -- along the last run -------------------------------------------------------------------------------

    def _bring_up(self, at: int) -> None:
        """Whoever watches the violations sees them at the entry that brought them up."""
        violations = self._docket.violations
        for number, violation in self._past.violations[len(violations) :]:
            if number > at:
                break
            violations.append(violation)

    def _catch_up(self) -> None:
        """From here on this run is judged by itself."""
        at, self._following = self._following, None
        assert at is not None
        halt, again = self._past.part(at)
        if halt.at:
            self.facts.resume(halt.facts)
            self._order.resume(halt.order)
            for index, saved in halt.checks.items():
                self._check(index).resume(saved)
        self._docket.resume(halt.violations, halt.exercised)
        for entry in again:
            self._take(entry)

    def _halt(self) -> Halt:
        self._halt_is_due = False
        return Halt(
            at=len(self._past.entries),
            facts=self.facts.saved(),
            order=self._order.saved(),
            checks={index: self._check(index).saved() for index in self._concerns.with_state},
            violations=tuple(self._docket.violations),
            exercised=dict(self._docket.exercised),
        )


class _Concerns:
    """Which checks an event concerns, and which others there are: there are many, and each concerns few events."""

    def __init__(self, checks: tuple[type[Check], ...]) -> None:
        self.with_state = tuple(index for index, check in enumerate(checks) if check.has_state())
        self.at_rest = tuple(index for index, check in enumerate(checks) if check.judges_rest())
        self._checks = checks
        self._known: dict[tuple[type[Event], str], tuple[int, ...]] = {}

    def by(self, kind: type[Event], operation: str) -> tuple[int, ...]:
        """Who listens to such an event; ``operation`` is an answered call's."""
        listening = self._known.get((kind, operation))
        if listening is None:
            listening = tuple(i for i, check in enumerate(self._checks) if check.listens(kind, operation))
            self._known[kind, operation] = listening
        return listening


_concerns = cache(_Concerns)
