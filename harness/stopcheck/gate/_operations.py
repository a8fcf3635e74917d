"""The registry of operations: request type, permitted replies, capability, whether provisional.

One idea: the wire, the reply check and the documentation all come from this one table.
"""

from __future__ import annotations

import types
from typing import Any, get_args

import msgspec

from stopcheck.gate import _replies as r
from stopcheck.gate import _requests as q
from stopcheck.gate._contract import Capability


class OperationSpec(msgspec.Struct, frozen=True):
    """One operation of the protocol."""

    name: str
    request: type[q.Request]
    replies: tuple[type[Any], ...]
    capability: Capability | None = None
    provisional: bool = False


def _flatten(union: Any) -> tuple[type[Any], ...]:
    if isinstance(union, types.UnionType):
        return tuple(part for arm in get_args(union) for part in _flatten(arm))
    return (union,)


def _spec(
    request: type[q.Request], union: Any, capability: Capability | None = None, *, provisional: bool = False
) -> OperationSpec:
    return OperationSpec(request.operation, request, _flatten(union), capability, provisional)


_ALL = (
    _spec(q.OpenTask, r.OpenTaskReply),
    _spec(q.BeginWork, r.BeginWorkReply),
    _spec(q.RenewLease, r.RenewLeaseReply),
    _spec(q.ReleaseLease, r.LeaseReply),
    _spec(q.RevokeLease, r.LeaseReply),
    _spec(q.CommitEffect, r.CommitEffectReply),
    _spec(q.ClaimDispatch, r.ClaimDispatchReply),
    _spec(q.RecordOutcome, r.RecordOutcomeReply),
    _spec(q.RecordSignal, r.RecordSignalReply),
    _spec(q.Acknowledge, r.AcknowledgeReply),
    _spec(q.Complete, r.CompleteReply),
    _spec(q.Fail, r.CompleteReply),
    _spec(q.RequestCancel, r.RequestCancelReply),
    _spec(q.Inspect, r.InspectReply),
    _spec(q.Tick, r.TickReply),
    _spec(q.Suppress, r.SuppressReply, Capability.SUPPRESSION),
    _spec(q.RegisterChild, r.RegisterChildReply, Capability.CHILDREN),
    _spec(q.StartChild, r.StartChildReply, Capability.CHILDREN),
    _spec(q.FinishChild, r.FinishChildReply, Capability.CHILDREN),
    _spec(q.Subscribe, r.SubscribeReply, Capability.SHARED),
    _spec(q.Release, r.ReleaseReply, Capability.SHARED),
    _spec(q.Escalate, r.EscalateReply, Capability.ESCALATION),
    _spec(q.RecordProbe, r.RecordProbeReply, Capability.ESCALATION),
    _spec(q.ScheduleRetry, r.ScheduleRetryReply, Capability.RETRIES, provisional=True),
    _spec(q.FireRetry, r.FireRetryReply, Capability.RETRIES, provisional=True),
    _spec(q.OfferResult, r.OfferResultReply, Capability.RESULTS, provisional=True),
    _spec(q.Compensate, r.CompensateReply, Capability.COMPENSATION, provisional=True),
    _spec(q.Grant, r.GrantReply, Capability.APPROVALS, provisional=True),
    _spec(q.UseGrant, r.GrantReply, Capability.APPROVALS, provisional=True),
    _spec(q.Measures, r.MeasuresReply, Capability.MEASURES, provisional=True),
)

#: All operations by name, in the protocol's order.
OPERATIONS: dict[str, OperationSpec] = {spec.name: spec for spec in _ALL}
