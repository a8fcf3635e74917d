"""What a vendor may import, and that all of it is explained."""

import inspect
from typing import Any

import pytest

import stopcheck.gate

#: The public names. A name that goes missing here breaks somebody's adapter: deprecate it first.
EXPORTS = """
    Accepted AckEntry AckStrength Acknowledge AcknowledgeReply AdapterFault Admitted AlreadyClaimed
    AlreadyForced AlreadyReleased Answer Assigner Background BadEvidence BeginWork BeginWorkReply Busy
    CANCELLED_STATES CallNeverReturned RIGHTS rights_for
    Caller CancellationClass CancellationRecord Capability Cause CauseEntry ChildEntry
    ClaimDispatch ClaimDispatchReply ClaimGranted CloseView CloseViewReply CommitEffect
    CommitEffectReply CommonReply Compensate
    CompensateReply Complete CompleteReply Contradicted Contradiction Database Disposition Done Durability
    EXECUTION_EDGES EarlyStop EffectEntry EffectsFacet Ended Environment Escalate EscalateReply Evidence
    Execution ExecutionFacet ExistingChild ExistingEffect ExistingRecord Exists Fail Finding FinishChild
    FinishChildReply FireRetry FireRetryReply Forced Gate GateContract GateFactory GateForked GateHung GateRaised
    Grant
    GrantKind GrantReply Halt HostKind HostMismatch Impossible Indefinite Inspect InspectReply IntentFacet
    InterestEntry ItemEntry LateResultRule
    KnownFault KnownRight LastFate LastReleased LateResult LeaseEntry LeaseGranted LeaseReply LeaseState
    LifecycleEntry
    Live LookupAnswer LookupEvidence Lost Measures MeasuresReply MeasuresReport MissingOperation
    NoEvidence NoTime NotAGate OperationContract
    NotAdmitted NotCompleted OPERATIONS OfferResult OfferResultReply OpenTask OpenTaskReply Opened
    OperationFigures OperationSpec
    OwnedKind Parked ParkedEvidence PayloadMismatch PreCancelled ProbeEntry ProbeResult Quarantined Receipt
    HeldResult Recall RecallReply Recalled ResultPlace
    Ask AskReply BoundaryAnswer ConfirmItem ConfirmItemReply HandOver HandOverReply Handed Handover HandoverEntry
    NoAnswer NothingWaits ReadAnswer ReadAnswerReply TakeItem TakeItemReply Withdraw WithdrawReply
    ReceiptEvidence RecordOutcome RecordOutcomeReply RecordProbe RecordProbeReply RecordSignal RecordSignalReply
    Recorded RefusalReason Refused RegisterChild RegisterChildReply Release ReleaseLease ReleaseReply RenewLease
    RenewLeaseReply Renewed Reply Request RequestCancel RequestCancelReply Resend Resolved Resume Retry RetryFired
    RevokeLease Right SECOND_NS Same Scaffold ScheduleRetry ScheduleRetryReply Scheduled Scope Sender
    SerialisationRefuted SignalEntry Snapshot Stage StaleLease StartChild StartChildReply Status Stopped
    Subscribe SubscribeReply Suppress SuppressReply SuppressedAlready SuppressionDone Suspend SuspendReply
    TERMINAL_STATES Taken
    AlreadyReturned BeginCleanup BeginCleanupReply CleanUp CleanUpReply CleanupGranted HoldSlot HoldSlotReply Kept
    NotOwned NoteArtefact NoteArtefactReply PoolFull Removable ReturnSlot ReturnSlotReply SlotHeld SlotReturned
    TaskKey TaskRef Tick TickReply Ticked Tombstoned TooEarly TooLate Transition Trigger Unauthorised
    Unsupported Unverified UseGrant ViewEnd Void Widened Won WorkerFacet WrongReply conninfo_of sentence_for
"""


def test_the_public_names_are_these() -> None:
    assert sorted(stopcheck.gate.__all__) == sorted(EXPORTS.split())


def test_nothing_else_is_public() -> None:
    imported = {name for name, value in vars(stopcheck.gate).items() if not inspect.ismodule(value)}
    assert {name for name in imported if not name.startswith("_")} == set(stopcheck.gate.__all__)


CLASSES: list[type[Any]] = [
    value for name in sorted(stopcheck.gate.__all__) if inspect.isclass(value := getattr(stopcheck.gate, name))
]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_class_and_each_public_member_has_a_docstring(kind: type[Any]) -> None:
    assert (vars(kind).get("__doc__") or "").strip()
    for name, member in vars(kind).items():
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
            assert (member.__doc__ or "").strip(), name


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_public_names_come_from_this_package(kind: type[Any]) -> None:
    assert kind.__module__.startswith("stopcheck.gate")
