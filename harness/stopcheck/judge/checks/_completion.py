"""Checks of CMP: completion against stop.

One idea: each answer names a winner, also when its caller asked for something else: ``Won`` and ``Ended`` name the
completion, a record or ``Lost`` the stop. Of one task, all answers and all readings must name the same one.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import (
    Accepted,
    Ended,
    Execution,
    ExistingRecord,
    Lost,
    Reply,
    RequestCancel,
    Snapshot,
    Stage,
    TaskRef,
    Tombstoned,
    Widened,
    Won,
)
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check
from stopcheck.judge._evidence import describe
from stopcheck.judge._facts import authorised
from stopcheck.judge._reading import EffectView, Reading
from stopcheck.judge._wording import label
from stopcheck.judge.checks._effect_evidence import is_kept
from stopcheck.judge.checks._readings import ReadingCheck, all_told, several

_RECORD = (Accepted, ExistingRecord, Widened, Tombstoned, Lost)
COMPLETION, FAILURE, STOP = "the completion", "the failure", "the stop"


def winner(deed: Deed) -> str:
    """Which side the answer names as the winner for its very task; empty if it names none."""
    reply: Reply | Snapshot | None = deed.reply
    if isinstance(reply, Won):
        return COMPLETION if deed.operation == "complete" else FAILURE
    if isinstance(reply, Ended):
        return COMPLETION if reply.state is Execution.COMPLETED else FAILURE
    if isinstance(reply, _RECORD) and reply.record.task == deed.ref:
        return STOP
    return ""


class OneWinner(ReadingCheck):
    """A completion that was told it won, and a stop that was told it made or found a record, never both; and readings
    agree with what was told.

    A pass is about calls that overlapped in the interleavings tried; inside the gate's transitions only at granularity
    ``inner``. Failures are no completions: they are left to the edges of the execution state (REC-4)."""

    name: ClassVar[str] = "one-winner"
    clauses: ClassVar[tuple[str, ...]] = ("CMP-1",)

    def on_deed(self, deed: Deed) -> None:
        """A winner was named: has the other one been?"""
        named = winner(deed)
        other = {"complete": "request_cancel", "request_cancel": "complete"}.get(deed.operation)
        if not named or other is None:
            return
        rivals = self.facts.book.deeds(other, deed.ref)
        if rivals:
            self.exercised("CMP-1")
        for rival in rivals:
            if {named, winner(rival)} == {COMPLETION, STOP} and Won in (type(deed.reply), type(rival.reply)):
                self.violated(
                    "CMP-1",
                    f"{deed.operation} of {label_of(deed)} (call {deed.call_id}) was answered {deed.answer} and "
                    f"{rival.operation} (call {rival.call_id}) {rival.answer}; of completion and stop exactly one wins",
                )

    def on_reading(self, reading: Reading) -> None:
        """What is shown fits what was told before."""
        shown, record = reading.snapshot.execution, reading.snapshot.record
        if any(isinstance(d.reply, Won) and reading.must(d) for d in reading.deeds("complete")):
            self.exercised("CMP-1")
            own = record is not None and record.task == reading.task.ref
            if shown is not Execution.COMPLETED or own:
                held = f"with the record {record.record_id}" if own and record is not None else "without a record"
                self.violated(
                    "CMP-1",
                    f"{reading.name} is shown {shown} {held}, though its completion was told that it won; every caller "
                    f"is told the same winner",
                )
        elif reading.own_record is not None and shown is Execution.COMPLETED:
            self.breaks(
                "CMP-1",
                f"{reading.name} is shown completed, though the record {reading.own_record.record_id} had been told; "
                f"every caller is told the same winner",
            )


class CompletedStartsNoShutdown(ReadingCheck):
    """A stop that began after the completion was told is answered that the task is completed; no record appears.

    A pass says nothing of shutdowns that show in no answer and no account."""

    name: ClassVar[str] = "completed-starts-no-shutdown"
    clauses: ClassVar[tuple[str, ...]] = ("CMP-2",)

    def on_deed(self, deed: Deed) -> None:
        """A stop after the end."""
        request = deed.request
        if not isinstance(request, RequestCancel) or not authorised(request):
            return
        supported = request.scope in self.contract.scopes
        if not supported or not deed.definite or deed.answer == "Retry" or not self._completed(deed, deed.begun):
            return
        self.exercised("CMP-2")
        if not (isinstance(deed.reply, Ended) and deed.reply.state is Execution.COMPLETED):
            state = f"({deed.reply.state})" if isinstance(deed.reply, Ended) else ""
            self.violated(
                "CMP-2",
                f"a stop of {label_of(deed)} (call {deed.call_id}), which had completed before, was answered "
                f"{deed.answer}{state}; such a stop is answered that the task is already completed",
            )

    def on_reading(self, reading: Reading) -> None:
        """No record on a completed task."""
        record = reading.snapshot.record
        stopped = any(d.may_count for d in reading.deeds("request_cancel"))
        if not stopped or not self._completed(reading.deed, reading.began):
            return
        self.exercised("CMP-2")
        if record is not None and record.task == reading.task.ref:
            self.violated(
                "CMP-2",
                f"{reading.name} had completed, and now shows the cancellation record {record.record_id} at revision "
                f"{record.revision}; no shutdown begins after the end",
            )

    def _completed(self, deed: Deed, moment: int) -> bool:
        deeds = self.facts.book.deeds("complete", deed.ref)
        return any(isinstance(d.reply, Won) and d.answered_before(moment) for d in deeds)


class LateSuccess(ReadingCheck):
    """A success that comes after a known cutoff does not win, brings nothing back, and is kept as late.

    Where the cutoff was an owner's, a gate may show a late success only in the owner's inventory: that is not looked
    at. A completion that won and is asked for again after its owner was stopped is no late success."""

    name: ClassVar[str] = "late-success"
    clauses: ClassVar[tuple[str, ...]] = ("CMP-3",)

    def on_deed(self, deed: Deed) -> None:
        """A completion after the cutoff."""
        if deed.operation != "complete" or deed.cut_off is None or not deed.definite:
            return
        others = [d for d in self.facts.book.deeds("complete", deed.ref) if d is not deed and d.may_count]
        repeated = any(d.answer in ("Won", "Indefinite", "") for d in others)
        if deed.cut_off.task != deed.ref and repeated:
            return
        self.exercised("CMP-3")
        if isinstance(deed.reply, Won):
            self.violated(
                "CMP-3",
                f"complete of {label_of(deed)} (call {deed.call_id}) was answered Won, though the cancellation "
                f"{deed.cut_off.record_id} had been told before it began; a late success does not restore the task",
            )

    def on_reading(self, reading: Reading) -> None:
        """The history says that the success came late."""
        lost = [d for d in reading.deeds("complete") if winner(d) == STOP and reading.must(d)]
        if not lost:
            return
        self.exercised("CMP-3")
        snapshot = reading.snapshot
        if snapshot.execution in (Execution.COMPLETED, Execution.RUNNING, Execution.UNSTARTED):
            self.violated(
                "CMP-3",
                f"{reading.name} is shown {snapshot.execution}, though its completion (call {lost[-1].call_id}) lost "
                f"against the stop; a late success brings nothing back",
            )
        late = any(entry.stage is Stage.COMPLETED_AFTER_CANCEL for entry in snapshot.lifecycle)
        if not late and not snapshot.late_results:
            self.violated(
                "CMP-3",
                f"the success of {reading.name} that lost against the stop (call {lost[-1].call_id}) is neither among "
                f"the late results nor in the lifecycle; it is kept as completed_after_cancel",
            )


class EvidenceOutlivesWinner(ReadingCheck):
    """Evidence that was recorded is still there once there is a winner, whoever it is.

    A pass says nothing of evidence that was told but answered otherwise (EFF-4, EFF-10)."""

    name: ClassVar[str] = "evidence-outlives-winner"
    clauses: ClassVar[tuple[str, ...]] = ("CMP-4",)

    def on_reading(self, reading: Reading) -> None:
        """Look for every receipt that was recorded."""
        won = any(isinstance(d.reply, Won) and reading.must(d) for d in reading.deeds("complete"))
        if not won and reading.own_record is None:
            return
        for view in reading.effects:
            for told in view.kept:
                if told.deed.answer != "Recorded":
                    continue
                self.exercised("CMP-4")
                if not is_kept(view, reading, told):
                    side = COMPLETION if won else STOP
                    self.violated(
                        "CMP-4",
                        f"{describe(told.evidence)} of {view.name} was recorded (call {told.deed.call_id}) and is no "
                        f"longer in the account of {reading.name}, where {side} won; evidence is kept whichever wins",
                    )


class UnverifiedDoesNotWin(ReadingCheck):
    """A completion does not win while an effect admitted before it has certainly no definitive disposition; nor is a
    task shown completed then, whoever called it so: an owner's word of its child is no evidence.

    Children are not looked at here. A pass says nothing of effects whose admission was still unanswered."""

    name: ClassVar[str] = "unverified-does-not-win"
    clauses: ClassVar[tuple[str, ...]] = ("CMP-5",)

    def on_deed(self, deed: Deed) -> None:
        """A completion was answered."""
        window = self.window(deed) if deed.operation == "complete" else None
        if window is None or not deed.definite:
            return
        unproved = [view for view in window.effects if view.admitted and not view.may_be_resolved]
        if not unproved:
            return
        self.exercised("CMP-5")
        if isinstance(deed.reply, Won):
            self._told(f"complete of {window.name} (call {deed.call_id}) was answered Won", unproved)

    def on_reading(self, reading: Reading) -> None:
        """A task is shown completed."""
        unproved = [view for view in reading.effects if view.certainly_open]
        if unproved and reading.snapshot.execution is Execution.COMPLETED:
            self._told(f"{reading.name} (call {reading.deed.call_id}) is shown completed", unproved)

    def _told(self, what: str, unproved: list[EffectView]) -> None:
        names = several([f"{view.id} (told: {all_told(view)})" for view in unproved])
        self.violated("CMP-5", f"{what} without evidence for {names}; an unverified success does not win")


class SameWinnerToldAgain(ReadingCheck):
    """Whoever asks for the stop is told who won, and whoever asks again is told the same.

    A pass says nothing of requests that were only answered ``Retry``."""

    name: ClassVar[str] = "same-winner-told-again"
    clauses: ClassVar[tuple[str, ...]] = ("CMP-6",)

    def on_deed(self, deed: Deed) -> None:
        """An answer that names a winner."""
        named = winner(deed)
        if not named or deed.operation not in ("request_cancel", "complete"):
            return
        told = [d for d in self.facts.book.deeds("request_cancel", deed.ref) if d is not deed and winner(d)]
        completions = [d for d in self.facts.book.deeds("complete", deed.ref) if d is not deed]
        if deed.operation == "request_cancel":
            told += [d for d in completions if isinstance(d.reply, Lost) and winner(d)]
            if told or completions:
                self.exercised("CMP-6")
            self._invented(deed, named, bool(completions))
        elif not isinstance(deed.reply, Lost):
            return
        for other in told:
            if winner(other) != named:
                self.violated(
                    "CMP-6",
                    f"{deed.operation} of {label_of(deed)} (call {deed.call_id}) was told that {named} won "
                    f"({deed.answer}), and call {other.call_id} that {winner(other)} did ({other.answer}); all are "
                    f"told the same, as often as they ask",
                )

    def _invented(self, deed: Deed, named: str, asked: bool) -> None:
        """A completion that nobody asked for has not won. (An owned operation may be completed by its owner.)"""
        task = self.facts.tasks.get(deed.ref) if deed.ref is not None else None
        if named != COMPLETION or asked or task is None or task.parent is not None or task.shared:
            return
        self.breaks(
            "CMP-6",
            f"a stop of {label_of(deed)} (call {deed.call_id}) was answered that the task is completed, though nobody "
            f"had asked to complete it; whoever stops is told the true winner",
        )


def label_of(deed: Deed) -> str:
    """The deed's task, for people."""
    ref: TaskRef | None = deed.ref
    return label(ref) if ref is not None else deed.request.task.task_id


CHECKS: tuple[type[Check], ...] = (
    OneWinner,
    CompletedStartsNoShutdown,
    LateSuccess,
    EvidenceOutlivesWinner,
    UnverifiedDoesNotWin,
    SameWinnerToldAgain,
)

__all__ = ["CHECKS", "label_of", "winner"]
