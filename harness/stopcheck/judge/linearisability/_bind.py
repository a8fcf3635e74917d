"""What a reply reveals: the values that the gate chose, held against every later reply.

One idea: a value that is seen first is believed, and one that differs from what is known contradicts the configuration,
which is then dropped. So two records for one incarnation, or an admission numbered after the cutoff that it preceded,
have no order.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from stopcheck.gate import (
    Admitted,
    CancellationRecord,
    Disposition,
    LeaseGranted,
    Opened,
    Renewed,
    RenewLease,
    Reply,
    Request,
    RetryFired,
    Snapshot,
    TaskRef,
)
from stopcheck.judge.linearisability._outcome import Outcome, end_of
from stopcheck.judge.linearisability._state import ADMITTED, SUPPRESSED, GateState, Task


def bind(state: GateState, request: Request, outcome: Outcome, reply: Reply | Snapshot) -> GateState | None:
    """``state`` with what ``reply`` reveals, or ``None`` if they contradict each other."""
    if isinstance(reply, Snapshot):
        return _snapshot(state, reply)
    if isinstance(reply, Opened):
        return _opened(state, outcome, reply)
    record: CancellationRecord | None = getattr(reply, "record", None)
    if record is not None:
        return _record(state, record)
    if isinstance(reply, LeaseGranted | RetryFired | Renewed | Admitted):
        found = _named(state, request)
        if found is None:
            return state
        ref, task = found
        if isinstance(reply, Admitted):
            return _admitted(state, ref, task, reply.revision)
        if isinstance(reply, Renewed):
            return _renewed(state, ref, task, request, reply)
        return _granted(state, ref, task, request.call_id, reply)
    return state


def _named(state: GateState, request: Request) -> tuple[TaskRef, Task] | None:
    ref = request.ref or state.newest(request.task)
    return None if ref is None else _known(state, ref)


def _known(state: GateState, ref: TaskRef) -> tuple[TaskRef, Task] | None:
    """The task, also where its incarnation has no number yet."""
    task = state.task(ref)
    if task is not None:
        return ref, task
    for other in state.incarnations(ref.key):
        if other.incarnation < 0 and (unnumbered := state.task(other)) is not None:
            return other, unnumbered
    return None


def _record(state: GateState, record: CancellationRecord) -> GateState | None:
    found = _known(state, record.task)
    if found is None:
        return None
    ref, task = found
    if task.record_id is None:
        if record.revision <= task.admitted:
            return None  # an admission that came before the cutoff has a smaller revision
        return state.with_task(ref, replace(task, record_id=record.record_id, revision=record.revision, admitted=-1))
    return state if (task.record_id, task.revision) == (record.record_id, record.revision) else None


def _admitted(state: GateState, ref: TaskRef, task: Task, revision: int) -> GateState | None:
    if task.revision is not None:
        return state if revision < task.revision else None
    return state if revision <= task.admitted else state.with_task(ref, replace(task, admitted=revision))


def _granted(
    state: GateState, ref: TaskRef, task: Task, call_id: str, reply: LeaseGranted | RetryFired
) -> GateState | None:
    lease = task.lease
    if lease is None or lease.grant != call_id:
        return state  # superseded before its holder heard of it
    if reply.epoch == lease.previous or lease.epoch not in (None, reply.epoch):
        return None
    expires: Any = reply.expires_ns if isinstance(reply, LeaseGranted) else None
    return state.with_task(ref, replace(task, lease=replace(lease, epoch=reply.epoch, expires=expires, grant="")))


def _renewed(state: GateState, ref: TaskRef, task: Task, request: Request, reply: Renewed) -> GateState:
    lease = task.lease
    if lease is None or not isinstance(request, RenewLease) or lease.epoch != request.epoch:
        return state
    expires = reply.expires_ns if lease.expires is None else max(lease.expires, reply.expires_ns)
    return state.with_task(ref, replace(task, lease=replace(lease, expires=expires)))


def _opened(state: GateState, outcome: Outcome, reply: Opened) -> GateState | None:
    opened = outcome.task
    if opened is None or opened.incarnation >= 0:
        return state
    told = TaskRef(opened.key, reply.incarnation)
    if state.task(opened) is None:  # a request that named the incarnation has numbered it
        return None if state.task(told) is None else state
    return None if state.task(told) is not None else state.renamed(opened, told)


def _snapshot(state: GateState, shown: Snapshot) -> GateState | None:
    after = state
    if shown.record is not None:
        bound = _record(state, shown.record)
        if bound is None:
            return None
        after = bound
    found = _known(after, shown.task)
    if found is None:
        return None
    ref, task = found
    for entry in shown.children:
        owned = task.owned(entry.child)
        if owned is not None and owned.end != "ended" and end_of(entry.stage) == "ended":
            task = task.with_owned(replace(owned, end="ended"))
    if task != found[1]:
        after = after.with_task(ref, task)
    return _withdrawn(after, ref, shown)


def _withdrawn(state: GateState, ref: TaskRef, shown: Snapshot) -> GateState | None:
    """What is shown as suppressed nobody has claimed since."""
    gone = {entry.effect_id for entry in shown.effects if entry.disposition is Disposition.SUPPRESSED}
    for effect_id, effect in state.effects_of(ref) if gone else ():
        if effect_id in gone and effect.stage != SUPPRESSED:
            if effect.stage != ADMITTED:
                return None
            state = state.with_effect(ref.key.tenant, effect_id, replace(effect, stage=SUPPRESSED))
    return state
