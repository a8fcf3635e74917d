"""Checks of EFF: the ledger against what receivers did, and what silence does to it.

One idea: the judge knows all evidence that any caller had in hand when it called the gate. A definitive disposition
for which nobody had any is an invention, whatever the gate's reasons; an effect that is no longer listed is a loss.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import Disposition, Execution, NoEvidence
from stopcheck.judge._checks import Check
from stopcheck.judge._evidence import found_nothing
from stopcheck.judge._reading import EffectView, Reading
from stopcheck.judge.checks._effect_evidence import CHECKS as _EVIDENCE_CHECKS
from stopcheck.judge.checks._readings import ReadingCheck, all_told, several


class SilenceIsNoOutcome(ReadingCheck):
    """Time-outs, disconnects and look-ups that found nothing leave a claimed effect unknown.

    Where both kinds of silence were told, one run cannot tell which was misread, so both clauses are reported. A pass
    says nothing of silences that no receiver of the scenario produced."""

    name: ClassVar[str] = "silence-is-no-outcome"
    clauses: ClassVar[tuple[str, ...]] = ("EFF-2", "EFF-8")

    def on_reading(self, reading: Reading) -> None:
        """Only silence was told of a claimed effect: it is not definitive."""
        for view in reading.effects:
            if not view.claims or not view.silent or view.may_be_resolved or view.false:
                continue
            for clause in self._clauses(view):
                self.exercised(clause)
                if view.definitive:
                    self.violated(
                        clause,
                        f"{view.name} of {reading.name} is shown {view.disposition}, though all that was told of it "
                        f"is {all_told(view)}; that is evidence of nothing, and the effect stays unknown",
                    )

    def on_final(self, reading: Reading) -> None:
        """At rest, an attempt that ended without an answer is called unknown."""
        for view in reading.effects:
            told = any(isinstance(t.evidence, NoEvidence) and t.deed.answer == "Recorded" for t in view.told)
            open_again = view.may_be_sent_again or view.claims != 1 or view.may_be_resolved
            if told and not open_again and view.disposition is Disposition.PENDING:
                self.breaks(
                    "EFF-2",
                    f"{view.name} of {reading.name} is still shown pending at rest, though its only attempt ended "
                    f"with {all_told(view)}; without an answer it is unknown",
                )

    def _clauses(self, view: EffectView) -> list[str]:
        looked_up = any(found_nothing(t.evidence) for t in view.silent)
        unanswered = any(isinstance(t.evidence, NoEvidence) for t in view.silent)
        return ["EFF-2"] * unanswered + ["EFF-8"] * looked_up


class UnknownIsKept(ReadingCheck):
    """An effect that was shown unknown stays in the ledger, and unknown, until there is evidence; and nothing stands
    beside it that nobody asked for and that says the same to the same receiver under another id.

    Not checked here: whether a worker sends the same thing again under a new effect id (no actor of the world does that
    on its own)."""

    name: ClassVar[str] = "unknown-is-kept"
    clauses: ClassVar[tuple[str, ...]] = ("EFF-3",)

    def on_reading(self, reading: Reading) -> None:
        """Compare with what earlier readings showed, and with what was asked for."""
        self._under_new_ids(reading)
        for view in reading.effects:
            if reading.shown_before.get(view.id) is not Disposition.UNKNOWN:
                continue
            self.exercised("EFF-3")
            if view.entry is None:
                became = "is no longer in the ledger"
            elif view.definitive and not view.may_be_resolved and not view.false:
                became = f"is shown {view.disposition}"
            elif view.disposition is Disposition.PENDING and not view.may_be_sent_again:
                became = "is shown pending"
            else:
                continue
            self.violated(
                "EFF-3",
                f"{view.name} of {reading.name} was shown unknown and now {became}, though all that was told of it is "
                f"{all_told(view)}; an unknown effect is kept until there is evidence",
            )

    def _under_new_ids(self, reading: Reading) -> None:
        asked = self.facts.book.commitments
        unasked = [entry for entry in reading.snapshot.effects if not asked(entry.effect_id)]
        for entry in unasked:
            same = (entry.payload_digest, entry.receiver)
            for view in reading.effects:
                if view.claims and view.silent and (view.effect.payload_digest, view.effect.receiver) == same:
                    self.violated(
                        "EFF-3",
                        f"{reading.name} lists {entry.effect_id}, which nobody asked for, with the payload of "
                        f"{view.name}, of which all that was told is {all_told(view)}; what is unknown is never "
                        f"retried under a new effect id",
                    )


class NobodyCanSay(ReadingCheck):
    """At rest, with nothing but silence of a claimed effect, a stopped task is not settled.

    A pass says nothing of how the task is shown instead (RPT-1, LIVE-4)."""

    name: ClassVar[str] = "nobody-can-say"
    clauses: ClassVar[tuple[str, ...]] = ("EFF-5",)

    def on_final(self, reading: Reading) -> None:
        """The doubt stays, and the state says so."""
        for view in reading.effects:
            asked = any(found_nothing(t.evidence) for t in view.silent) or view.effect.lookup != "authoritative"
            doubtful = bool(view.claims and view.silent and asked) and not view.may_be_resolved and not view.false
            if not doubtful or reading.own_record is None:
                continue
            self.exercised("EFF-5")
            if reading.settled or view.definitive:
                state = reading.snapshot.execution
                self.violated(
                    "EFF-5",
                    f"at rest {reading.name} is {state} and {view.name} is shown {view.disposition}, though the "
                    f"receiver could not say what became of it ({all_told(view)}); it stays unknown, and the task "
                    f"{Execution.STOPPED_UNRESOLVED}",
                )


class LedgerIsComplete(ReadingCheck):
    """Whatever a receiver has committed has a line in the ledger of its task.

    A pass says nothing of what it is shown as, nor of receivers outside the scenario."""

    name: ClassVar[str] = "ledger-is-complete"
    clauses: ClassVar[tuple[str, ...]] = ("EFF-6",)

    def on_reading(self, reading: Reading) -> None:
        """Compare with what receivers had committed before."""
        for view in reading.effects:
            if view.id not in reading.deed.committed:
                continue
            self.exercised("EFF-6")
            if view.entry is None:
                listed = several([entry.effect_id for entry in reading.snapshot.effects])
                self.violated(
                    "EFF-6",
                    f"receiver {view.effect.receiver} has committed {view.name}, but the ledger of {reading.name} "
                    f"lists {listed}; nothing that escaped may be missing from it",
                )


class AdmissionEndures(ReadingCheck):
    """An admitted effect stays in the ledger, and a claimed one claimed, through the gate's death and changes of lease.

    A pass is about the deaths and hand-overs that were tried."""

    name: ClassVar[str] = "admission-endures"
    clauses: ClassVar[tuple[str, ...]] = ("EFF-9",)

    def on_reading(self, reading: Reading) -> None:
        """Look for every effect that somebody was told is admitted."""
        for view in reading.effects:
            if not view.admitted:
                continue
            died = "death" in self.facts.book.came_over.get(view.id, ())
            if died or len(reading.task.leases) > 1 or view.silent:
                self.exercised("EFF-9")
            after = " after the gate died" if died else ""
            if view.entry is None:
                self.breaks(
                    "EFF-9",
                    f"{view.name} of {reading.name} was admitted and is missing from the ledger{after}; the duty to "
                    f"account for it is durable",
                )
            elif view.claims and not view.entry.claimed:
                self.breaks(
                    "EFF-9",
                    f"{view.name} of {reading.name} was claimed and is shown unclaimed{after}; it may have been sent, "
                    f"and that is not forgotten",
                )


CHECKS: tuple[type[Check], ...] = (
    SilenceIsNoOutcome,
    UnknownIsKept,
    NobodyCanSay,
    LedgerIsComplete,
    AdmissionEndures,
    *_EVIDENCE_CHECKS,
)

__all__ = ["CHECKS"]
