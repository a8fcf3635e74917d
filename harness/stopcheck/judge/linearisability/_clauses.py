"""Which clauses a history breaks that no order explains.

One idea: ``ADM-3`` says that there is one order, so it is named whenever a commitment, cancellation, completion or
inspection takes part. Beside it stands the clause that says the same of the two operations that collided. It is found
from the call that had no place left, what it would have been allowed to answer, and the calls before or beside it:

========================= ============================================================================
call without a place      clause
========================= ============================================================================
commit, stop was owed     ``CHILD-3`` if only an ancestor was cancelled, else ``ADM-3`` alone
commit, mismatch was owed ``ADM-5``
commit, stale was owed    ``ADM-6``; also for leases
complete, fail            ``CMP-1`` beside a cancellation or another completion
request_cancel            ``CMP-1`` if the end was owed or answered, else ``SCOPE-4`` beside another one
claim, suppress           ``SUP-1`` beside the other of the two for this effect, else ``ADM-7``
register or start child   ``DDL-2`` if no time was owed or answered, ``CHILD-2`` beside a cancellation
begin_work                after a cutoff, by the trigger: ``DLV-1``, ``DLV-2``, ``DLV-5`` or ``ADM-9``
fire_retry                ``DLV-4``
subscribe, release        ``SHR-3``
record_outcome            ``EFF-7``
resume                    ``REC-8``
inspect                   by the part that was wrong: record ``SCOPE-4`` (two cancellations), execution
                          ``CMP-1`` (both a completion and a cancellation), children ``CHILD-2``, effects
                          ``SUP-1`` (both a claim and a suppression), interests ``SHR-3``
========================= ============================================================================
"""

from __future__ import annotations

from collections.abc import Sequence

from stopcheck.gate import (
    BeginWork,
    ClaimDispatch,
    CommitEffect,
    Complete,
    Ended,
    Fail,
    FireRetry,
    Inspect,
    LeaseGranted,
    NoTime,
    RecordOutcome,
    RegisterChild,
    Release,
    ReleaseLease,
    RenewLease,
    Reply,
    Request,
    RequestCancel,
    RevokeLease,
    Snapshot,
    StartChild,
    Subscribe,
    Suppress,
)
from stopcheck.judge._triggers import begin_clause
from stopcheck.judge.linearisability._describe import odd_parts
from stopcheck.judge.linearisability._outcome import Outcome

#: The operations that ADM-3 puts into one order.
_ORDERED = (CommitEffect, RequestCancel, Complete, Fail, Inspect)
_FINISHING = (Complete, Fail)
_ALWAYS: dict[type[Request], tuple[str, ...]] = {
    Suppress: ("SUP-1",),
    RenewLease: ("ADM-6",),
    ReleaseLease: ("ADM-6",),
    RevokeLease: ("ADM-6",),
    Subscribe: ("SHR-3",),
    Release: ("SHR-3",),
    RecordOutcome: ("EFF-7",),
    FireRetry: ("DLV-4",),
}


def broken_clauses(
    request: Request, reply: Reply | Snapshot, allowed: tuple[Outcome, ...], others: Sequence[Request]
) -> tuple[str, ...]:
    """The clauses to name, the most specific first. ``others`` are the calls before and beside this one."""
    specific = _specific(request, reply, allowed, others)
    general = ["ADM-3"] if not specific or any(isinstance(one, _ORDERED) for one in (request, *others)) else []
    return tuple(dict.fromkeys((*specific, *general)))


def _specific(
    request: Request, reply: Reply | Snapshot, allowed: tuple[Outcome, ...], others: Sequence[Request]
) -> list[str]:
    owed = {outcome.kind for outcome in allowed}
    if isinstance(request, RegisterChild) and (isinstance(reply, NoTime) or "NoTime" in owed):
        return ["DDL-2"]
    cancelled = any(isinstance(one, RequestCancel) for one in others)
    match request:
        case CommitEffect():
            return _commit(request, allowed, owed)
        case Complete() | Fail():
            return ["CMP-1"] if cancelled or any(isinstance(one, _FINISHING) for one in others) else []
        case RequestCancel():
            if "Ended" in owed or isinstance(reply, Ended):
                return ["CMP-1"]
            return ["SCOPE-4"] if cancelled else []
        case ClaimDispatch():
            return ["SUP-1"] if _about(others, Suppress, request.effect_id) else ["ADM-7"]
        case RegisterChild() | StartChild():
            return ["CHILD-2"] if cancelled else []
        case BeginWork():
            stopped = isinstance(reply, LeaseGranted) and "Stopped" in owed
            return [begin_clause(request.trigger)] if stopped else []
        case Inspect() if isinstance(reply, Snapshot):
            return _inspection(odd_parts(allowed, reply), others)
        case _:
            return list(_ALWAYS.get(type(request), ()))


def _commit(request: CommitEffect, allowed: tuple[Outcome, ...], owed: set[str]) -> list[str]:
    if "PayloadMismatch" in owed:
        return ["ADM-5"]
    if "Stopped" not in owed:
        return ["ADM-6"] if "StaleLease" in owed else []
    records = {ref for outcome in allowed if outcome.kind == "Stopped" for ref in outcome.records}
    above = any(ref != request.ref for ref in records)
    return ["CHILD-3"] if above else []


def _about(others: Sequence[Request], kind: type[ClaimDispatch | Suppress], effect_id: str) -> bool:
    return any(isinstance(one, kind) and one.effect_id == effect_id for one in others)


def _inspection(parts: list[str], others: Sequence[Request]) -> list[str]:
    def both(*kinds: type[Request] | tuple[type[Request], ...]) -> bool:
        return all(any(isinstance(one, kind) for one in others) for kind in kinds)

    clauses: list[str] = []
    if "record" in parts and sum(isinstance(one, RequestCancel) for one in others) > 1:
        clauses.append("SCOPE-4")
    if "execution" in parts and both(_FINISHING, RequestCancel):
        clauses.append("CMP-1")
    if "children" in parts and both(RegisterChild, RequestCancel):
        clauses.append("CHILD-2")
    if "effects" in parts and both(ClaimDispatch, Suppress):
        clauses.append("SUP-1")
    if "interests" in parts:
        clauses.append("SHR-3")
    return clauses
