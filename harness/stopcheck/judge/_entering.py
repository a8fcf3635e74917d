"""How calls and answers enter the books.

One idea: when a call begins, what it *may* do is noted (a stop may have been accepted from then on, a release counted);
when it is answered, what it *did* becomes certain. ``Indefinite`` makes nothing certain and leaves the doubt for good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from stopcheck.gate import (
    EXECUTION_EDGES,
    Accepted,
    Admitted,
    BeginWork,
    CancellationRecord,
    ClaimDispatch,
    ClaimGranted,
    CommitEffect,
    Ended,
    ExistingRecord,
    FinishChild,
    FireRetry,
    Indefinite,
    LeaseGranted,
    Lost,
    Opened,
    OpenTask,
    PreCancelled,
    RecordOutcome,
    Refused,
    RegisterChild,
    Release,
    Renewed,
    RenewLease,
    Reply,
    Request,
    RequestCancel,
    Resend,
    RetryFired,
    Scope,
    Snapshot,
    StartChild,
    Stopped,
    Subscribe,
    Suspend,
    TaskRef,
    Ticked,
    Tombstoned,
    Widened,
)
from stopcheck.judge._known import Call, EffectFacts, InterestFacts, LeaseFacts, TaskFacts
from stopcheck.judge._lifetimes import earlier, is_due, may_be_due
from stopcheck.world import Called, Returned

if TYPE_CHECKING:
    from stopcheck.judge._facts import Facts

T = TypeVar("T")

_WITH_RECORD = (Accepted, ExistingRecord, Widened, Tombstoned, Stopped, Lost, PreCancelled)
_REGISTERED = ("Done", "ExistingChild")


# -- calls ------------------------------------------------------------------------------------------------


def open_call(facts: Facts, event: Called) -> Call:
    """A request went out: note what is certain, then what it may do from now on."""
    request = event.request
    ref = request.ref
    task = facts.tasks.get(ref) if ref is not None else None
    call = Call(
        event.call_id,
        event.actor,
        event.handle,
        event.operation,
        request,
        facts.step,
        facts.covering(ref),
        bool(task and task.won),
        facts.generation,
        facts.known(request),
    )
    facts.open[event.call_id] = call
    if task is not None:
        _may(facts, task, request)
        effect = facts.effect_of(request)
        if isinstance(request, CommitEffect) and effect is not None and effect.task != task.ref:
            _once(effect.rivals, task.ref)
    elif isinstance(request, OpenTask) and ref is None:
        # The gate assigns incarnations, so any of the key may be the one that it opens now.
        for named in facts.tasks.values():
            if named.ref.key == request.task:
                _may(facts, named, request)
    return call


def _may(facts: Facts, task: TaskFacts, request: Request) -> None:
    """What a call that has begun may do."""
    from stopcheck.judge._facts import authorised  # noqa: PLC0415

    match request:
        case RequestCancel():
            if authorised(request):
                _once(task.stops, request.scope)
                _once(task.stop_ids, request.request_id)
            else:
                _once(task.foreign_stop_ids, request.request_id)
        case OpenTask():
            task.opening = True
            task.due_from_ns = earlier(task.due_from_ns, request.deadline_ns)
        case RegisterChild():
            child = facts.tasks.setdefault(request.child, TaskFacts(request.child))
            child.opening = True
            may_be_due(task, child, request)
        case Suspend():
            task.halted = True
        case FinishChild():
            _once(task.finishing, request.child)
        case Release():
            _interest(task, request.interest_id, task.ref).asked = True
        case Subscribe():
            _interest(task, request.interest_id, request.subscriber)
        case RenewLease():
            lease = facts.lease(task.ref, request.epoch)
            if lease is not None:
                lease.doubt += 1
        case _:
            task.ending = task.ending or request.operation in ("complete", "fail")


def _once(items: list[T], item: T) -> None:
    if item not in items:
        items.append(item)


def _interest(task: TaskFacts, interest_id: str, subscriber: TaskRef) -> InterestFacts:
    """An interest that may exist. Whose it is tells the answer that it does."""
    return task.interests.setdefault(interest_id, InterestFacts(interest_id, subscriber))


# -- answers ----------------------------------------------------------------------------------------------


def close_call(facts: Facts, event: Returned) -> Call:
    """A call was answered: enter what is certain now."""
    call = facts.open.pop(event.call_id)
    reply = call.reply = event.reply
    ref = call.request.ref
    if ref is None and isinstance(reply, Opened):
        ref = TaskRef(call.request.task, reply.incarnation)
    task = facts.tasks.get(ref) if ref is not None else None
    if isinstance(reply, Indefinite):
        _in_doubt(facts, task, call.request)
        return call
    if isinstance(reply, _WITH_RECORD):
        note_record(facts, reply.record, call.handle)
    if isinstance(reply, Snapshot):
        _note_snapshot(facts, reply, call.handle)
    if isinstance(reply, Ticked):
        facts.ticked = reply
    if task is not None:
        _task_answer(facts, task, call, reply)
    _effect_answer(facts, call, reply)
    return call


def _in_doubt(facts: Facts, task: TaskFacts | None, request: Request) -> None:
    effect = facts.effect_of(request)
    if effect is not None and isinstance(request, CommitEffect):
        effect.doubtful = not effect.admitted
    if effect is not None and isinstance(request, ClaimDispatch):
        effect.doubtful_claim = True
    if task is not None and isinstance(request, RequestCancel):
        task.doubtful_stops += 1
    if task is not None and isinstance(request, BeginWork | FireRetry):
        task.leased = True
    if task is not None and isinstance(request, RegisterChild) and request.child not in task.children:
        _once(task.doubtful_children, request.child)


def note_record(facts: Facts, record: CancellationRecord, handle: int) -> None:
    """A caller was shown this record."""
    task = facts.tasks.get(record.task)
    if task is None:
        return
    versions = task.record_versions
    if not versions:
        task.record_generation, task.record_handle = facts.generation, handle
    _once(versions, record)
    known = task.record
    newer = known is None or len(record.causes) > len(known.causes) or record.scope is not known.scope
    if newer and not (known is not None and known.scope is Scope.SUBTREE and record.scope is Scope.TASK):
        task.record = record


def _won_by(effect: EffectFacts, ref: TaskRef | None) -> None:
    """The gate shows the effect as admitted for this task."""
    if ref in effect.rivals and not effect.admitted:
        effect.rivals.remove(ref)
        effect.task = ref


def _note_snapshot(facts: Facts, snapshot: Snapshot, handle: int) -> None:
    for entry in snapshot.effects:
        effect = facts.effects.get(entry.effect_id)
        if effect is not None:
            _won_by(effect, snapshot.task)
    if snapshot.record is not None:
        note_record(facts, snapshot.record, handle)
    task = facts.tasks.get(snapshot.task)
    if task is not None and (task.execution is None or snapshot.execution in EXECUTION_EDGES[task.execution]):
        task.execution = snapshot.execution


def _task_answer(facts: Facts, task: TaskFacts, call: Call, reply: Reply | Snapshot) -> None:
    request = call.request
    name = type(reply).__name__
    match request:
        case BeginWork() if isinstance(reply, LeaseGranted):
            _grant(task, request.worker, reply.epoch, reply.expires_ns)
        case FireRetry() if isinstance(reply, RetryFired):
            _grant(task, request.worker, reply.epoch, None)
        case RenewLease():
            lease = facts.lease(task.ref, request.epoch)
            if lease is not None:
                lease.doubt -= 1
                if isinstance(reply, Renewed):
                    lease.expires_ns = max(lease.expires_ns, reply.expires_ns)
        case RegisterChild() if name in _REGISTERED:
            first = name == "Done" and request.child not in task.children
            _once(task.children, request.child)
            task.doubtful_children = [child for child in task.doubtful_children if child != request.child]
            child = facts.tasks.setdefault(request.child, TaskFacts(request.child))
            child.parent, child.opened = task.ref, True
            is_due(task, child, request if first else None, facts.now_ns)
        case StartChild() if name == "Done":
            _once(task.started, request.child)
        case FinishChild() if name == "Done":
            task.finished[str(request.child)] = str(request.stage)
        case RequestCancel():
            _stop_answer(facts, task, reply)
        case _:
            _other_answer(facts, task, call, name)


def _grant(task: TaskFacts, worker: str, epoch: int, expires_ns: int | None) -> None:
    """A worker was given a lease. Without a known expiry it is at no moment certain whether the lease has run out."""
    task.leased = True
    known_ns, doubt = (0, 1) if expires_ns is None else (expires_ns, 0)
    same = next((lease for lease in task.leases if lease.epoch == epoch), None)
    if same is not None:
        same.expires_ns, same.released = max(same.expires_ns, known_ns), False
        same.doubt += doubt
        return
    newest = max((lease.epoch for lease in task.leases), default=epoch)
    for lease in task.leases:
        lease.superseded = lease.superseded or lease.epoch < epoch
    fresh = LeaseFacts(task.ref, worker, epoch, known_ns, doubt=doubt)
    fresh.superseded = epoch < newest
    task.leases.append(fresh)


def _stop_answer(facts: Facts, task: TaskFacts, reply: Reply | Snapshot) -> None:
    if isinstance(reply, Accepted | ExistingRecord | Widened | Tombstoned) and task.answered_generation < 0:
        task.answered_generation = facts.generation
    task.accepted += isinstance(reply, Accepted)
    task.widened += isinstance(reply, Widened)


def _other_answer(facts: Facts, task: TaskFacts, call: Call, name: str) -> None:
    request = call.request
    if isinstance(request, Subscribe | Release):
        _interest_answer(facts, task, call, request, name)
    else:
        _plain_answer(facts, task, call, name)


def _interest_answer(facts: Facts, task: TaskFacts, call: Call, request: Subscribe | Release, name: str) -> None:
    interest = _interest(task, request.interest_id, task.ref)
    if isinstance(request, Subscribe) and name == "Live":
        if not interest.subscribed:
            interest.subscribed, interest.subscriber = True, request.subscriber
    elif not interest.subscribed and not _may_be_subscribed(facts, call, request):
        del task.interests[request.interest_id]
    elif isinstance(request, Release) and name in ("Live", "LastReleased", "AlreadyReleased"):
        interest.released = True


def _may_be_subscribed(facts: Facts, call: Call, request: Subscribe | Release) -> bool:
    """Whether some other call may have registered the interest, or may yet."""
    return any(
        deed.request.interest_id == request.interest_id and not isinstance(deed.reply, Refused | Stopped | Ended)
        for deed in facts.book.deeds("subscribe", request.ref)
        if isinstance(deed.request, Subscribe) and deed.call_id != call.call_id and deed.may_count
    )


def _plain_answer(facts: Facts, task: TaskFacts, call: Call, name: str) -> None:
    operation = call.operation
    if operation == "open_task" and name in ("Opened", "Exists"):
        task.opened = True
        if name == "Opened":
            task.due_by_ns = getattr(call.request, "deadline_ns", None)
    elif operation in ("complete", "fail") and name == "Won":
        task.won = "completed" if operation == "complete" else "failed"
    elif operation in ("release_lease", "revoke_lease") and name == "Done":
        lease = facts.lease(task.ref, getattr(call.request, "epoch", -1))
        if lease is not None and operation == "release_lease":
            lease.released = True
        elif lease is not None:
            lease.revoked = True


def _effect_answer(facts: Facts, call: Call, reply: Reply | Snapshot) -> None:
    effect = facts.effect_of(call.request)
    if effect is None:
        return
    request = call.request
    name = type(reply).__name__
    if name in ("Admitted", "ExistingEffect", "ClaimGranted", "Resend", "AlreadyClaimed", "SuppressionDone"):
        _won_by(effect, request.ref)
    if isinstance(request, CommitEffect) and name in ("Admitted", "ExistingEffect"):
        effect.admitted, effect.doubtful = True, False
        if isinstance(reply, Admitted):
            effect.admissions.append(request.payload_digest)
            effect.admitted_revision = reply.revision
    elif isinstance(reply, ClaimGranted | Resend):
        effect.claims += 1
    elif name == "SuppressionDone":
        effect.suppressed = True
    elif isinstance(request, RecordOutcome):
        _once(effect.told, request.evidence)
        effect.told.sort(key=repr)


__all__ = ["close_call", "note_record", "open_call"]
