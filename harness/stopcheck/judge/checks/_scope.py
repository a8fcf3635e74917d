"""Checks of SCOPE: whom a cancellation names, who may ask for it, and how far it reaches.

One idea: a record on a task must have been *asked for*. Where nobody with the right to do so began a stop that reaches
the task, and it has no deadline, a user's or parent's record on it is a stop that went astray; which clause it breaks
depends on where the stop was meant to go.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import (
    Accepted,
    Admitted,
    BadEvidence,
    CancellationRecord,
    Cause,
    EarlyStop,
    Execution,
    ExistingRecord,
    LeaseGranted,
    NotAdmitted,
    Recalled,
    Refused,
    RequestCancel,
    Retry,
    Scope,
    Snapshot,
    TaskRef,
    Tombstoned,
    Unsupported,
    Widened,
    rights_for,
)
from stopcheck.judge._checks import Check
from stopcheck.judge._facts import Call, TaskFacts, authorised
from stopcheck.judge._rights import STOPS, has_right
from stopcheck.judge._wording import label
from stopcheck.judge.checks._answers import AnswerCheck, answer, of_the_second, shown_record, told

_ASKED_FOR = (Cause.USER, Cause.PARENT)


class _Astray(AnswerCheck):
    """Base: a record that nobody asked for on this task, or none shown where one could have gone astray."""

    def astray(self, call: Call) -> CancellationRecord | None:
        """The record that the answer shows on a task that no stop reaches."""
        ref, record = call.request.ref, shown_record(call.reply)
        if ref is None or record is None or self.facts.prompted(ref) or self.facts.given_up(ref):
            return None
        asked_for = bool(record.causes) and record.causes[0].cause in _ASKED_FOR
        return record if asked_for and not of_the_second(self.facts, call.request, record) else None

    def incarnation_stopped(self, ref: TaskRef) -> bool:
        """Whether a stop of another incarnation of the same task was begun."""
        tasks = self.facts.tasks.values()
        return any(task.stops for task in tasks if task.ref.key == ref.key and task.ref != ref)


class OtherIncarnation(_Astray):
    """A stop of one incarnation leaves the others of the same task id without a record and able to work.

    A pass says nothing of traces other than a record (a worker's session, say), nor of stops that came before the newer
    incarnation existed."""

    name: ClassVar[str] = "stop-of-another-incarnation"
    clauses: ClassVar[tuple[str, ...]] = ("SCOPE-2",)

    def on_answer(self, call: Call) -> None:
        """Look at whatever shows a record, or could have."""
        ref = call.request.ref
        if ref is None or call.request.caller.tenant != ref.key.tenant:
            return
        record = shown_record(call.reply)
        if call.operation == "request_cancel":
            self._named(call, ref, record)
        elif self.incarnation_stopped(ref) and not self.facts.prompted(ref):
            self._newer(call, ref)

    def _named(self, call: Call, ref: TaskRef, record: CancellationRecord | None) -> None:
        if record is not None and record.task.key == ref.key and record.task != ref:
            self.violated(
                "SCOPE-2",
                f"a stop of {label(ref)} (call {call.call_id}) was answered with the record {told(record)}, which is "
                f"one of another incarnation; a stop touches only the incarnation that it names",
            )

    def _newer(self, call: Call, ref: TaskRef) -> None:
        record = self.astray(call)
        if record is not None:
            self.violated(
                "SCOPE-2",
                f"{answer(call)} with the record {told(record)}, though only another incarnation of "
                f"{ref.key.task_id} was stopped; {label(ref)} must show no record and be able to work",
            )
        elif call.operation in ("inspect", "begin_work", "commit_effect"):
            self.exercised("SCOPE-2")


class RefusedStop(_Astray):
    """A stop whose caller has no right to it is refused, and no record of the task ever shows its request.

    A pass does not prove that nothing else changed (a counter, a notification), nor that authentication itself is
    sound: callers come authenticated."""

    name: ClassVar[str] = "stop-without-authority"
    clauses: ClassVar[tuple[str, ...]] = ("SCOPE-3",)

    def on_answer(self, call: Call) -> None:
        """The stop's own answer, and every record shown later."""
        request = call.request
        if isinstance(request, RequestCancel) and not authorised(request):
            self.exercised("SCOPE-3")
            if not isinstance(call.reply, Refused):
                caller = request.caller
                self.violated(
                    "SCOPE-3",
                    f"a stop of a task of tenant {request.task.tenant!r} by {caller.principal!r} of tenant "
                    f"{caller.tenant!r} with the rights {[right.value for right in caller.rights]} "
                    f"(call {call.call_id}) was answered {type(call.reply).__name__}; it must be refused",
                )
            return
        task = self.facts.tasks.get(request.ref) if request.ref is not None else None
        if task is not None and task.foreign_stop_ids:
            self._later(call, task)

    def _later(self, call: Call, task: TaskFacts) -> None:
        record = shown_record(call.reply)
        if record is None:
            return
        forbidden = [i for i in task.foreign_stop_ids if i not in task.stop_ids]
        seen = [cause.request_id for cause in record.causes if cause.request_id in forbidden]
        if seen or (self.astray(call) is not None and not self.incarnation_stopped(task.ref)):
            self.violated(
                "SCOPE-3",
                f"{answer(call)} with the record {told(record)}, though nobody with the right to stop "
                f"{label(task.ref)} asked for it (without authority did: {', '.join(forbidden)}); a refused stop "
                f"leaves the task as it was",
            )


class OneRecord(AnswerCheck):
    """Every stop of one incarnation is answered with one record: one id, one revision, accepted once, widened once.

    A pass does not prove that a second shutdown was not begun inside the gate, only that none was told. Overlapping
    stops are put in order by the linearisability check."""

    name: ClassVar[str] = "one-record-per-incarnation"
    clauses: ClassVar[tuple[str, ...]] = ("SCOPE-4",)
    operations: ClassVar[frozenset[str]] = frozenset(("request_cancel",))

    def on_answer(self, call: Call) -> None:
        """Compare with what was told before."""
        reply, request = call.reply, call.request
        task = self.facts.tasks.get(request.ref) if request.ref is not None else None
        record = shown_record(reply)
        if task is None or record is None or record.task != task.ref or not isinstance(request, RequestCancel):
            return
        if not isinstance(reply, Accepted) or call.known.record(task.ref) is not None:
            self.exercised("SCOPE-4")
        first = task.record_versions[0]
        if (record.record_id, record.revision) != (first.record_id, first.revision):
            self._broken(call, f"but {told(first)} is the record of that incarnation", record)
        if isinstance(reply, Accepted) and task.accepted > 1:
            self._broken(call, f"the {task.accepted}. stop to be accepted: a second shutdown", record)
        if isinstance(reply, Widened):
            self._widened(call, task, request, record)
        elif request.scope is Scope.SUBTREE and record.scope is Scope.TASK and Scope.SUBTREE in self.contract.scopes:
            self._broken(call, "though scope subtree was asked for: the record must be widened", record)

    def _widened(self, call: Call, task: TaskFacts, request: RequestCancel, record: CancellationRecord) -> None:
        if task.widened > 1:
            self._broken(call, "though it had been widened before", record)
        if request.scope is Scope.TASK or (record.causes and record.causes[0].scope is Scope.SUBTREE):
            self._broken(call, "though there was nothing to widen", record)
        if record.scope is not Scope.SUBTREE or record.subtree_revision is None:
            self._broken(call, "which does not reach the subtree", record)
        elif record.subtree_revision <= record.revision:
            self._broken(
                call,
                f"whose descendants are cut off from revision {record.subtree_revision}, not from one of its own",
                record,
            )

    def _broken(self, call: Call, why: str, record: CancellationRecord) -> None:
        self.violated("SCOPE-4", f"{answer(call)} with the record {told(record)}, {why}; repeats share one record")


class Reach(_Astray):
    """Scope ``task`` leaves descendants alone, ``subtree`` reaches every owned one, and neither reaches anything else.

    A pass says nothing of descendants that no call concerned after the cutoff. Whether children out of scope held up
    settling is only judged where the gate itself shows everything else as accounted for."""

    name: ClassVar[str] = "reach-of-a-stop"
    clauses: ClassVar[tuple[str, ...]] = ("SCOPE-5",)
    operations: ClassVar[frozenset[str]] = frozenset(("inspect", "begin_work", "commit_effect", "complete"))

    def on_answer(self, call: Call) -> None:
        """What reached too far, and what did not reach far enough."""
        ref, cut_off = call.request.ref, call.cut_off
        if ref is None or ref not in self.facts.tasks or call.request.caller.tenant != ref.key.tenant:
            return
        if self._elsewhere(ref) is not None:
            self._spared(call, ref)
        elif cut_off is not None and cut_off.task != ref and self.facts.prompted(ref):
            self._covered(call, ref, cut_off)

    def _elsewhere(self, ref: TaskRef) -> CancellationRecord | None:
        """A known record that was meant for a task with another id, and does not reach this one."""
        if self.facts.prompted(ref) or self.facts.tasks[ref].shared:
            return None
        tasks = self.facts.tasks.values()
        return next((t.record for t in tasks if t.record is not None and t.ref.key != ref.key), None)

    def _covered(self, call: Call, ref: TaskRef, cut_off: CancellationRecord) -> None:
        self.exercised("SCOPE-5")
        if isinstance(call.reply, LeaseGranted | Admitted):
            self.violated(
                "SCOPE-5",
                f"{answer(call)} on {label(ref)}, which is owned by the stopped {label(cut_off.task)}; scope subtree "
                f"covers every owned task at every depth",
            )

    def _spared(self, call: Call, ref: TaskRef) -> None:
        record = self.astray(call)
        task = self.facts.tasks[ref]
        if record is None:
            self.exercised("SCOPE-5")
        elif not self.incarnation_stopped(ref) and not task.foreign_stop_ids:
            self.violated(
                "SCOPE-5",
                f"{answer(call)} with the record {told(record)}, though nobody asked for a stop that reaches "
                f"{label(ref)}",
            )

    def at_rest(self) -> None:
        """Children out of scope do not hold up settling."""
        ticked = self.facts.ticked
        if ticked is None or ticked.next_wake_ns is not None:
            return
        for (_, ref), account in self.facts.accounts.items():
            record = account.record
            if record is None or record.task != ref or record.scope is not Scope.TASK or account.execution in _OVER:
                continue
            waiting = [child for child in account.children if not child.stage.terminal]
            workers = all(worker.stopped or worker.fenced for worker in account.stopping.workers)
            if waiting and workers and all(effect.disposition.definitive for effect in account.effects):
                self.violated(
                    "SCOPE-5",
                    f"{label(ref)} is {account.execution.value} at rest although its workers are stopped or fenced and "
                    f"its effects definitive; its children "
                    f"({', '.join(label(child.child) for child in waiting)}) are out of scope and must not hold it up",
                )


_OVER = (Execution.CANCELLED_SETTLED, Execution.COMPLETED, Execution.FAILED)


class EarlyStopKept(AnswerCheck):
    """A stop of a task that is not open is answered as the gate declares; after a durable one the task never starts.

    A pass says nothing of a stop that raced with the opening: either order is right there."""

    name: ClassVar[str] = "stop-before-start"
    clauses: ClassVar[tuple[str, ...]] = ("SCOPE-6",)
    operations: ClassVar[frozenset[str]] = frozenset(("request_cancel", "begin_work", "commit_effect", "inspect"))

    def on_answer(self, call: Call) -> None:
        """The stop's own answer, and what the task is able to do afterwards."""
        request = call.request
        task = self.facts.tasks.get(request.ref) if request.ref is not None else None
        if task is None:
            return
        if isinstance(request, RequestCancel):
            if authorised(request) and not task.opening and request.scope in self.contract.scopes:
                self._early(call, task)
            return
        record = call.known.record(task.ref)
        if record is not None and not call.known.leased and not task.won:
            self._never_started(call, task, record)

    def _early(self, call: Call, task: TaskFacts) -> None:
        self.exercised("SCOPE-6")
        kept = isinstance(call.reply, Tombstoned | Accepted | ExistingRecord | Widened)
        wanted = "keep it durably" if self.contract.early_stop is EarlyStop.TOMBSTONE else "refuse it"
        right = kept if self.contract.early_stop is EarlyStop.TOMBSTONE else isinstance(call.reply, Refused)
        if not right:
            self.violated(
                "SCOPE-6",
                f"a stop of {label(task.ref)}, which is not open, (call {call.call_id}) was answered "
                f"{type(call.reply).__name__}; the gate declares that it will {wanted}",
            )

    def _never_started(self, call: Call, task: TaskFacts, record: CancellationRecord) -> None:
        if call.operation != "inspect":
            self.exercised("SCOPE-6")
        lost = isinstance(call.reply, Snapshot) and call.reply.record is None
        if lost or isinstance(call.reply, LeaseGranted | Admitted):
            what = "without a record" if lost else f"on {label(task.ref)}"
            self.violated(
                "SCOPE-6",
                f"{answer(call)} {what} although {told(record)} came before any worker began; the task must never "
                f"start",
            )


class Tenants(AnswerCheck):
    """A caller of another tenant is refused whatever it asks.

    Nor does a caller's own task show what tasks of another tenant hold. Stops are looked at by
    ``stop-without-authority``. A pass says nothing of what a refusal's timing or detail gives away."""

    name: ClassVar[str] = "another-tenants-call"
    clauses: ClassVar[tuple[str, ...]] = ("SCOPE-9",)

    def on_answer(self, call: Call) -> None:
        """Anything but a refusal, or an answer that knows nothing, is too much."""
        request = call.request
        if isinstance(call.reply, Recalled):
            self._shown(call, call.reply)
        elif isinstance(call.reply, Snapshot) and request.caller.tenant == request.task.tenant:
            self._looked(call, call.reply)
        own = request.caller.tenant == request.task.tenant
        if own or call.operation in ("tick", "request_cancel") or isinstance(call.reply, Unsupported | Retry):
            return
        self.exercised("SCOPE-9")
        if not isinstance(call.reply, Refused | NotAdmitted | BadEvidence):
            self.violated(
                "SCOPE-9",
                f"{answer(call)} to {request.caller.principal!r} of tenant {request.caller.tenant!r} on "
                f"{request.task.task_id} of tenant {request.task.tenant!r}; another tenant's call must be refused",
            )

    def _looked(self, call: Call, reply: Snapshot) -> None:
        asked, shown = call.request.task, reply.task.key
        if shown.tenant != asked.tenant:
            self.violated(
                "SCOPE-9",
                f"{answer(call)} on {asked.task_id} of tenant {asked.tenant!r} with the account of "
                f"{label(reply.task)} of tenant {shown.tenant!r}",
            )

    def _shown(self, call: Call, reply: Recalled) -> None:
        tenant = call.request.task.tenant
        for held in reply.results:
            if held.task.key.tenant != tenant:
                self.violated(
                    "SCOPE-9",
                    f"{answer(call)} for tenant {tenant!r} with {held.result_digest!r} of {label(held.task)}, which "
                    f"belongs to tenant {held.task.key.tenant!r}; what tasks share, they share in their tenant",
                )


class RightIsAskedFor(AnswerCheck):
    """A caller of the tenant without the right that an operation takes is refused.

    Stops, forced ones included, are looked at by ``stop-without-authority`` and ``right-is-checked-for-each-run``. A
    pass is about callers who have no right at all, and about such as have each but those that the operation takes."""

    name: ClassVar[str] = "right-is-asked-for"
    clauses: ClassVar[tuple[str, ...]] = ("SCOPE-9",)

    def on_answer(self, call: Call) -> None:
        """Callers of another tenant are looked at by ``another-tenants-call``."""
        caller, reply = call.request.caller, call.reply
        own = caller.tenant == call.request.task.tenant
        if not own or has_right(call.request) or call.operation in STOPS or isinstance(reply, Unsupported | Retry):
            return
        self.exercised("SCOPE-9")
        if not isinstance(reply, Refused):
            wanted = " or ".join(right.value for right in rights_for(call.request))
            self.violated(
                "SCOPE-9",
                f"{answer(call)} to {caller.principal!r} of the same tenant without the right {wanted}, which it "
                f"takes; such a call must be refused",
            )


CHECKS: tuple[type[Check], ...] = (
    OtherIncarnation,
    RefusedStop,
    OneRecord,
    Reach,
    EarlyStopKept,
    Tenants,
    RightIsAskedFor,
)

__all__ = ["CHECKS"]
