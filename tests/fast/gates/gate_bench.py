"""A memory gate on a bench: one method for each thing that a test does to it."""

from __future__ import annotations

from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from stopcheck.gate import (
    SECOND_NS,
    Acknowledge,
    AckStrength,
    Ask,
    BeginCleanup,
    BeginWork,
    Caller,
    CancellationClass,
    Cause,
    ClaimDispatch,
    CleanUp,
    CloseView,
    CommitEffect,
    Compensate,
    Complete,
    ConfirmItem,
    Escalate,
    Evidence,
    Fail,
    Finding,
    FinishChild,
    FireRetry,
    Grant,
    GrantKind,
    Halt,
    HandOver,
    HoldSlot,
    Inspect,
    NoteArtefact,
    OfferResult,
    OpenTask,
    OwnedKind,
    ProbeResult,
    ReadAnswer,
    Recall,
    Receipt,
    ReceiptEvidence,
    RecordOutcome,
    RecordProbe,
    RecordSignal,
    RegisterChild,
    Release,
    ReleaseLease,
    Request,
    RequestCancel,
    ResultPlace,
    Resume,
    ReturnSlot,
    Right,
    ScheduleRetry,
    Scope,
    Snapshot,
    Stage,
    StartChild,
    Subscribe,
    Suppress,
    Suspend,
    TakeItem,
    TaskKey,
    TaskRef,
    Tick,
    Trigger,
    UseGrant,
    ViewEnd,
    Withdraw,
)
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
