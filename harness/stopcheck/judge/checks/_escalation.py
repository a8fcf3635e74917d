"""Checks of ESC: a stop that is bounded, and a force that proves nothing.

One idea: force and probes are about workers. They come after the grace period, they leave the ledger as it was, and
when the time is over the state says what could not be proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from stopcheck.gate import (
    TERMINAL_STATES,
    AlreadyForced,
    Escalate,
    Execution,
    Forced,
    ProbeResult,
    Recorded,
    RecordProbe,
    RegisterChild,
    RequestCancel,
    Scope,
    Status,
    TaskRef,
    TooEarly,
)
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check
from stopcheck.judge._evidence import describe
from stopcheck.judge._facts import Facts, authorised
from stopcheck.judge._reading import Reading
from stopcheck.judge._wording import seconds
from stopcheck.judge.checks._completion import label_of
from stopcheck.judge.checks._effect_evidence import is_kept
from stopcheck.judge.checks._readings import ReadingCheck, all_told


class GraceBeforeForce(ReadingCheck):
    """Force is allowed only when the declared grace period has passed since the earliest moment at which the cutoff can
    have been, and against an owned operation only by a mechanism that its class declares.

    Tasks that may be cut off without a request (a deadline, shared work) are left out. A pass is about the times at
    which supervisors asked."""

    name: ClassVar[str] = "grace-before-force"
    clauses: ClassVar[tuple[str, ...]] = ("ESC-1",)

    def on_deed(self, deed: Deed) -> None:
        """Leave to use force was asked for."""
        if not isinstance(deed.request, Escalate) or not isinstance(deed.reply, Forced | AlreadyForced | TooEarly):
            return
        self._by_what(deed, deed.request)
        cutoff_ns = earliest_cutoff_ns(self.facts, deed)
        grace_ns = declared_grace_ns(self.facts, deed.ref)
        if cutoff_ns is None or deed.returned_ns >= cutoff_ns + grace_ns:
            return
        self.exercised("ESC-1")
        if not isinstance(deed.reply, TooEarly):
            self.violated(
                "ESC-1",
                f"force against {deed.request.worker} of {label_of(deed)} was answered {deed.answer} at "
                f"{seconds(deed.returned_ns)} (call {deed.call_id}), but the cutoff was not before "
                f"{seconds(cutoff_ns)} and the "
                f"grace period is {seconds(grace_ns)}",
            )

    def _by_what(self, deed: Deed, request: Escalate) -> None:
        owned = registration_of(self.facts, deed.ref)
        if owned is None or self.contract.may_force(owned.cancellation_class, request.level):
            return
        self.breaks(
            "ESC-1",
            f"force against {request.worker} of {label_of(deed)} by {request.level} was answered {deed.answer} (call "
            f"{deed.call_id}), and the contract declares for its class {owned.cancellation_class} only "
            f"{', '.join(self.contract.operation(owned.cancellation_class).force or ()) or 'no force'}",
        )


def registration_of(facts: Facts, ref: TaskRef | None) -> RegisterChild | None:
    """With what an owned operation was registered first; ``None`` for a task of its own."""
    task = facts.tasks.get(ref) if ref is not None else None
    for deed in facts.book.deeds("register_child", None if task is None else task.parent):
        if isinstance(deed.request, RegisterChild) and deed.request.child == ref and deed.may_count:
            return deed.request
    return None


def declared_grace_ns(facts: Facts, ref: TaskRef | None) -> int:
    """The grace period of a task: of an owned operation, that of the class with which it was registered."""
    owned = registration_of(facts, ref)
    return facts.contract.grace_ns if owned is None else facts.contract.grace_of(owned.cancellation_class)


def earliest_cutoff_ns(facts: Facts, deed: Deed) -> int | None:
    """No cutoff that covers the task of ``deed`` can have been before; ``None`` if that is not known, as where it may
    have been cut off without a request."""
    task = facts.tasks.get(deed.ref) if deed.ref is not None else None
    if task is None:
        return None
    covering = (task, *facts.ancestors(task.ref))
    if any(holder.deadline or holder.shared for holder in covering):
        return None
    stops = [stop for holder in covering for stop in _stops(facts, holder.ref) if holder is task or _reaches_down(stop)]
    accepted = [d.begun_ns for d in stops if d.answer == "Accepted" and d.ref == task.ref]
    if accepted and all(d.ref == task.ref for d in stops):
        return min(accepted)
    return min((d.begun_ns for d in stops), default=None)


def _reaches_down(stop: Deed) -> bool:
    """An owner's stop cuts off what it owns from when its scope is ``subtree`` on (SCOPE-4)."""
    return isinstance(stop.request, RequestCancel) and stop.request.scope is Scope.SUBTREE


def _stops(facts: Facts, ref: TaskRef) -> Iterator[Deed]:
    for deed in facts.book.deeds("request_cancel", ref):
        if isinstance(deed.request, RequestCancel) and authorised(deed.request) and deed.may_count:
            yield deed


