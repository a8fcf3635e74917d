"""Checks of EFF: what becomes of evidence that the gate was given.

One idea: evidence that is genuine, and about this effect, has to count, whenever it comes; evidence that is not must
not count, whoever brings it. What was taken is kept.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import Disposition, RecordOutcome, Refused, Right, TaskRef
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check
from stopcheck.judge._evidence import describe, receipt_in, speaks
from stopcheck.judge._reading import EffectView, Reading, Told
from stopcheck.judge._views import item_of
from stopcheck.judge.checks._readings import ReadingCheck, all_told, several

#: Answers by which a task is certainly known.
_KNOWN = ("Opened", "Exists", "Done", "ExistingChild")


def may_tell(deed: Deed) -> bool:
    """Whether the caller has the right to tell outcomes of this task."""
    caller = deed.request.caller
    rights = (Right.DISPATCH, Right.RECONCILE)
    return caller.tenant == deed.request.task.tenant and any(right in caller.rights for right in rights)


def is_kept(view: EffectView, reading: Reading, told: Told) -> bool:
    """Whether the account holds the receipt that was told: in the ledger or parked."""
    receipt = receipt_in(told.evidence)
    parked = [p.evidence for p in reading.snapshot.parked if p.effect_id == view.id]
    ledger = view.entry.evidence if view.entry is not None else ()
    return any(receipt_in(evidence) == receipt for evidence in (*ledger, *parked))


def receipt_ids(view: EffectView) -> list[str]:
    """The receipts that were told of it."""
    found = [receipt_in(told.evidence) for told in view.offered]
    return [receipt.receipt_id for receipt in found if receipt is not None]


class EvidenceBehind(ReadingCheck):
    """Every definitive disposition shows the evidence behind it.

    A pass does not prove that the evidence was verified (EFF-14), nor that it is about this effect's payload."""

    name: ClassVar[str] = "evidence-behind-disposition"
    clauses: ClassVar[tuple[str, ...]] = ("EFF-1",)

    def on_reading(self, reading: Reading) -> None:
        """Look at each line of the ledger that is definitive."""
        for view in reading.effects:
            entry = view.entry
            if entry is None or not entry.disposition.definitive:
                continue
            self.exercised("EFF-1")
            if entry.disposition is Disposition.SUPPRESSED:
                if entry.resolved_revision is None:
                    self.violated(
                        "EFF-1",
                        f"{view.name} of {reading.name} is shown suppressed without the revision of the gate's own "
                        f"transition (resolved_revision is None); a definitive disposition keeps what is behind it",
                    )
            elif all(receipt_in(evidence) is None for evidence in entry.evidence):
                shown = several([describe(evidence) for evidence in entry.evidence])
                self.violated(
                    "EFF-1",
                    f"{view.name} of {reading.name} is shown {entry.disposition}, and the evidence kept with it is "
                    f"{shown}; a definitive disposition keeps the receipt or look-up that it rests on",
                )


class EvidenceResolves(ReadingCheck):
    """Genuine evidence under the original effect id resolves the effect, before and after the cutoff.

    A pass does not prove that evidence under another id is ignored (EFF-14)."""

    name: ClassVar[str] = "evidence-resolves"
    clauses: ClassVar[tuple[str, ...]] = ("EFF-4",)

    def on_reading(self, reading: Reading) -> None:
        """What the gate said it had recorded shows."""
        for view in reading.effects:
            if not view.admitted or not view.kept:
                continue
            if any(s.deed.answered_before(k.deed.begun) for s in view.silent for k in view.kept):
                self.exercised("EFF-4")
            if not view.definitive:
                self._unresolved(reading, view, view.kept, "and the gate answered that it was recorded")
            elif view.disposition not in view.may_be and not view.may_be_suppressed and not view.false:
                self.breaks(
                    "EFF-4",
                    f"{view.name} of {reading.name} is shown {view.disposition}, though what was recorded of it is "
                    f"{all_told(view)}; evidence decides the disposition",
                )

    def on_final(self, reading: Reading) -> None:
        """Evidence that was turned away leaves nothing open."""
        for view in reading.effects:
            if not view.admitted or view.definitive or view.may_be_suppressed:
                continue
            told = [t for t in self._rightly_told(view) if t.deed.answer not in ("Recorded", "Same")]
            if told:
                self._unresolved(reading, view, told, f"but was answered {told[-1].deed.answer}")

    def _rightly_told(self, view: EffectView) -> list[Told]:
        deeds = self.facts.book.deeds("record_outcome", view.id)
        answered = [d for d in deeds if d.definite and d.answer not in ("Retry", "Unsupported")]
        return [
            Told(d, d.request.evidence)
            for d in answered
            if isinstance(d.request, RecordOutcome)
            and d.ref == view.effect.task
            and may_tell(d)
            and item_of(d.request) is None
            and speaks(d.request.evidence, view.effect)
        ]

    def _unresolved(self, reading: Reading, view: EffectView, told: list[Told], but: str) -> None:
        self.breaks(
            "EFF-4",
            f"{view.name} of {reading.name} is shown {view.disposition}, though {describe(told[-1].evidence)} was told "
            f"under its own id (call {told[-1].deed.call_id}) {but}; evidence by the original id resolves an effect, "
            f"also after a stop",
        )


