"""Checks: what can fail a clause, and the books of what failed and what was exercised.

One idea: a check watches the run through *facts*, says when its clause was really put to the test (``exercised``),
and when it was broken (``violated``). A clause whose checks were never exercised has no verdict of ``PASS``.

To write one: subclass :class:`Check`, name the clauses, implement ``on_entry`` (after the facts took the entry in)
and/or ``at_rest`` (after the final account). A check keeps no state of its own unless it returns it from ``digest``;
what it keeps are attributes that :func:`~stopcheck.judge._known.twin` can copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import msgspec

from stopcheck.gate import GateContract
from stopcheck.judge._facts import Facts
from stopcheck.judge._known import twin
from stopcheck.world import Entry, Event


class Violation(msgspec.Struct, frozen=True):
    """A clause was broken at a step of the log. ``message`` is one sentence: what happened, with the values that
    prove it, and what the clause wants instead. ``steps`` are the other steps that prove it."""

    clause: str
    check: str
    step: int
    now_ns: int
    message: str
    steps: tuple[int, ...] = ()


def first_breaks(violations: Iterable[Violation]) -> dict[str, int]:
    """Each clause that broke, with the step at which it first did; the earliest first."""
    steps: dict[str, int] = {}
    for violation in violations:
        steps[violation.clause] = min(violation.step, steps.get(violation.clause, violation.step))
    return dict(sorted(steps.items(), key=lambda broke: broke[1]))


class Docket:
    """Where checks write: violations in order, and how often each clause was exercised in this run."""

    def __init__(self) -> None:
        self.violations: list[Violation] = []
        self.exercised: dict[str, int] = {}
        self._seen: set[tuple[str, str, str]] = set()

    def resume(self, violations: Sequence[Violation], exercised: dict[str, int]) -> None:
        """Go on from what another run had when it was where this one is. Watchers hold the list of violations."""
        self.violations[:] = violations
        self.exercised = dict(exercised)
        self._seen = {_said(violation) for violation in violations}

    def exercise(self, clause: str) -> None:
        """The clause was really put to the test."""
        self.exercised[clause] = self.exercised.get(clause, 0) + 1

    def violate(self, violation: Violation) -> None:
        """The clause was broken; the same thing said twice is kept once."""
        key = _said(violation)
        if key not in self._seen:
            self._seen.add(key)
            self.violations.append(violation)


def _said(violation: Violation) -> tuple[str, str, str]:
    return violation.clause, violation.check, violation.message


class Check:
    """Base of checks. ``name`` is unique and says what is looked at (``commit-after-cutoff``)."""

    name: ClassVar[str] = ""
    clauses: ClassVar[tuple[str, ...]] = ()
    #: The kinds of event that ``on_entry`` wants to see; empty: all but ``InnerPoint``, which tells nothing about a
    #: gate.
    events: ClassVar[tuple[type[Event], ...]] = ()

    def __init__(self, facts: Facts, docket: Docket) -> None:
        self.facts = facts
        self._docket = docket

    @property
    def contract(self) -> GateContract:
        """What the gate declared."""
        return self.facts.contract

    def exercised(self, clause: str) -> None:
        """Say that ``clause`` was put to the test just now."""
        self._docket.exercise(clause)

    def violated(self, clause: str, message: str, *steps: int) -> None:
        """Say that ``clause`` was broken just now."""
        facts = self.facts
        self._docket.violate(Violation(clause, self.name, facts.step, facts.now_ns, message, steps))

    @classmethod
    def listens(cls, kind: type[Event], operation: str) -> bool:  # noqa: ARG003 - for subclasses
        """Whether ``on_entry`` wants to see such an event; ``operation`` is an answered call's."""
        return (not cls.events or kind in cls.events) and cls.on_entry is not Check.on_entry

    def on_entry(self, entry: Entry) -> None:
        """An event happened; the facts hold it already."""

    def at_rest(self) -> None:
        """The run is over: ``facts.accounts`` and ``facts.truths`` are complete."""

    @classmethod
    def judges_rest(cls) -> bool:
        """Whether ``at_rest`` does anything."""
        return cls.at_rest is not Check.at_rest

    def digest(self) -> bytes:
        """The check's own state, if it has any."""
        return b""

    @classmethod
    def has_state(cls) -> bool:
        """Whether it has any."""
        return cls.digest is not Check.digest

    def saved(self) -> dict[str, Any]:
        """Its own state, apart from what follows."""
        return {name: twin(value) for name, value in vars(self).items() if name not in _NOT_OWN}

    def resume(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved; that may be done any number of times."""
        for name, value in saved.items():
            setattr(self, name, twin(value))


#: What a check is given.
_NOT_OWN = frozenset(("facts", "_docket"))
