"""Checks of DLV and ADM-9: whatever wants to start a turn after the cutoff, and checkpoints from before.

One idea: whatever wakes a worker after the cutoff, the gate gives it no lease. The trigger decides which clause
that is.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import BeginWork, Execution, LeaseGranted, Refused, RetryFired, Snapshot, Trigger
from stopcheck.judge._checks import Check
from stopcheck.judge._facts import Call, TaskFacts
from stopcheck.judge._triggers import begin_clause
from stopcheck.judge._wording import label
from stopcheck.judge.checks._answers import AnswerCheck, answer, told


class BeginAfterCutoff(AnswerCheck):
    """Whoever asks to begin after the cutoff is given no lease: a message, a replacement, a resumed checkpoint, or
    something that has finished and wants to be followed up.

    A pass says nothing of consumers that work without asking: the receivers' checks see what they send."""

    name: ClassVar[str] = "begin-after-cutoff"
    clauses: ClassVar[tuple[str, ...]] = ("DLV-1", "DLV-2", "DLV-5", "ADM-9")
    operations: ClassVar[frozenset[str]] = frozenset(("begin_work",))

    def on_answer(self, call: Call) -> None:
        """Only beginnings after a known cutoff."""
        request = call.request
        if call.cut_off is None or not isinstance(request, BeginWork) or isinstance(call.reply, Refused):
            return
        clause = begin_clause(request.trigger)
        queued = any(delivery == request.delivery_id for delivery, _ in self.facts.delivered)
        if request.trigger is not Trigger.FIRST or queued:
            self.exercised(clause)
        if isinstance(call.reply, LeaseGranted):
            self.violated(
                clause,
                f"{answer(call)} to {request.worker} (trigger {request.trigger.value}), although {told(call.cut_off)} "
                f"had been shown before the call began; {_WANTED[clause]}",
            )


_WANTED = {
    "DLV-1": "a message that comes after the cutoff leads to no work",
    "DLV-2": "a replacement inherits the stop",
    "DLV-5": "a worker that resumes is told of the stop before it acts",
    "ADM-9": "what finishes after the cutoff starts no new turn",
}


class CheckpointIsNoAuthority(AnswerCheck):
    """A worker that resumes is not given back an epoch that has been superseded or revoked since its checkpoint, and
    nothing at all when the task had ended.

    A pass says nothing of what a worker does without asking: under its old epoch ADM-6 holds the gate to refuse it."""

    name: ClassVar[str] = "checkpoint-is-no-authority"
    clauses: ClassVar[tuple[str, ...]] = ("DLV-5",)
    operations: ClassVar[frozenset[str]] = frozenset(("begin_work",))

    def on_answer(self, call: Call) -> None:
        """Only resumptions of what had certainly changed since the checkpoint."""
        request = call.request
        if not isinstance(request, BeginWork) or request.trigger is not Trigger.RESUME or request.ref is None:
            return
        stale, saved = call.known.stale, request.checkpoint_epoch
        fenced = saved is not None and stale in ("superseded", "revoked")
        if isinstance(call.reply, Refused) or not (fenced or call.ended):
            return
        self.exercised("DLV-5")
        if not isinstance(call.reply, LeaseGranted):
            return
        if call.ended:
            self._told(call, saved, f"although {label(request.ref)} had ended")
        elif saved is not None and call.reply.epoch <= saved:
            self._told(call, saved, f"with epoch {call.reply.epoch}, though that was {stale} before the call began")

    def _told(self, call: Call, saved: int | None, why: str) -> None:
        self.violated(
            "DLV-5",
            f"{answer(call)} to a worker that resumes a checkpoint of epoch {saved}, {why}; a checkpoint is no "
            f"authority: the worker observes current status before it acts",
        )


class RecoversIntoDraining(AnswerCheck):
    """After a death the gate gives no lease on a stopped task, and does not show it as running.

    A pass says nothing of work that the gate itself would resume later, unless the final account shows it."""

    name: ClassVar[str] = "restart-into-draining"
    clauses: ClassVar[tuple[str, ...]] = ("DLV-3",)
    operations: ClassVar[frozenset[str]] = frozenset(("begin_work", "fire_retry", "inspect"))

    def on_answer(self, call: Call) -> None:
        """Only calls after a death that came after the record was shown."""
        cut_off, reply = call.cut_off, call.reply
        task = self.facts.tasks.get(cut_off.task) if cut_off is not None else None
        if cut_off is None or task is None or task.record_generation >= call.generation or isinstance(reply, Refused):
            return
        self.exercised("DLV-3")
        if isinstance(reply, LeaseGranted | RetryFired):
            self._told(call, task, "another attempt began")
        elif isinstance(reply, Snapshot) and reply.execution is Execution.RUNNING and call.request.ref == task.ref:
            self._told(call, task, "it is running again")

    def _told(self, call: Call, task: TaskFacts, what: str) -> None:
        record = told(task.record) if task.record is not None else ""
        self.violated(
            "DLV-3",
            f"{label(task.ref)} had been stopped by {record} before the gate died; afterwards {answer(call)}: {what}. "
            f"A restart leads into draining or reconciliation",
        )


CHECKS: tuple[type[Check], ...] = (BeginAfterCutoff, CheckpointIsNoAuthority, RecoversIntoDraining)

__all__ = ["CHECKS"]
