"""Checks of RPT: what people are shown.

One idea: a status may say less than is known, never more. It is compared with the parts of the same snapshot, which
leaves no room for timing, and with what was certain around the reading.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from stopcheck.gate import (
    TERMINAL_STATES,
    Acknowledge,
    Disposition,
    EffectEntry,
    EffectsFacet,
    Recorded,
    Status,
)
from stopcheck.judge._checks import Check
from stopcheck.judge._evidence import describe
from stopcheck.judge._reading import Reading
from stopcheck.judge.checks._effect_evidence import is_kept
from stopcheck.judge.checks._readings import ReadingCheck, all_told, several
from stopcheck.judge.checks._status import status_faults


class CancelledOnlyWhenProved(ReadingCheck):
    """A task is shown cancelled, or settled, only when no effect is certainly open and no worker certainly free,
    neither by what was told nor by the snapshot itself.

    A pass says nothing of effects and workers that no call named to the gate."""

    name: ClassVar[str] = "cancelled-only-when-proved"
    clauses: ClassVar[tuple[str, ...]] = ("RPT-1",)

    def on_reading(self, reading: Reading) -> None:
        """Look at every reading of a stopped task."""
        snapshot = reading.snapshot
        shown = snapshot.status is Status.CANCELLED or reading.settled
        if not shown and reading.deed.cut_off is None:
            return
        against = list(self._against(reading))
        if shown or against:
            self.exercised("RPT-1")
        if shown and against:
            self.violated(
                "RPT-1",
                f"{reading.name} is shown {snapshot.status} in state {snapshot.execution}, though {against[0]}; it "
                f"is not cancelled while anything is open",
            )
        elif snapshot.status is Status.CANCELLED and not reading.settled:
            self.breaks(
                "RPT-1",
                f"{reading.name} is shown cancelled in state {snapshot.execution}; it is cancelled exactly when its "
                f"state is cancelled_settled",
            )

    def _against(self, reading: Reading) -> Iterator[str]:
        """What certainly speaks against it."""
        for view in reading.effects:
            if view.certainly_open and not view.false:
                told = all_told(view) if view.told else "nothing"
                yield f"{view.name} was admitted and what was told of it is {told}"
        for entry in reading.snapshot.effects:
            if not entry.disposition.definitive:
                yield f"effect {entry.effect_id} is shown {entry.disposition}"
        for worker in reading.workers:
            if worker.certainly_free:
                yield f"{worker.worker} holds an active lease and is neither stopped nor fenced"
        for facet in reading.snapshot.stopping.workers:
            if not facet.stopped and not facet.fenced:
                yield f"{facet.worker} is shown neither stopped nor fenced"


class CompletedEffectsShown(ReadingCheck):
    """Effects that completed are listed as completed although their task is cancelled.

    A pass is about effects whose evidence was recorded."""

    name: ClassVar[str] = "completed-effects-shown"
    clauses: ClassVar[tuple[str, ...]] = ("RPT-2",)

    def on_reading(self, reading: Reading) -> None:
        """Compare the facet with the ledger and with what was recorded."""
        snapshot = reading.snapshot
        if snapshot.record is None and reading.own_record is None:
            return
        done = [e.effect_id for e in snapshot.effects if e.disposition is Disposition.COMPLETED]
        done += [v.id for v in reading.effects if v.admitted and v.kept and v.may_be == [Disposition.COMPLETED]]
        for effect_id in dict.fromkeys(done):
            self.exercised("RPT-2")
            if effect_id not in (*snapshot.ledger.completed, *snapshot.ledger.partial):
                shown = several(list(snapshot.ledger.completed))
                self.violated(
                    "RPT-2",
                    f"effect {effect_id} of the cancelled task {reading.name} was completed, and its account lists "
                    f"{shown} as completed; what happened is shown although the task is cancelled",
                )


class FacetsAgree(ReadingCheck):
    """Intent, execution and effects are shown apart, each as the account has it, and the status follows from them.

    Only what follows with certainty is asked of the status; where an owner's cancellation may cover the task, less. A
    pass does not prove that the account itself is true."""

    name: ClassVar[str] = "facets-agree"
    clauses: ClassVar[tuple[str, ...]] = ("RPT-5",)

    def on_reading(self, reading: Reading) -> None:
        """Compare the parts of one snapshot."""
        self.exercised("RPT-5")
        for fault in (*_facet_faults(reading), *status_faults(reading)):
            self.violated(
                "RPT-5",
                f"{reading.name}: {fault}; intent, execution and effects are reported as separate facets that agree "
                f"with the account",
            )


def _facet_faults(reading: Reading) -> Iterator[str]:
    snapshot = reading.snapshot
    record, intent = snapshot.record, snapshot.intent
    if record is not None and not intent.requested:
        yield f"intent says that nothing was requested, and there is the record {record.record_id}"
    elif record is not None and intent.scope is not None and intent.scope is not record.scope:
        yield f"intent says scope {intent.scope}, and the record {record.record_id} says {record.scope}"
    elif record is None and intent.requested and reading.task.parent is None:
        yield "intent says that a stop was requested, and there is no record"
    if snapshot.stopping.state is not snapshot.execution:
        yield f"the execution facet says {snapshot.stopping.state}, and the state is {snapshot.execution}"
    for entry in snapshot.effects:
        places = [name for name, ids in _buckets(snapshot.ledger) for i in ids if i == entry.effect_id]
        right = _bucket(entry)
        if places != [right]:
            yield f"effect {entry.effect_id} is {entry.disposition} and stands under {several(places)}, not {right}"
    listed = {entry.effect_id for entry in snapshot.effects}
    for name, ids in _buckets(snapshot.ledger):
        for effect_id in ids:
            if effect_id not in listed:
                yield f"effect {effect_id} stands under {name}, and the ledger does not list it"


def _buckets(facet: EffectsFacet) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return (
        ("completed", facet.completed),
        ("not_done", facet.not_done),
        ("pending", facet.pending),
        ("unknown", facet.unknown),
        ("partial", facet.partial),
    )


def _bucket(entry: EffectEntry) -> str:
    disposition = entry.disposition
    if disposition is Disposition.COMPLETED and entry.partial:
        return "partial"
    if disposition in (Disposition.COMPLETED, Disposition.PENDING, Disposition.UNKNOWN):
        return disposition.value
    return "not_done"


class AccountCanBeRebuilt(ReadingCheck):
    """At rest, a closed task's account holds all that was told: the record's revision, commitments, acknowledgements,
    receipts and unresolved outcomes.

    A pass says nothing of how long it is kept (REC-6)."""

    name: ClassVar[str] = "account-can-be-rebuilt"
    clauses: ClassVar[tuple[str, ...]] = ("RPT-6",)

    def on_final(self, reading: Reading) -> None:
        """Look for each thing that somebody was told is kept."""
        if reading.snapshot.execution not in TERMINAL_STATES:
            return
        self.exercised("RPT-6")
        missing = list(self._missing(reading))
        if missing:
            self.violated(
                "RPT-6",
                f"the account of the closed task {reading.name} lacks {several(missing)}; it can be rebuilt from what "
                f"the gate kept",
            )

    def _missing(self, reading: Reading) -> Iterator[str]:
        snapshot, record = reading.snapshot, reading.own_record
        if record is not None and (snapshot.record is None or snapshot.record.revision != record.revision):
            shown = "none" if snapshot.record is None else f"revision {snapshot.record.revision}"
            yield f"the cancellation at revision {record.revision} (shown: {shown})"
        for view in reading.effects:
            if view.admitted and view.entry is None:
                yield f"the commitment of {view.id}"
            elif view.entry is not None and view.effect.admissions:
                payload = view.entry.payload_digest
                if payload not in view.effect.admissions:
                    yield f"the payload with which {view.id} was admitted (shown: {payload})"
            for told in view.kept:
                if told.deed.answer == "Recorded" and not is_kept(view, reading, told):
                    yield f"the {describe(told.evidence)} of {view.id}"
            unresolved = view.claims and view.silent and not view.may_be_resolved and not view.false
            if unresolved and view.entry is not None and view.definitive:
                yield f"the unresolved outcome of {view.id} (shown {view.disposition})"
        for deed in reading.acknowledgements:
            request = deed.request
            if not isinstance(request, Acknowledge) or not isinstance(deed.reply, Recorded) or not reading.must(deed):
                continue
            kept = (a for a in snapshot.acknowledgements if a.epoch == request.epoch)
            if not any(a.strength.rank >= request.strength.rank for a in kept):
                yield f"the acknowledgement {request.strength} of epoch {request.epoch}"


CHECKS: tuple[type[Check], ...] = (
    CancelledOnlyWhenProved,
    CompletedEffectsShown,
    FacetsAgree,
    AccountCanBeRebuilt,
)

__all__ = ["CHECKS"]
