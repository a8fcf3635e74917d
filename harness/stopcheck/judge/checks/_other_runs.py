"""Checks of what a stop leaves to other runs: the next run of the same task (DLV-7), and one that happens to have the
same worker, epoch or delivery (DLV-8).

One idea: a run that nobody stopped is judged by itself. Whatever it lacks, or shows, though nobody did that to *it*, it
has from the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from stopcheck.gate import (
    BeginWork,
    Done,
    FireRetry,
    LeaseState,
    Lost,
    Opened,
    PreCancelled,
    Refused,
    RetryFired,
    Right,
    StaleLease,
    Stopped,
    TaskRef,
    UseGrant,
    Won,
)
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check
from stopcheck.judge._facts import Facts
from stopcheck.judge._known import LeaseFacts, TaskFacts
from stopcheck.judge._reading import Reading, Window
from stopcheck.judge._wording import label
from stopcheck.judge.checks._answers import of_the_second
from stopcheck.judge.checks._readings import ReadingCheck

#: What an account shows, and the operations without which there can be none of it.
_TRACES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("leases", ("begin_work", "fire_retry")),
    ("acknowledgements", ("acknowledge",)),
    ("probes", ("record_probe",)),
    ("forced", ("escalate",)),
    ("signals", ("record_signal",)),
    ("late_results", ("complete", "fail", "offer_result")),
    ("stop_after_end", ("request_cancel",)),
    ("suspended", ("suspend",)),
)


def traces(facts: Facts, reading: Reading) -> list[str]:
    """What the account of a run that nobody stopped shows though nobody did it there."""
    book, ref = facts.book, reading.task.ref
    found = [
        name
        for name, operations in _TRACES
        if getattr(reading.snapshot, name) and not any(book.deeds(operation, ref) for operation in operations)
    ]
    if reading.snapshot.record is not None or reading.snapshot.intent.requested:
        found.append("a cancellation")
    return found


class NextRunIsClean(ReadingCheck):
    """The next run of a task that was stopped begins like a first one, and its account shows nothing of the old stop.

    ``Busy`` is right: a gate may let one run of a task work at a time. A pass says nothing of what a worker keeps in
    its own memory, nor of runs that were stopped or that expire themselves."""

    name: ClassVar[str] = "next-run-is-clean"
    clauses: ClassVar[tuple[str, ...]] = ("DLV-7",)

    def on_deed(self, deed: Deed) -> None:
        """Openings, beginnings and work of the next run."""
        window = self.window(deed)
        stopped = self._stopped_before(window.task) if window is not None and deed.definite else None
        if window is None or stopped is None:
            return
        if tells_of_a_stop(self.facts, deed):
            self._told(deed, window.name, "it was never stopped", stopped)
        elif isinstance(deed.request, UseGrant | FireRetry) and isinstance(deed.reply, Done | RetryFired):
            self._left_behind(deed, window, stopped)
        elif isinstance(deed.request, BeginWork) and self._may_begin(window, deed):
            self.exercised("DLV-7")
            if isinstance(deed.reply, Refused):
                self._told(deed, window.name, "nothing speaks against it", stopped)

    def on_reading(self, reading: Reading) -> None:
        """What the account of the next run shows though nobody did it there."""
        stopped = self._stopped_before(reading.task)
        if stopped is None:
            return
        self.exercised("DLV-7")
        ref = reading.task.ref
        found = traces(self.facts, reading)
        declared = {entry.effect_id: self.facts.effects.get(entry.effect_id) for entry in reading.snapshot.effects}
        found += [name for name, effect in declared.items() if effect is not None and effect.task != ref]
        found += ["the deadline of that run"] if self._deadline_of(reading, stopped) else []
        if found:
            self.violated(
                "DLV-7",
                f"the account of {reading.name} (call {reading.deed.call_id}) shows {', '.join(found)}, of which there "
                f"was nothing in that run; the run before, {label(stopped)}, had been stopped, and the next is clean",
            )

    def _left_behind(self, deed: Deed, window: Window, stopped: TaskRef) -> None:
        """Something was used: was it of this run?"""
        kept = "grant" if isinstance(deed.request, UseGrant) else "schedule_retry"
        if not window.deeds(kept):
            self._told(deed, window.name, f"{kept} was never called for this run", stopped)

    def _deadline_of(self, reading: Reading, stopped: TaskRef) -> bool:
        """Whether a run that was given no deadline shows that of the stopped one."""
        shown = reading.snapshot.deadline_ns
        return not reading.task.deadline and shown is not None and shown == self.facts.tasks[stopped].due_by_ns

    def _stopped_before(self, task: TaskFacts) -> TaskRef | None:
        """An earlier incarnation that is known to be stopped, if nothing was begun that may stop this one."""
        if self.facts.may_be_ended_from_outside(task.ref):
            return None
        runs = (run for run in self.facts.tasks.values() if run.ref.key == task.ref.key and run.record is not None)
        return next((run.ref for run in runs if run.ref.incarnation < task.ref.incarnation), None)

    def _may_begin(self, window: Window, deed: Deed) -> bool:
        """Whether a rightful worker asked to begin on a run that was certainly open, and not over or replaced."""
        ref, caller = window.task.ref, deed.request.caller
        later = any(
            run.opening and run.ref.key == ref.key and run.ref.incarnation > ref.incarnation
            for run in self.facts.tasks.values()
        )
        rightful = caller.tenant == ref.key.tenant and Right.WORK in caller.rights
        alone = window.task.parent is None and not window.task.ending and not later
        return rightful and alone and self._open(ref, deed)

    def _open(self, ref: TaskRef, deed: Deed) -> bool:
        return any(
            opened.answered_before(deed.begun)
            and opened.request.task == ref.key
            and isinstance(opened.reply, Opened)
            and opened.reply.incarnation == ref.incarnation
            for opened in self.facts.book.all_deeds("open_task")
        )

    def _told(self, deed: Deed, name: str, why: str, stopped: TaskRef) -> None:
        self.breaks(
            "DLV-7",
            f"{deed.operation} (call {deed.call_id}) on {name} was answered {deed.answer}, though {why}; the run "
            f"before, {label(stopped)}, had been stopped, and the next is clean",
        )


class HandleIsNoTask(ReadingCheck):
    """A run goes on whose worker, epoch or delivery is called like that of a run that was stopped.

    Judged only while its lease certainly held, and as long as the gate has not died: a restart may fence everybody. A
    pass says nothing of handles outside the gate, such as connections."""

    name: ClassVar[str] = "handle-is-no-task"
    clauses: ClassVar[tuple[str, ...]] = ("DLV-8",)

    def on_deed(self, deed: Deed) -> None:
        """A call under a lease that the other run's handle is like."""
        window = self.window(deed)
        if window is None or not deed.definite or isinstance(deed.reply, Refused) or self._may_be_over(window, deed):
            return
        lease = self.facts.lease(window.task.ref, getattr(deed.request, "epoch", -1))
        other = self._namesake(window, lease)
        if lease is None or other is None:
            return
        self.exercised("DLV-8")
        if isinstance(deed.reply, StaleLease) or tells_of_a_stop(self.facts, deed):
            self._told(f"{deed.operation} (call {deed.call_id}) was answered {deed.answer}", lease, other)

    def on_reading(self, reading: Reading) -> None:
        """The lease and the worker as the account shows them."""
        for lease in reading.task.leases:
            other = self._namesake(reading, lease)
            if other is None or reading.task.ending:
                continue
            self.exercised("DLV-8")
            listed = [entry.state for entry in reading.snapshot.leases if entry.epoch == lease.epoch]
            facets = [view for view in reading.workers if view.worker == lease.worker and view.facet is not None]
            if any(state is not LeaseState.ACTIVE for state in listed):
                self._told(f"its lease is shown {listed[0].value}", lease, other)
            if any(view.facet is not None and view.facet.stopped and not view.may_be_stopped for view in facets):
                self._told("its worker is shown stopped", lease, other)

    def _may_be_over(self, window: Window, deed: Deed) -> bool:
        """Whether its worker may have ended the run: a lease of what is over carries no authority."""
        ends = (*window.deeds("complete"), *window.deeds("fail"))
        return any(end is not deed and (isinstance(end.reply, Won) or not end.definite) for end in ends)

    def _namesake(self, window: Window, lease: LeaseFacts | None) -> Deed | None:
        """What was done to another run through a handle like this lease's, while this one certainly held."""
        facts = self.facts
        if lease is None or facts.deaths or facts.may_be_ended_from_outside(window.task.ref):
            return None
        if not window.certainly_holds(lease, facts.now_ns):
            return None
        return next((deed for deed in self._done_to_others(window.task.ref) if _like(deed, lease, facts.tasks)), None)

    def _done_to_others(self, ref: TaskRef) -> Iterator[Deed]:
        for operation in ("revoke_lease", "record_probe", "escalate", "request_cancel"):
            for deed in self.facts.book.all_deeds(operation):
                if deed.ref in self.facts.tasks and deed.ref != ref and deed.may_count:
                    yield deed

    def _told(self, what: str, lease: LeaseFacts, other: Deed) -> None:
        assert other.ref is not None
        self.violated(
            "DLV-8",
            f"{label(lease.task)} was at work under epoch {lease.epoch} of {lease.worker}, and nobody had stopped it, "
            f"but {what}; {other.operation} (call {other.call_id}) on {label(other.ref)} was about a worker or an "
            f"epoch of the same name; a stop through a recycled handle harms no other run",
        )


def tells_of_a_stop(facts: Facts, deed: Deed) -> bool:
    """Whether a call was answered that its task was stopped."""
    if deed.ref is None or not isinstance(deed.reply, Stopped | Lost | PreCancelled):
        return False
    return not of_the_second(facts, deed.request, deed.reply.record)


def _like(deed: Deed, lease: LeaseFacts, tasks: dict[TaskRef, TaskFacts]) -> bool:
    """Whether the call names a worker or an epoch as the lease does, or stops a run that has such a one."""
    if deed.ref is None:
        return False
    worker, epoch = getattr(deed.request, "worker", None), getattr(deed.request, "epoch", None)
    if worker is not None or epoch is not None:
        return worker == lease.worker or epoch == lease.epoch
    return any(other.worker == lease.worker or other.epoch == lease.epoch for other in tasks[deed.ref].leases)


CHECKS: tuple[type[Check], ...] = (NextRunIsClean, HandleIsNoTask)

__all__ = ["CHECKS", "tells_of_a_stop", "traces"]
