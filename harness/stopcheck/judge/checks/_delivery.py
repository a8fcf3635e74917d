"""Checks of DLV: messages, replacements and restarts that come after the cutoff.

One idea: whatever wakes a worker after the cutoff, the gate gives it no lease. The trigger decides which clause
that is.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import BeginWork, Execution, LeaseGranted, Refused, Snapshot, Trigger
from stopcheck.judge._checks import Check
from stopcheck.judge._facts import Call, TaskFacts
from stopcheck.judge.checks._answers import AnswerCheck, answer, label, told


class BeginAfterCutoff(AnswerCheck):
    """A message or a replacement that comes after the cutoff is given no lease.

    A pass says nothing of consumers that work without asking: the receivers' checks see what they send."""

    name: ClassVar[str] = "begin-after-cutoff"
    clauses: ClassVar[tuple[str, ...]] = ("DLV-1", "DLV-2")
    operations: ClassVar[frozenset[str]] = frozenset(("begin_work",))

    def on_answer(self, call: Call) -> None:
        """Only beginnings after a known cutoff."""
        request = call.request
        if call.cut_off is None or not isinstance(request, BeginWork) or isinstance(call.reply, Refused):
            return
        replaces = request.trigger is Trigger.REPLACEMENT
        clause = "DLV-2" if replaces else "DLV-1"
        queued = any(delivery == request.delivery_id for delivery, _ in self.facts.delivered)
        if replaces or queued or request.trigger is Trigger.REDELIVERY:
            self.exercised(clause)
        if isinstance(call.reply, LeaseGranted):
            self.violated(
                clause,
                f"{answer(call)} to {request.worker} (trigger {request.trigger.value}), although {told(call.cut_off)} "
                f"had been shown before the call began; {'a replacement inherits the stop' if replaces else _STALE}",
            )


_STALE = "a message that comes after the cutoff leads to no work"


class RecoversIntoDraining(AnswerCheck):
    """After a death the gate gives no lease on a stopped task, and does not show it as running.

    A pass says nothing of work that the gate itself would resume later, unless the final account shows it."""

    name: ClassVar[str] = "restart-into-draining"
    clauses: ClassVar[tuple[str, ...]] = ("DLV-3",)
    operations: ClassVar[frozenset[str]] = frozenset(("begin_work", "inspect"))

    def on_answer(self, call: Call) -> None:
        """Only calls after a death that came after the record was shown."""
        cut_off, reply = call.cut_off, call.reply
        task = self.facts.tasks.get(cut_off.task) if cut_off is not None else None
        if cut_off is None or task is None or task.record_generation >= call.generation or isinstance(reply, Refused):
            return
        self.exercised("DLV-3")
        if isinstance(reply, LeaseGranted):
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


CHECKS: tuple[type[Check], ...] = (BeginAfterCutoff, RecoversIntoDraining)

__all__ = ["CHECKS"]
