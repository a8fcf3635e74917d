"""The gate protocol: what an adapter implements.

One idea: **every operation is one atomic transition seen from outside.** An adapter is a factory, usually the gate
class itself, called with an :class:`Environment`; its ``contract`` is readable before a gate is made. Override what
you have; what you leave answers ``Unsupported``. Each operation may be ``def`` or ``async def``.
Rules that hold for all operations:

* A caller of another tenant, or without the right named in the request's docstring, is answered
  ``Refused(forbidden)`` and changes nothing (SCOPE-3, SCOPE-9).
* A task or incarnation that does not exist is answered ``Refused(unknown)``; a stop that cannot be understood
  ``Refused(malformed)``, and one whose handle is stale ``Refused(unresolvable)`` (SCOPE-8).
* Names (of tenants, tasks, effects, workers, requests) are opaque: any text that is not blank, of up to 400 characters;
  two that differ in anything are two. An adapter of a system that takes less encodes them.
* An exception is an adapter fault (exit 4), not an answer.
* Time-driven transitions (lease expiry, deadlines, budgets) happen in ``tick`` or at the next operation, by ``now_ns``.
* ``[deadlines]`` A deadline that has passed is a cancellation with cause ``deadline``, made by the first operation on
  the task, or tick, at which ``now_ns`` has reached it, before anything else that the operation does (DDL-3).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar, Protocol, TypeAlias, TypeVar

from stopcheck.gate import _answers as a
from stopcheck.gate import _belongings as bq
from stopcheck.gate import _optional_requests as oq
from stopcheck.gate import _replies as r
from stopcheck.gate import _requests as q
from stopcheck.gate._contract import GateContract
from stopcheck.gate._environment import Environment
from stopcheck.gate._records import Snapshot
from stopcheck.gate._vocabulary import RefusalReason, Right

T = TypeVar("T")

#: An operation may answer at once or as an awaitable.
Answer: TypeAlias = T | Awaitable[T]


class GateFactory(Protocol):
    """An adapter: something that makes a gate in an environment, and whose contract can be read before."""

    @property
    def contract(self) -> GateContract:
        """What the gates of this factory declare."""
        ...

    def __call__(self, environment: Environment, /) -> Gate:
        """Open a gate on the environment's storage, new or not."""
        ...


