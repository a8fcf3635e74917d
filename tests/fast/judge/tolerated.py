"""Right gates with other choices than the reference gates': whatever the contract leaves open, decided otherwise.

One idea: a check that fails one of these forbids what the contract allows.
"""

from __future__ import annotations

import msgspec

from stopcheck.gate import (
    BeginWork,
    BeginWorkReply,
    CancellationRecord,
    Capability,
    Cause,
    CauseEntry,
    ClaimDispatch,
    ClaimDispatchReply,
    ClaimGranted,
    CommitEffect,
    CommitEffectReply,
    Disposition,
    EarlyStop,
    EffectEntry,
    Ended,
    Execution,
    LastFate,
    LastReleased,
    LeaseState,
    RefusalReason,
    Refused,
    RegisterChild,
    Release,
    ReleaseReply,
    RequestCancel,
    RequestCancelReply,
    Retry,
    Scope,
    SignalEntry,
    Snapshot,
    StaleLease,
    Stopped,
    Suppress,
    SuppressReply,
    Unsupported,
)
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_fixtures.reference.memory._state import Task


class RevokesAtTheCutoff(MemoryGate):
    """Leases end with the cutoff, and a stale lease is told before the stop."""

    def _leave_running(self, task: Task) -> None:
        super()._leave_running(task)
        lease = task.lease(task.epoch)
        if lease is not None and lease.state is LeaseState.ACTIVE:
            task.change_lease(lease.epoch, state=LeaseState.REVOKED)

    def _why_not_work(self, task: Task, epoch: int, now_ns: int) -> Stopped | Ended | StaleLease | None:
        current = self._lease_is_current(task, epoch, now_ns)
        return super()._why_not_work(task, epoch, now_ns) if current else StaleLease(task.epoch)


class SkipsStates(MemoryGate):
    """From running to draining at once."""

    def _leave_running(self, task: Task) -> None:
        super()._leave_running(task)
        self._drain(task)


class OftenBusy(MemoryGate):
    """A living holder is not pushed aside by a replacement either."""

    def _held_by_another(self, task: Task, request: BeginWork) -> bool:
        current = self._lease_is_current(task, task.epoch, request.now_ns)
        return current and task.leases[-1].worker != request.worker


class DoubtsFromTheClaimOn(MemoryGate):
    """Whatever was handed out is unknown until somebody proves what became of it, and may be handed out again."""

    def claim_dispatch(self, request: ClaimDispatch) -> ClaimDispatchReply:
        reply = super().claim_dispatch(request)
        if isinstance(reply, ClaimGranted) and request.ref is not None:
            self._tasks[request.ref].change_effect(request.effect_id, disposition=Disposition.UNKNOWN)
        return reply


class WithdrawsAtTheCutoff(MemoryGate):
    """The cutoff itself suppresses what nobody has claimed."""

    def _leave_running(self, task: Task) -> None:
        super()._leave_running(task)
        for effect in tuple(task.effects.values()):
            if not effect.claimed and not effect.disposition.definitive:
                revision = task.next_revision()
                task.change_effect(effect.effect_id, disposition=Disposition.SUPPRESSED, resolved_revision=revision)


class NeverResends(MemoryGate):
    """What was sent once is only looked up."""

    def _may_resend(self, task: Task, effect: EffectEntry, request: ClaimDispatch) -> bool:
        return False


class OftenRetry(MemoryGate):
    """Every third commitment and stop meets a conflict."""

    _asked = 0

    def _conflict(self) -> bool:
        self._asked += 1
        return self._asked % 3 == 0

    def commit_effect(self, request: CommitEffect) -> CommitEffectReply:
        """Perhaps a conflict."""
        return Retry() if self._conflict() else super().commit_effect(request)

    def request_cancel(self, request: RequestCancel) -> RequestCancelReply:
        """Perhaps a conflict."""
        return Retry() if self._conflict() else super().request_cancel(request)

    def fingerprint(self) -> bytes:
        """The count decides too."""
        return super().fingerprint() + str(self._asked % 3).encode()


class RefusesEarlyStops(MemoryGate):
    """A task that is not open cannot be stopped, and the gate says so."""

    contract = msgspec.structs.replace(MemoryGate.contract, early_stop=EarlyStop.REFUSE)

    def request_cancel(self, request: RequestCancel) -> RequestCancelReply:
        """Only what is open."""
        known = request.ref in self._tasks
        return super().request_cancel(request) if known else Refused(RefusalReason.UNKNOWN)


class StopsOnlyTasks(MemoryGate):
    """Scope ``subtree`` is not offered."""

    contract = msgspec.structs.replace(MemoryGate.contract, scopes=frozenset((Scope.TASK,)))

    def _accept(self, task: Task, cause: CauseEntry) -> CancellationRecord:
        return super()._accept(task, msgspec.structs.replace(cause, scope=Scope.TASK))


