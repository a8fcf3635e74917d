"""Random requests over a small world of tasks, so that every operation meets every state of a task."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from stopcheck.gate import (
    SECOND_NS,
    Acknowledge,
    AckStrength,
    Admitted,
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
    LeaseGranted,
    LookupAnswer,
    LookupEvidence,
    Measures,
    NoEvidence,
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
    RenewLease,
    Request,
    RequestCancel,
    ResultPlace,
    Resume,
    RetryFired,
    ReturnSlot,
    RevokeLease,
    Right,
    ScheduleRetry,
    Scope,
    Stage,
    StartChild,
    Stopped,
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

TASKS = ("root", "child", "grandchild", "shared", "other")
EFFECTS = ("mail", "export", "note")
WORKERS = ("anna", "ben")


class Requests:
    """An endless stream of requests. Most are sensible; some are foreign, stale, repeated or nonsense."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._number = 0
        self._epochs: dict[str, int] = {}
        self._revisions: dict[str, int] = {}
        self._homes: dict[str, str] = {}
        self.now_ns = 0

    def learn(self, asked: Request, reply: Any) -> None:
        """Mostly act as those would who read the replies: with current epochs, revisions, and effects of the task."""
        name = asked.task.task_id
        if isinstance(reply, LeaseGranted | RetryFired):
            self._epochs[name] = reply.epoch
        elif isinstance(reply, Stopped):
            self._revisions[name] = reply.record.revision
        elif isinstance(reply, Admitted) and isinstance(asked, CommitEffect):
            self._homes[asked.effect_id] = name

    def opening(self) -> Iterator[Request]:
        """Tasks that exist in most runs: without them hardly anything would be reached."""
        for name in ("root", "shared"):
            if self._chance(0.9):
                yield self._make(OpenTask, name, deadline_ns=self._pick(None, 40 * SECOND_NS))
            if self._chance(0.9):
                yield self._make(BeginWork, name, worker="anna", delivery_id="d", trigger=Trigger.FIRST)
        if self._chance(0.8):
            yield self._register("root", "child", 1)
            yield self._make(StartChild, "root", child=ref("child"))
            yield self._make(BeginWork, "child", worker="ben", delivery_id="d", trigger=Trigger.FIRST)

    def next(self) -> Request:
        """One more request; time passes now and then."""
        if self._chance(0.06):
            self.now_ns += self._pick(1, SECOND_NS, 5 * SECOND_NS, 29 * SECOND_NS, 60 * SECOND_NS)
        name = self._random.choices(TASKS, (5, 4, 2, 3, 1))[0]
        kind = self._random.choices(list(_KINDS), list(_KINDS.values()))[0]
        made: Request = getattr(self, f"_{kind}")(name)
        return made

    # --- the kinds ----------------------------------------------------------------------------------------

    def _open(self, name: str) -> Request:
        return self._make(OpenTask, name, deadline_ns=self._pick(None, 7, 20 * SECOND_NS))

    def _begin(self, name: str) -> Request:
        trigger = self._pick(*Trigger)
        return self._make(BeginWork, name, worker=self._pick(*WORKERS), delivery_id="d", trigger=trigger)

    def _lease(self, name: str) -> Request:
        return self._make(self._pick(RenewLease, ReleaseLease, RevokeLease), name, epoch=self._epoch(name))

    def _commit(self, name: str) -> Request:
        return self._make(
            CommitEffect,
            name,
            epoch=self._epoch(name),
            effect_id=self._pick(*EFFECTS),
            payload_digest=self._random.choices(("payload", "another"), (9, 1))[0],
            receiver="post",
            cancellation_class=self._pick(*CancellationClass),
            kind="mail",
            items=("one", "two") if name == "shared" else (),
        )

    def _claim(self, name: str) -> Request:
        name, effect_id = self._effect(name)
        return self._make(ClaimDispatch, name, effect_id=effect_id, idempotent_receiver=self._chance(0.5))

    def _suppress(self, name: str) -> Request:
        name, effect_id = self._effect(name)
        return self._make(Suppress, name, effect_id=effect_id)

    def _outcome(self, name: str) -> Request:
        name, effect_id = self._effect(name)
        item = self._pick(None, "one", "two", "three") if name == "shared" else None
        return self._make(RecordOutcome, name, effect_id=effect_id, evidence=self._evidence(effect_id), item=item)

    def _evidence(self, effect_id: str) -> Evidence:
        receipt = Receipt(
            receiver="post",
            effect_id=self._random.choices((effect_id, "mail"), (9, 1))[0],
            payload_digest=self._random.choices(("payload", "another"), (9, 1))[0],
            finding=self._pick(*Finding),
            receipt_id=f"r{self._random.randrange(3)}",
            signature=self._random.choices(("genuine", "forged"), (9, 1))[0],
            item=self._random.choices(("", "one", "two"), (6, 1, 1))[0],
        )
        evidence: Evidence = self._pick(
            NoEvidence("timeout"),
            ReceiptEvidence(receipt),
            ReceiptEvidence(receipt),
            LookupEvidence(self._pick(*LookupAnswer), self._pick(None, receipt)),
        )
        return evidence

    def _signal(self, name: str) -> Request:
        return self._make(RecordSignal, name, target=name, channel="inbox", cause=self._pick(*Cause))

    def _acknowledge(self, name: str) -> Request:
        revision = self._revisions.get(name, 1) if self._chance(0.9) else self._random.randrange(8)
        return self._make(
            Acknowledge, name, epoch=self._epoch(name), strength=self._pick(*AckStrength), record_revision=revision
        )

    def _end(self, name: str) -> Request:
        return self._make(
            self._pick(Complete, Fail), name, epoch=self._epoch(name), result_digest=self._pick("one", "two")
        )

    def _cancel(self, name: str) -> Request:
        return self._make(
            RequestCancel,
            name,
            scope=self._pick(*Scope),
            cause=self._pick(*Cause),
            request_id=self._pick("first", "second", "third"),
            reason="pressed",
        )

    def _inspect(self, name: str) -> Request:
        if self._chance(0.1):
            return self._make(CloseView, name, view="tab", how=self._pick(*ViewEnd))
        return self._make(Inspect, name)

    def _tick(self, name: str) -> Request:
        if self._chance(0.2):
            return self._make(Measures, name)
        return self._make(Tick, name)

    def _child(self, name: str) -> Request:
        parent, child = self._pick(("root", "child"), ("child", "grandchild"), ("root", "other"), ("shared", "other"))
        kind = self._pick(RegisterChild, StartChild, FinishChild)
        if kind is RegisterChild:
            return self._register(parent, child, self._epoch(parent))
        if kind is StartChild:
            return self._make(StartChild, parent, child=ref(child))
        return self._make(FinishChild, parent, child=ref(child), stage=self._pick(*Stage))

    def _interest(self, name: str) -> Request:
        interest_id = self._pick("i1", "i2")
        if self._chance(0.7):
            return self._make(Subscribe, "shared", interest_id=interest_id, subscriber=ref(self._pick(*TASKS)))
        return self._make(Release, "shared", interest_id=interest_id)

    def _force(self, name: str) -> Request:
        worker = self._pick(*WORKERS, "nobody")
        if self._chance(0.5):
            return self._make(Escalate, name, worker=worker, level="kill")
        return self._make(RecordProbe, name, worker=worker, result=self._pick(*ProbeResult))

    def _retry(self, name: str) -> Request:
        retry_id = self._pick("r1", "r2")
        if self._chance(0.5):
            return self._make(ScheduleRetry, name, retry_id=retry_id, at_ns=self._pick(0, SECOND_NS))
        return self._make(FireRetry, name, retry_id=retry_id, worker=self._pick(*WORKERS))

    def _approval(self, name: str) -> Request:
        grant_id = self._pick("g1", "g2")
        if self._chance(0.5):
            kind = self._pick(*GrantKind)
            answers = self._pick(*EFFECTS) if kind is GrantKind.COMPENSATION else ""
            return self._make(Grant, name, grant_id=grant_id, kind=kind, compensates=answers)
        if self._chance(0.4):
            return self._compensate(name, grant_id)
        return self._make(UseGrant, name, grant_id=grant_id)

    def _compensate(self, name: str, grant_id: str) -> Request:
        home, answered = self._effect(self._pick(*TASKS))
        return self._make(
            Compensate,
            name,
            epoch=self._epoch(name),
            effect_id=self._pick(*EFFECTS),
            payload_digest="payload",
            receiver="post",
            cancellation_class=self._pick(*CancellationClass),
            kind="mail",
            target=ref(home),
            target_effect_id=answered,
            grant_id=grant_id,
        )

    def _belonging(self, name: str) -> Request:
        epoch, artefact, pool = self._pick(1, 2, 3), self._pick("a1", "a2"), self._pick("p1", "p2")
        match self._pick("note", "begin", "clean", "hold", "return"):
            case "note":
                finished = self._chance(0.3)
                return self._make(NoteArtefact, name, epoch=epoch, artefact=artefact, finished=finished)
            case "begin":
                return self._make(BeginCleanup, name, cleaner=self._pick("w1", "w2"))
            case "clean":
                return self._make(CleanUp, name, epoch=epoch, artefact=artefact)
            case "hold":
                return self._make(HoldSlot, name, epoch=epoch, pool=pool, limit=self._pick(1, 2))
            case _:
                return self._make(ReturnSlot, name, epoch=epoch, pool=pool)

    def _pause(self, name: str) -> Request:
        if self._chance(0.5):
            return self._make(Suspend, name, halt=self._pick(*Halt))
        return self._make(Resume, name)

    def _result(self, name: str) -> Request:
        place = self._pick(*ResultPlace)
        if self._chance(0.3):
            return self._make(Recall, name, place=place)
        digest, version = self._pick("found", "more"), self._epoch(name)
        return self._make(
            OfferResult, name, target="search", place=place, authority_version=version, result_digest=digest
        )

    def _boundary(self, name: str) -> Request:
        request_id = self._pick("q1", "q2")
        if self._chance(0.4):
            return self._make(Ask, name, request_id=request_id, channel="c1")
        if self._chance(0.4):
            return self._make(self._pick(Withdraw, ReadAnswer), name, request_id=request_id)
        return self._make(
            OfferResult,
            name,
            target=request_id,
            place=ResultPlace.RESPONSE,
            authority_version=self._epoch(name),
            result_digest=self._pick("yes", "no"),
            request_id=request_id,
        )

    def _item(self, name: str) -> Request:
        item_id = self._pick("i1", "i2")
        if self._chance(0.4):
            return self._make(HandOver, name, item_id=item_id, wake_up=self._chance(0.3))
        if self._chance(0.6):
            return self._make(TakeItem, name, epoch=self._epoch(name))
        return self._make(ConfirmItem, name, item_id=item_id)

    # --- parts --------------------------------------------------------------------------------------------

    def _register(self, parent: str, child: str, epoch: int) -> Request:
        kind = self._random.choices((OwnedKind.CHILD_TASK, OwnedKind.TOOL_CALL), (3, 1))[0]
        return self._make(
            RegisterChild,
            parent,
            epoch=epoch,
            child=ref(child),
            kind=kind,
            owner="root's worker",
            cap_ns=self._pick(None, None, 6 * SECOND_NS),
            minimum_ns=self._pick(0, 0, SECOND_NS),
            cancellation_class=self._pick(None, None, *CancellationClass),
            reserve_ns=self._pick(0, SECOND_NS),
        )

    def _epoch(self, name: str) -> int:
        return self._epochs.get(name, 1) if self._chance(0.85) else self._pick(1, 2, 9)

    def _effect(self, name: str) -> tuple[str, str]:
        """An effect id, mostly with the task that holds it."""
        effect_id = self._pick(*EFFECTS)
        return (self._homes.get(effect_id, name) if self._chance(0.9) else name), effect_id

    def _make(self, kind: type[Request], name: str, /, **fields: Any) -> Request:
        self._number += 1
        rights = tuple(Right) if self._chance(0.97) else (Right.INSPECT,)
        return kind(
            call_id=f"c{self._number}",
            caller=Caller("somebody", "acme" if self._chance(0.98) else "rival", rights),
            now_ns=self.now_ns,
            task=TaskKey("acme", name),
            incarnation=self._random.choices((1, 2, None), (96, 3, 1))[0],
            **fields,
        )

    def _chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def _pick(self, *options: Any) -> Any:
        return self._random.choice(options)


#: How often each kind of request is made, relative to the others.
_KINDS = {
    "open": 1, "begin": 3, "lease": 2, "commit": 3, "claim": 3, "suppress": 1, "outcome": 3, "signal": 1,
    "acknowledge": 3, "end": 1, "cancel": 2, "inspect": 2, "tick": 1, "child": 3, "interest": 1, "force": 1,
    "retry": 1, "approval": 1, "pause": 1, "result": 2, "boundary": 2, "item": 2, "belonging": 2,
}  # fmt: skip


def ref(name: str) -> TaskRef:
    """The first incarnation of a task."""
    return TaskRef(TaskKey("acme", name), 1)
