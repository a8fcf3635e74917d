"""The registry of operations: request type, permitted replies, capability, whether provisional.

One idea: the wire, the reply check and the documentation all come from this one table.
"""

from __future__ import annotations

import types
from typing import Any, get_args

import msgspec

from stopcheck.gate import _answers as a
from stopcheck.gate import _belongings as bq
from stopcheck.gate import _optional_requests as oq
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
    _spec(q.OpenTask, a.OpenTaskReply),
    _spec(q.BeginWork, a.BeginWorkReply),
    _spec(q.RenewLease, a.RenewLeaseReply),
    _spec(q.ReleaseLease, a.LeaseReply),
    _spec(q.RevokeLease, a.LeaseReply),
    _spec(q.CommitEffect, a.CommitEffectReply),
    _spec(q.ClaimDispatch, a.ClaimDispatchReply),
    _spec(q.RecordOutcome, a.RecordOutcomeReply),
    _spec(q.RecordSignal, a.RecordSignalReply),
    _spec(q.Acknowledge, a.AcknowledgeReply),
    _spec(q.Complete, a.CompleteReply),
    _spec(q.Fail, a.CompleteReply),
    _spec(q.RequestCancel, a.RequestCancelReply),
    _spec(q.Inspect, a.InspectReply),
    _spec(q.CloseView, a.CloseViewReply),
    _spec(q.Tick, a.TickReply),
    _spec(oq.Suppress, a.SuppressReply, Capability.SUPPRESSION),
    _spec(oq.RegisterChild, a.RegisterChildReply, Capability.CHILDREN),
    _spec(oq.StartChild, a.StartChildReply, Capability.CHILDREN),
    _spec(oq.FinishChild, a.FinishChildReply, Capability.CHILDREN),
    _spec(oq.Subscribe, a.SubscribeReply, Capability.SHARED),
    _spec(oq.Release, a.ReleaseReply, Capability.SHARED),
    _spec(oq.Escalate, a.EscalateReply, Capability.ESCALATION),
    _spec(oq.RecordProbe, a.RecordProbeReply, Capability.ESCALATION),
    _spec(oq.Suspend, a.SuspendReply, Capability.PAUSE),
    _spec(oq.Resume, a.SuspendReply, Capability.PAUSE),
    _spec(oq.ScheduleRetry, a.ScheduleRetryReply, Capability.RETRIES),
    _spec(oq.FireRetry, a.FireRetryReply, Capability.RETRIES),
    _spec(oq.OfferResult, a.OfferResultReply, Capability.RESULTS),
    _spec(oq.Recall, a.RecallReply, Capability.RESULTS),
    _spec(oq.Ask, a.AskReply, Capability.RESULTS),
    _spec(oq.Withdraw, a.WithdrawReply, Capability.RESULTS),
    _spec(oq.ReadAnswer, a.ReadAnswerReply, Capability.RESULTS),
    _spec(oq.HandOver, a.HandOverReply, Capability.RESULTS),
    _spec(oq.TakeItem, a.TakeItemReply, Capability.RESULTS),
    _spec(oq.ConfirmItem, a.ConfirmItemReply, Capability.RESULTS),
    _spec(oq.Compensate, a.CompensateReply, Capability.COMPENSATION),
    _spec(oq.Grant, a.GrantReply, Capability.APPROVALS),
    _spec(oq.UseGrant, a.GrantReply, Capability.APPROVALS),
    _spec(bq.NoteArtefact, a.NoteArtefactReply, Capability.CLEANUP),
    _spec(bq.BeginCleanup, a.BeginCleanupReply, Capability.CLEANUP),
    _spec(bq.CleanUp, a.CleanUpReply, Capability.CLEANUP),
    _spec(bq.HoldSlot, a.HoldSlotReply, Capability.CAPACITY),
    _spec(bq.ReturnSlot, a.ReturnSlotReply, Capability.CAPACITY),
    _spec(oq.Measures, a.MeasuresReply, Capability.MEASURES),
)

#: All operations by name, in the protocol's order.
OPERATIONS: dict[str, OperationSpec] = {spec.name: spec for spec in _ALL}
