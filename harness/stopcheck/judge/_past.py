"""What the last run of a trial was judged, for the next one that begins alike.

One idea: judging is a function of the log's entries, so equal beginnings are judged equally. A search repeats the
beginning of one run in the next, many times over; as long as the entries *are* the same, which is looked at, nothing
is judged again. Where they part, the next run goes on from what was saved before that point. So this changes no
verdict, whatever the gate does: a gate that answers otherwise is judged anew from there.
"""

from __future__ import annotations

from typing import Any

import msgspec

from stopcheck.judge._checks import Violation
from stopcheck.judge._order import Saved
from stopcheck.world import Entry


class Halt(msgspec.Struct, frozen=True):
    """A judge's state after ``at`` entries. ``checks`` holds those checks that have a state of their own."""

    at: int
    facts: dict[str, Any]
    order: Saved
    checks: dict[int, dict[str, Any]]
    violations: tuple[Violation, ...]
    exercised: dict[str, int]


class Past:
    """The entries that were judged in the last run, where its violations came up, and some halts on the way.

    One for each trial, and for one judge at a time."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.halts: list[Halt] = []
        #: Violations, each with the number of the entry that brought it up.
        self.violations: list[tuple[int, Violation]] = []

    def repeats(self, at: int, entry: Entry) -> bool:
        """Whether this is the same entry as the last run had."""
        return at < len(self.entries) and self.entries[at] == entry

    def part(self, at: int) -> tuple[Halt, list[Entry]]:
        """Runs are the same up to ``at``: forget what came after. The last halt on the common way, and the entries
        between it and ``at``, which are to be taken again. There must be a halt at 0."""
        while self.halts[-1].at > at:
            self.halts.pop()
        halt = self.halts[-1]
        again = self.entries[halt.at : at]
        del self.entries[halt.at :]
        del self.violations[len(halt.violations) :]
        return halt, again


__all__ = ["Halt", "Past"]
