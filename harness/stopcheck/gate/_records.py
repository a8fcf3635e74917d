"""What a gate keeps and shows: the cancellation record, the ledger, the inventory and the snapshot.

One idea: ``inspect`` returns one ``Snapshot`` from which a stranger can rebuild what happened to a task (RPT-6),
with intent, execution and effects kept apart (RPT-5). Revisions count a task's transitions: a later transition
has a greater revision, and one counter orders admissions and the cutoff alike (ADM-4).
Times are integer nanoseconds of the environment's clock.
"""

from __future__ import annotations

import msgspec

from stopcheck.gate._evidence import Evidence
from stopcheck.gate._vocabulary import (
    AckStrength,
    CancellationClass,
    Cause,
    Disposition,
    Execution,
    Halt,
    Handover,
    LeaseState,
    OwnedKind,
    ProbeResult,
    Scope,
    Stage,
    Status,
    TaskRef,
)


class CauseEntry(msgspec.Struct, frozen=True):
    """One accepted reason to cancel. The first is the cancellation itself; later ones are appended."""

    revision: int
    cause: Cause
    requester: str
    request_id: str
    reason: str
    scope: Scope
    at_ns: int


class CancellationRecord(msgspec.Struct, frozen=True):
    """The durable, monotonic record that a task was cancelled; one per incarnation.

    ``revision`` is the cutoff's. ``scope`` may be widened from ``task`` to ``subtree``; ``subtree_revision`` is
    the revision from which descendants are cut off (equal to ``revision`` when the scope was ``subtree`` from
    the start, ``None`` while it is ``task``). ``causes`` is never empty and only grows.
    """

    record_id: str
    task: TaskRef
    revision: int
    scope: Scope
    causes: tuple[CauseEntry, ...]
    subtree_revision: int | None = None


class ItemEntry(msgspec.Struct, frozen=True):
    """One item of a batch, and what is known of it. ``partial``: of this item only a part was done."""

    item: str
    disposition: Disposition
    partial: bool = False


class EffectEntry(msgspec.Struct, frozen=True):
    """One line of the ledger: an admitted effect and what is known of it.

    ``claimed`` is true once a dispatcher took it. ``evidence`` holds everything that was believed, in order of
    arrival; it is never shortened. ``resolved_revision`` is that of the one transition which made the disposition
    definitive; evidence that says the same again does not move it (ESC-10). ``provider_cancelled``,
    ``rejected``, ``completed`` and ``not_executed`` need
    evidence here; ``suppressed`` needs ``resolved_revision`` (the gate's own transition).

    ``items``: of a batch, each item with a disposition of its own (EFF-11); the batch is definitive when all of them
    are, and ``completed`` when one is. ``partial``: what was completed is not the whole (EFF-12).
    """

    effect_id: str
    payload_digest: str
    receiver: str
    cancellation_class: CancellationClass
    admitted_revision: int
    claimed: bool
    attempts: int
    disposition: Disposition
    evidence: tuple[Evidence, ...] = ()
    resolved_revision: int | None = None
    items: tuple[ItemEntry, ...] = ()
    partial: bool = False


class LeaseEntry(msgspec.Struct, frozen=True):
    """A worker's authority for the task. ``expires_ns`` is exclusive: at that time it is expired."""

    worker: str
    epoch: int
    expires_ns: int
    state: LeaseState


class AckEntry(msgspec.Struct, frozen=True):
    """What a worker said, exactly as strong as it said it. ``counted`` is false for a word that came from a
    superseded lease (ACK-4) and is kept only as history."""

    worker: str
    epoch: int
    strength: AckStrength
    at_ns: int
    counted: bool = True


class ProbeEntry(msgspec.Struct, frozen=True):
    """What a supervisor found of a worker."""

    worker: str
    result: ProbeResult
    at_ns: int


class SignalEntry(msgspec.Struct, frozen=True):
    """A signal that was sent. It proves only that it was sent."""

    operation: str
    channel: str
    cause: Cause
    at_ns: int


class ChildEntry(msgspec.Struct, frozen=True):
    """One owned operation of the inventory. ``child`` is its task; ``started`` whether it may have run;
    ``cancellation_class`` what it was registered with."""

    child: TaskRef
    kind: OwnedKind
    owner: str
    started: bool
    stage: Stage
    registered_revision: int
    cancellation_class: CancellationClass | None = None