class EvidenceParked(ReadingCheck):
    """Genuine evidence about an effect that the ledger does not know is kept, and found again.

    A pass does not prove that it is applied in the end: that is EFF-4, once the effect is admitted."""

    name: ClassVar[str] = "evidence-parked"
    clauses: ClassVar[tuple[str, ...]] = ("EFF-10",)

    def on_deed(self, deed: Deed) -> None:
        """An outcome that matches nothing is not turned away."""
        request = deed.request
        effect = self.facts.effects.get(getattr(request, "effect_id", ""))
        if not isinstance(request, RecordOutcome) or effect is None or effect.task != deed.ref or not may_tell(deed):
            return
        commits = self.facts.book.commitments(effect.effect_id)
        unmatched = self._opened_before(deed, effect.task) and not any(d.may_count for d in commits)
        if not unmatched or speaks(request.evidence, effect) is None or not deed.definite:
            return
        self.exercised("EFF-10")
        told = self.facts.book.deeds("record_outcome", effect.effect_id)
        if isinstance(deed.reply, Refused) or (deed.answer == "Same" and len(told) == 1):
            self.violated(
                "EFF-10",
                f"{describe(request.evidence)} for effect {effect.effect_id}, which no ledger knows yet, was answered "
                f"{deed.answer} (call {deed.call_id}); evidence that comes early or unmatched is parked, not dropped",
            )

    def _opened_before(self, deed: Deed, ref: TaskRef) -> bool:
        """Whether the task was certainly open when the call began; one that is not may be unknown."""
        book = self.facts.book
        opened = [d for d in book.all_deeds("open_task") if d.request.task == ref.key and d.ref in (None, ref)]
        opened += [d for d in book.all_deeds("register_child") if getattr(d.request, "child", None) == ref]
        task = self.facts.tasks.get(ref)
        known = any(d.answered_before(deed.begun) and d.answer in _KNOWN for d in opened)
        return task is not None and task.opened and known

    def on_reading(self, reading: Reading) -> None:
        """What was parked is found: among the parked, or applied."""
        for view in reading.effects:
            for told in view.told:
                waits = told.deed.answer == "Parked" or (told.deed.answer == "Recorded" and view.entry is None)
                if not waits or speaks(told.evidence, view.effect) is None:
                    continue
                self.exercised("EFF-10")
                receipt = receipt_in(told.evidence)
                explained = receipt is not None and reading.contradicted(receipt.receipt_id)
                if is_kept(view, reading, told) or view.definitive or explained:
                    continue
                self.violated(
                    "EFF-10",
                    f"{describe(told.evidence)} for {view.name} of {reading.name} was answered {told.deed.answer} "
                    f"(call {told.deed.call_id}) and is neither parked nor in the ledger; evidence is never dropped",
                )


class ContradictionRecorded(ReadingCheck):
    """A definitive disposition does not become another one, and contradicting evidence is not passed over, without a
    recorded contradiction that names the effect or a receipt for it. How else it is worded is the gate's own affair.

    A pass does not prove that the entry names both statements."""

    name: ClassVar[str] = "contradiction-recorded"
    clauses: ClassVar[tuple[str, ...]] = ("EFF-7",)

    def on_reading(self, reading: Reading) -> None:
        """Compare with earlier readings, and with answers that promised an entry."""
        for view in reading.effects:
            before = reading.shown_before.get(view.id)
            changed = before is not None and before.definitive and view.definitive and before is not view.disposition
            promised = [t for t in view.told if t.deed.answer == "Contradicted"]
            opposed = len({speaks(t.evidence, view.effect) is Disposition.COMPLETED for t in view.kept}) > 1
            if not changed and not promised and not opposed:
                continue
            self.exercised("EFF-7")
            if reading.contradicted(view.id, *receipt_ids(view)):
                continue
            if changed:
                what = f"was shown {before} and is now shown {view.disposition}"
            elif promised:
                what = f"was told {describe(promised[-1].evidence)} against what is kept (answered Contradicted)"
            else:
                what = f"was told {all_told(view)}, all of it answered as kept"
            self.violated(
                "EFF-7",
                f"{view.name} of {reading.name} {what}, and no contradiction about it is recorded; one between "
                f"definitive statements is kept for whoever has to explain it",
            )


class EvidenceVerified(ReadingCheck):
    """A forged or foreign receipt, or one for another payload, changes no disposition and is not passed over.

    A pass says nothing of forgeries other than those told. ``BadEvidence`` without a recorded contradiction is let
    pass: the teller knows."""

    name: ClassVar[str] = "evidence-verified"
    clauses: ClassVar[tuple[str, ...]] = ("EFF-14",)

    def on_reading(self, reading: Reading) -> None:
        """Look at every effect about which something false was told."""
        for view in reading.effects:
            if not view.false:
                continue
            self.exercised("EFF-14")
            false = view.false[-1]
            what = f"a forged or foreign receipt ({describe(false.evidence)}, call {false.deed.call_id})"
            if view.definitive and view.disposition not in view.may_be and not view.may_be_suppressed:
                self.violated(
                    "EFF-14",
                    f"{view.name} of {reading.name} is shown {view.disposition} on the word of {what}; evidence is "
                    f"verified before it counts",
                )
            elif false.deed.answer == "Recorded" and not reading.contradicted(view.id, *receipt_ids(view)):
                self.violated(
                    "EFF-14",
                    f"{what} for {view.name} of {reading.name} was answered Recorded and no contradiction about it is "
                    f"recorded; false evidence changes nothing but that",
                )


CHECKS: tuple[type[Check], ...] = (
    EvidenceBehind,
    EvidenceResolves,
    EvidenceParked,
    ContradictionRecorded,
    EvidenceVerified,
)

__all__ = ["CHECKS", "is_kept", "may_tell"]
