"""Checks of REC-6: the record lives at least as long as the gate declares.

One idea: until its retention ends a record is there whatever came over it: that it was read, that many others were made
since, that somebody cleaned up. And its age is counted on the gate's own clock alone.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import (
    CANCELLED_STATES,
    Accepted,
    CancellationRecord,
    RefusalReason,
    Refused,
    RequestCancel,
    Right,
    TaskRef,
)
from stopcheck.judge._checks import Check
from stopcheck.judge._facts import Call
from stopcheck.judge._wording import label, seconds
from stopcheck.judge.checks._answers import AnswerCheck, answer, shown_record, told
from stopcheck.judge.checks._record import unaware

#: So many other records are a crowd: a gate that keeps only the newest few would have dropped the first.
CROWD = 8
_RIGHTS = {"inspect": Right.INSPECT, "request_cancel": Right.STOP}


class LivesItsRetention(AnswerCheck):
    """A record that was shown is there until its declared retention, counted from the cutoff, has ended.

    A pass is about as many other records, and as much time, as a scenario brought about."""

    name: ClassVar[str] = "lives-its-retention"
    clauses: ClassVar[tuple[str, ...]] = ("REC-6",)

    def on_answer(self, call: Call) -> None:
        """Whatever shows the record, or that there is none."""
        ref = call.request.ref
        known = call.known.record(ref)
        if ref is None or known is None or not known.causes:
            return
        if self.facts.now_ns >= known.causes[0].at_ns + self.contract.retention_ns:
            return
        since = self._came_over(call, ref, known)
        if not since:
            return
        gone = self._gone(call, ref, known)
        if call.operation in _RIGHTS or gone:
            self.exercised("REC-6")
        if gone:
            ends_ns = known.causes[0].at_ns + self.contract.retention_ns
            self.violated(
                "REC-6",
                f"{answer(call)}: {gone}, though {told(known)} of {label(ref)} is to be kept until "
                f"{seconds(ends_ns)}, and "
                f"this was at {seconds(self.facts.now_ns)}. Since then {', '.join(since)}; nothing of that removes a "
                f"record",
            )

    def _came_over(self, call: Call, ref: TaskRef, known: CancellationRecord) -> list[str]:
        """What may have removed the record of a gate that does not keep it."""
        came: list[str] = []
        if call.known.execution in CANCELLED_STATES:
            came.append("it was read")
        others = sum(1 for task in self.facts.tasks.values() if task.record is not None and task.ref != ref)
        if others >= CROWD:
            came.append(f"{others} others were made")
        if call.request.now_ns >= known.causes[0].at_ns + self.contract.retention_ns // 2:
            came.append("most of its retention passed")
        return came

    def _gone(self, call: Call, ref: TaskRef, known: CancellationRecord) -> str:
        caller, reply = call.request.caller, call.reply
        rightful = caller.tenant == ref.key.tenant and _RIGHTS.get(call.operation) in caller.rights
        if isinstance(reply, Refused) and reply.reason is RefusalReason.UNKNOWN and rightful:
            return "the task is unknown"
        shown = shown_record(reply)
        if shown is not None and shown.task == ref and shown.record_id != known.record_id:
            return f"it shows another record, {shown.record_id}"
        return unaware(call)


class NoForeignClock(AnswerCheck):
    """An accepted stop is dated by the gate's clock, within the call, whatever the requester's own clock says.

    A pass says nothing of clocks of which the gate is not told."""

    name: ClassVar[str] = "no-foreign-clock"
    clauses: ClassVar[tuple[str, ...]] = ("REC-6",)
    operations: ClassVar[frozenset[str]] = frozenset(("request_cancel",))

    def on_answer(self, call: Call) -> None:
        """Only stops that came with a clock of their own."""
        request, reply = call.request, call.reply
        if not isinstance(request, RequestCancel) or request.requested_ns is None or not isinstance(reply, Accepted):
            return
        mine = [cause for cause in reply.record.causes if cause.request_id == request.request_id]
        if not mine:
            return
        self.exercised("REC-6")
        if not request.now_ns <= mine[0].at_ns <= self.facts.now_ns:
            self.violated(
                "REC-6",
                f"{answer(call)} with the record {told(reply.record)}, dated {seconds(mine[0].at_ns)}, though the "
                f"call was "
                f"made at {seconds(request.now_ns)}; its requester's clock said {seconds(request.requested_ns)}, and "
                f"no foreign "
                f"clock orders a record",
            )


CHECKS: tuple[type[Check], ...] = (LivesItsRetention, NoForeignClock)

__all__ = ["CHECKS"]
