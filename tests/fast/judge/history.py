"""Small histories written by hand, for tests of single checks.

One idea: a story is told in calls and events, as few as the point needs, and is asked which clauses it broke and which
it put to the test. The order of overlapping calls is not judged here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stopcheck.gate import (
    BeginWork,
    Caller,
    CancellationClass,
    CancellationRecord,
    Capability,
    Cause,
    CauseEntry,
    ClaimDispatch,
    CommitEffect,
    EffectEntry,
    EffectsFacet,
    Execution,
    ExecutionFacet,
    Finding,
    GateContract,
    Indefinite,
    Inspect,
    IntentFacet,
    LeaseGranted,
    Receipt,
    Reply,
    Request,
    RequestCancel,
    Right,
    Scope,
    Snapshot,
    Status,
    TaskKey,
    TaskRef,
    Trigger,
)
from stopcheck.gate import Disposition as D
from stopcheck.judge._checks import Check, Docket
from stopcheck.judge._facts import Facts
from stopcheck.world import (
    Called,
    Committed,
    EffectDeclared,
    Entry,
    Event,
    FinalAccount,
    GateDied,
    PhaseBegan,
    ReceiverTruth,
    Returned,
    TaskDeclared,
)

CONTRACT = GateContract(
    name="told",
    version="1",
    capabilities=frozenset(Capability),
    scopes=frozenset(Scope),
)
ALL = tuple(Right)


def ref(name: str = "refund", incarnation: int = 1, tenant: str = "acme") -> TaskRef:
    """A task incarnation."""
    return TaskRef(TaskKey(tenant, name), incarnation)


REFUND = ref()


def cause(revision: int = 5, request_id: str = "stop-1", scope: Scope = Scope.TASK, **more: Any) -> CauseEntry:
    """One cause, as ``Story.stop`` asks for it."""
    fields = {"cause": Cause.USER, "requester": "ann", "reason": "Stop pressed", "at_ns": 0, **more}
    return CauseEntry(revision=revision, request_id=request_id, scope=scope, **fields)


def record(
    task: TaskRef = REFUND,
    scope: Scope = Scope.TASK,
    *,
    id: str = "c-1",
    revision: int = 5,
    causes: Sequence[CauseEntry] | None = None,
    subtree_revision: int | None = None,
) -> CancellationRecord:
    """A record with one cause, unless ``causes`` are given."""
    if subtree_revision is None and scope is Scope.SUBTREE:
        subtree_revision = revision
    told = (cause(revision, scope=scope),) if causes is None else tuple(causes)
    return CancellationRecord(id, task, revision, scope, told, subtree_revision)


def account(
    task: TaskRef = REFUND,
    shown: CancellationRecord | None = None,
    execution: Execution = Execution.RUNNING,
    **more: Any,
) -> Snapshot:
    """What ``inspect`` answers."""
    return Snapshot(
        task=task,
        revision=9,
        execution=execution,
        record=shown,
        status=Status.RUNNING,
        intent=IntentFacet(shown is not None, shown.scope if shown else None),
        stopping=more.pop("stopping", ExecutionFacet(execution)),
        ledger=EffectsFacet(),
        **more,
    )


def line(
    effect_id: str = "mail-1", *, revision: int = 1, claimed: bool = False, disposition: D = D.PENDING
) -> EffectEntry:
    """A line of the ledger."""
    return EffectEntry(effect_id, "p", "mail", CancellationClass.IRREVERSIBLE, revision, claimed, 0, disposition)


class Story:
    """A history as it grows, with the checks that follow it."""

    def __init__(self, *checks: type[Check], contract: GateContract = CONTRACT) -> None:
        self.facts = Facts(contract)
        self.docket = Docket()
        self._checks = [check(self.facts, self.docket) for check in checks]
        self.now_ns = 0
        self._step = 0
        self._calls = 0
        self.task(REFUND)

    # -- what happened ------------------------------------------------------------------------------------

    def event(self, event: Event) -> None:
        """Anything."""
        self._step += 1
        entry = Entry(self._step, self.now_ns, event)
        self.facts.apply(entry)
        for check in self._checks:
            if not check.events or isinstance(event, check.events):
                check.on_entry(entry)

    def task(self, task: TaskRef, parent: TaskRef | None = None, *, shared: bool = False) -> TaskRef:
        """A task is declared."""
        self.event(TaskDeclared(task, parent, shared))
        return task

    def effect(self, effect_id: str = "mail-1", task: TaskRef = REFUND, *, idempotent: bool = True) -> str:
        """An effect is declared."""
        self.event(EffectDeclared(task, effect_id, "p", "mail", idempotent, "authoritative", True))
        return effect_id

    def call(
        self, asked: type[Request], task: TaskRef = REFUND, *, handle: int = 0, now_ns: int | None = None, **fields: Any
    ) -> str:
        """A call begins; ``ends`` ends it. ``by`` is its caller's principal."""
        now_ns = self.now_ns if now_ns is None else now_ns
        self._calls += 1
        call_id = f"call#{self._calls}"
        principal = fields.pop("by", "ann")
        caller = Caller(principal, fields.pop("tenant", task.key.tenant), fields.pop("rights", ALL))
        common: dict[str, Any] = {"call_id": call_id, "caller": caller, "now_ns": now_ns, "task": task.key}
        request = asked(**common, incarnation=task.incarnation, **fields)
        self.event(Called(call_id, principal, handle, asked.operation, request))
        return call_id

    def ends(self, call_id: str, reply: Reply | Snapshot) -> None:
        """A call is answered."""
        operation = self.facts.open[call_id].operation
        self.event(Returned(call_id, "ann", operation, reply))

    def asks(self, asked: type[Request], reply: Reply | Snapshot, task: TaskRef = REFUND, **fields: Any) -> None:
        """A call that nothing overlaps."""
        self.ends(self.call(asked, task, **fields), reply)

    # -- what happens often -------------------------------------------------------------------------------

    def stop(self, reply: Reply | Snapshot, task: TaskRef = REFUND, **fields: Any) -> None:
        """Somebody presses Stop."""
        self.asks(RequestCancel, reply, task, **self.pressing(**fields))

    @staticmethod
    def pressing(**fields: Any) -> dict[str, Any]:
        """The fields of a stop."""
        return {"scope": Scope.TASK, "cause": Cause.USER, "request_id": "stop-1", "reason": "Stop pressed", **fields}

    def begins(self, reply: Reply | Snapshot | None = None, task: TaskRef = REFUND, **fields: Any) -> None:
        """A worker asks for a lease; epoch 1 unless a reply is given."""
        fields = {"worker": "worker", "delivery_id": "d-1", "trigger": Trigger.FIRST, **fields}
        self.asks(BeginWork, LeaseGranted(1, 100) if reply is None else reply, task, **fields)

    def commits(self, reply: Reply | Snapshot, task: TaskRef = REFUND, **fields: Any) -> None:
        """A worker commits an effect."""
        self.asks(CommitEffect, reply, task, **self.committing(**fields))

    @staticmethod
    def committing(**fields: Any) -> dict[str, Any]:
        """The fields of a commitment."""
        return {
            "epoch": 1,
            "effect_id": "mail-1",
            "payload_digest": "p",
            "receiver": "mail",
            "cancellation_class": CancellationClass.IRREVERSIBLE,
            "kind": "mail",
            **fields,
        }

    def looks(self, reply: Reply | Snapshot, task: TaskRef = REFUND, **fields: Any) -> None:
        """Somebody inspects."""
        self.asks(Inspect, reply, task, **fields)

    def claims(self, reply: Reply, *, idempotent: bool = True) -> None:
        """A dispatcher claims the mail."""
        self.asks(ClaimDispatch, reply, effect_id="mail-1", idempotent_receiver=idempotent)

    def arrives(self, effect_id: str = "mail-1") -> None:
        """The receiver commits."""
        receipt = Receipt("mail", effect_id, "p", Finding.EXECUTED, "r", "s")
        self.event(Committed("mail", effect_id, "p", "permit", receipt))

    def dies(self) -> None:
        """The gate dies; whoever was waiting does not know."""
        self.event(GateDied("process_death", self.facts.generation + 1))
        for call_id in tuple(self.facts.open):
            self.ends(call_id, Indefinite())

    def rests(self, *accounts: Snapshot, **commits: int) -> None:
        """The final account."""
        self.event(PhaseBegan("account"))
        for told in accounts:
            self.event(FinalAccount(0, told.task, told))
        for effect_id, number in commits.items():
            self.event(ReceiverTruth("mail", effect_id.replace("_", "-"), number, ("p",) * number, False))
        for check in self._checks:
            check.at_rest()

    # -- what came of it ----------------------------------------------------------------------------------

    @property
    def broken(self) -> list[str]:
        """The clauses that were broken, in order."""
        return [violation.clause for violation in self.docket.violations]

    @property
    def message(self) -> str:
        """What the first violation says."""
        return self.docket.violations[0].message

    def tested(self, clause: str) -> bool:
        """Whether the clause was put to the test."""
        return self.docket.exercised.get(clause, 0) > 0


def with_effect(check: type[Check], *, idempotent: bool = True) -> Story:
    """A story that begins with an effect that was declared."""
    story = Story(check)
    story.effect(idempotent=idempotent)
    return story