class LedgerOutlivesKill(ReadingCheck):
    """What was admitted, and the evidence of it, is still there after a worker was killed, forced or probed.

    A pass is about the deaths that were tried; what a provider does after a kill is not looked at."""

    name: ClassVar[str] = "ledger-outlives-kill"
    clauses: ClassVar[tuple[str, ...]] = ("ESC-2",)

    def on_reading(self, reading: Reading) -> None:
        """Look for every effect over which a kill came."""
        for view in reading.effects:
            if not view.admitted or "kill" not in self.facts.book.came_over.get(view.id, ()):
                continue
            self.exercised("ESC-2")
            lost = [t for t in view.kept if t.deed.answer == "Recorded" and not is_kept(view, reading, t)]
            if view.entry is None or lost:
                what = "the effect" if view.entry is None else f"{describe(lost[0].evidence)} of it"
                self.violated(
                    "ESC-2",
                    f"{view.name} of {reading.name} was admitted before a worker was killed, forced or probed, and "
                    f"{what} is missing from the ledger after it; the ledger outlives whatever is killed",
                )


class KillProvesNothingRemote(ReadingCheck):
    """Force and probes resolve no effect.

    A pass is about effects that were in doubt when a worker was found gone."""

    name: ClassVar[str] = "kill-proves-nothing-remote"
    clauses: ClassVar[tuple[str, ...]] = ("ESC-3",)

    def on_reading(self, reading: Reading) -> None:
        """After a kill, what was in doubt still is."""
        killed = self._killed(reading)
        for view in reading.effects if killed else ():
            if not view.claims or view.may_be_resolved or view.false:
                continue
            self.exercised("ESC-3")
            if view.definitive:
                told = all_told(view) if view.told else "nothing"
                self.violated(
                    "ESC-3",
                    f"{view.name} of {reading.name} is shown {view.disposition} after {killed}, though what was told "
                    f"of it is {told}; killing a local process proves nothing about remote work",
                )

    def _killed(self, reading: Reading) -> str:
        for deed in reading.deeds("record_probe"):
            request = deed.request
            gone = isinstance(request, RecordProbe) and request.result is ProbeResult.GONE
            if gone and isinstance(deed.reply, Recorded) and reading.must(deed):
                return f"a probe found a worker gone (call {deed.call_id})"
        for deed in reading.deeds("escalate"):
            if isinstance(deed.reply, Forced) and reading.must(deed):
                return f"force was allowed (call {deed.call_id})"
        return ""


class DrainingIsBounded(ReadingCheck):
    """When the reconciliation budget has certainly ended, and a tick came after that, a stopped task is terminal.

    A pass is about tasks whose own stop was known early enough; how they ended is LIVE-3 and RPT-1."""

    name: ClassVar[str] = "draining-is-bounded"
    clauses: ClassVar[tuple[str, ...]] = ("ESC-4",)

    def on_reading(self, reading: Reading) -> None:
        """Compare the time with the latest end of the budget."""
        cut_ns = self.facts.book.cut_by_ns.get(reading.task.ref)
        if cut_ns is None or reading.own_record is None:
            return
        over_ns = cut_ns + self.contract.reconciliation_budget_ns
        if reading.deed.ticked_ns < over_ns:
            return
        self.exercised("ESC-4")
        state = reading.snapshot.execution
        if state not in TERMINAL_STATES:
            self.violated(
                "ESC-4",
                f"{reading.name} is shown {state} at {seconds(reading.deed.begun_ns)}, after a tick at "
                f"{seconds(reading.deed.ticked_ns)}, though it was cut off by {seconds(cut_ns)} and the "
                f"reconciliation budget is "
                f"{seconds(self.contract.reconciliation_budget_ns)}; draining is bounded",
            )


class UncontrolledWorkerShown(ReadingCheck):
    """While a worker is certainly neither stopped nor fenced, the status does not say cancelled; once the task is
    ``stopped_unresolved`` it says ``outcome_unknown``.

    A pass is about leases that outlived the moments at which somebody looked."""

    name: ClassVar[str] = "uncontrolled-worker-shown"
    clauses: ClassVar[tuple[str, ...]] = ("ESC-6",)

    def on_reading(self, reading: Reading) -> None:
        """Look at the status while a worker is free."""
        if reading.own_record is None:
            return
        snapshot = reading.snapshot
        for worker in reading.workers:
            if not worker.certainly_free:
                continue
            self.exercised("ESC-6")
            unsaid = (
                snapshot.execution is Execution.STOPPED_UNRESOLVED and snapshot.status is not Status.OUTCOME_UNKNOWN
            )
            if snapshot.status is Status.CANCELLED or reading.settled or unsaid:
                self.violated(
                    "ESC-6",
                    f"{reading.name} shows the status {snapshot.status} in state {snapshot.execution}, though "
                    f"{worker.worker} holds an active lease and is neither stopped nor fenced; the status has to say "
                    f"so",
                )


CHECKS: tuple[type[Check], ...] = (
    GraceBeforeForce,
    LedgerOutlivesKill,
    KillProvesNothingRemote,
    DrainingIsBounded,
    UncontrolledWorkerShown,
)

__all__ = ["CHECKS", "declared_grace_ns", "earliest_cutoff_ns", "registration_of"]