class InterestEntry(msgspec.Struct, frozen=True):
    """One subscriber's interest in a shared task. Released once; ``released_revision`` is ``None`` while live."""

    interest_id: str
    subscriber: TaskRef
    released_revision: int | None = None


class LifecycleEntry(msgspec.Struct, frozen=True):
    """One step of an owned operation's lifecycle; entries are appended, never changed."""

    operation: str
    stage: Stage
    reason: str
    requested_ns: int
    observer: str
    parent: str
    boundary: str


class Contradiction(msgspec.Struct, frozen=True):
    """Two statements about one subject that cannot both be true, kept for whoever has to explain it. One of ``subject``
    and ``detail`` names what it is about as others know it: the effect's id or the receipt's, or the worker."""

    subject: str
    detail: str
    at_ns: int


class ParkedEvidence(msgspec.Struct, frozen=True):
    """Evidence that matched nothing yet; kept until it does (EFF-10)."""

    effect_id: str
    evidence: Evidence


class HeldResult(msgspec.Struct, frozen=True):
    """A result that was taken: for which incarnation, of which operation."""

    task: TaskRef
    operation: str
    result_digest: str


class HandoverEntry(msgspec.Struct, frozen=True):
    """An item, or a wake-up, that was handed to the task, and where it is."""

    item_id: str
    state: Handover
    wake_up: bool = False


class LateResult(msgspec.Struct, frozen=True):
    """A result that came after its task was cut off or had ended, kept as evidence only (RES-1). ``operation`` is what
    made it: the task itself, or the target of an ``offer_result``."""

    operation: str
    result_digest: str
    at_ns: int


class WorkerFacet(msgspec.Struct, frozen=True):
    """How far one worker is proved to be stopped. ``stopped``: it acknowledged ``handler_stopped`` or more, or a probe
    found it gone. ``fenced``: its latest lease has ended (released, revoked, superseded or expired), so that it can do
    nothing more. ``proof`` names the strongest ground: an acknowledgement's strength, ``probe_gone``,
    ``lease_revoked``, or ``none``."""

    worker: str
    stopped: bool
    fenced: bool
    proof: str


class IntentFacet(msgspec.Struct, frozen=True):
    """Is there a cancellation record, and for what scope?"""

    requested: bool
    scope: Scope | None = None


class ExecutionFacet(msgspec.Struct, frozen=True):
    """What is stopped, and with what strength of proof."""

    state: Execution
    workers: tuple[WorkerFacet, ...] = ()


class EffectsFacet(msgspec.Struct, frozen=True):
    """The ledger in short: effect ids by what is known of them, each id in exactly one place. What was completed only
    in part stands under ``partial``."""

    completed: tuple[str, ...] = ()
    not_done: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()


class Snapshot(msgspec.Struct, frozen=True, tag=True):
    """The whole account of one task as the gate knows it; the answer to ``inspect``.

    ``stop_after_end`` holds the requests that were answered ``Ended`` (they are kept: such a task shows
    ``completed_before_cancellation``). ``unowned`` is true for a shared task that runs although its last
    interest was released (SHR-2). ``suspended`` says why the work of a running task is halted. ``owner`` is who answers
    for detached work, as told when it was opened; empty for other tasks (CHILD-6). ``handovers`` are all items
    that were handed to the task, whatever became of them (RES-5).
    """

    task: TaskRef
    revision: int
    execution: Execution
    record: CancellationRecord | None
    status: Status
    intent: IntentFacet
    stopping: ExecutionFacet
    ledger: EffectsFacet
    leases: tuple[LeaseEntry, ...] = ()
    acknowledgements: tuple[AckEntry, ...] = ()
    probes: tuple[ProbeEntry, ...] = ()
    effects: tuple[EffectEntry, ...] = ()
    children: tuple[ChildEntry, ...] = ()
    interests: tuple[InterestEntry, ...] = ()
    lifecycle: tuple[LifecycleEntry, ...] = ()
    signals: tuple[SignalEntry, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    parked: tuple[ParkedEvidence, ...] = ()
    late_results: tuple[LateResult, ...] = ()
    stop_after_end: tuple[CauseEntry, ...] = ()
    forced: tuple[str, ...] = ()
    unowned: bool = False
    deadline_ns: int | None = None
    suspended: Halt | None = None
    owner: str = ""
    handovers: tuple[HandoverEntry, ...] = ()
