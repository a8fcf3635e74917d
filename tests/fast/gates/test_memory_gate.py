"""The memory gate: each reply of each operation once, then the rules that no single reply shows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stopcheck.gate import (
    OPERATIONS,
    SECOND_NS,
    Accepted,
    Acknowledge,
    AckStrength,
    Admitted,
    AlreadyClaimed,
    AlreadyForced,
    AlreadyReleased,
    AlreadyReturned,
    Ask,
    BadEvidence,
    BeginCleanup,
    BeginWork,
    BoundaryAnswer,
    Busy,
    Caller,
    CancellationClass,
    Cause,
    ClaimDispatch,
    ClaimGranted,
    CleanUp,
    CleanupGranted,
    CloseView,
    CommitEffect,
    Compensate,
    Complete,
    ConfirmItem,
    Contradicted,
    Disposition,
    Done,
    Ended,
    Escalate,
    Evidence,
    Execution,
    ExistingChild,
    ExistingEffect,
    ExistingRecord,
    Exists,
    Fail,
    Finding,
    FinishChild,
    FireRetry,
    Forced,
    Grant,
    GrantKind,
    Halt,
    Handed,
    HandOver,
    Handover,
    HoldSlot,
    Impossible,
    Inspect,
    Kept,
    LastReleased,
    LeaseGranted,
    LeaseState,
    Live,
    LookupAnswer,
    LookupEvidence,
    Lost,
    Measures,
    MeasuresReport,
    NoAnswer,
    NoEvidence,
    NotAdmitted,
    NotCompleted,
    NoteArtefact,
    NothingWaits,
    NoTime,
    NotOwned,
    OfferResult,
    Opened,
    OpenTask,
    OwnedKind,
    Parked,
    PayloadMismatch,
    PoolFull,
    PreCancelled,
    ProbeResult,
    Quarantined,
    ReadAnswer,
    Recall,
    Recalled,
    Receipt,
    ReceiptEvidence,
    Recorded,
    RecordOutcome,
    RecordProbe,
    RecordSignal,
    RefusalReason,
    Refused,
    RegisterChild,
    Release,
    ReleaseLease,
    Removable,
    Renewed,
    RenewLease,
    Request,
    RequestCancel,
    Resend,
    Resolved,
    ResultPlace,
    Resume,
    Retry,
    RetryFired,
    ReturnSlot,
    RevokeLease,
    Right,
    Same,
    Scheduled,
    ScheduleRetry,
    Scope,
    SlotHeld,
    SlotReturned,
    Snapshot,
    Stage,
    StaleLease,
    StartChild,
    Status,
    Stopped,
    Subscribe,
    Suppress,
    SuppressedAlready,
    SuppressionDone,
    Suspend,
    TakeItem,
    Taken,
    TaskKey,
    TaskRef,
    Tick,
    Ticked,
    Tombstoned,
    TooEarly,
    TooLate,
    Trigger,
    Unauthorised,
    Unsupported,
    Unverified,
    UseGrant,
    ViewEnd,
    Void,
    Widened,
    Withdraw,
    Won,
)
from stopcheck_fixtures.faulty.record import LastCauseOnly
from stopcheck_fixtures.reference.memory import MemoryGate

LEASE = MemoryGate.contract.lease_ns
GRACE = MemoryGate.contract.grace_ns
DUE = SECOND_NS
CLEANUP = MemoryGate.contract.cleanup_ns
BUDGET = MemoryGate.contract.reconciliation_budget_ns

TASK = TaskRef(TaskKey("acme", "refund"), 1)
CHILD = TaskRef(TaskKey("acme", "lookup"), 1)
GRANDCHILD = TaskRef(TaskKey("acme", "page"), 1)
SHARED = TaskRef(TaskKey("acme", "index"), 1)
OTHER = TaskRef(TaskKey("acme", "other"), 1)


class FakeEnvironment:
    """Just enough of an environment: receipts signed ``ok`` are genuine."""

    storage = Path("unused")

    def __init__(self) -> None:
        self._count = 0

    def now_ns(self) -> int:
        raise AssertionError("time comes with the request")

    def fresh_id(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}-{self._count}"

    def verify(self, receipt: Receipt) -> bool:
        return receipt.signature == "ok"

    def branch(self, label: str, touches: tuple[str, ...] = ()) -> Awaitable[None]:
        raise AssertionError("a serialised gate has no inner points")

    blocked = branch


def receipt(
    finding: Finding = Finding.EXECUTED, *, effect: str = "mail", payload: str = "p1", signature: str = "ok"
) -> Receipt:
    return Receipt("mailer", effect, payload, finding, f"{effect}-{finding}", signature)


def told(finding: Finding = Finding.EXECUTED, **fields: str) -> Evidence:
    return ReceiptEvidence(receipt(finding, **fields))


def by(principal: str) -> Caller:
    return Caller(principal, "acme", tuple(Right))


class Bench:
    """A gate, and one method for each thing that a test does to it."""

    def __init__(self) -> None:
        self.gate = MemoryGate(FakeEnvironment())
        self.now = 0

    def ask(self, kind: type[Request], task: TaskRef = TASK, /, **fields: Any) -> Any:
        caller = fields.pop("caller", Caller("ann", "acme", tuple(Right)))
        incarnation = fields.pop("incarnation", task.incarnation)
        request = kind(call_id="c", caller=caller, now_ns=self.now, task=task.key, incarnation=incarnation, **fields)
        return getattr(self.gate, kind.operation)(request)

    def open(self, task: TaskRef = TASK, deadline: int | None = None) -> Any:
        return self.ask(OpenTask, task, deadline_ns=deadline)

    def begin(self, worker: str = "w1", task: TaskRef = TASK, trigger: Trigger = Trigger.FIRST) -> Any:
        return self.ask(BeginWork, task, worker=worker, delivery_id="d", trigger=trigger)

    def commit(self, effect: str = "mail", epoch: int = 1, task: TaskRef = TASK, payload: str = "p1") -> Any:
        return self.ask(
            CommitEffect,
            task,
            epoch=epoch,
            effect_id=effect,
            payload_digest=payload,
            receiver="mailer",
            cancellation_class=CancellationClass.IRREVERSIBLE,
            kind="mail",
        )

    def claim(self, effect: str = "mail", *, idempotent: bool = False) -> Any:
        return self.ask(ClaimDispatch, effect_id=effect, idempotent_receiver=idempotent)

    def outcome(self, evidence: Evidence, effect: str = "mail", task: TaskRef = TASK) -> Any:
        return self.ask(RecordOutcome, task, effect_id=effect, evidence=evidence)

    def suppress(self, effect: str = "mail") -> Any:
        return self.ask(Suppress, effect_id=effect)

    def cancel(self, scope: Scope = Scope.TASK, request_id: str = "r1", task: TaskRef = TASK, **fields: Any) -> Any:
        return self.ask(
            RequestCancel, task, scope=scope, cause=Cause.USER, request_id=request_id, reason="Stop", **fields
        )

    def acknowledge(
        self, strength: AckStrength = AckStrength.HANDLER_STOPPED, epoch: int = 1, task: TaskRef = TASK
    ) -> Any:
        shown = self.look(task).record
        revision = 1 if shown is None else shown.revision
        return self.ask(Acknowledge, task, epoch=epoch, strength=strength, record_revision=revision)

    def complete(self, epoch: int = 1, task: TaskRef = TASK) -> Any:
        return self.ask(Complete, task, epoch=epoch, result_digest="done")

    def fail(self, epoch: int = 1) -> Any:
        return self.ask(Fail, epoch=epoch, result_digest="gave up")

    def register(
        self,
        child: TaskRef = CHILD,
        parent: TaskRef = TASK,
        kind: OwnedKind = OwnedKind.CHILD_TASK,
        epoch: int = 1,
        **times: int,
    ) -> Any:
        return self.ask(RegisterChild, parent, epoch=epoch, child=child, kind=kind, owner="w1", **times)

    def start(self, child: TaskRef = CHILD, parent: TaskRef = TASK) -> Any:
        return self.ask(StartChild, parent, child=child)

    def finish(self, stage: Stage = Stage.COMPLETED, child: TaskRef = CHILD, parent: TaskRef = TASK) -> Any:
        return self.ask(FinishChild, parent, child=child, stage=stage)

    def subscribe(self, subscriber: TaskRef = TASK, interest: str = "i1") -> Any:
        return self.ask(Subscribe, SHARED, interest_id=interest, subscriber=subscriber)

    def release(self, interest: str = "i1") -> Any:
        return self.ask(Release, SHARED, interest_id=interest)

    def escalate(self, worker: str = "w1") -> Any:
        return self.ask(Escalate, worker=worker, level="kill")

    def probe(self, result: ProbeResult, worker: str = "w1") -> Any:
        return self.ask(RecordProbe, worker=worker, result=result)

    def signal(self, task: TaskRef = TASK) -> Any:
        return self.ask(RecordSignal, task, target="w1", channel="inbox", cause=Cause.USER)

    def lease(self, kind: type[Request], epoch: int = 1) -> Any:
        return self.ask(kind, epoch=epoch)

    def make(self, *, finished: bool = False, task: TaskRef = TASK, artefact: str = "a1") -> Any:
        return self.ask(NoteArtefact, task, epoch=1, artefact=artefact, finished=finished)

    def begin_cleanup(self) -> Any:
        return self.ask(BeginCleanup, cleaner="w2")

    def clear(self, artefact: str = "a1", epoch: int = 2) -> Any:
        return self.ask(CleanUp, epoch=epoch, artefact=artefact)

    def hold(self, epoch: int = 1, task: TaskRef = TASK) -> Any:
        return self.ask(HoldSlot, task, epoch=epoch, pool="p1", limit=1)

    def give_back(self, epoch: int = 1) -> Any:
        return self.ask(ReturnSlot, epoch=epoch, pool="p1")

    def suspend(self, halt: Halt = Halt.PAUSE) -> Any:
        return self.ask(Suspend, halt=halt)

    def resume(self) -> Any:
        return self.ask(Resume)

    def close_view(self) -> Any:
        return self.ask(CloseView, view="tab", how=ViewEnd.STREAM_CLOSED)

    def tick(self) -> Any:
        return self.ask(Tick)

    def release_lease(self, epoch: int = 1) -> Any:
        return self.ask(ReleaseLease, epoch=epoch)

    def arm(self) -> Any:
        return self.ask(ScheduleRetry, retry_id="t1", at_ns=DUE)

    def fire(self) -> Any:
        return self.ask(FireRetry, retry_id="t1", worker="w2")

    def allow(self, kind: GrantKind = GrantKind.APPROVAL, **fields: Any) -> Any:
        return self.ask(Grant, grant_id="g1", kind=kind, **fields)

    def use(self) -> Any:
        return self.ask(UseGrant, grant_id="g1")

    def authorise(self) -> Any:
        """Another task is under way, and may answer the mail."""
        self.open(OTHER)
        self.begin("w3", OTHER)
        self.ask(Grant, OTHER, grant_id="a2", kind=GrantKind.COMPENSATION, compensates="export")
        return self.ask(Grant, OTHER, grant_id="a1", kind=GrantKind.COMPENSATION, compensates="mail")

    def compensate(self, effect: str = "answer", grant: str = "a1", epoch: int = 1, task: TaskRef = OTHER) -> Any:
        return self.ask(
            Compensate,
            task,
            epoch=epoch,
            effect_id=effect,
            payload_digest="p9",
            receiver="mailer",
            cancellation_class=CancellationClass.IRREVERSIBLE,
            kind="mail",
            target=TASK,
            target_effect_id="mail",
            grant_id=grant,
        )

    def offer(self, version: int = 1, place: ResultPlace = ResultPlace.RESPONSE, **fields: Any) -> Any:
        told = {"target": "search", "authority_version": version, "result_digest": "found", **fields}
        return self.ask(OfferResult, place=place, **told)

    def recall(self, place: ResultPlace = ResultPlace.RESPONSE, task: TaskRef = TASK) -> Any:
        return self.ask(Recall, task, place=place)

    def question(self, who: str = "ann", request_id: str = "q1") -> Any:
        return self.ask(Ask, caller=by(who), request_id=request_id, channel="c1")

    def answer(self, digest: str = "yes", request_id: str = "q1") -> Any:
        return self.offer(result_digest=digest, request_id=request_id)

    def withdraw(self, who: str = "ann") -> Any:
        return self.ask(Withdraw, caller=by(who), request_id="q1")

    def read(self, who: str = "ann") -> Any:
        return self.ask(ReadAnswer, caller=by(who), request_id="q1")

    def hand(self, item_id: str = "i1", **fields: Any) -> Any:
        return self.ask(HandOver, item_id=item_id, **fields)

    def take(self, epoch: int = 1) -> Any:
        return self.ask(TakeItem, epoch=epoch)

    def confirm(self, item_id: str = "i1") -> Any:
        return self.ask(ConfirmItem, item_id=item_id)

    def look(self, task: TaskRef = TASK) -> Snapshot:
        snapshot = self.ask(Inspect, task)
        assert isinstance(snapshot, Snapshot)
        return snapshot

    def at(self, now_ns: int) -> Bench:
        self.now = now_ns
        return self


# --- where a case starts ------------------------------------------------------------------------------


def fresh() -> Bench:
    return Bench()


def opened() -> Bench:
    bench = fresh()
    bench.open()
    return bench


def running() -> Bench:
    bench = opened()
    bench.begin()
    return bench


def timed() -> Bench:
    """A task with a deadline at 100, a worker, and a child that may live for 30."""
    bench = fresh()
    bench.open(deadline=100)
    bench.begin()
    bench.register(cap_ns=30)
    return bench


def making() -> Bench:
    """A worker has begun one thing and finished another."""
    bench = running()
    bench.make()
    bench.make(finished=True, artefact="a2")
    return bench


def cleaning() -> Bench:
    """It was stopped, and a clean-up has begun under epoch 2."""
    bench = _then(making, "cancel")
    bench.begin_cleanup()
    return bench


def competing() -> Bench:
    """One task's worker holds the only slot, and another's wants it."""
    bench = _then(running, "hold")
    bench.open(OTHER)
    bench.begin(task=OTHER)
    return bench


def suspended() -> Bench:
    return _then(running, "suspend")


def admitted() -> Bench:
    bench = running()
    bench.commit()
    return bench


def claimed() -> Bench:
    bench = admitted()
    bench.claim()
    return bench


def in_doubt() -> Bench:
    bench = claimed()
    bench.outcome(NoEvidence("timeout"))
    return bench


def delivered() -> Bench:
    bench = claimed()
    bench.outcome(told())
    return bench


def suppressed() -> Bench:
    bench = admitted()
    bench.suppress()
    return bench


def cancelled(scope: Scope = Scope.TASK) -> Bench:
    bench = running()
    bench.cancel(scope)
    return bench


def ended() -> Bench:
    bench = running()
    bench.complete()
    return bench


def owning() -> Bench:
    bench = running()
    bench.register()
    return bench


def subtree_cancelled() -> Bench:
    bench = owning()
    bench.cancel(Scope.SUBTREE)
    return bench


def tombstone() -> Bench:
    bench = fresh()
    bench.cancel()
    return bench


def armed() -> Bench:
    """A retry waits for its time, and nobody is at work."""
    bench = _then(running, "arm")
    bench.release_lease()
    return bench


def allowed() -> Bench:
    return _then(running, "allow")


def authorised() -> Bench:
    return _then(delivered, "authorise")


def asked() -> Bench:
    return _then(running, "question")


def handed() -> Bench:
    return _then(running, "hand")


def wanted() -> Bench:
    """A shared task with two interests: one of the task, one of another."""
    bench = running()
    for ref in (SHARED, OTHER):
        bench.open(ref)
    bench.subscribe()
    bench.subscribe(OTHER, "i2")
    return bench


def wanted_once() -> Bench:
    bench = wanted()
    bench.release("i2")
    return bench


FOUND = LookupEvidence(LookupAnswer.FOUND, receipt())
Case = tuple[str, type[Any], Callable[[], Bench], Callable[[Bench], Any]]

CASES: list[Case] = [
    ("open_task", Opened, fresh, lambda b: b.open()),
    ("open_task", Exists, opened, lambda b: b.open()),
    ("open_task", PreCancelled, tombstone, lambda b: b.open()),
    ("open_task", Refused, fresh, lambda b: b.ask(OpenTask, incarnation=None)),
    ("begin_work", LeaseGranted, opened, lambda b: b.begin()),
    ("begin_work", Busy, running, lambda b: b.begin("w2", trigger=Trigger.REDELIVERY)),
    ("begin_work", LeaseGranted, running, lambda b: b.begin("w2", trigger=Trigger.REPLACEMENT)),
    ("begin_work", LeaseGranted, running, lambda b: b.at(LEASE).begin("w2", trigger=Trigger.REDELIVERY)),
    ("begin_work", Stopped, cancelled, lambda b: b.begin("w2", trigger=Trigger.REPLACEMENT)),
    ("begin_work", Stopped, tombstone, lambda b: b.begin()),
    ("begin_work", Stopped, subtree_cancelled, lambda b: b.begin(task=CHILD)),
    ("begin_work", Ended, ended, lambda b: b.begin()),
    ("begin_work", Refused, fresh, lambda b: b.begin()),
    ("begin_work", Busy, suspended, lambda b: b.begin()),
    ("begin_work", Stopped, timed, lambda b: b.at(100).begin("w2")),
    ("begin_work", Stopped, timed, lambda b: b.at(30).begin("w2", CHILD)),
    ("renew_lease", Renewed, running, lambda b: b.lease(RenewLease)),
    ("renew_lease", StaleLease, running, lambda b: b.at(LEASE).lease(RenewLease)),
    ("renew_lease", Stopped, cancelled, lambda b: b.lease(RenewLease)),
    ("renew_lease", Refused, fresh, lambda b: b.lease(RenewLease)),
    ("release_lease", Done, cancelled, lambda b: b.lease(ReleaseLease)),
    ("release_lease", StaleLease, running, lambda b: b.lease(ReleaseLease, epoch=2)),
    ("release_lease", Refused, fresh, lambda b: b.lease(ReleaseLease)),
    ("revoke_lease", Done, running, lambda b: b.lease(RevokeLease)),
    ("revoke_lease", StaleLease, running, lambda b: b.at(LEASE).lease(RevokeLease)),
    ("revoke_lease", Refused, fresh, lambda b: b.lease(RevokeLease)),
    ("commit_effect", Admitted, running, lambda b: b.commit()),
    ("commit_effect", ExistingEffect, lambda: _then(admitted, "cancel"), lambda b: b.commit()),
    ("commit_effect", PayloadMismatch, admitted, lambda b: b.commit(payload="p2")),
    ("commit_effect", Stopped, cancelled, lambda b: b.commit()),
    ("commit_effect", Ended, ended, lambda b: b.commit()),
    ("commit_effect", StaleLease, running, lambda b: b.at(LEASE).commit()),
    ("commit_effect", StaleLease, running, lambda b: b.commit(epoch=2)),
    ("commit_effect", StaleLease, suspended, lambda b: b.commit()),
    ("commit_effect", Admitted, timed, lambda b: b.at(99).commit()),
    ("commit_effect", Stopped, timed, lambda b: b.at(100).commit()),
    ("commit_effect", Refused, fresh, lambda b: b.commit()),
    ("claim_dispatch", ClaimGranted, lambda: _then(admitted, "cancel"), lambda b: b.claim()),
    ("claim_dispatch", AlreadyClaimed, claimed, lambda b: b.claim(idempotent=True)),
    ("claim_dispatch", AlreadyClaimed, in_doubt, lambda b: b.claim()),
    ("claim_dispatch", Resend, in_doubt, lambda b: b.claim(idempotent=True)),
    ("claim_dispatch", AlreadyClaimed, lambda: _then(in_doubt, "cancel"), lambda b: b.claim(idempotent=True)),
    ("claim_dispatch", SuppressedAlready, suppressed, lambda b: b.claim()),
    ("claim_dispatch", Resolved, delivered, lambda b: b.claim()),
    ("claim_dispatch", NotAdmitted, running, lambda b: b.claim()),
    ("claim_dispatch", Refused, fresh, lambda b: b.claim()),
    ("record_outcome", Recorded, claimed, lambda b: b.outcome(NoEvidence("timeout"))),
    ("record_outcome", Same, in_doubt, lambda b: b.outcome(NoEvidence("timeout"))),
    ("record_outcome", Same, admitted, lambda b: b.outcome(NoEvidence("timeout"))),
    ("record_outcome", Recorded, claimed, lambda b: b.outcome(LookupEvidence(LookupAnswer.ABSENT))),
    ("record_outcome", Recorded, in_doubt, lambda b: b.outcome(FOUND)),
    ("record_outcome", Same, delivered, lambda b: b.outcome(FOUND)),
    ("record_outcome", Contradicted, delivered, lambda b: b.outcome(told(Finding.REJECTED))),
    ("record_outcome", Contradicted, suppressed, lambda b: b.outcome(told())),
    ("record_outcome", Parked, running, lambda b: b.outcome(told())),
    ("record_outcome", BadEvidence, running, lambda b: b.outcome(told(signature="forged"))),
    ("record_outcome", BadEvidence, claimed, lambda b: b.outcome(told(signature="forged"))),
    ("record_outcome", BadEvidence, claimed, lambda b: b.outcome(told(payload="p2"))),
    ("record_outcome", BadEvidence, claimed, lambda b: b.outcome(LookupEvidence(LookupAnswer.FOUND))),
    ("record_outcome", BadEvidence, claimed, lambda b: b.outcome(LookupEvidence(LookupAnswer.FENCED, receipt()))),
    ("record_outcome", Refused, fresh, lambda b: b.outcome(told())),
    ("record_signal", Recorded, cancelled, lambda b: b.signal()),
    ("record_signal", Refused, fresh, lambda b: b.signal()),
    ("acknowledge", Recorded, cancelled, lambda b: b.acknowledge()),
    ("acknowledge", StaleLease, cancelled, lambda b: b.at(LEASE).acknowledge()),
    ("acknowledge", Contradicted, running, lambda b: b.acknowledge()),
    (
        "acknowledge",
        Contradicted,
        cancelled,
        lambda b: b.ask(Acknowledge, epoch=1, strength=AckStrength.OBSERVED, record_revision=99),
    ),
    (
        "acknowledge",
        Refused,
        fresh,
        lambda b: b.ask(Acknowledge, epoch=1, strength=AckStrength.OBSERVED, record_revision=1),
    ),
    ("complete", Won, delivered, lambda b: b.complete()),
    ("complete", Unverified, claimed, lambda b: b.complete()),
    ("complete", Unverified, owning, lambda b: b.complete()),
    ("complete", Lost, cancelled, lambda b: b.complete()),
    ("complete", Ended, ended, lambda b: b.complete()),
    ("complete", StaleLease, running, lambda b: b.at(LEASE).complete()),
    ("complete", Refused, fresh, lambda b: b.complete()),
    ("fail", Won, in_doubt, lambda b: b.fail()),
    ("fail", Lost, cancelled, lambda b: b.fail()),
    ("fail", Ended, ended, lambda b: b.fail()),
    ("fail", StaleLease, running, lambda b: b.fail(epoch=2)),
    ("fail", Refused, fresh, lambda b: b.fail()),
    ("request_cancel", Accepted, running, lambda b: b.cancel()),
    ("request_cancel", ExistingRecord, cancelled, lambda b: b.cancel()),
    ("request_cancel", ExistingRecord, subtree_cancelled, lambda b: b.cancel(Scope.TASK, "r2")),
    ("request_cancel", Widened, cancelled, lambda b: b.cancel(Scope.SUBTREE)),
    ("request_cancel", Tombstoned, fresh, lambda b: b.cancel()),
    ("request_cancel", Ended, ended, lambda b: b.cancel()),
    ("request_cancel", Refused, running, lambda b: b.cancel(incarnation=None)),
    ("inspect", Snapshot, opened, lambda b: b.look()),
    ("inspect", Refused, fresh, lambda b: b.ask(Inspect)),
    ("tick", Ticked, fresh, lambda b: b.tick()),
    ("tick", Refused, fresh, lambda b: b.ask(Tick, caller=Caller("eve", "acme", ()))),
    ("suppress", SuppressionDone, admitted, lambda b: b.suppress()),
    ("suppress", SuppressionDone, suppressed, lambda b: b.suppress()),
    ("suppress", TooLate, claimed, lambda b: b.suppress()),
    ("suppress", Resolved, delivered, lambda b: b.suppress()),
    ("suppress", NotAdmitted, running, lambda b: b.suppress()),
    ("suppress", Refused, fresh, lambda b: b.suppress()),
    ("register_child", Done, running, lambda b: b.register()),
    ("register_child", ExistingChild, subtree_cancelled, lambda b: b.register()),
    ("register_child", Stopped, cancelled, lambda b: b.register()),
    ("register_child", Stopped, lambda: _then(running, "cancel", task=CHILD), lambda b: b.register()),
    ("register_child", Ended, ended, lambda b: b.register()),
    ("register_child", StaleLease, running, lambda b: b.register(epoch=2)),
    ("register_child", NoTime, timed, lambda b: b.at(50).register(GRANDCHILD, minimum_ns=31, reserve_ns=20)),
    ("register_child", Done, timed, lambda b: b.at(50).register(GRANDCHILD, minimum_ns=30, reserve_ns=20)),
    ("register_child", NoTime, running, lambda b: b.register(cap_ns=5, minimum_ns=6)),
    ("register_child", Stopped, timed, lambda b: b.at(100).register(GRANDCHILD)),
    ("start_child", Stopped, timed, lambda b: b.at(30).start()),
    ("finish_child", ExistingChild, timed, lambda b: (b.at(30).tick(), b.finish())[1]),
    ("complete", Lost, timed, lambda b: b.at(100).complete()),
    ("request_cancel", ExistingRecord, timed, lambda b: b.at(100).cancel()),
    ("open_task", Exists, timed, lambda b: b.at(100).open(deadline=500)),
    ("suspend", Done, running, lambda b: b.suspend(Halt.SHUTDOWN)),
    ("suspend", Stopped, cancelled, lambda b: b.suspend()),
    ("suspend", Ended, ended, lambda b: b.suspend()),
    ("suspend", Refused, fresh, lambda b: b.suspend()),
    ("resume", Done, suspended, lambda b: b.resume()),
    ("resume", Stopped, lambda: _then(suspended, "cancel"), lambda b: b.resume()),
    ("resume", Ended, ended, lambda b: b.resume()),
    ("resume", Refused, fresh, lambda b: b.resume()),
    ("close_view", Done, running, lambda b: b.close_view()),
    ("close_view", Refused, fresh, lambda b: b.close_view()),
    ("register_child", Refused, lambda: _then(running, "open", task=CHILD), lambda b: b.register()),
    ("start_child", Done, owning, lambda b: b.start()),
    ("start_child", Done, lambda: _then(owning, "cancel"), lambda b: b.start()),
    ("start_child", Stopped, subtree_cancelled, lambda b: b.start()),
    ("start_child", Ended, lambda: _then(owning, "finish"), lambda b: b.start()),
    ("start_child", Refused, running, lambda b: b.start()),
    ("finish_child", Done, owning, lambda b: b.finish()),
    ("finish_child", Done, lambda: _then(owning, "finish", stage=Stage.UNKNOWN), lambda b: b.finish()),
    ("finish_child", ExistingChild, subtree_cancelled, lambda b: b.finish()),
    ("finish_child", Refused, owning, lambda b: b.finish(Stage.OBSERVED)),
    ("subscribe", Live, wanted, lambda b: b.subscribe()),
    ("subscribe", Stopped, wanted, lambda b: (b.cancel(), b.subscribe(interest="i3"))[1]),
    ("subscribe", Stopped, wanted, lambda b: (b.cancel(task=SHARED), b.subscribe(OTHER, "i3"))[1]),
    (
        "subscribe",
        Ended,
        wanted,
        lambda b: (b.begin(task=SHARED), b.complete(task=SHARED), b.subscribe(OTHER, "i3"))[2],
    ),
    ("subscribe", Refused, running, lambda b: b.subscribe()),
    ("release", Live, wanted, lambda b: b.release()),
    ("release", AlreadyReleased, wanted, lambda b: (b.release(), b.release())[1]),
    ("release", LastReleased, wanted_once, lambda b: b.release()),
    ("release", Refused, wanted, lambda b: b.release("i9")),
    ("escalate", TooEarly, cancelled, lambda b: b.at(GRACE - 1).escalate()),
    ("escalate", Forced, cancelled, lambda b: b.at(GRACE).escalate()),
    ("escalate", AlreadyForced, cancelled, lambda b: (b.at(GRACE).escalate(), b.escalate())[1]),
    ("escalate", Refused, running, lambda b: b.escalate()),
    ("escalate", Refused, cancelled, lambda b: b.escalate("w9")),
    ("record_probe", Recorded, cancelled, lambda b: b.probe(ProbeResult.UNREACHABLE)),
    ("record_probe", Refused, cancelled, lambda b: b.probe(ProbeResult.GONE, "w9")),
    ("schedule_retry", Scheduled, running, lambda b: b.arm()),
    ("schedule_retry", Scheduled, armed, lambda b: b.arm()),
    ("schedule_retry", Void, cancelled, lambda b: b.arm()),
    ("schedule_retry", Void, ended, lambda b: b.arm()),
    ("schedule_retry", Refused, fresh, lambda b: b.arm()),
    ("fire_retry", RetryFired, armed, lambda b: b.at(DUE).fire()),
    ("fire_retry", RetryFired, lambda: _then(running, "arm"), lambda b: b.at(LEASE).fire()),
    ("fire_retry", Void, armed, lambda b: (b.at(DUE).fire(), b.release_lease(2), b.fire())[2]),
    ("fire_retry", Void, lambda: _then(armed, "cancel"), lambda b: b.at(DUE).fire()),
    ("fire_retry", Refused, armed, lambda b: b.at(DUE - 1).fire()),
    ("fire_retry", Refused, lambda: _then(running, "arm"), lambda b: b.at(DUE).fire()),
    ("fire_retry", Refused, running, lambda b: b.fire()),
    ("grant", Done, running, lambda b: b.allow()),
    ("grant", Done, allowed, lambda b: b.allow()),
    ("grant", Void, cancelled, lambda b: b.allow()),
    ("grant", Void, ended, lambda b: b.allow()),
    ("grant", Refused, fresh, lambda b: b.allow()),
    ("use_grant", Done, allowed, lambda b: b.use()),
    ("use_grant", Void, allowed, lambda b: (b.use(), b.use())[1]),
    ("use_grant", Void, lambda: _then(allowed, "cancel"), lambda b: b.use()),
    ("use_grant", Void, lambda: _then(allowed, "complete"), lambda b: b.use()),
    ("use_grant", Refused, running, lambda b: b.use()),
    ("use_grant", Refused, authorised, lambda b: b.at(0).ask(UseGrant, OTHER, grant_id="a1")),
    ("measures", MeasuresReport, cancelled, lambda b: b.ask(Measures)),
    ("measures", Refused, cancelled, lambda b: b.ask(Measures, caller=Caller("ann", "acme", (Right.WORK,)))),
    ("compensate", Admitted, authorised, lambda b: b.compensate()),
    ("compensate", ExistingEffect, authorised, lambda b: (b.compensate(), b.compensate())[1]),
    ("compensate", PayloadMismatch, authorised, lambda b: b.compensate(effect="mail")),
    ("compensate", Unauthorised, authorised, lambda b: (b.compensate(), b.compensate(effect="second"))[1]),
    ("compensate", Unauthorised, authorised, lambda b: b.compensate(grant="a2")),
    ("compensate", NotCompleted, lambda: _then(claimed, "authorise"), lambda b: b.compensate()),
    ("compensate", NotCompleted, lambda: _then(running, "authorise"), lambda b: b.compensate()),
    ("compensate", Refused, authorised, lambda b: b.compensate(task=TASK)),
    ("compensate", StaleLease, authorised, lambda b: b.compensate(epoch=2)),
    ("compensate", Stopped, authorised, lambda b: (b.cancel(task=OTHER), b.compensate())[1]),
    ("compensate", Ended, authorised, lambda b: (b.complete(task=OTHER), b.compensate())[1]),
    ("compensate", Admitted, authorised, lambda b: (b.cancel(), b.compensate())[1]),
    ("compensate", Unauthorised, authorised, lambda b: (b.cancel(), b.compensate(grant="none"))[1]),
    ("offer_result", Taken, running, lambda b: b.offer()),
    ("offer_result", Taken, running, lambda b: (b.offer(), b.offer())[1]),
    ("offer_result", StaleLease, running, lambda b: b.offer(2)),
    ("offer_result", StaleLease, running, lambda b: b.at(LEASE).offer()),
    ("offer_result", Quarantined, cancelled, lambda b: b.offer()),
    ("offer_result", Quarantined, cancelled, lambda b: b.offer(7)),
    ("offer_result", Quarantined, ended, lambda b: b.offer()),
    ("offer_result", Refused, fresh, lambda b: b.offer()),
    ("ask", Done, running, lambda b: b.question()),
    ("ask", Done, asked, lambda b: b.question()),
    ("ask", Refused, asked, lambda b: b.question("bob")),
    ("ask", Stopped, cancelled, lambda b: b.question()),
    ("ask", Ended, ended, lambda b: b.question()),
    ("offer_result", Taken, asked, lambda b: (b.answer(), b.answer())[1]),
    ("offer_result", Quarantined, asked, lambda b: (b.answer(), b.answer("no"))[1]),
    ("offer_result", Quarantined, asked, lambda b: (b.withdraw(), b.answer())[1]),
    ("offer_result", Quarantined, asked, lambda b: b.answer(request_id="q9")),
    ("withdraw", Done, asked, lambda b: (b.withdraw(), b.withdraw())[1]),
    ("withdraw", BoundaryAnswer, asked, lambda b: (b.answer(), b.withdraw())[1]),
    ("withdraw", Refused, asked, lambda b: b.withdraw("bob")),
    ("withdraw", Refused, running, lambda b: b.withdraw()),
    ("read_answer", NoAnswer, asked, lambda b: b.read()),
    ("read_answer", BoundaryAnswer, asked, lambda b: (b.answer(), b.cancel(), b.read())[2]),
    ("read_answer", Refused, asked, lambda b: b.read("bob")),
    ("hand_over", Done, running, lambda b: (b.hand(), b.hand())[1]),
    ("hand_over", Stopped, cancelled, lambda b: b.hand()),
    ("hand_over", Done, handed, lambda b: (b.cancel(), b.hand())[1]),
    ("hand_over", Ended, ended, lambda b: b.hand()),
    ("hand_over", Refused, fresh, lambda b: b.hand()),
    ("take_item", Refused, fresh, lambda b: b.take()),
    ("take_item", Handed, handed, lambda b: b.take()),
    ("take_item", NothingWaits, handed, lambda b: (b.take(), b.take())[1]),
    ("take_item", Stopped, handed, lambda b: (b.cancel(), b.take())[1]),
    ("take_item", Ended, handed, lambda b: (b.complete(), b.take())[1]),
    ("take_item", StaleLease, handed, lambda b: b.take(2)),
    ("confirm_item", Done, handed, lambda b: (b.take(), b.confirm())[1]),
    ("confirm_item", Done, handed, lambda b: (b.take(), b.cancel(), b.confirm())[2]),
    ("confirm_item", Refused, handed, lambda b: b.confirm()),
    ("confirm_item", Refused, handed, lambda b: (b.cancel(), b.confirm())[1]),
    ("recall", Recalled, running, lambda b: b.recall()),
    ("recall", Recalled, cancelled, lambda b: b.recall()),
    ("recall", Refused, fresh, lambda b: b.recall()),
    ("note_artefact", Done, running, lambda b: b.make()),
    ("note_artefact", Done, making, lambda b: b.make(finished=True)),
    ("note_artefact", Stopped, cancelled, lambda b: b.make()),
    ("note_artefact", Ended, ended, lambda b: b.make()),
    ("note_artefact", StaleLease, opened, lambda b: b.make()),
    ("note_artefact", Refused, making, lambda b: (b.open(OTHER), b.begin(task=OTHER), b.make(task=OTHER))[2]),
    ("begin_cleanup", CleanupGranted, cancelled, lambda b: b.at(CLEANUP - 1).begin_cleanup()),
    ("begin_cleanup", Void, cancelled, lambda b: b.at(CLEANUP).begin_cleanup()),
    ("begin_cleanup", Ended, ended, lambda b: b.begin_cleanup()),
    ("begin_cleanup", Refused, running, lambda b: b.begin_cleanup()),
    ("clean_up", Removable, cleaning, lambda b: b.clear()),
    ("clean_up", Removable, cleaning, lambda b: (b.clear(), b.clear())[1]),
    ("clean_up", Kept, cleaning, lambda b: b.clear("a2")),
    ("clean_up", NotOwned, cleaning, lambda b: b.clear("a3")),
    ("clean_up", StaleLease, cleaning, lambda b: b.at(CLEANUP).clear()),
    ("clean_up", StaleLease, cleaning, lambda b: (b.begin_cleanup(), b.clear())[1]),
    ("clean_up", StaleLease, making, lambda b: b.clear(epoch=0)),
    ("clean_up", Refused, fresh, lambda b: b.clear()),
    ("hold_slot", SlotHeld, running, lambda b: b.hold()),
    ("hold_slot", SlotHeld, lambda: _then(running, "hold"), lambda b: b.hold()),
    ("hold_slot", PoolFull, competing, lambda b: b.hold(task=OTHER)),
    ("hold_slot", SlotHeld, competing, lambda b: (b.cancel(), b.acknowledge(), b.hold(task=OTHER))[2]),
    ("hold_slot", SlotHeld, competing, lambda b: (b.give_back(), b.hold(task=OTHER))[1]),
    ("hold_slot", SlotHeld, competing, lambda b: (b.probe(ProbeResult.GONE), b.hold(task=OTHER))[1]),
    ("hold_slot", PoolFull, competing, lambda b: (b.give_back(2), b.hold(task=OTHER))[1]),
    ("hold_slot", Stopped, cancelled, lambda b: b.hold()),
    ("hold_slot", Ended, ended, lambda b: b.hold()),
    ("hold_slot", StaleLease, opened, lambda b: b.hold()),
    ("hold_slot", Refused, fresh, lambda b: b.hold()),
    ("return_slot", SlotReturned, competing, lambda b: b.give_back()),
    ("return_slot", AlreadyReturned, competing, lambda b: (b.give_back(), b.give_back())[1]),
    ("return_slot", AlreadyReturned, competing, lambda b: (b.cancel(), b.acknowledge(), b.give_back())[2]),
    ("return_slot", Refused, fresh, lambda b: b.give_back()),
]

#: Permitted by the protocol, and never answered by this gate.
NEVER = {
    *((operation, reply) for operation in OPERATIONS for reply in (Retry, Unsupported)),
    ("fail", Unverified),
    ("release_lease", Stopped),
    ("revoke_lease", Stopped),
    ("start_child", StaleLease),
    ("finish_child", StaleLease),
    ("escalate", Impossible),
    ("begin_cleanup", Busy),
}


def _then(start: Callable[[], Bench], step: str, **fields: Any) -> Bench:
    bench = start()
    getattr(bench, step)(**fields)
    return bench


@pytest.mark.parametrize(("operation", "expected", "start", "act"), CASES)
def test_reply(operation: str, expected: type[Any], start: Callable[[], Bench], act: Callable[[Bench], Any]) -> None:
    reply = act(start())
    assert isinstance(reply, expected), reply
    assert isinstance(reply, OPERATIONS[operation].replies)


def test_the_table_has_every_reply_that_the_gate_gives() -> None:
    permitted = {(spec.name, reply) for spec in OPERATIONS.values() if not spec.provisional for reply in spec.replies}
    covered = {(operation, expected) for operation, expected, _, _ in CASES}
    assert permitted - covered - NEVER == set()


@pytest.mark.parametrize("spec", [s for s in OPERATIONS.values() if not s.provisional], ids=lambda s: s.name)
@pytest.mark.parametrize("caller", [Caller("eve", "evil", tuple(Right)), Caller("eve", "acme", ())])
def test_a_stranger_is_refused_before_anything_else(spec: Any, caller: Caller) -> None:
    needed: dict[str, Any] = {
        "worker": "w1", "delivery_id": "d", "epoch": 1, "effect_id": "mail", "payload_digest": "p1",
        "receiver": "mailer", "cancellation_class": CancellationClass.ABORTABLE, "kind": OwnedKind.TOOL_CALL,
        "evidence": told(), "target": "w1", "channel": "inbox", "cause": Cause.USER,
        "strength": AckStrength.OBSERVED, "record_revision": 1, "result_digest": "r", "scope": Scope.TASK,
        "request_id": "r1", "reason": "", "child": CHILD, "owner": "w1", "stage": Stage.COMPLETED,
        "interest_id": "i1", "subscriber": TASK, "level": "kill", "result": ProbeResult.GONE,
        "retry_id": "t1", "at_ns": 0, "grant_id": "g1", "target_effect_id": "mail",
        "place": ResultPlace.CACHE, "authority_version": 1,
        "item_id": "i1", "artefact": "a1", "cleaner": "w2", "pool": "p1", "limit": 1,
        "halt": Halt.PAUSE, "view": "tab", "how": ViewEnd.ROW_HIDDEN,
    }  # fmt: skip
    fields = {name: value for name, value in needed.items() if name in spec.request.__struct_fields__}
    for bench in (fresh(), admitted()):
        before = bench.gate.fingerprint()
        assert bench.ask(spec.request, caller=caller, **fields) == Refused(RefusalReason.FORBIDDEN)
        assert bench.gate.fingerprint() == before


# --- lifetimes ----------------------------------------------------------------------------------------


def test_an_expiry_is_a_record_and_a_later_stop_joins_it() -> None:
    bench = timed().at(100)
    bench.cancel()
    record = bench.look().record
    assert record is not None
    assert [cause.cause for cause in record.causes] == [Cause.DEADLINE, Cause.USER]
    assert (record.scope, record.causes[0].at_ns) == (Scope.SUBTREE, 100)


def test_a_deadline_that_passes_on_a_stopped_task_is_a_later_cause_once() -> None:
    bench = _then(timed, "cancel")
    assert bench.tick().next_wake_ns == 30, "the child's lifetime ends first"
    bench.at(100).tick()
    bench.at(101).tick()
    record = bench.look().record
    assert record is not None
    assert [cause.cause for cause in record.causes] == [Cause.USER, Cause.DEADLINE]


def test_a_tick_names_the_next_end_of_a_lifetime() -> None:
    bench = timed()
    assert bench.tick().next_wake_ns == 30
    assert bench.at(30).tick().transitions
    assert bench.look(CHILD).execution is Execution.CANCELLED_SETTLED, "it never ran"
    assert bench.look().children[0].stage is Stage.CONFIRMED_CANCELLED
    assert bench.tick().next_wake_ns == 100


def test_a_childs_deadline_is_the_earlier_one_and_a_repeat_does_not_move_it() -> None:
    bench = timed()
    bench.at(20).register(cap_ns=30)
    bench.register(GRANDCHILD, cap_ns=500)
    assert [bench.look(task).deadline_ns for task in (TASK, CHILD, GRANDCHILD)] == [100, 30, 100]


def test_a_task_that_has_ended_does_not_expire() -> None:
    bench = fresh()
    bench.open(deadline=100)
    bench.begin()
    bench.complete()
    bench.at(100)
    assert bench.look().record is None
    assert bench.tick().next_wake_ns is None


# --- results ------------------------------------------------------------------------------------------


def test_what_is_taken_is_held_once_and_what_is_late_is_kept_as_evidence() -> None:
    bench = running()
    for _ in range(2):
        bench.offer()
    bench.cancel()
    for _ in range(2):
        bench.offer(result_digest="more")
    assert [held.result_digest for held in bench.recall().results] == ["found"]
    assert [(late.operation, late.result_digest) for late in bench.look().late_results] == [("search", "more")]


def test_a_response_is_one_runs_a_memory_one_tasks_and_the_cache_everybodys() -> None:
    bench = running()
    for place in ResultPlace:
        bench.offer(place=place)
    again = TaskRef(TASK.key, 2)
    for ref in (again, OTHER):
        bench.open(ref)
    seen = {ref: [place.value for place in ResultPlace if bench.recall(place, ref).results] for ref in (again, OTHER)}
    assert seen == {again: ["memory", "cache", "plan"], OTHER: ["cache"]}


def test_an_answer_to_a_request_is_no_answer_to_everybody() -> None:
    bench = asked()
    bench.answer()
    assert bench.recall().results == ()
    assert bench.read() == BoundaryAnswer("yes")


def test_every_item_is_somewhere_after_the_stop() -> None:
    bench = running()
    for item_id in ("delivered", "in hand", "waiting"):
        bench.hand(item_id, wake_up=item_id == "waiting")
    bench.take()
    bench.take()
    bench.confirm("delivered")
    bench.cancel()
    states = {entry.item_id: entry.state.value for entry in bench.look().handovers}
    assert states == {"delivered": "delivered", "in hand": "recorded", "waiting": "returned"}
    bench.confirm("in hand")
    assert bench.look().handovers[1].state is Handover.DELIVERED


# --- pauses and views ---------------------------------------------------------------------------------


def test_a_pause_is_no_cancellation_and_ends_with_the_resumption() -> None:
    bench = suspended()
    account = bench.look()
    assert (account.record, account.status, account.suspended) == (None, Status.RUNNING, Halt.PAUSE)
    assert account.leases[0].state is LeaseState.REVOKED
    bench.resume()
    assert isinstance(bench.begin(), LeaseGranted)
    assert bench.look().suspended is None


def test_a_closed_view_leaves_the_state_as_it_was() -> None:
    bench = cancelled()
    before = bench.gate.fingerprint()
    bench.close_view()
    assert bench.gate.fingerprint() == before


# --- settling -----------------------------------------------------------------------------------------


def test_an_idle_task_settles_within_the_cutoff() -> None:
    bench = _then(opened, "cancel")
    assert bench.look().execution is Execution.CANCELLED_SETTLED
    assert bench.look().status is Status.CANCELLED


def test_an_acknowledged_stop_settles_and_ends_the_lease() -> None:
    bench = cancelled()
    assert bench.look().status is Status.STOP_REQUESTED
    bench.signal()
    assert bench.look().execution is Execution.DRAINING
    bench.acknowledge(AckStrength.STOPPED_SCHEDULING)
    assert bench.look().status is Status.CANCELLATION_PENDING
    bench.acknowledge(AckStrength.HANDLER_STOPPED)
    assert bench.look().status is Status.CANCELLED
    assert bench.look().leases[0].state is LeaseState.RELEASED


@pytest.mark.parametrize(("result", "stopped"), [(ProbeResult.GONE, True), (ProbeResult.ALIVE, False)])
def test_only_a_probe_that_found_nothing_proves_a_stop(result: ProbeResult, stopped: bool) -> None:
    bench = cancelled()
    bench.at(GRACE).escalate()
    assert bench.look().stopping.workers[0].stopped is False, "force proves nothing"
    bench.probe(result)
    assert (bench.look().execution is Execution.CANCELLED_SETTLED) is stopped


def test_a_probe_of_an_earlier_life_proves_nothing() -> None:
    bench = running()
    bench.probe(ProbeResult.GONE)
    bench.begin()
    bench.cancel()
    assert bench.look().execution is Execution.CANCELLATION_REQUESTED


def test_silence_is_fenced_by_expiry_and_the_wake_up_is_named() -> None:
    bench = cancelled()
    assert bench.tick().next_wake_ns == LEASE
    assert bench.look().execution is Execution.CANCELLATION_REQUESTED
    ticked = bench.at(LEASE).tick()
    assert {transition.change for transition in ticked.transitions} == {"expired", "cancelled_settled"}
    assert ticked.next_wake_ns is None


def test_the_budget_ends_in_doubt_and_evidence_still_settles() -> None:
    bench = _then(in_doubt, "cancel")
    bench.acknowledge()
    assert bench.look().status is Status.OUTCOME_UNKNOWN
    assert bench.tick().next_wake_ns == BUDGET
    assert bench.at(BUDGET).tick().next_wake_ns is None
    assert bench.look().execution is Execution.STOPPED_UNRESOLVED
    assert isinstance(bench.outcome(FOUND), Recorded)
    snapshot = bench.look()
    assert (snapshot.execution, snapshot.status) == (Execution.CANCELLED_SETTLED, Status.CANCELLED)
    assert snapshot.ledger.completed == ("mail",)


def test_an_irreversible_effect_in_flight_is_shown_as_unsupported() -> None:
    assert _then(claimed, "cancel").look().status is Status.CANCELLATION_UNSUPPORTED


def test_admissions_and_the_cutoff_are_ordered_by_one_counter() -> None:
    bench = _then(admitted, "cancel")
    snapshot = bench.look()
    assert snapshot.record is not None
    assert snapshot.effects[0].admitted_revision < snapshot.record.revision


# --- the record ---------------------------------------------------------------------------------------


def test_repeats_return_the_record_and_later_causes_are_appended() -> None:
    bench = running()
    first = bench.cancel().record
    assert bench.cancel().record == first
    later = bench.cancel(request_id="r2").record
    assert (later.record_id, later.revision) == (first.record_id, first.revision)
    assert [cause.request_id for cause in later.causes] == ["r1", "r2"]
    assert later.causes[0].revision < later.causes[1].revision


def test_a_wrong_gate_that_forgets_its_first_cause_still_knows_its_cutoffs() -> None:
    """It is wrong in one thing, and does not fail in another."""
    bench = Bench()
    bench.gate = LastCauseOnly(FakeEnvironment())
    bench.open()
    bench.begin()
    bench.register()
    bench.start()
    bench.cancel()
    bench.cancel(Scope.SUBTREE, "r2")
    later = bench.cancel(Scope.SUBTREE, "r3").record
    assert [cause.request_id for cause in later.causes] == ["r3", "r2"]
    assert isinstance(bench.ask(Tick), Ticked)
    assert bench.look(CHILD).record == later


def test_a_settled_task_stays_settled_when_it_is_widened() -> None:
    bench = owning()
    bench.start()
    bench.begin("w2", CHILD)
    bench.cancel()
    bench.acknowledge()
    assert bench.look().execution is Execution.CANCELLED_SETTLED
    assert bench.look(CHILD).record is None
    widened = bench.cancel(Scope.SUBTREE, "r2").record
    assert widened.subtree_revision == widened.causes[-1].revision > widened.revision
    assert bench.look().execution is Execution.CANCELLED_SETTLED
    assert bench.look(CHILD).record == widened
    assert isinstance(bench.commit("late", task=CHILD), Stopped)


def test_a_stop_touches_only_the_incarnation_that_it_names() -> None:
    bench = running()
    later = TaskRef(TASK.key, 2)
    bench.open(later)
    bench.cancel()
    assert bench.look(later).record is None
    assert isinstance(bench.begin("w2", later), LeaseGranted)


def test_a_stop_after_the_end_is_kept_once() -> None:
    bench = ended()
    assert bench.cancel() == bench.cancel() == Ended(Execution.COMPLETED)
    assert len(bench.look().stop_after_end) == 1
    assert bench.look().status is Status.COMPLETED_BEFORE_CANCELLATION
    assert bench.look().record is None


def test_a_scope_that_the_gate_lacks_is_unsupported() -> None:
    class TaskOnly(MemoryGate):
        contract = msgspec.structs.replace(MemoryGate.contract, scopes=frozenset((Scope.TASK,)))

    bench = running()
    bench.gate = TaskOnly(FakeEnvironment())
    assert isinstance(bench.cancel(Scope.SUBTREE), Unsupported)


# --- what workers say ---------------------------------------------------------------------------------


def test_a_superseded_worker_is_fenced_and_its_word_does_not_count() -> None:
    bench = running()
    bench.begin("w2", trigger=Trigger.REPLACEMENT)
    bench.cancel()
    assert bench.acknowledge(epoch=1) == StaleLease(2)
    assert isinstance(bench.commit(epoch=1), Stopped)
    snapshot = bench.look()
    assert [ack.counted for ack in snapshot.acknowledgements] == [False]
    assert [(w.stopped, w.fenced) for w in snapshot.stopping.workers] == [(False, True), (False, False)]


@pytest.mark.parametrize("deed", ["commit", "begin", "register"])
def test_a_worker_that_stopped_and_acts_is_contained_and_noted(deed: str) -> None:
    bench = cancelled()
    bench.acknowledge()
    assert isinstance(getattr(bench, deed)(), Stopped)
    assert [kept.subject for kept in bench.look().contradictions] == ["w1"]


def test_a_late_success_is_kept_once_and_changes_nothing() -> None:
    bench = cancelled()
    assert bench.complete() == bench.complete()
    snapshot = bench.look()
    assert [entry.stage for entry in snapshot.lifecycle] == [Stage.COMPLETED_AFTER_CANCEL]
    assert [late.result_digest for late in snapshot.late_results] == ["done"]
    assert snapshot.execution is Execution.CANCELLATION_REQUESTED


# --- the ledger ---------------------------------------------------------------------------------------


def test_an_effect_id_is_unique_in_its_tenant() -> None:
    bench = admitted()
    bench.open(OTHER)
    bench.begin(task=OTHER)
    assert isinstance(bench.commit(task=OTHER), PayloadMismatch)
    elsewhere = TaskRef(TaskKey("evil", "refund"), 1)
    eve = Caller("eve", "evil", tuple(Right))
    bench.ask(OpenTask, elsewhere, caller=eve)
    assert isinstance(bench.ask(Inspect, elsewhere, caller=eve), Snapshot)


def test_parked_evidence_is_applied_when_its_effect_is_admitted() -> None:
    bench = running()
    bench.outcome(told())
    bench.outcome(told())
    assert len(bench.look().parked) == 1
    bench.commit()
    snapshot = bench.look()
    assert snapshot.effects[0].disposition is Disposition.COMPLETED
    assert snapshot.parked == ()
    assert len(snapshot.contradictions) == 1, "it was executed before anybody had claimed it"
    assert isinstance(bench.claim(), Resolved)


@pytest.mark.parametrize(
    ("evidence", "disposition"),
    [
        (told(Finding.EXECUTED), Disposition.COMPLETED),
        (told(Finding.REJECTED), Disposition.REJECTED),
        (told(Finding.PROVIDER_CANCELLED), Disposition.PROVIDER_CANCELLED),
        (LookupEvidence(LookupAnswer.FENCED, receipt(Finding.FENCED)), Disposition.NOT_EXECUTED),
        (LookupEvidence(LookupAnswer.ABSENT), Disposition.UNKNOWN),
        (LookupEvidence(LookupAnswer.STALE), Disposition.UNKNOWN),
        (NoEvidence("timeout"), Disposition.UNKNOWN),
        (told(signature="forged"), Disposition.PENDING),
    ],
)
def test_what_evidence_makes_of_a_claimed_effect(evidence: Evidence, disposition: Disposition) -> None:
    bench = claimed()
    bench.outcome(evidence)
    effect = bench.look().effects[0]
    assert effect.disposition is disposition
    assert (evidence in effect.evidence) is (disposition is not Disposition.PENDING)


def test_a_fenced_effect_that_is_then_rejected_is_no_contradiction() -> None:
    bench = claimed()
    bench.outcome(LookupEvidence(LookupAnswer.FENCED, receipt(Finding.FENCED)))
    assert isinstance(bench.outcome(told(Finding.REJECTED)), Same)
    assert bench.look().contradictions == ()


# --- owned work ---------------------------------------------------------------------------------------


def family() -> Bench:
    """A task with a started child, which owns a grandchild that has not started."""
    bench = owning()
    bench.start()
    bench.begin("w2", CHILD)
    bench.register(GRANDCHILD, CHILD)
    return bench


def test_a_subtree_cutoff_reaches_every_depth_and_waits_for_what_runs() -> None:
    bench = family()
    record = bench.cancel(Scope.SUBTREE).record
    bench.acknowledge()
    assert bench.look(GRANDCHILD).record == record
    assert bench.look(CHILD).children[0].stage is Stage.CONFIRMED_CANCELLED
    assert isinstance(bench.start(GRANDCHILD, CHILD), Stopped)
    assert isinstance(bench.commit("late", task=CHILD), Stopped)
    assert bench.look().execution is Execution.DRAINING
    bench.acknowledge(task=CHILD)
    assert bench.look(CHILD).execution is Execution.CANCELLED_SETTLED
    bench.tick()
    assert bench.look().children[0].stage is Stage.CONFIRMED_CANCELLED
    assert bench.look().execution is Execution.CANCELLED_SETTLED


def test_scope_task_leaves_children_alone_and_does_not_wait_for_them() -> None:
    bench = family()
    bench.cancel()
    bench.acknowledge()
    assert bench.look().execution is Execution.CANCELLED_SETTLED
    assert isinstance(bench.commit("mail", task=CHILD), Admitted)


def test_a_child_that_completes_after_the_cutoff_is_kept_as_such() -> None:
    bench = family()
    bench.cancel(Scope.SUBTREE)
    assert isinstance(bench.finish(), Done)
    assert bench.finish() == ExistingChild(Stage.COMPLETED_AFTER_CANCEL)


def test_a_child_in_doubt_leaves_its_owner_unresolved_until_evidence() -> None:
    bench = family()
    bench.commit("mail", task=CHILD)
    bench.ask(ClaimDispatch, CHILD, effect_id="mail")
    bench.cancel(Scope.SUBTREE)
    bench.outcome(NoEvidence("timeout"), task=CHILD)
    bench.at(LEASE).tick()
    bench.at(BUDGET).tick()
    assert bench.look().children[0].stage is Stage.UNKNOWN
    assert bench.look().execution is Execution.STOPPED_UNRESOLVED
    assert bench.look().status is Status.OUTCOME_UNKNOWN
    bench.outcome(FOUND, task=CHILD)
    assert bench.look(CHILD).execution is Execution.CANCELLED_SETTLED
    assert bench.look().execution is Execution.CANCELLED_SETTLED


def test_a_running_tool_call_is_not_taken_for_stopped() -> None:
    bench = running()
    bench.register(kind=OwnedKind.TOOL_CALL)
    bench.start()
    bench.cancel(Scope.SUBTREE)
    bench.acknowledge()
    bench.tick()
    assert bench.look().execution is Execution.DRAINING
    bench.finish(Stage.FORCE_STOPPED)
    assert bench.look().execution is Execution.CANCELLED_SETTLED


def test_a_child_that_completed_holds_up_nobody() -> None:
    bench = family()
    bench.finish(child=GRANDCHILD, parent=CHILD)
    assert isinstance(bench.complete(task=CHILD), Won)
    bench.tick()
    assert bench.look().children[0].stage is Stage.COMPLETED
    assert isinstance(bench.complete(), Won)


# --- shared work --------------------------------------------------------------------------------------


def test_a_cancelled_subscriber_gives_up_its_interest_only() -> None:
    bench = wanted()
    bench.cancel()
    assert [interest.released_revision is None for interest in bench.look(SHARED).interests] == [False, True]
    assert bench.look(SHARED).record is None
    assert isinstance(bench.release(), AlreadyReleased)


def test_the_last_cancelled_subscriber_stops_the_shared_work() -> None:
    bench = wanted_once()
    bench.cancel()
    record = bench.look(SHARED).record
    assert record is not None
    assert (record.task, record.causes[0].cause) == (SHARED, Cause.POLICY)


def test_a_subtree_cutoff_releases_the_interests_of_descendants() -> None:
    bench = wanted()
    bench.register()
    bench.subscribe(CHILD, "i3")
    bench.cancel(Scope.SUBTREE)
    live = [i.interest_id for i in bench.look(SHARED).interests if i.released_revision is None]
    assert live == ["i2"]


# --- the fingerprint ----------------------------------------------------------------------------------


def test_equal_histories_have_equal_fingerprints_and_reading_changes_none() -> None:
    first, second = subtree_cancelled(), subtree_cancelled()
    first.look()
    assert first.gate.fingerprint() == second.gate.fingerprint()
    second.signal()
    assert first.gate.fingerprint() != second.gate.fingerprint()


# --- what is kept for later ------------------------------------------------------------------------------


def test_a_fired_retry_supersedes_older_epochs() -> None:
    bench = armed()
    assert bench.at(DUE).fire() == RetryFired(2)
    assert isinstance(bench.commit(epoch=1), StaleLease)
    assert isinstance(bench.commit(epoch=2), Admitted)


def test_a_stop_of_the_owners_subtree_voids_what_its_children_kept_for_later() -> None:
    bench = owning()
    bench.ask(ScheduleRetry, CHILD, retry_id="t1", at_ns=0)
    bench.ask(Grant, CHILD, grant_id="g1")
    bench.cancel(Scope.SUBTREE)
    assert isinstance(bench.ask(FireRetry, CHILD, retry_id="t1", worker="w2"), Void)
    assert isinstance(bench.ask(UseGrant, CHILD, grant_id="g1"), Void)


@pytest.mark.parametrize(("kind", "right"), [(GrantKind.APPROVAL, Right.STOP), (GrantKind.PREPARED_WRITE, Right.WORK)])
def test_a_person_approves_and_a_worker_prepares(kind: GrantKind, right: Right) -> None:
    bench = running()
    others = tuple(other for other in Right if other is not right)
    assert isinstance(bench.allow(kind, caller=Caller("ann", "acme", others)), Refused)
    assert isinstance(bench.allow(kind, caller=Caller("ann", "acme", (right,))), Done)