class WithoutSuppression(MemoryGate):
    """Suppression is not offered."""

    contract = msgspec.structs.replace(
        MemoryGate.contract, capabilities=MemoryGate.contract.capabilities - {Capability.SUPPRESSION}
    )

    def suppress(self, request: Suppress) -> SuppressReply:
        """Not offered."""
        return Unsupported()


class RecordsForAll(MemoryGate):
    """A stop of a subtree gives each descendant a record of its own."""

    def _cut_off_descendants(self, task: Task, now_ns: int) -> None:
        for entry in task.children:
            child = self._tasks[entry.child]
            if child.record is None and not child.ended and task.record is not None:
                first = task.record.causes[0]
                revision = child.next_revision()
                cause = msgspec.structs.replace(first, revision=revision, cause=Cause.PARENT, at_ns=now_ns)
                child.record = CancellationRecord(
                    self._environment.fresh_id("cancellation"), child.ref, revision, Scope.SUBTREE, (cause,), revision
                )
        super()._cut_off_descendants(task, now_ns)


class KeepsRepeats(MemoryGate):
    """A repeated request is kept as another cause."""

    def _append_cause(self, task: Task, record: CancellationRecord, request: RequestCancel) -> CancellationRecord:
        task.record = msgspec.structs.replace(record, causes=(*record.causes, self._cause(task, request)))
        return task.record


class LeavesUnownedWork(MemoryGate):
    """Shared work that nobody wants goes on, and is shown as running with no owner."""

    def _stop_unwanted(self, shared: Task, interest_id: str, now_ns: int) -> None:
        """It goes on."""

    def release(self, request: Release) -> ReleaseReply:
        """Its fate is told."""
        reply = super().release(request)
        return LastReleased(LastFate.UNOWNED) if isinstance(reply, LastReleased) else reply

    def _snapshot(self, task: Task) -> Snapshot:
        unowned = bool(task.interests) and not task.live_interests() and task.execution is Execution.RUNNING
        return msgspec.structs.replace(super()._snapshot(task), unowned=unowned)


class KeepsTheReserve(MemoryGate):
    """A child's lifetime ends where the parent's reserve begins, and a minimum that just fits is too tight."""

    def _child_deadline_ns(self, parent: Task, request: RegisterChild) -> int | None:
        ends_ns = super()._child_deadline_ns(parent, request)
        reserved_ns = None if parent.deadline_ns is None else parent.deadline_ns - request.reserve_ns
        return min((at_ns for at_ns in (ends_ns, reserved_ns) if at_ns is not None), default=None)

    def _has_time(self, parent: Task, request: RegisterChild) -> bool:
        return super()._has_time(parent, msgspec.structs.replace(request, minimum_ns=request.minimum_ns + 1))


class StampsTheDeadline(MemoryGate):
    """An expiry is dated to the deadline, whenever it was noticed, and a deadline that passes later is not kept."""

    def _deadline_cause(self, task: Task, now_ns: int) -> CauseEntry:
        return msgspec.structs.replace(super()._deadline_cause(task, now_ns), at_ns=task.deadline_ns or now_ns)

    def _may_expire(self, task: Task) -> bool:
        return task.record is None and super()._may_expire(task)


class PausesOnPaper(MemoryGate):
    """A pause takes no lease and keeps nobody from beginning; it is only shown."""

    def _fence_holder(self, task: Task) -> None:
        """It works on."""

    def begin_work(self, request: BeginWork) -> BeginWorkReply:
        """Nobody is told to wait."""
        task = self._tasks.get(request.ref) if request.ref is not None else None
        halt = None if task is None else task.suspended
        if task is not None:
            task.suspended = None
        reply = super().begin_work(request)
        if task is not None:
            task.suspended = halt
        return reply


class SignalsItself(MemoryGate):
    """The cutoff itself tells the workers, so that a stop is pending at once."""

    def _leave_running(self, task: Task) -> None:
        if task.execution is Execution.RUNNING:
            task.signals.append(SignalEntry("worker", "push", Cause.USER, 0))
        super()._leave_running(task)


RIGHT_GATES = (
    RevokesAtTheCutoff,
    SkipsStates,
    OftenBusy,
    NeverResends,
    DoubtsFromTheClaimOn,
    WithdrawsAtTheCutoff,
    OftenRetry,
    RefusesEarlyStops,
    StopsOnlyTasks,
    WithoutSuppression,
    RecordsForAll,
    KeepsRepeats,
    LeavesUnownedWork,
    KeepsTheReserve,
    StampsTheDeadline,
    PausesOnPaper,
    SignalsItself,
)