class Gate:
    """Base class of gates. Every operation answers ``Unsupported`` until it is overridden, but ``close_view``."""

    contract: ClassVar[GateContract]

    def open_task(self, request: q.OpenTask) -> Answer[a.OpenTaskReply]:
        """Open a task. ``Opened`` once; then ``Exists``; ``PreCancelled`` if a tombstone waits for it. Where the gate
        assigns incarnations they count from 1, and a key whose task is over is opened again as the next one."""
        return r.Unsupported()

    def begin_work(self, request: q.BeginWork) -> Answer[a.BeginWorkReply]:
        """Give a worker a lease with a new epoch, which supersedes older ones (``LeaseGranted``).

        A cancelled task, or one with a covering cancelled ancestor, answers ``Stopped``, whatever the trigger
        (DLV-1 to DLV-3, DLV-5, ADM-9); an ended one ``Ended``. While another worker's lease is active a gate may answer
        ``Busy``, or supersede it when ``trigger`` is ``replacement``. The same worker with the same delivery id may be
        given a new epoch. A worker of a child that its owner has not started may be told ``Busy`` or ``Refused``.
        """
        return r.Unsupported()

    def renew_lease(self, request: q.RenewLease) -> Answer[a.RenewLeaseReply]:
        """Lengthen an active lease; never after the cutoff (``Stopped``), never a stale one (``StaleLease``)."""
        return r.Unsupported()

    def release_lease(self, request: q.ReleaseLease) -> Answer[a.LeaseReply]:
        """The holder gives the lease back; from then on its epoch is stale."""
        return r.Unsupported()

    def revoke_lease(self, request: q.RevokeLease) -> Answer[a.LeaseReply]:
        """A supervisor takes the lease away; from then on its epoch is stale and its holder fenced. By the epoch of an
        earlier attempt, or of one that never was, nothing is stopped, and the caller is told: ``StaleLease``, or
        ``Refused`` (SCOPE-8)."""
        return r.Unsupported()

    def commit_effect(self, request: q.CommitEffect) -> Answer[a.CommitEffectReply]:
        """The dispatch commitment: check task status, ancestors, current epoch and effect identity, and record
        the effect as admitted, in one atomic transition.

        ``Admitted`` once per effect id (unique in the tenant); the same id and payload again is
        ``ExistingEffect``, another payload ``PayloadMismatch``. After the cutoff a new effect is never admitted:
        ``Stopped``; on an ended task ``Ended``; with an epoch that is not current ``StaleLease``. If several of
        these hold, any may be answered.
        """
        return r.Unsupported()

    def claim_dispatch(self, request: q.ClaimDispatch) -> Answer[a.ClaimDispatchReply]:
        """Take an admitted effect to send it; exactly one caller is answered ``ClaimGranted``.

        Work admitted before the cutoff may be claimed after it, unless it was suppressed
        (``SuppressedAlready``). A second claim is ``AlreadyClaimed``; or ``Resend`` when an attempt of this effect
        ended ``unknown``, the receiver is idempotent and the task is not cancelled. ``Resolved`` when definitive,
        ``NotAdmitted`` when the ledger has no such effect.
        """
        return r.Unsupported()

    def record_outcome(self, request: q.RecordOutcome) -> Answer[a.RecordOutcomeReply]:
        """Enter what is known of an effect, before or after the cutoff.

        ``NoEvidence``, and a look-up that says ``absent`` or ``stale``, leave a claimed effect ``unknown``. Verified
        evidence makes it definitive: ``executed`` completed, ``partial`` completed and marked partial (EFF-12),
        ``rejected`` rejected, ``provider_cancelled`` itself, ``fenced`` ``not_executed``; of a batch, the item that it
        is about (EFF-11). Known already: ``Same``. Against what is kept: ``Contradicted``, recorded, and
        the disposition stays. For an id that is not in the ledger, or where a gate applies evidence later (at a tick,
        or when a call needs it): ``Parked``. Not verified, or not this payload or receiver: ``BadEvidence``, with a
        recorded contradiction.
        """
        return r.Unsupported()

    def record_signal(self, request: q.RecordSignal) -> Answer[a.RecordSignalReply]:
        """Enter that a signal was sent, or that what stood for the work was removed; it proves nothing else."""
        return r.Unsupported()

    def acknowledge(self, request: q.Acknowledge) -> Answer[a.AcknowledgeReply]:
        """Enter a worker's acknowledgement with exactly its strength. From an epoch that is superseded it does not
        count: ``StaleLease``. With no record to acknowledge: ``Contradicted``. A worker that said ``handler_stopped``
        or more and then asks for ordinary work is refused, and a ``Contradiction`` is recorded (ACK-5)."""
        return r.Unsupported()

    def complete(self, request: q.Complete) -> Answer[a.CompleteReply]:
        """End the task as completed, if every admitted effect has a definitive disposition and every owned
        operation has ended; else ``Unverified``. After the cutoff ``Lost``, and the result is kept: among the
        snapshot's ``late_results``, or in its lifecycle as ``completed_after_cancel``. After the end ``Ended``; with a
        stale epoch ``StaleLease``."""
        return r.Unsupported()

    def fail(self, request: q.Fail) -> Answer[a.CompleteReply]:
        """End the task as failed. Needs no evidence; what is unknown stays so."""
        return r.Unsupported()

    def request_cancel(self, request: q.RequestCancel) -> Answer[a.RequestCancelReply]:
        """The cutoff. One record per incarnation: ``Accepted`` once, then ``ExistingRecord`` with the same id and
        revision, or ``Widened`` for a wider scope. On a completed or failed task: ``Ended``, and the request is
        kept. On a task that is not open: ``Tombstoned`` or ``Refused(unknown)``, as declared. A scope that the
        contract does not declare: ``Unsupported``, or ``Refused(malformed)``; a narrower stop than was asked for is no
        answer to it."""
        return r.Unsupported()

    def inspect(self, request: q.Inspect) -> Answer[a.InspectReply]:
        """The whole account of the task, as one consistent reading."""
        return r.Unsupported()

    def close_view(self, request: q.CloseView) -> Answer[a.CloseViewReply]:
        """Somebody looks at the task no longer. This answer is right where nothing of a task hangs on who looks at
        it; override it to let go of a stream or a subscription. Status, record and execution stay as they are."""
        known = request.caller.tenant == request.task.tenant and Right.INSPECT in request.caller.rights
        return r.Done() if known else r.Refused(RefusalReason.FORBIDDEN)

    def tick(self, request: q.Tick) -> Answer[a.TickReply]:
        """Make the transitions that are due at ``now_ns``, on all tasks: expire leases, settle stopped tasks, end
        reconciliation budgets. ``next_wake_ns`` is when something will next be due by time alone."""
        return r.Unsupported()

    def suppress(self, request: oq.Suppress) -> Answer[a.SuppressReply]:
        """``[suppression]`` Withdraw an admitted, unclaimed effect, in one transition against the claim.
        ``SuppressionDone``, also when repeated; ``TooLate`` after a claim; ``Resolved``; ``NotAdmitted``."""
        return r.Unsupported()

    def register_child(self, request: oq.RegisterChild) -> Answer[a.RegisterChildReply]:
        """``[children]`` Record ownership and open the child's task, in one transition against the cutoff.
        ``Done`` and in the inventory, or ``Stopped`` and not. Repeated: ``ExistingChild``.

        With deadlines, the child's is the earlier of its parent's (which may be counted without the reserve) and the
        end of its own cap; a repeat does not move it (DDL-1). ``NoTime``, and nothing is registered, when its minimum
        useful time does not fit before the parent's deadline less the reserve (DDL-2)."""
        return r.Unsupported()

    def start_child(self, request: oq.StartChild) -> Answer[a.StartChildReply]:
        """``[children]`` The child may run (``Done``), or a covering cutoff came first (``Stopped``)."""
        return r.Unsupported()

    def finish_child(self, request: oq.FinishChild) -> Answer[a.FinishChildReply]:
        """``[children]`` Append the child's end to its lifecycle. ``unknown`` is an end that evidence may still
        change. Repeated: ``ExistingChild`` with the stage that is kept."""
        return r.Unsupported()

    def subscribe(self, request: oq.Subscribe) -> Answer[a.SubscribeReply]:
        """``[shared]`` Register an interest; ``Live`` tells how many live. Repeated: no second one."""
        return r.Unsupported()

    def release(self, request: oq.Release) -> Answer[a.ReleaseReply]:
        """``[shared]`` Give up one interest, counted once. A cancelled subscriber's interests are released by the
        gate itself, within the cutoff. ``LastReleased`` tells what happens to work that nobody wants."""
        return r.Unsupported()

    def escalate(self, request: oq.Escalate) -> Answer[a.EscalateReply]:
        """``[escalation]`` ``TooEarly`` until ``grace_ns`` after the cutoff (against the worker of an owned operation:
        the grace period of its class), then ``Forced`` once and ``AlreadyForced``, whoever asks. Nothing that is
        repeated (a stop, a tick, a request that came too early) defers force or spends it (ESC-10). Without a cancelled
        task, or for a worker that it does not know, ``Refused``."""
        return r.Unsupported()

    def record_probe(self, request: oq.RecordProbe) -> Answer[a.RecordProbeReply]:
        """``[escalation]`` Enter what a probe found. ``gone``, and nothing else, proves that the worker is stopped:
        not that force was allowed or used, and not that its own process ended while descendants live (ESC-8)."""
        return r.Unsupported()

    def suspend(self, request: oq.Suspend) -> Answer[a.SuspendReply]:
        """``[pause]`` Halt the task's work: its lease may be revoked, and until ``resume`` a worker that asks to begin
        may be told ``Busy``. The execution state stays, deadlines run on, and no record is made. ``Stopped`` on a
        cancelled task, ``Ended`` on one that is over."""
        return r.Unsupported()

    def resume(self, request: oq.Resume) -> Answer[a.SuspendReply]:
        """``[pause]`` Let work begin again (``Done``, also where nothing was suspended). A cancellation outranks it:
        ``Stopped``."""
        return r.Unsupported()

    def schedule_retry(self, request: oq.ScheduleRetry) -> Answer[a.ScheduleRetryReply]:
        """``[retries]`` Arm a retry: ``Scheduled``, also when repeated. After the cutoff, or the task's end, it
        never fires: ``Void``, or ``Scheduled`` where a gate keeps it for the account only."""
        return r.Unsupported()

    def fire_retry(self, request: oq.FireRetry) -> Answer[a.FireRetryReply]:
        """``[retries]`` Spend an armed retry and give its worker a lease (``RetryFired``), in one transition against
        the cutoff. ``Void`` from the cutoff on, a passed deadline's included, whatever armed it and when (DLV-4). One
        that is not due yet, or whose task another worker holds, is ``Refused`` and stays armed."""
        return r.Unsupported()

    def offer_result(self, request: oq.OfferResult) -> Answer[a.OfferResultReply]:
        """``[results]`` Put a result to use (``Taken``), in one transition against the cutoff. From the cutoff on, and
        after the task's end, it is ``Quarantined``: it enters no response, memory, cache or plan, and is kept as
        evidence (RES-1), whatever made it and however right it is (RES-3). So is the result of an owned operation
        that was itself stopped. One with an authority version that is not
        the current lease's is ``StaleLease`` (RES-2). If both hold, either may be answered."""
        return r.Unsupported()

    def recall(self, request: oq.Recall) -> Answer[a.RecallReply]:
        """``[results]`` What was taken for this place, and nothing else. A response is one run's; memory and plans are
        shared by all runs of a task id, the cache by all tasks of the tenant. A gate may forget. Reading changes
        nothing, and is no work: it is answered after the cutoff too."""
        return r.Unsupported()

    def ask(self, request: oq.Ask) -> Answer[a.AskReply]:
        """``[results]`` A request at the task's boundary: ``Done``, also when its asker repeats it; the id of
        somebody else's request is ``Refused``. It is answered by ``offer_result`` with its ``request_id``: ``Taken``
        for the first answer (and for the same one repeated), ``Quarantined`` for another one and for any that comes
        after the request was withdrawn (RES-4)."""
        return r.Unsupported()

    def withdraw(self, request: oq.Withdraw) -> Answer[a.WithdrawReply]:
        """``[results]`` ``Done`` confirms the cancellation: the request is never answered. ``BoundaryAnswer`` if its
        answer came first. From anybody but its asker ``Refused``."""
        return r.Unsupported()

    def read_answer(self, request: oq.ReadAnswer) -> Answer[a.ReadAnswerReply]:
        """``[results]`` The answer to exactly this request, as often as its asker reads it; ``NoAnswer`` as long as
        there is none. Nobody else reads it, whatever connection it came on: ``Refused``."""
        return r.Unsupported()

    def hand_over(self, request: oq.HandOver) -> Answer[a.HandOverReply]:
        """``[results]`` ``Done``: the gate has the item, once however often it is told. ``Stopped`` or ``Ended``: it
        stays with whoever wanted to hand it over, unless it had been handed over before."""
        return r.Unsupported()

    def take_item(self, request: oq.TakeItem) -> Answer[a.TakeItemReply]:
        """``[results]`` The oldest item that waits. From the cutoff on ``Stopped``: what waits then is returned or
        recorded, and so is what was taken and never confirmed (RES-5)."""
        return r.Unsupported()

    def confirm_item(self, request: oq.ConfirmItem) -> Answer[a.ConfirmItemReply]:
        """``[results]`` The item is delivered, also if the stop came since it was taken. One that nobody took is
        ``Refused``."""
        return r.Unsupported()

    def compensate(self, request: oq.Compensate) -> Answer[a.CompensateReply]:
        """``[compensation]`` The dispatch commitment of an effect that answers a committed one, in a task of its own
        (another than the one of the effect that it answers, or ``Refused``). What ``commit_effect`` asks is asked here
        too. ``Unauthorised`` unless a grant of kind ``compensation`` of this task names the answered effect and is
        unspent; admitting spends it, in the same transition. A stop is no authorisation (RCN-3). ``NotCompleted``
        unless the answered effect is ``completed``; that it was answered changes nothing of its disposition."""
        return r.Unsupported()

    def grant(self, request: oq.Grant) -> Answer[a.GrantReply]:
        """``[approvals]`` Keep it for one use (``Done``, also when repeated). After the cutoff it allows nothing:
        ``Void``, or ``Done`` where a gate keeps it for the account only. A gate that compensates takes grants of kind
        ``compensation``, which allow no other use."""
        return r.Unsupported()

    def use_grant(self, request: oq.UseGrant) -> Answer[a.GrantReply]:
        """``[approvals]`` ``Done``: what was granted may go ahead, once. ``Void`` when it was spent, and from the
        cutoff on, while the task still drains, whenever it was granted (ADM-8)."""
        return r.Unsupported()

    def note_artefact(self, request: bq.NoteArtefact) -> Answer[a.NoteArtefactReply]:
        """``[cleanup]`` Ordinary work: the task owns the artefact (``Done``), or a cutoff came first (``Stopped``) and
        it is not to be made, or not to be finished. ``Refused`` where another task owns one of that name."""
        return r.Unsupported()

    def begin_cleanup(self, request: bq.BeginCleanup) -> Answer[a.BeginCleanupReply]:
        """``[cleanup]`` Authority to clear away, which the stop does not take: after the cutoff ``CleanupGranted``,
        until ``cleanup_ns`` after it, whoever begins and however often; from then on ``Void``. The newest clean-up
        supersedes older ones; a gate may answer ``Busy`` instead. It reopens nothing, and holds up no settling. On a
        task that is not stopped ``Refused``, or ``Ended`` (ESC-5)."""
        return r.Unsupported()

    def clean_up(self, request: bq.CleanUp) -> Answer[a.CleanUpReply]:
        """``[cleanup]`` ``Removable``, also when repeated, for what the task owns (within the scope of its cancellation
        also for what its descendants own) and has not finished; ``Kept`` for a finished deliverable, ``NotOwned`` for
        anything else (ESC-7). Repeated stops and force leave a clean-up alone; ``StaleLease`` when its time is over."""
        return r.Unsupported()

    def hold_slot(self, request: bq.HoldSlot) -> Answer[a.HoldSlotReply]:
        """``[capacity]`` Ordinary work: ``SlotHeld`` while fewer than ``limit`` are held by others, else ``PoolFull``.
        A slot is free again, once, when its holder returns it, gives its lease back, says that it has stopped, or is
        found gone; a gate may take that its lease has ended in another way for enough (ESC-9)."""
        return r.Unsupported()

    def return_slot(self, request: bq.ReturnSlot) -> Answer[a.ReturnSlotReply]:
        """``[capacity]`` ``SlotReturned`` once, also after the cutoff. From an epoch that holds nothing any more it
        changes nothing: ``AlreadyReturned``. Whoever holds a slot under another epoch, or for another task, keeps
        it."""
        return r.Unsupported()

    def measures(self, request: oq.Measures) -> Answer[a.MeasuresReply]:
        """``[measures]`` The figures of MET-1, from the gate's own records, over all tasks of the tenant."""
        return r.Unsupported()

    def fingerprint(self) -> bytes | None:
        """The gate's whole state, durable and in memory, as bytes that are equal exactly when two gates would
        behave alike from now on. ``None``: not offered. A wrong one loses interleavings: the kit audits it."""
        return None

    def close(self) -> None:
        """Let go of handles at the end of a run. Not called at a crash."""


Operation = Callable[[q.Request], Answer[r.Reply | Snapshot]]
