"""What is certain at each moment of a run, read from the log alone.

One idea: checks do not keep books of their own. They ask *facts*: what was asked and answered, what receivers did, who holds
which lease. A fact is certain in real time: a record "is known" from the moment at which a caller was answered with it, so
a check built on facts needs no assumption about the order of concurrent calls (the linearisability checker handles those).

Step numbers are for people and stay out of ``digest``; everything on which a later verdict can depend is in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import msgspec

from stopcheck.gate import (
    Accepted,
    Acknowledge,
    BeginWork,
    CancellationRecord,
    ClaimGranted,
    CommitEffect,
    Evidence,
    ExistingRecord,
    GateContract,
    Indefinite,
    LeaseGranted,
    Lost,
    PreCancelled,
    RecordOutcome,
    RegisterChild,
    Reply,
    Request,
    Resend,
    Scope,
    Snapshot,
    StartChild,
    Stopped,
    Subscribe,
    TaskRef,
    Tombstoned,
    Widened,
)
from stopcheck.world import (
    Called,
    Committed,
    EffectDeclared,
    Entry,
    FinalAccount,
    GateDied,
    PhaseBegan,
    ReceiverTruth,
    Returned,
    TaskDeclared,
    WorkerActed,
)


class Call(msgspec.Struct):
    """One call: its request, and what was certain when it began."""

    call_id: str
    actor: str
    handle: int
    operation: str
    request: Request
    step: int
    #: The covering cancellation that some caller had been told of before this call began.
    cut_off: CancellationRecord | None
    #: Whether the task's end (``Won``) had been told before this call began.
    ended: bool
    generation: int
    reply: Reply | Snapshot | None = None


class EffectFacts(msgspec.Struct):
    """What is certain of one effect id."""

    effect_id: str
    task: TaskRef
    payload_digest: str
    receiver: str
    declared: bool = False
    idempotent: bool = True
    lookup: str = "authoritative"
    can_fence: bool = True
    admitted: bool = False
    #: The task was covered by a known record before the admitting call began (a violation in itself).
    claims: int = 0
    suppressed: bool = False
    commits: int = 0
    commit_payloads: list[str] = []
    #: Evidence that was told to the gate, with its answer, in order.
    told: list[tuple[Evidence, str]] = []


class LeaseFacts(msgspec.Struct):
    """One granted lease."""

    task: TaskRef
    worker: str
    epoch: int
    expires_ns: int
    superseded: bool = False
    released: bool = False
    revoked: bool = False

    def active(self, now_ns: int) -> bool:
        """Whether it certainly still carries authority, apart from a cutoff."""
        return not (self.superseded or self.released or self.revoked or now_ns >= self.expires_ns)


class TaskFacts(msgspec.Struct):
    """What is certain of one task incarnation."""

    ref: TaskRef
    parent: TaskRef | None = None
    shared: bool = False
    opened: bool = False
    record: CancellationRecord | None = None
    #: All versions of the record that were shown, oldest first.
    record_versions: list[CancellationRecord] = []
    won: str = ""
    #: Cancel requests that were answered ``Accepted``.
    accepted: int = 0
    leases: list[LeaseFacts] = []
    children: list[TaskRef] = []
    started: list[TaskRef] = []
    finished: dict[str, str] = {}
    interests: list[str] = []


class Facts:
    """The books. ``apply`` is called once for each entry, before the checks see it."""

    def __init__(self, contract: GateContract) -> None:
        self.contract = contract
        self.phase = ""
        self.generation = 0
        self.now_ns = 0
        self.step = 0
        self.tasks: dict[TaskRef, TaskFacts] = {}
        self.effects: dict[str, EffectFacts] = {}
        self.open: dict[str, Call] = {}
        #: The call that the current ``Returned`` entry closes.
        self.closing: Call | None = None
        self.acknowledged: list[tuple[TaskRef, int, str, str]] = []
        self.worker_acts: list[tuple[str, str]] = []
        self.accounts: dict[tuple[int, TaskRef], Snapshot] = {}
        self.truths: dict[str, ReceiverTruth] = {}
        self.deaths = 0

    # -- questions ----------------------------------------------------------------------------------------

    def covering(self, ref: TaskRef | None) -> CancellationRecord | None:
        """A cancellation that is known to cover ``ref``: its own, or an ancestor's of scope ``subtree``."""
        first = True
        seen = 0
        while ref is not None and seen < 64:
            task = self.tasks.get(ref)
            if task is None:
                return None
            if task.record is not None and (first or task.record.scope is Scope.SUBTREE):
                return task.record
            ref, first, seen = task.parent, False, seen + 1
        return None

    def descendants(self, ref: TaskRef) -> Iterator[TaskFacts]:
        """Every registered task below ``ref``."""
        for child in self.tasks[ref].children:
            if child in self.tasks:
                yield self.tasks[child]
                yield from self.descendants(child)

    def effects_of(self, ref: TaskRef) -> list[EffectFacts]:
        """The effects of a task, in order of declaration."""
        return [effect for effect in self.effects.values() if effect.task == ref]

    def lease(self, ref: TaskRef, epoch: int) -> LeaseFacts | None:
        """The lease with that epoch, if it was granted."""
        task = self.tasks.get(ref)
        return next((lease for lease in task.leases if lease.epoch == epoch), None) if task else None

    def workers(self, ref: TaskRef) -> list[str]:
        """Every worker that was ever granted a lease for the task, once each."""
        return list(dict.fromkeys(lease.worker for lease in self.tasks[ref].leases))

    # -- keeping ------------------------------------------------------------------------------------------

    def apply(self, entry: Entry) -> None:
        """Enter one event."""
        self.step, self.now_ns = entry.step, entry.now_ns
        self.closing = None
        event = entry.event
        match event:
            case Called():
                self._called(event)
            case Returned():
                self._returned(event)
            case Committed():
                effect = self._effect(event.effect_id)
                if effect is not None:
                    effect.commits += 1
                    effect.commit_payloads.append(event.payload_digest)
            case TaskDeclared():
                self.tasks[event.task] = TaskFacts(event.task, event.parent, event.shared)
            case EffectDeclared():
                self.effects[event.effect_id] = EffectFacts(
                    event.effect_id,
                    event.task,
                    event.payload_digest,
                    event.receiver,
                    declared=True,
                    idempotent=event.idempotent,
                    lookup=event.lookup,
                    can_fence=event.can_fence,
                )
            case PhaseBegan():
                self.phase = event.phase
            case GateDied():
                self.generation = event.generation
                self.deaths += 1
            case WorkerActed():
                self.worker_acts.append((event.worker, event.what))
            case FinalAccount() if isinstance(event.reply, Snapshot):
                self.accounts[event.handle, event.task] = event.reply
            case ReceiverTruth():
                self.truths[event.effect_id] = event
            case _:
                pass

    def _effect(self, effect_id: str) -> EffectFacts | None:
        return self.effects.get(effect_id)

    def _called(self, event: Called) -> None:
        request = event.request
        ref = request.ref
        task = self.tasks.get(ref) if ref is not None else None
        self.open[event.call_id] = Call(
            event.call_id,
            event.actor,
            event.handle,
            event.operation,
            request,
            self.step,
            self.covering(ref),
            bool(task and task.won),
            self.generation,
        )

    def _returned(self, event: Returned) -> None:
        call = self.open.pop(event.call_id)
        call.reply = event.reply
        self.closing = call
        ref = call.request.ref
        task = self.tasks.get(ref) if ref is not None else None
        reply = event.reply
        if isinstance(reply, Indefinite):
            return
        if isinstance(reply, Accepted | ExistingRecord | Widened | Tombstoned | Stopped | Lost | PreCancelled):
            self.note_record(reply.record)
        if isinstance(reply, Snapshot) and reply.record is not None:
            self.note_record(reply.record)
        if task is not None:
            self._task_answer(task, call, reply)
        self._effect_answer(call, reply)

    def note_record(self, record: CancellationRecord) -> None:
        """A caller was shown this record."""
        task = self.tasks.get(record.task)
        if task is None:
            return
        versions = task.record_versions
        if not versions or versions[-1] != record:
            versions.append(record)
        known = task.record
        newer = known is None or len(record.causes) > len(known.causes) or record.scope is not known.scope
        if newer and not (known is not None and known.scope is Scope.SUBTREE and record.scope is Scope.TASK):
            task.record = record

    def _task_answer(self, task: TaskFacts, call: Call, reply: Reply | Snapshot) -> None:
        request = call.request
        name = type(reply).__name__
        match request:
            case BeginWork() if isinstance(reply, LeaseGranted):
                for lease in task.leases:
                    lease.superseded = lease.superseded or lease.epoch < reply.epoch
                task.leases.append(LeaseFacts(task.ref, request.worker, reply.epoch, reply.expires_ns))
            case Acknowledge() if name == "Recorded":
                worker = next((x.worker for x in task.leases if x.epoch == request.epoch), "")
                self.acknowledged.append((task.ref, request.epoch, worker, request.strength.value))
            case RegisterChild() if name in ("Done", "ExistingChild"):
                if request.child not in task.children:
                    task.children.append(request.child)
                child = self.tasks.setdefault(request.child, TaskFacts(request.child))
                child.parent, child.opened = task.ref, True
            case StartChild() if name == "Done" and request.child not in task.started:
                task.started.append(request.child)
            case Subscribe() if name == "Live" and request.interest_id not in task.interests:
                task.interests.append(request.interest_id)
            case _:
                self._plain_task_answer(task, call, reply, name)

    def _plain_task_answer(self, task: TaskFacts, call: Call, reply: Reply | Snapshot, name: str) -> None:
        operation = call.operation
        if operation == "open_task" and name in ("Opened", "Exists"):
            task.opened = True
        elif operation in ("complete", "fail") and name == "Won":
            task.won = "completed" if operation == "complete" else "failed"
        elif operation == "request_cancel" and name == "Accepted":
            task.accepted += 1
        elif operation == "finish_child" and name == "Done":
            child = getattr(call.request, "child", None)
            task.finished[str(child)] = str(getattr(call.request, "stage", ""))
        elif operation in ("release_lease", "revoke_lease") and name == "Done":
            lease = self.lease(task.ref, getattr(call.request, "epoch", -1))
            if lease is not None and operation == "release_lease":
                lease.released = True
            elif lease is not None:
                lease.revoked = True

    def _effect_answer(self, call: Call, reply: Reply | Snapshot) -> None:
        effect_id = getattr(call.request, "effect_id", None)
        effect = self.effects.get(effect_id) if effect_id is not None else None
        if effect is None:
            return
        name = type(reply).__name__
        if isinstance(call.request, CommitEffect) and name in ("Admitted", "ExistingEffect"):
            effect.admitted = True
        elif isinstance(reply, ClaimGranted | Resend):
            effect.claims += 1
        elif name == "SuppressionDone":
            effect.suppressed = True
        elif isinstance(call.request, RecordOutcome):
            effect.told.append((call.request.evidence, name))

    # -- state --------------------------------------------------------------------------------------------

    def digest(self) -> bytes:
        """Everything on which a later verdict can depend, without step numbers."""
        calls = [
            (c.call_id, c.operation, c.request, c.cut_off is not None, c.ended, c.generation != self.generation)
            for c in self.open.values()
        ]
        state = [
            self.phase,
            self.deaths,
            list(self.tasks.values()),
            list(self.effects.values()),
            calls,
            self.acknowledged,
            self.worker_acts,
        ]
        return hashlib.blake2b(_encode(state), digest_size=16).digest()


_encode = msgspec.msgpack.Encoder(order="deterministic").encode
