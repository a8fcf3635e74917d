"""Checks of DDL: a lifetime only shrinks on its way down, and its end is a cancellation.

One idea: each task's deadline lies between two bounds that follow from what was asked and answered. A child that is
shown a later one outlives somebody; ordinary work that begins after the later bound outlives its own task. Only gates
that declare ``deadlines`` are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from stopcheck.gate import (
    Admitted,
    CancellationRecord,
    Capability,
    Cause,
    Done,
    Execution,
    LeaseGranted,
    NoTime,
    RegisterChild,
    Renewed,
    RetryFired,
    Snapshot,
    StartChild,
    Stopped,
    Taken,
    UseGrant,
    Won,
)
from stopcheck.judge._checks import Check
from stopcheck.judge._facts import Call, TaskFacts, authorised
from stopcheck.judge._wording import deadline, label, seconds
from stopcheck.judge.checks._answers import AnswerCheck, answer, shown_record, told

_WORK = (Admitted, LeaseGranted, Renewed, RetryFired, Taken, Won)
_OVER = (Execution.COMPLETED, Execution.FAILED)


class _Lifetimes(AnswerCheck):
    """Base: only for gates with deadlines, and with the task that a call names."""

    def on_answer(self, call: Call) -> None:
        """Pass on what can be judged."""
        ref = call.request.ref
        task = self.facts.tasks.get(ref) if ref is not None else None
        if task is not None and self.contract.has(Capability.DEADLINES):
            self.on_task(call, task)

    def on_task(self, call: Call, task: TaskFacts) -> None:
        """``call`` was answered about ``task``."""


class NoLongerThanTheParent(_Lifetimes):
    """No task is shown a later deadline than it was opened with, and no child a later one than its parent's or the end
    of its own cap, through any number of hops and repeats.

    An earlier one is right: a gate may keep more for itself. A pass says nothing of tasks that nobody looked at."""

    name: ClassVar[str] = "no-longer-than-the-parent"
    clauses: ClassVar[tuple[str, ...]] = ("DDL-1",)
    operations: ClassVar[frozenset[str]] = frozenset(("inspect",))

    def on_task(self, call: Call, task: TaskFacts) -> None:
        """Accounts of tasks whose deadline is bounded."""
        account = call.reply
        if not isinstance(account, Snapshot) or account.task != task.ref or task.due_by_ns is None:
            return
        if task.parent is not None:
            self.exercised("DDL-1")
        shown = account.deadline_ns
        if shown is None or shown > task.due_by_ns:
            self.violated(
                "DDL-1",
                f"{answer(call)} for {label(task.ref)} with {deadline(shown)}, though by its parents, its cap and "
                f"its opening its lifetime ends at {seconds(task.due_by_ns)} at the latest; a lifetime only shrinks",
            )


class NoChildWithoutTime(_Lifetimes):
    """A child whose minimum useful time does not fit before the parent's deadline less the reserve is not registered;
    one that fits is not turned away for lack of time.

    A minimum that just fits may be taken either way. A pass says nothing of children without a minimum."""

    name: ClassVar[str] = "no-child-without-time"
    clauses: ClassVar[tuple[str, ...]] = ("DDL-2",)
    operations: ClassVar[frozenset[str]] = frozenset(("register_child",))

    def on_task(self, call: Call, task: TaskFacts) -> None:
        """``task`` is the parent."""
        request, reply = call.request, call.reply
        if not isinstance(request, RegisterChild) or request.child in call.known.children:
            return
        needed = request.minimum_ns + request.reserve_ns
        late = task.due_by_ns is not None and request.now_ns + needed > task.due_by_ns
        if late or isinstance(reply, NoTime):
            self.exercised("DDL-2")
        what = (
            f"{answer(call)} for {label(request.child)} at {seconds(request.now_ns)}, which needs "
            f"{seconds(request.minimum_ns)} "
            f"before a reserve of {seconds(request.reserve_ns)}"
        )
        if late and isinstance(reply, Done):
            self.violated(
                "DDL-2",
                f"{what}, though {label(task.ref)} ends by {seconds(task.due_by_ns)}; a child that cannot be of use is "
                f"rejected before it is dispatched",
            )
        elif isinstance(reply, NoTime) and self._fits(task, request, needed):
            self.violated(
                "DDL-2",
                f"{what}, and {label(task.ref)} has {deadline(task.due_from_ns)}; only a child whose time does not "
                f"fit is rejected for it",
            )

    def _fits(self, parent: TaskFacts, request: RegisterChild, needed: int) -> bool:
        useless = request.cap_ns is not None and request.cap_ns <= request.minimum_ns
        return not useless and (parent.due_from_ns is None or self.facts.now_ns + needed < parent.due_from_ns)


class ExpiryIsACutoff(_Lifetimes):
    """From the first operation or tick at which a task's deadline has certainly passed it is cancelled, with a record
    whose cause is ``deadline`` unless a stop came before; and no such record comes before the deadline.

    A pass says nothing of a deadline at which nothing was going on any more."""

    name: ClassVar[str] = "expiry-is-a-cutoff"
    clauses: ClassVar[tuple[str, ...]] = ("DDL-3",)

    def on_task(self, call: Call, task: TaskFacts) -> None:
        """What goes on after the deadline, and what was cut off before it."""
        record = shown_record(call.reply)
        if record is not None:
            self._too_early(call, record)
        working = self._working(call, task)
        if working is None or working.due_by_ns is None or call.request.now_ns < working.due_by_ns:
            return
        if isinstance(call.reply, Snapshot):
            self._account(call, working, call.reply)
        elif isinstance(call.reply, Stopped):
            if any(_expiries(call.reply.record)):
                self.exercised("DDL-3")
        elif isinstance(call.reply, _WORK) or self._let_in(call):
            self.exercised("DDL-3")
            self._told(
                call, working, "and ordinary work went on", "an expired deadline is a cutoff for whatever comes after"
            )

    def _working(self, call: Call, task: TaskFacts) -> TaskFacts | None:
        """Whose lifetime the call needs: that of the child, where one is started."""
        return self.facts.tasks.get(call.request.child) if isinstance(call.request, StartChild) else task

    def _let_in(self, call: Call) -> bool:
        request = call.request
        if isinstance(request, UseGrant):
            return isinstance(call.reply, Done)
        if isinstance(request, RegisterChild):
            return isinstance(call.reply, Done) and request.child not in call.known.children
        return isinstance(request, StartChild) and isinstance(call.reply, Done) and not self._started(request)

    def _started(self, request: StartChild) -> bool:
        """Whether the child may have been started before: a repeat may be told so."""
        starts = self.facts.book.deeds("start_child", request.ref)
        return len([d for d in starts if getattr(d.request, "child", None) == request.child]) > 1

    def _account(self, call: Call, task: TaskFacts, account: Snapshot) -> None:
        if account.task != task.ref or account.execution in _OVER:
            return
        self.exercised("DDL-3")
        record = account.record
        if record is None:
            self._told(call, task, f"in state {account.execution} without a record", "it is cancelled from then on")
        elif record.task == task.ref and record.causes and not self._stopped_before(task):
            first = record.causes[0].cause
            owned = any(owner.deadline for owner in self.facts.ancestors(task.ref))
            below = owned and (first is Cause.PARENT or bool(task.stops))  # it may be its owner that expired
            if first is not Cause.DEADLINE and not below:
                self._told(call, task, f"with a record whose cause is {first}", "nobody had stopped it before")

    def _stopped_before(self, task: TaskFacts) -> bool:
        """Whether anything but a deadline may have cancelled it before: a stop, its owners, its subscribers."""
        before = any(
            deed.begun_ns < (task.due_by_ns or 0) and authorised(deed.request)
            for deed in self.facts.book.deeds("request_cancel", task.ref)
        )
        owners = any(o.stops or o.ending or task.ref in o.finishing for o in self.facts.ancestors(task.ref))
        return before or task.shared or owners

    def _too_early(self, call: Call, record: CancellationRecord) -> None:
        task = self.facts.tasks.get(record.task)
        due_ns = task.due_from_ns if task is not None else None
        for at_ns in _expiries(record):
            if due_ns is not None and at_ns < due_ns:
                self.violated(
                    "DDL-3",
                    f"{answer(call)} with the record {told(record)}, which was cut off by its deadline at "
                    f"{seconds(at_ns)}, "
                    f"and its lifetime lasts until {seconds(due_ns)} at least; an expiry is the first operation or "
                    f"tick at "
                    f"which the deadline has been reached",
                )

    def _told(self, call: Call, task: TaskFacts, what: str, why: str) -> None:
        self.violated(
            "DDL-3",
            f"the deadline of {label(task.ref)} had passed by {seconds(task.due_by_ns)}; at "
            f"{seconds(call.request.now_ns)} "
            f"{answer(call)}, {what}; {why}",
        )


def _expiries(record: CancellationRecord) -> Iterator[int]:
    return (cause.at_ns for cause in record.causes if cause.cause is Cause.DEADLINE)


CHECKS: tuple[type[Check], ...] = (NoLongerThanTheParent, NoChildWithoutTime, ExpiryIsACutoff)

__all__ = ["CHECKS"]
