"""Checks of REC-8: why a task was cancelled, and what is no cancellation at all.

One idea: every cause in a record must have been told to the gate, by somebody who asked with that cause or by a
deadline, an owner or a last interest; and every cause with which somebody was answered must be there later. Whatever
else happens to a task (a pause, a shutdown, a crash) leaves no record.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from stopcheck.gate import (
    Accepted,
    CancellationRecord,
    Cause,
    CauseEntry,
    Done,
    ExistingRecord,
    RequestCancel,
    Resume,
    Stopped,
    Suspend,
    Tombstoned,
    Widened,
)
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check
from stopcheck.judge._facts import TaskFacts, authorised
from stopcheck.judge._reading import Reading
from stopcheck.judge.checks._answers import shown_record, told
from stopcheck.judge.checks._readings import ReadingCheck, several

_ANSWERED = (Accepted, ExistingRecord, Widened, Tombstoned)


class CausesAreKept(ReadingCheck):
    """A record names the causes with which its task was cancelled and no other, the later ones too.

    Repeats of one cause may be folded into one. A deadline that passes on a stopped task may be kept or not. A pass
    says nothing of causes that nobody was told of."""

    name: ClassVar[str] = "causes-are-kept"
    clauses: ClassVar[tuple[str, ...]] = ("REC-8",)

    def on_reading(self, reading: Reading) -> None:
        """The record that an account shows, against all that was asked."""
        record = reading.snapshot.record
        if record is not None:
            self._confused(reading.deed, record)
        if record is not None and record.task == reading.task.ref:
            self._lost(reading, record)

    def on_deed(self, deed: Deed) -> None:
        """A record that any other answer shows."""
        record = shown_record(deed.reply)
        if record is None:
            return
        request = deed.request
        first = record.causes[0].cause if record.causes else None
        if isinstance(request, RequestCancel) and isinstance(deed.reply, Accepted) and first is not request.cause:
            self._told(deed, record, f"which it accepted with cause {request.cause}")
        else:
            self._confused(deed, record)

    # -- none that was not asked for -----------------------------------------------------------------------

    def _confused(self, deed: Deed, record: CancellationRecord) -> None:
        task = self.facts.tasks.get(record.task)
        if task is None:
            return
        asked = list(self._asked(task))
        for entry in record.causes:
            named = [request.cause for request in asked if request.request_id == entry.request_id]
            if named and entry.cause not in named and not self._inherited(task, entry):
                self._told(deed, record, f"in which {entry.request_id}, asked with cause {several(_names(named))}")
            elif not named and not self._possible(task, entry, asked):
                self._told(deed, record, f"though nothing cancelled it with cause {entry.cause}")

    def _asked(self, task: TaskFacts) -> Iterator[RequestCancel]:
        """The authorised stops of the task that were begun."""
        for deed in self.facts.book.deeds("request_cancel", task.ref):
            if isinstance(deed.request, RequestCancel) and authorised(deed.request):
                yield deed.request

    def _inherited(self, task: TaskFacts, entry: CauseEntry) -> bool:
        """Whether it came down from an owner, which was stopped under that request id too."""
        asked = (request.request_id for owner in self.facts.ancestors(task.ref) for request in self._asked(owner))
        return entry.cause is Cause.PARENT and entry.request_id in asked

    def _possible(self, task: TaskFacts, entry: CauseEntry, asked: list[RequestCancel]) -> bool:
        """Whether the cause may be a cancellation that was not asked for under this request id: the gate's own, or
        one that came down from an owner."""
        owners = list(self.facts.ancestors(task.ref))
        causes = [request.cause for request in asked]
        causes += [request.cause for owner in owners for request in self._asked(owner)]
        if entry.cause in causes:
            return True
        if entry.cause is Cause.DEADLINE:
            return task.deadline
        if entry.cause is Cause.PARENT:
            return bool(owners) or task.shared
        return entry.cause is Cause.POLICY and (bool(owners) or task.shared)

    # -- all that were -------------------------------------------------------------------------------------

    def _lost(self, reading: Reading, record: CancellationRecord) -> None:
        answered = [
            deed.request
            for deed in reading.deeds("request_cancel")
            if isinstance(deed.reply, _ANSWERED) and reading.must(deed)
        ]
        wanted = list(dict.fromkeys(request.cause for request in answered if isinstance(request, RequestCancel)))
        kept = [entry.cause for entry in record.causes]
        if len(dict.fromkeys((*wanted, *kept))) > 1:
            self.exercised("REC-8")
        lost = [cause for cause in wanted if cause not in kept]
        if lost:
            self._told(reading.deed, record, f"without {several(_names(lost))}, with which it had been cancelled too")

    def _told(self, deed: Deed, record: CancellationRecord, what: str) -> None:
        kept = several(_names([entry.cause for entry in record.causes]))
        self.violated(
            "REC-8",
            f"{deed.operation} (call {deed.call_id}) was answered with the record {told(record)} of cause {kept}, "
            f"{what}; causes are kept, the later ones appended, and never confused",
        )


class NoCancellationAtAll(ReadingCheck):
    """A pause, a shutdown or a crash leaves a task without a record, and work that was suspended goes on only where
    nobody stopped it meanwhile.

    A pass says nothing of tasks that something else may have cancelled."""

    name: ClassVar[str] = "no-cancellation-at-all"
    clauses: ClassVar[tuple[str, ...]] = ("REC-8",)

    def on_reading(self, reading: Reading) -> None:
        """Accounts of tasks that nothing may have cancelled."""
        task, record = reading.task, reading.snapshot.record
        happened = self._happened(task)
        if not happened or self.facts.may_be_ended_from_outside(task.ref):
            return
        if task.halted:
            self.exercised("REC-8")
        if record is not None:
            self.breaks(
                "REC-8",
                f"{reading.name} is shown with the record {told(record)}, though nobody cancelled it: there was only "
                f"{several(happened)}; that is no cancellation and makes no record",
            )

    def _happened(self, task: TaskFacts) -> list[str]:
        """What there was that could be mistaken for a cancellation."""
        halts = [d.request.halt for d in self.facts.book.deeds("suspend", task.ref) if isinstance(d.request, Suspend)]
        return [*(f"a {halt}" for halt in halts), *(["a crash"] if self.facts.deaths else [])]

    def on_deed(self, deed: Deed) -> None:
        """Resumptions of what is known to be stopped."""
        record = deed.cut_off
        if record is None or not isinstance(deed.request, Resume):
            return
        if isinstance(deed.reply, Done | Stopped):
            self.exercised("REC-8")
        if isinstance(deed.reply, Done):
            self.violated(
                "REC-8",
                f"resume (call {deed.call_id}) of {deed.request.task.task_id} was answered Done, although "
                f"{told(record)} had been shown before; a stop outranks automatic resumption",
            )


def _names(causes: list[Cause]) -> list[str]:
    return [cause.value for cause in causes]


CHECKS: tuple[type[Check], ...] = (CausesAreKept, NoCancellationAtAll)

__all__ = ["CHECKS"]
