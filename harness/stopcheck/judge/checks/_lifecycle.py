"""Checks of the lifecycle entries in which an account tells what became of each owned operation (RPT-6).

One idea: a lifecycle is append-only. Two readings of one task show two lists of which one begins with the other, and
the later reading shows the longer one; within a list each operation goes ``requested``, ``observed``, ``accepted`` and
then to one end, which only evidence for an ``unknown`` one may follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import msgspec

from stopcheck.gate import LifecycleEntry, Snapshot, Stage, TaskRef
from stopcheck.judge._checks import Check, Docket
from stopcheck.judge._facts import Facts
from stopcheck.judge._reading import Reading
from stopcheck.judge.checks._readings import ReadingCheck
from stopcheck.world import Called, Entry, Event, Returned

_ORDER = (Stage.REQUESTED, Stage.OBSERVED, Stage.ACCEPTED)
_ENDING = len(_ORDER)
_ENDED = _ENDING + 1


def _rank(stage: Stage) -> int:
    """How far a stage is: the three before an end in their order, ``unknown``, and an end that is known."""
    if stage in _ORDER:
        return _ORDER.index(stage)
    return _ENDED if stage.terminal else _ENDING


class LifecycleOnlyGrows(ReadingCheck):
    """Lifecycle entries are appended and never changed, each operation's in the contract's order up to one end, with
    who observed it and why; an inventory shows the stage that was entered last.

    A gate that shows no entries is not judged by them. A pass does not prove that an entry is true."""

    name: ClassVar[str] = "lifecycle-only-grows"
    clauses: ClassVar[tuple[str, ...]] = ("RPT-6",)
    events: ClassVar[tuple[type[Event], ...]] = (Called, Returned)

    def __init__(self, facts: Facts, docket: Docket) -> None:
        super().__init__(facts, docket)
        #: The longest list that was shown of each task.
        self._longest: dict[TaskRef, tuple[LifecycleEntry, ...]] = {}
        #: How long it was when an open reading began.
        self._before: dict[str, int] = {}

    @classmethod
    def listens(cls, kind: type[Event], operation: str) -> bool:
        """Calls, and the ends of readings."""
        return kind is Called or (kind is Returned and operation == "inspect")

    def on_entry(self, entry: Entry) -> None:
        """Note what had been shown when a reading began."""
        event = entry.event
        if isinstance(event, Called):
            shown = self._longest.get(event.request.ref) if event.request.ref is not None else None
            if event.operation == "inspect" and shown:
                self._before[event.call_id] = len(shown)
            return
        super().on_entry(entry)
        if isinstance(event, Returned):
            self._before.pop(event.call_id, None)

    def on_reading(self, reading: Reading) -> None:
        """Against what was shown before, and against the contract's order."""
        shown = reading.snapshot.lifecycle
        if shown:
            self.exercised("RPT-6")
        longest = self._longest.get(reading.task.ref, ())
        for fault in (*self._rewritten(reading, longest), *_faults(reading)):
            self.violated(
                "RPT-6",
                f"the lifecycle of {reading.name} {fault}; its entries are appended, never changed, and tell how each "
                f"operation went to its one end",
            )
        if len(shown) > len(longest):
            self._longest[reading.task.ref] = shown

    def _rewritten(self, reading: Reading, longest: Sequence[LifecycleEntry]) -> Iterator[str]:
        shown = reading.snapshot.lifecycle
        common = min(len(shown), len(longest))
        if tuple(shown[:common]) != tuple(longest[:common]):
            at = next(i for i in range(common) if shown[i] != longest[i])
            yield f"has {_told(shown[at])} as its entry {at + 1}, where {_told(longest[at])} had been shown"
        elif len(shown) < self._before.get(reading.deed.call_id, 0):
            yield f"has {len(shown)} entries, though {self._before[reading.deed.call_id]} had been shown before"

    def digest(self) -> bytes:
        """What was shown."""
        if not self._longest:
            return b""
        return _encode([[str(ref), entries] for ref, entries in self._longest.items()] + [sorted(self._before.items())])


def _faults(reading: Reading) -> Iterator[str]:
    """What is wrong within one list."""
    snapshot = reading.snapshot
    names = [entry.child.key.task_id for entry in snapshot.children]
    furthest: dict[tuple[str, str], LifecycleEntry] = {}
    for entry in snapshot.lifecycle:
        if not entry.operation or not entry.observer or not entry.reason:
            yield f"has {_told(entry)} without its operation, its observer or its reason"
        before = furthest.get((entry.operation, entry.parent))
        if before is not None and names.count(entry.operation) < 2 and not _follows(before.stage, entry.stage):
            yield f"has {_told(entry)} after {_told(before)}"
        furthest[entry.operation, entry.parent] = entry
    yield from _inventory(snapshot, names, {name: entry.stage for (name, _), entry in furthest.items()})


def _follows(before: Stage, stage: Stage) -> bool:
    """Several may observe the same, but nothing follows an end that is known."""
    return _rank(before) <= _rank(stage) and not before.terminal


def _inventory(snapshot: Snapshot, names: list[str], last: dict[str, Stage]) -> Iterator[str]:
    for child in snapshot.children:
        name = child.child.key.task_id
        stage = last.get(name)
        if stage is not None and stage is not child.stage and names.count(name) == 1:
            yield f"leaves {name} at {stage}, and the inventory shows it {child.stage}"


def _told(entry: LifecycleEntry) -> str:
    return (
        f"{entry.operation or '?'} {entry.stage} ({entry.reason or 'no reason'}, seen by {entry.observer or 'nobody'})"
    )


_encode = msgspec.msgpack.Encoder(order="deterministic").encode

CHECKS: tuple[type[Check], ...] = (LifecycleOnlyGrows,)

__all__ = ["CHECKS"]
