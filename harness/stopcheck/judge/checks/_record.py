"""Checks of REC: the cancellation record as callers were shown it, over time, across handles and across deaths.

One idea: the record only grows. What is shown by a call that began after an older version was shown must contain that
version, whoever asks, through whichever handle, before or after the gate's death. Overlapping calls may show either
version, but never two that do not fit each other.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import (
    CANCELLED_STATES,
    EXECUTION_EDGES,
    Accepted,
    Admitted,
    CancellationRecord,
    Cause,
    Done,
    LeaseGranted,
    RefusalReason,
    Refused,
    Renewed,
    RequestCancel,
    RetryFired,
    Right,
    Scope,
    Snapshot,
    StartChild,
    Tombstoned,
    Won,
)
from stopcheck.judge._checks import Check
from stopcheck.judge._facts import Call, TaskFacts, authorised
from stopcheck.judge._wording import label
from stopcheck.judge.checks._answers import AnswerCheck, answer, shown_record, told


def incomplete(record: CancellationRecord) -> str:
    """What a record lacks of requester, revision, scope and reason; empty if it is full."""
    if not record.record_id:
        return "no id"
    if not record.causes:
        return "no cause"
    asked = [cause for cause in record.causes if cause.cause is Cause.USER]
    if any(not cause.requester for cause in asked):
        return "a user's cause without a requester"
    return "a user's cause without its request" if any(not cause.request_id for cause in asked) else ""


def rewritten(old: CancellationRecord, new: CancellationRecord) -> str:
    """How ``new`` fails to contain ``old``; empty if it only grew."""
    if new.record_id != old.record_id:
        return f"another record, {new.record_id} instead of {old.record_id}"
    if new.revision != old.revision:
        return f"revision {new.revision} instead of {old.revision}"
    if new.causes[: len(old.causes)] != old.causes:
        return f"{len(new.causes)} causes that do not begin with the {len(old.causes)} that were shown"
    if old.scope is Scope.SUBTREE and new.scope is Scope.TASK:
        return "scope task after scope subtree"
    if old.subtree_revision not in (None, new.subtree_revision):
        return f"subtree revision {new.subtree_revision} instead of {old.subtree_revision}"
    return ""


def unaware(call: Call) -> str:
    """How an answer shows that the gate did not see the covering cancellation that was known; empty if it may have."""
    reply, cut_off = call.reply, call.cut_off
    if cut_off is None:
        return ""
    own = cut_off.task == call.request.ref
    if isinstance(reply, Snapshot):
        return "it shows no record" if own and reply.record is None else ""
    if isinstance(reply, Accepted):
        return "a second record was accepted" if own else ""
    if isinstance(reply, Done):
        started = isinstance(call.request, StartChild) and cut_off.scope is Scope.SUBTREE
        return "a child was let in" if call.operation == "register_child" or started else ""
    return "ordinary work went on" if isinstance(reply, Admitted | LeaseGranted | RetryFired | Won | Renewed) else ""


class RecordIsFull(AnswerCheck):
    """An accepted record names who asked, at which revision, with which scope and for what reason.

    A pass does not prove that the requester is authentic: it is compared with what the request said."""

    name: ClassVar[str] = "record-is-full"
    clauses: ClassVar[tuple[str, ...]] = ("REC-1",)

    def on_answer(self, call: Call) -> None:
        """The accepted one against its request, any other for what it lacks."""
        record = shown_record(call.reply)
        if record is None:
            return
        lack = incomplete(record)
        request = call.request
        accepted = isinstance(call.reply, Accepted | Tombstoned) and call.known.record(record.task) is None
        if not lack and accepted and isinstance(request, RequestCancel):
            self.exercised("REC-1")
            lack = self._differs(record, request) if isinstance(call.reply, Accepted) else ""
        if lack:
            self.violated("REC-1", f"{answer(call)} with the record {told(record)}, which has {lack}")

    def _differs(self, record: CancellationRecord, request: RequestCancel) -> str:
        first = record.causes[0]
        if request.caller.principal not in first.requester:
            return f"the requester {first.requester!r} where {request.caller.principal!r} asked"
        if request.reason not in first.reason:
            return f"the reason {first.reason!r} where {request.reason!r} was given"
        if record.task != request.ref:
            return f"the task {label(record.task)}"
        if record.scope is not request.scope:
            return f"the scope {record.scope.value} where {request.scope.value} was asked for"
        return ""


class RecordSurvives(AnswerCheck):
    """After a stop was answered with the record, the record is there after every death of the gate.

    A pass says nothing of kinds of death that were not tried: the verdict names those that were."""

    name: ClassVar[str] = "record-survives-death"
    clauses: ClassVar[tuple[str, ...]] = ("REC-2",)
    operations: ClassVar[frozenset[str]] = frozenset(("inspect", "request_cancel"))

    def on_answer(self, call: Call) -> None:
        """What a call shows that began after the death."""
        task = self.facts.tasks.get(call.request.ref) if call.request.ref is not None else None
        if task is None or not 0 <= task.answered_generation < call.generation:
            return
        caller = call.request.caller
        right = Right.INSPECT if call.operation == "inspect" else Right.STOP
        if caller.tenant != task.ref.key.tenant or right not in caller.rights:
            return
        known = call.known.record(task.ref)
        if known is None:
            return
        self.exercised("REC-2")
        reply, shown = call.reply, shown_record(call.reply)
        if isinstance(reply, Refused) and reply.reason is RefusalReason.UNKNOWN:
            self._gone(call, task, known, "the task is unknown")
        elif isinstance(reply, Snapshot) and shown is None:
            self._gone(call, task, known, "it shows no record")
        elif shown is not None and shown.task == task.ref and shown.record_id != known.record_id:
            self._gone(call, task, known, f"there is another record, {told(shown)}")

    def _gone(self, call: Call, task: TaskFacts, known: CancellationRecord, how: str) -> None:
        self.violated(
            "REC-2",
            f"a stop of {label(task.ref)} was answered with the record {told(known)}; after the gate died, "
            f"{answer(call)}: {how}. An accepted record survives the gate's death",
        )


class RecordOnlyGrows(AnswerCheck):
    """Versions of a record that are shown over time keep id, revision and causes, and its scope never narrows.

    A pass says nothing of what is stored and never shown."""

    name: ClassVar[str] = "record-only-grows"
    clauses: ClassVar[tuple[str, ...]] = ("REC-3",)

    def on_answer(self, call: Call) -> None:
        """Against the newest version that was shown before the call began, and against all others."""
        record = shown_record(call.reply)
        if record is not None:
            self._compare(call, record)
        elif isinstance(call.reply, Snapshot) and (known := call.known.record(call.request.ref)) is not None:
            self.exercised("REC-3")
            self.violated("REC-3", f"{answer(call)} without a record, though {told(known)} was shown: it was erased")

    def _compare(self, call: Call, record: CancellationRecord) -> None:
        before = call.known.record(record.task)
        if before is not None:
            self.exercised("REC-3")
            self._told(call, before, record, rewritten(before, record))
        task = self.facts.tasks.get(record.task)
        for other in task.record_versions if task is not None else ():
            if rewritten(other, record) and rewritten(record, other):
                self._told(call, other, record, rewritten(other, record))

    def _told(self, call: Call, old: CancellationRecord, new: CancellationRecord, how: str) -> None:
        if how:
            self.violated(
                "REC-3",
                f"{answer(call)} with the record {told(new)}, though {told(old)} was shown: {how}. A record is never "
                f"erased, narrowed or rewritten",
            )


class ExecutionMoves(AnswerCheck):
    """Execution states shown one after the other follow the contract's edges; overlapping readings must at least fit.

    A pass says nothing of states that no ``inspect`` saw."""

    name: ClassVar[str] = "execution-moves-forward"
    clauses: ClassVar[tuple[str, ...]] = ("REC-4",)
    operations: ClassVar[frozenset[str]] = frozenset(("inspect",))

    def on_answer(self, call: Call) -> None:
        """Against what had been shown when the call began, and against the furthest state shown at all."""
        reply = call.reply
        task = self.facts.tasks.get(call.request.ref) if call.request.ref is not None else None
        if not isinstance(reply, Snapshot) or task is None or task.execution is None:
            return
        before, now, furthest = call.known.execution, reply.execution, task.execution
        if before is not None:
            self.exercised("REC-4")
            if now is not before and now not in EXECUTION_EDGES[before]:
                self._told(call, task, f"{now.value} after {before.value} had been shown")
                return
        fits = now is furthest or now in EXECUTION_EDGES[furthest] or furthest in EXECUTION_EDGES[now]
        if not fits:
            self._told(call, task, f"{now.value} where {furthest.value} was shown to another caller")

    def _told(self, call: Call, task: TaskFacts, what: str) -> None:
        self.violated("REC-4", f"{answer(call)} for {label(task.ref)}: {what}. No edge of the contract leads there")


class WholeOrNone(AnswerCheck):
    """A stop whose answer a death swallowed left a full record or none, and stops after it yield exactly one.

    A pass says nothing of deaths at moments that were not tried."""

    name: ClassVar[str] = "stop-cut-by-death"
    clauses: ClassVar[tuple[str, ...]] = ("REC-5",)
    operations: ClassVar[frozenset[str]] = frozenset(("inspect", "request_cancel"))

    def on_answer(self, call: Call) -> None:
        """What is there after the death."""
        task = self.facts.tasks.get(call.request.ref) if call.request.ref is not None else None
        if task is None or not task.doubtful_stops:
            return
        record, reply = shown_record(call.reply), call.reply
        if isinstance(reply, Snapshot):
            self.exercised("REC-5")
            if record is None and reply.execution in CANCELLED_STATES and not task.deadline:
                self._told(task, f"{answer(call)}: {reply.execution.value}, and no record. That is half a cancellation")
            elif record is not None and (lack := incomplete(record)):
                self._told(task, f"{answer(call)} with a record that has {lack}. That is half a record")
        elif isinstance(call.request, RequestCancel) and authorised(call.request) and record is not None:
            self.exercised("REC-5")
            ids = list(dict.fromkeys(version.record_id for version in task.record_versions))
            if len(ids) > 1:
                self._told(
                    task, f"the retry left {len(ids)} records ({', '.join(ids)}) where there must be exactly one"
                )

    def _told(self, task: TaskFacts, what: str) -> None:
        self.violated("REC-5", f"the gate died under a stop of {label(task.ref)}; afterwards {what}")


class AnyHandle(AnswerCheck):
    """What one handle accepted, the other sees: the durable record decides, whichever replica made it.

    A pass needs runs with two handles. It says nothing of signals: these only hasten."""

    name: ClassVar[str] = "seen-through-the-other-handle"
    clauses: ClassVar[tuple[str, ...]] = ("REC-7",)
    operations: ClassVar[frozenset[str]] = frozenset(
        (
            "inspect",
            "begin_work",
            "fire_retry",
            "renew_lease",
            "commit_effect",
            "complete",
            "fail",
            "request_cancel",
            "register_child",
            "start_child",
        )
    )

    def on_answer(self, call: Call) -> None:
        """Only answers through another handle than the one that showed the record first."""
        cut_off = call.cut_off
        task = self.facts.tasks.get(cut_off.task) if cut_off is not None else None
        if cut_off is None or task is None or task.record_handle == call.handle or isinstance(call.reply, Refused):
            return
        self.exercised("REC-7")
        how = unaware(call)
        if how:
            self.violated(
                "REC-7",
                f"handle {task.record_handle} had answered with the record {told(cut_off)}, then handle {call.handle} "
                f"did not see it: {answer(call)}, and {how}",
            )


CHECKS: tuple[type[Check], ...] = (
    RecordIsFull,
    RecordSurvives,
    RecordOnlyGrows,
    ExecutionMoves,
    WholeOrNone,
    AnyHandle,
)

__all__ = ["CHECKS", "incomplete", "rewritten", "unaware"]
