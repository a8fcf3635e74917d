"""Checks of EFF-11, EFF-12 and of items EFF-1: what became of a batch's items, and of what was done only in part.

One idea: a whole is never shown as more than its parts are. What was told of one item says nothing of another, and
what is not the whole is marked, or not shown as done.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from stopcheck.gate import Disposition, Finding
from stopcheck.judge._checks import Check
from stopcheck.judge._evidence import describe, is_false, receipt_in, speaks
from stopcheck.judge._reading import EffectView, Reading, Told
from stopcheck.judge.checks._effect_evidence import is_kept
from stopcheck.judge.checks._readings import ReadingCheck, several

_KEPT = ("Recorded", "Same")


class Item:
    """One item of a batch at a reading: what was told of it, and what is shown."""

    def __init__(self, reading: Reading, view: EffectView, name: str) -> None:
        self.name = name
        self.entry = next((entry for entry in view.entry.items if entry.item == name), None) if view.entry else None
        mine = view.offered_of_items.get(name, [])
        self._said = [t for t in mine if not is_false(t.evidence, view.effect) and _named(t) == name]
        self._kept = [t for t in self._said if t.deed.answer in _KEPT and reading.must(t.deed)]
        self._view = view

    @property
    def shown(self) -> Disposition | None:
        """The disposition that is shown of it."""
        return None if self.entry is None else self.entry.disposition

    @property
    def may_be(self) -> list[Disposition]:
        """The definitive dispositions for which evidence may have reached the gate: of this item, or of the whole."""
        said = [speaks(t.evidence, self._view.effect) for t in (*self._said, *self._view.offered)]
        found = [disposition for disposition in said if disposition is not None]
        return [*found, Disposition.SUPPRESSED] if self._view.may_be_suppressed else found

    @property
    def told(self) -> list[Disposition]:
        """What evidence of this item certainly told."""
        said = [speaks(t.evidence, self._view.effect) for t in self._kept]
        return [disposition for disposition in said if disposition is not None]

    @property
    def proofs(self) -> list[Told]:
        """The evidence of this item that the gate said it had recorded."""
        recorded = [t for t in self._kept if t.deed.answer == "Recorded"]
        return [t for t in recorded if speaks(t.evidence, self._view.effect) is not None]

    @property
    def words(self) -> str:
        """All that was told of it, for people."""
        return several([describe(t.evidence) for t in self._said])


def _named(told: Told) -> str:
    """The item that evidence is about; by the request and by its receipt, where both say it."""
    receipt = receipt_in(told.evidence)
    item = getattr(told.deed.request, "item", None) or ""
    return item if receipt is None or receipt.item == item else ""


def _items(reading: Reading, view: EffectView) -> list[Item]:
    return [Item(reading, view, name) for name in view.effect.items]


class ItemsAreAccounted(ReadingCheck):
    """Each item of an admitted batch is listed, with the disposition for which there is evidence; and the batch is open
    as long as one of them is.

    A pass says nothing of how a gate sums up a batch whose items came to different ends (EFF-12 does)."""

    name: ClassVar[str] = "items-are-accounted-for"
    clauses: ClassVar[tuple[str, ...]] = ("EFF-11",)

    def on_reading(self, reading: Reading) -> None:
        """Look at each batch."""
        for view in reading.effects:
            if view.effect.items and view.entry is not None and view.admitted:
                if view.offered_of_items:
                    self.exercised("EFF-11")
                for wrong in self._wrong(reading, view):
                    self.violated(
                        "EFF-11", f"{view.name} of {reading.name} {wrong}; a batch has a disposition for each item"
                    )

    def _wrong(self, reading: Reading, view: EffectView) -> Iterator[str]:
        assert view.entry is not None
        listed = [entry.item for entry in view.entry.items]
        if sorted(listed) != sorted(view.effect.items):
            yield f"lists the items {several(listed)}, and was admitted with {several(list(view.effect.items))}"
            return
        items = _items(reading, view)
        for item in items:
            if item.shown is not None and item.shown.definitive and item.shown not in item.may_be:
                yield f"shows its item {item.name} {item.shown}, though what was told of it is {item.words}"
            elif item.told and item.shown is not None and not item.shown.definitive:
                yield f"shows its item {item.name} {item.shown}, though it was told {item.words}"
        still = [item.name for item in items if item.shown is not None and not item.shown.definitive]
        if still and view.definitive:
            yield f"is shown {view.disposition}, though of its items {several(still)} nothing definitive is known"
        elif still and reading.settled:
            yield f"still has open items ({several(still)}), and its task is shown settled"


class ItemsKeepTheirEvidence(ReadingCheck):
    """An item that is shown with a definitive disposition shows the evidence for it, if the gate had recorded some.

    A pass says nothing of items that evidence for the whole resolved: ``evidence-behind-disposition`` looks there."""

    name: ClassVar[str] = "items-keep-their-evidence"
    clauses: ClassVar[tuple[str, ...]] = ("EFF-1",)

    def on_reading(self, reading: Reading) -> None:
        """Look for at least one receipt of each."""
        for view in reading.effects:
            for item in _items(reading, view):
                if item.shown is None or not item.shown.definitive or not item.proofs:
                    continue
                self.exercised("EFF-1")
                if not any(is_kept(view, reading, told) for told in item.proofs):
                    told = item.proofs[-1]
                    self.violated(
                        "EFF-1",
                        f"{view.name} of {reading.name} shows its item {item.name} {item.shown}, and no longer "
                        f"{describe(told.evidence)}, which was recorded (call {told.deed.call_id}); a definitive "
                        f"disposition keeps the evidence behind it",
                    )


class PartialIsMarked(ReadingCheck):
    """What was done only in part is not shown as done without a mark: neither in the ledger nor in short.

    A pass says nothing of what readers of the output itself see."""

    name: ClassVar[str] = "partial-is-marked"
    clauses: ClassVar[tuple[str, ...]] = ("EFF-12",)

    def on_reading(self, reading: Reading) -> None:
        """Look at each effect of which it is certain that a part is missing."""
        for view in reading.effects:
            why = self._missing(reading, view)
            if not why or view.entry is None:
                continue
            self.exercised("EFF-12")
            wanted = "what is not the whole is absent or marked partial"
            if view.disposition is Disposition.COMPLETED and not view.entry.partial:
                self.violated(
                    "EFF-12",
                    f"{view.name} of {reading.name} is shown completed and not marked partial, though {why}; {wanted}",
                )
            if view.id in reading.snapshot.ledger.completed:
                self.violated(
                    "EFF-12", f"{view.name} of {reading.name} stands among what was completed, though {why}; {wanted}"
                )

    def _missing(self, reading: Reading, view: EffectView) -> str:
        """Why the effect is certainly not the whole; empty if it may be."""
        if view.effect.items:
            lacking = [i.name for i in _items(reading, view) if i.told and Disposition.COMPLETED not in i.may_be]
            return f"of its items {several(lacking)} certainly was not done" if lacking else ""
        findings = [receipt.finding for told in view.offered if (receipt := receipt_in(told.evidence)) is not None]
        in_part = [t for t in view.kept if (r := receipt_in(t.evidence)) is not None and r.finding is Finding.PARTIAL]
        if not in_part or Finding.EXECUTED in findings:
            return ""
        return f"the receiver certified that only a part was done (call {in_part[-1].deed.call_id})"


CHECKS: tuple[type[Check], ...] = (ItemsAreAccounted, ItemsKeepTheirEvidence, PartialIsMarked)

__all__ = ["CHECKS"]
