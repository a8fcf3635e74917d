"""Hand-made runs for the tests of checks on accounts: what was asked and answered, step by step.

One idea: a story is a run whose gate is the test. Each word is one event or one call with its answer, and ``look``
answers with a snapshot that agrees with itself unless the test says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from stopcheck import gate as g
from stopcheck.judge import Check
from stopcheck.judge._checks import Docket
from stopcheck.judge._facts import Facts
from stopcheck.judge.checks import (
    _acknowledgement,
    _completion,
    _effects,
    _escalation,
    _force,
    _lifecycle,
    _liveness,
    _reconciliation,
    _reporting,
    _settled_above,
)
from stopcheck.world import (
    Called,
    Committed,
    EffectDeclared,
    Entry,
    Event,
    FaultChosen,
    FinalAccount,
    GateDied,
    PhaseBegan,
    ReceiverTruth,
    Returned,
    TaskDeclared,
    WorkerActed,
)
from stopcheck.world._receivers import _signature

CHECKS: tuple[type[Check], ...] = (
    *_completion.CHECKS,
    *_effects.CHECKS,
    *_acknowledgement.CHECKS,
    *_escalation.CHECKS,
    *_force.CHECKS,
    *_reconciliation.CHECKS,
    *_liveness.CHECKS,
    *_reporting.CHECKS,
    *_lifecycle.CHECKS,
    *_settled_above.CHECKS,
)

SECOND = g.SECOND_NS
CONTRACT = g.GateContract(
    name="story", version="1", capabilities=frozenset(g.Capability), scopes=frozenset(g.Scope), lease_ns=1000 * SECOND
)
RIGHTS = (g.Right.OPEN, g.Right.WORK, g.Right.STOP, g.Right.INSPECT, g.Right.DISPATCH, g.Right.SUPERVISE, g.Right.TICK)
TASK = g.TaskRef(g.TaskKey("acme", "refund"), 1)
CHILD = g.TaskRef(g.TaskKey("acme", "letter"), 1)
GRANDCHILD = g.TaskRef(g.TaskKey("acme", "translation"), 1)


# -- literals ---------------------------------------------------------------------------------------------


def receipt(
    finding: str = "executed", effect_id: str = "mail", payload: str = "p", *, forged: bool = False
) -> g.Receipt:
    """What the receiver ``post`` signs (or did not sign)."""
    unsigned = g.Receipt("post", effect_id, payload, g.Finding(finding), f"post/{effect_id}/{finding}", "")
    return msgspec.structs.replace(unsigned, signature="0" * 32 if forged else _signature(unsigned))


def answered(
    finding: str = "executed", effect_id: str = "mail", payload: str = "p", *, forged: bool = False
) -> g.Evidence:
    """A receipt as evidence."""
    return g.ReceiptEvidence(receipt(finding, effect_id, payload, forged=forged))


NOTHING: g.Evidence = g.NoEvidence("timeout")
ABSENT: g.Evidence = g.LookupEvidence(g.LookupAnswer.ABSENT)
STALE: g.Evidence = g.LookupEvidence(g.LookupAnswer.STALE)


def record(task: g.TaskRef = TASK, scope: str = "task", at_ns: int = 0, revision: int = 5) -> g.CancellationRecord:
    """A cancellation record."""
    kind = g.Scope(scope)
    cause = g.CauseEntry(revision, g.Cause.USER, "ann", "stop-1", "Stop pressed", kind, at_ns)
    below = revision if kind is g.Scope.SUBTREE else None
    return g.CancellationRecord(f"record of {task.key.task_id}", task, revision, kind, (cause,), below)


def effect(
    disposition: str, *evidence: g.Evidence, claimed: bool = True, name: str = "mail", **more: Any
) -> g.EffectEntry:
    """A line of the ledger."""
    shown = g.Disposition(disposition)
    fields: dict[str, Any] = {"resolved_revision": 9 if shown.definitive else None, **more}
    kind = g.CancellationClass.IRREVERSIBLE
    return g.EffectEntry(name, "p", "post", kind, 2, claimed, int(claimed), shown, evidence, **fields)


def lease(
    state: str = "active", worker: str = "worker", epoch: int = 1, expires_ns: int = 1000 * SECOND
) -> g.LeaseEntry:
    """A lease as it is shown."""
    return g.LeaseEntry(worker, epoch, expires_ns, g.LeaseState(state))


def ack(strength: str, worker: str = "worker", epoch: int = 1, *, counted: bool = True) -> g.AckEntry:
    """An acknowledgement as it is shown."""
    return g.AckEntry(worker, epoch, g.AckStrength(strength), 0, counted)


def snapshot(task: g.TaskRef = TASK, execution: str = "running", **shown: Any) -> g.Snapshot:
    """An account that agrees with itself; ``shown`` replaces parts of it."""
    state = g.Execution(execution)
    effects: tuple[g.EffectEntry, ...] = shown.pop("effects", ())
    found: g.CancellationRecord | None = shown.pop("record", None)
    fields: dict[str, Any] = {
        "task": task,
        "revision": 9,
        "execution": state,
        "record": found,
        "intent": g.IntentFacet(found is not None, None if found is None else found.scope),
        "stopping": g.ExecutionFacet(state, _workers(shown.get("leases", ()), shown.get("acknowledgements", ()))),
        "ledger": _facet(effects),
        "effects": effects,
        **shown,
    }
    return g.Snapshot(**{"status": _status(state, fields), **fields})


def _status(state: g.Execution, shown: dict[str, Any]) -> g.Status:
    """The first that holds, of what the stories need."""
    if shown["record"] is None:
        if state is g.Execution.COMPLETED and shown.get("stop_after_end"):
            return g.Status.COMPLETED_BEFORE_CANCELLATION
        return g.Status(state.value) if state.value in list(g.Status) else g.Status.CANCELLATION_PENDING
    free = any(not facet.stopped and not facet.fenced for facet in shown["stopping"].workers)
    doubt = any(entry.disposition is g.Disposition.UNKNOWN for entry in shown["effects"])
    if state is g.Execution.STOPPED_UNRESOLVED or (doubt and not free):
        return g.Status.OUTCOME_UNKNOWN
    if state is g.Execution.CANCELLED_SETTLED:
        return g.Status.CANCELLED
    return g.Status.CANCELLATION_PENDING if shown.get("signals") else g.Status.STOP_REQUESTED


def _workers(leases: Sequence[g.LeaseEntry], said: Sequence[g.AckEntry]) -> tuple[g.WorkerFacet, ...]:
    stopped = {a.worker for a in said if a.counted and a.strength.means_stopped}
    newest = {entry.worker: entry.state for entry in leases}
    return tuple(
        g.WorkerFacet(w, w in stopped, state is not g.LeaseState.ACTIVE, "handler_stopped" if w in stopped else "none")
        for w, state in newest.items()
    )


def _facet(effects: Sequence[g.EffectEntry]) -> g.EffectsFacet:
    places: dict[str, list[str]] = {"completed": [], "not_done": [], "pending": [], "unknown": []}
    for entry in effects:
        place = entry.disposition.value
        places[place if place in places else "not_done"].append(entry.effect_id)
    return g.EffectsFacet(**{name: tuple(ids) for name, ids in places.items()})


# -- the story --------------------------------------------------------------------------------------------


class Story:
    """A run that is told step by step. The task is open, and its effects ``mail`` and ``second`` are declared."""

    def __init__(
        self, contract: g.GateContract = CONTRACT, lookup: str = "authoritative", *, opens: bool = True
    ) -> None:
        self.facts = Facts(contract)
        self.docket = Docket()
        self.checks = [check(self.facts, self.docket) for check in CHECKS]
        self.now_ns = 0
        self._calls = 0
        self.tell(PhaseBegan("setup"))
        for task, parent in ((TASK, None), (CHILD, TASK), (GRANDCHILD, CHILD)):
            self.tell(TaskDeclared(task, parent))
        for effect_id in ("mail", "second"):
            self.tell(EffectDeclared(TASK, effect_id, "p", "post", True, lookup, True))
        if opens:
            self.ask(g.OpenTask, g.Opened(1))
        self.tell(PhaseBegan("main"))

    # -- what came of it

    @property
    def broken(self) -> set[str]:
        """The clauses that were violated."""
        return {violation.clause for violation in self.docket.violations}

    @property
    def tried(self) -> set[str]:
        """The clauses that were exercised."""
        return set(self.docket.exercised)

    def saying(self, clause: str) -> str:
        """What was said of a violated clause."""
        return next(v.message for v in self.docket.violations if v.clause == clause)

    # -- events

    def tell(self, event: Event) -> None:
        """Something happened."""
        entry = Entry(self.facts.step + 1, self.now_ns, event)
        self.facts.apply(entry)
        for check in self.checks:
            if not check.events or type(event) in check.events:
                check.on_entry(entry)

    def at(self, seconds: float) -> Story:
        """Time goes on."""
        self.now_ns = round(seconds * SECOND)
        return self

    def died(self) -> Story:
        """The gate's process died."""
        self.tell(GateDied("process_death", self.facts.generation + 1))
        return self

    def acted(self, what: str, worker: str = "worker") -> Story:
        """A worker did something."""
        self.tell(WorkerActed(worker, worker, TASK, what))
        return self

    def fault(self) -> Story:
        """A fault was chosen."""
        self.tell(FaultChosen("dispatcher", "post.answer", "drop"))
        return self

    def done(self, effect_id: str = "mail") -> Story:
        """The receiver really did it."""
        self.tell(Committed("post", effect_id, "p", "permit", receipt(effect_id=effect_id)))
        return self

    # -- calls

    def call(
        self, kind: type[g.Request], /, *, task: g.TaskRef = TASK, rights: Sequence[g.Right] = RIGHTS, **fields: Any
    ) -> str:
        """A call begins."""
        self._calls += 1
        call_id = f"call#{self._calls}"
        caller = g.Caller("ann", fields.pop("tenant", "acme"), tuple(rights))
        request = kind(
            call_id=call_id, caller=caller, now_ns=self.now_ns, task=task.key, incarnation=task.incarnation, **fields
        )
        self.tell(Called(call_id, "ann", 0, kind.operation, request))
        return call_id

    def answer(self, call_id: str, reply: g.Reply | g.Snapshot) -> Story:
        """It is answered."""
        self.tell(Returned(call_id, "ann", self.facts.open[call_id].operation, reply))
        return self

    def ask(self, kind: type[g.Request], reply: g.Reply | g.Snapshot, /, **fields: Any) -> Story:
        """A call and its answer."""
        return self.answer(self.call(kind, **fields), reply)

    def begin(self, worker: str = "worker", epoch: int = 1, task: g.TaskRef = TASK, expires_s: int = 1000) -> Story:
        """A worker is given a lease."""
        reply = g.LeaseGranted(epoch, expires_s * SECOND)
        return self.ask(g.BeginWork, reply, task=task, worker=worker, delivery_id=worker)

    def commit(
        self, reply: g.Reply | None = None, effect_id: str = "mail", epoch: int = 1, payload: str = "p"
    ) -> Story:
        """A commitment."""
        return self.answer(self.call_commit(effect_id, epoch, payload), reply or g.Admitted(2))

    def call_commit(self, effect_id: str = "mail", epoch: int = 1, payload: str = "p") -> str:
        """A commitment begins."""
        return self.call(
            g.CommitEffect,
            epoch=epoch,
            effect_id=effect_id,
            payload_digest=payload,
            receiver="post",
            cancellation_class=g.CancellationClass.IRREVERSIBLE,
            kind="mail",
        )

    def claim(self, reply: g.Reply | None = None, effect_id: str = "mail") -> Story:
        """A claim."""
        return self.ask(g.ClaimDispatch, reply or g.ClaimGranted("permit", 1), effect_id=effect_id)

    def outcome(
        self, evidence: g.Evidence, reply: g.Reply | None = None, effect_id: str = "mail", **more: Any
    ) -> Story:
        """Somebody tells what became of an effect."""
        return self.ask(g.RecordOutcome, reply or g.Recorded(), effect_id=effect_id, evidence=evidence, **more)

    def stop(self, reply: g.Reply | None = None, scope: str = "task", **more: Any) -> Story:
        """Somebody presses Stop."""
        found = g.Accepted(record(scope=scope, at_ns=self.now_ns))
        return self.answer(self.call_stop(scope, **more), reply or found)

    def call_stop(self, scope: str = "task", **more: Any) -> str:
        """Somebody presses Stop, and waits."""
        fields: dict[str, Any] = {"cause": g.Cause.USER, "request_id": "stop-1", "reason": "Stop pressed"}
        return self.call(g.RequestCancel, scope=g.Scope(scope), **fields, **more)

    def complete(self, reply: g.Reply | None = None, epoch: int = 1) -> Story:
        """A worker says that it is done."""
        return self.ask(g.Complete, reply or g.Won(), epoch=epoch, result_digest="r")

    def says(self, strength: str, reply: g.Reply | None = None, epoch: int = 1) -> Story:
        """A worker acknowledges."""
        kind = g.AckStrength(strength)
        return self.ask(g.Acknowledge, reply or g.Recorded(), epoch=epoch, strength=kind, record_revision=5)

    def probe(self, result: str, worker: str = "worker") -> Story:
        """A supervisor looks at a worker."""
        return self.ask(g.RecordProbe, g.Recorded(), worker=worker, result=g.ProbeResult(result))

    def force(self, reply: g.Reply, worker: str = "worker") -> Story:
        """A supervisor asks for force."""
        return self.ask(g.Escalate, reply, worker=worker, level="kill")

    def registers(self, child: g.TaskRef, task: g.TaskRef = TASK) -> Story:
        """A worker registers a child, and it is started."""
        kind = g.OwnedKind.CHILD_TASK
        self.ask(g.RegisterChild, g.Done(), task=task, epoch=1, child=child, kind=kind, owner="worker")
        return self.ask(g.StartChild, g.Done(), task=task, child=child)

    def look(self, execution: str = "running", *, task: g.TaskRef = TASK, **shown: Any) -> Story:
        """Somebody reads the account."""
        return self.ask(g.Inspect, snapshot(task, execution, **shown), task=task)

    def tick(self, next_wake_ns: int | None = None, times: int = 1) -> Story:
        """The gate is ticked."""
        for _ in range(times):
            self.ask(g.Tick, g.Ticked((), next_wake_ns))
        return self

    def final(self) -> Story:
        """Faults are off."""
        self.tell(PhaseBegan("final"))
        return self

    def rest(self, execution: str = "running", *, commits: int | None = None, **shown: Any) -> Story:
        """The run comes to rest, and the task's account is read."""
        if self.facts.phase != "final":
            self.final().tick()
        self.tell(PhaseBegan("account"))
        self.look(execution, **shown)
        self.tell(FinalAccount(0, TASK, snapshot(TASK, execution, **shown)))
        if commits is not None:
            self.tell(ReceiverTruth("post", "mail", commits, ("p",) * commits, False))
        for check in self.checks:
            check.at_rest()
        return self


def sent(**more: Any) -> Story:
    """A worker has begun and committed its mail, and a dispatcher has claimed it."""
    return Story(**more).begin().commit().claim()
