"""What each operation may answer, as one union for each.

One idea: an operation's replies are a closed set. A type checker holds an adapter to it, and the kit checks each answer
against the same union at run time.
"""

from stopcheck.gate._belongings import (
    AlreadyReturned,
    CleanupGranted,
    Kept,
    NotOwned,
    PoolFull,
    Removable,
    SlotHeld,
    SlotReturned,
)
from stopcheck.gate._optional_replies import (
    AlreadyForced,
    AlreadyReleased,
    BoundaryAnswer,
    ExistingChild,
    Forced,
    Handed,
    Impossible,
    LastReleased,
    Live,
    MeasuresReport,
    NoAnswer,
    NotCompleted,
    NothingWaits,
    NoTime,
    Quarantined,
    Recalled,
    RetryFired,
    Scheduled,
    SuppressionDone,
    Taken,
    TooEarly,
    TooLate,
    Unauthorised,
    Void,
)
from stopcheck.gate._records import Snapshot
from stopcheck.gate._replies import (
    Accepted,
    Admitted,
    AlreadyClaimed,
    BadEvidence,
    Busy,
    ClaimGranted,
    Contradicted,
    Done,
    Ended,
    ExistingEffect,
    ExistingRecord,
    Exists,
    LeaseGranted,
    Lost,
    NotAdmitted,
    Opened,
    Parked,
    PayloadMismatch,
    PreCancelled,
    Recorded,
    Refused,
    Renewed,
    Resend,
    Resolved,
    Retry,
    Same,
    StaleLease,
    Stopped,
    SuppressedAlready,
    Ticked,
    Tombstoned,
    Unsupported,
    Unverified,
    Widened,
    Won,
)

#: What any operation may answer besides its own replies.
CommonReply = Refused | Retry | Unsupported

OpenTaskReply = Opened | Exists | PreCancelled | CommonReply
BeginWorkReply = LeaseGranted | Busy | Stopped | Ended | CommonReply
RenewLeaseReply = Renewed | StaleLease | Stopped | CommonReply
LeaseReply = Done | StaleLease | Stopped | CommonReply
CommitEffectReply = Admitted | ExistingEffect | PayloadMismatch | Stopped | StaleLease | Ended | CommonReply
ClaimDispatchReply = ClaimGranted | Resend | AlreadyClaimed | SuppressedAlready | Resolved | NotAdmitted | CommonReply
RecordOutcomeReply = Recorded | Same | Contradicted | Parked | BadEvidence | CommonReply
RecordSignalReply = Recorded | CommonReply
AcknowledgeReply = Recorded | StaleLease | Contradicted | CommonReply
CompleteReply = Won | Unverified | Lost | Ended | StaleLease | CommonReply
RequestCancelReply = Accepted | ExistingRecord | Widened | Tombstoned | Ended | CommonReply
InspectReply = Snapshot | CommonReply
CloseViewReply = Done | CommonReply
TickReply = Ticked | CommonReply
SuppressReply = SuppressionDone | TooLate | Resolved | NotAdmitted | CommonReply
RegisterChildReply = Done | ExistingChild | Stopped | Ended | NoTime | StaleLease | CommonReply
StartChildReply = Done | Stopped | Ended | StaleLease | CommonReply
FinishChildReply = Done | ExistingChild | StaleLease | CommonReply
SubscribeReply = Live | Stopped | Ended | CommonReply
ReleaseReply = Live | AlreadyReleased | LastReleased | CommonReply
EscalateReply = TooEarly | Forced | AlreadyForced | Impossible | CommonReply
RecordProbeReply = Recorded | CommonReply
SuspendReply = Done | Stopped | Ended | CommonReply
ScheduleRetryReply = Scheduled | Void | CommonReply
FireRetryReply = RetryFired | Void | CommonReply
OfferResultReply = Taken | Quarantined | StaleLease | CommonReply
CompensateReply = (
    Admitted
    | ExistingEffect
    | PayloadMismatch
    | Unauthorised
    | NotCompleted
    | Stopped
    | StaleLease
    | Ended
    | CommonReply
)
RecallReply = Recalled | CommonReply
AskReply = Done | Stopped | Ended | CommonReply
WithdrawReply = Done | BoundaryAnswer | CommonReply
ReadAnswerReply = BoundaryAnswer | NoAnswer | CommonReply
HandOverReply = Done | Stopped | Ended | CommonReply
TakeItemReply = Handed | NothingWaits | Stopped | Ended | StaleLease | CommonReply
ConfirmItemReply = Done | CommonReply
GrantReply = Done | Void | CommonReply
NoteArtefactReply = Done | Stopped | Ended | StaleLease | CommonReply
BeginCleanupReply = CleanupGranted | Busy | Void | Ended | CommonReply
CleanUpReply = Removable | Kept | NotOwned | StaleLease | CommonReply
HoldSlotReply = SlotHeld | PoolFull | Stopped | Ended | StaleLease | CommonReply
ReturnSlotReply = SlotReturned | AlreadyReturned | CommonReply
MeasuresReply = MeasuresReport | CommonReply

__all__ = [
    "AcknowledgeReply",
    "AskReply",
    "BeginCleanupReply",
    "BeginWorkReply",
    "ClaimDispatchReply",
    "CleanUpReply",
    "CloseViewReply",
    "CommitEffectReply",
    "CommonReply",
    "CompensateReply",
    "CompleteReply",
    "ConfirmItemReply",
    "EscalateReply",
    "FinishChildReply",
    "FireRetryReply",
    "GrantReply",
    "HandOverReply",
    "HoldSlotReply",
    "InspectReply",
    "LeaseReply",
    "MeasuresReply",
    "NoteArtefactReply",
    "OfferResultReply",
    "OpenTaskReply",
    "ReadAnswerReply",
    "RecallReply",
    "RecordOutcomeReply",
    "RecordProbeReply",
    "RecordSignalReply",
    "RegisterChildReply",
    "ReleaseReply",
    "RenewLeaseReply",
    "RequestCancelReply",
    "ReturnSlotReply",
    "ScheduleRetryReply",
    "StartChildReply",
    "SubscribeReply",
    "SuppressReply",
    "SuspendReply",
    "TakeItemReply",
    "TickReply",
    "WithdrawReply",
]
