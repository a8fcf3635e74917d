"""The contract's words as types.

One idea: every term that the gate contract defines (task, scope, cause, disposition, acknowledgement
strength ...) is exactly one type here, so that a gate, the world and the judge cannot mean different
things by the same word. Sources: gate contract, section 1.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Right(StrEnum):
    """What a caller may do. A gate refuses (``Refused(forbidden)``) a request whose caller lacks the right
    named in the operation's docstring, or whose tenant is not the task's."""

    OPEN = "open"
    WORK = "work"
    STOP = "stop"
    INSPECT = "inspect"
    DISPATCH = "dispatch"
    RECONCILE = "reconcile"
    SUPERVISE = "supervise"
    TICK = "tick"


class Caller(msgspec.Struct, frozen=True):
    """Who makes a request: an authenticated principal, its tenant and its rights."""

    principal: str
    tenant: str
    rights: tuple[Right, ...]


class TaskKey(msgspec.Struct, frozen=True, order=True):
    """A task's name. Together with an incarnation it names one unit of agent work; a reused key is a new
    incarnation."""

    tenant: str
    task_id: str


class TaskRef(msgspec.Struct, frozen=True, order=True):
    """One incarnation of a task."""

    key: TaskKey
    incarnation: int


class Scope(StrEnum):
    """How far a cancellation reaches: the task alone, or every operation it owns at any depth."""

    TASK = "task"
    SUBTREE = "subtree"


class Cause(StrEnum):
    """Why a task was cancelled: somebody pressed Stop, its lifetime ended, its owner was cancelled, or a rule asked for
    it. Never confused with one another (REC-8)."""

    USER = "user"
    DEADLINE = "deadline"
    PARENT = "parent"
    POLICY = "policy"


class Execution(StrEnum):
    """The execution state of a task; it moves along ``EXECUTION_EDGES`` only (REC-4)."""

    UNSTARTED = "unstarted"
    RUNNING = "running"
    CANCELLATION_REQUESTED = "cancellation_requested"
    DRAINING = "draining"
    CANCELLED_SETTLED = "cancelled_settled"
    STOPPED_UNRESOLVED = "stopped_unresolved"
    COMPLETED = "completed"
    FAILED = "failed"


_CANCELLED_PATH = (
    Execution.CANCELLATION_REQUESTED,
    Execution.DRAINING,
    Execution.CANCELLED_SETTLED,
    Execution.STOPPED_UNRESOLVED,
)

#: From each execution state, the states that it may be observed to move to. States in between may be
#: skipped, so the relation is transitively closed; staying where it is is always allowed.
EXECUTION_EDGES: dict[Execution, frozenset[Execution]] = {
    Execution.UNSTARTED: frozenset((Execution.RUNNING, *_CANCELLED_PATH, Execution.COMPLETED, Execution.FAILED)),
    Execution.RUNNING: frozenset((*_CANCELLED_PATH, Execution.COMPLETED, Execution.FAILED)),
    Execution.CANCELLATION_REQUESTED: frozenset(_CANCELLED_PATH[1:]),
    Execution.DRAINING: frozenset(_CANCELLED_PATH[2:]),
    Execution.STOPPED_UNRESOLVED: frozenset((Execution.CANCELLED_SETTLED,)),
    Execution.CANCELLED_SETTLED: frozenset(),
    Execution.COMPLETED: frozenset(),
    Execution.FAILED: frozenset(),
}

#: The states of a task that was cancelled before it completed.
CANCELLED_STATES = frozenset(_CANCELLED_PATH)
#: The states in which no ordinary work of the task goes on.
TERMINAL_STATES = frozenset(
    (Execution.CANCELLED_SETTLED, Execution.STOPPED_UNRESOLVED, Execution.COMPLETED, Execution.FAILED)
)


class Status(StrEnum):
    """What a person is shown. Without a record it is the execution state, but ``completed_before_cancellation`` for a
    completed task whose stop was answered ``Ended``. With a record, the first that holds of:

    ``outcome_unknown``: every worker is stopped or fenced, or the reconciliation budget is over, and still an effect is
    ``unknown`` or a worker neither stopped nor fenced;
    ``cancellation_unsupported``: what has no stop of its own goes on (an ``irreversible`` effect, once claimed);
    ``cancelled``: exactly when the execution state is ``cancelled_settled``;
    ``stop_requested``: no signal is recorded yet; else ``cancellation_pending``."""

    RUNNING = "running"
    STOP_REQUESTED = "stop_requested"
    CANCELLATION_PENDING = "cancellation_pending"
    CANCELLED = "cancelled"
    COMPLETED_BEFORE_CANCELLATION = "completed_before_cancellation"
    CANCELLATION_UNSUPPORTED = "cancellation_unsupported"
    OUTCOME_UNKNOWN = "outcome_unknown"
    COMPLETED = "completed"
    FAILED = "failed"
    UNSTARTED = "unstarted"


class Disposition(StrEnum):
    """What became of an admitted effect."""

    PENDING = "pending"
    UNKNOWN = "unknown"
    SUPPRESSED = "suppressed"
    REJECTED = "rejected"
    COMPLETED = "completed"
    PROVIDER_CANCELLED = "provider_cancelled"
    NOT_EXECUTED = "not_executed"

    @property
    def definitive(self) -> bool:
        """Whether this disposition is final and therefore needs evidence."""
        return self not in (Disposition.PENDING, Disposition.UNKNOWN)


class AckStrength(StrEnum):
    """How much a worker's acknowledgement says, weakest first. ``rank`` orders them."""

    SIGNAL_QUEUED = "signal_queued"
    OBSERVED = "observed"
    STOPPED_SCHEDULING = "stopped_scheduling"
    HANDLER_STOPPED = "handler_stopped"
    PROCESS_TERMINATED = "process_terminated"

    @property
    def rank(self) -> int:
        """Position in the order of strength, from 0."""
        return list(AckStrength).index(self)

    @property
    def means_stopped(self) -> bool:
        """Whether a worker that said this counts as stopped (``handler_stopped`` or stronger)."""
        return self.rank >= AckStrength.HANDLER_STOPPED.rank


class CancellationClass(StrEnum):
    """What kind of stop an operation supports; declared beside it, never inferred.

    ``abortable``: stops at once, nothing outside; ``cooperative``: stops at its own checks; ``discardable``: may
    finish, and its result is thrown away; ``provider_cancellable``: the remote side has a cancel operation with its own
    answer; ``irreversible``: once begun it goes on to its end, and only compensation is left."""

    ABORTABLE = "abortable"
    COOPERATIVE = "cooperative"
    DISCARDABLE = "discardable"
    PROVIDER_CANCELLABLE = "provider_cancellable"
    IRREVERSIBLE = "irreversible"

    @property
    def has_stop(self) -> bool:
        """Whether such an operation, once begun, has a stop of its own or counts as stopped without one (RPT-3)."""
        return self is not CancellationClass.IRREVERSIBLE


class OwnedKind(StrEnum):
    """The kinds of owned work that an inventory lists (CHILD-7)."""

    CHILD_TASK = "child_task"
    MODEL_REQUEST = "model_request"
    TOOL_CALL = "tool_call"
    SUBPROCESS = "subprocess"
    REMOTE_JOB = "remote_job"


class Stage(StrEnum):
    """The lifecycle of an owned operation, append-only: requested, observed, accepted, then one terminal;
    or ``unknown``, which evidence may still end."""

    REQUESTED = "requested"
    OBSERVED = "observed"
    ACCEPTED = "accepted"
    CONFIRMED_CANCELLED = "confirmed_cancelled"
    COMPLETED = "completed"
    COMPLETED_AFTER_CANCEL = "completed_after_cancel"
    FAILED = "failed"
    FORCE_STOPPED = "force_stopped"
    UNKNOWN = "unknown"

    @property
    def terminal(self) -> bool:
        """Whether the operation has ended in a known way."""
        return self in _TERMINAL_STAGES


_TERMINAL_STAGES = frozenset(
    (
        Stage.CONFIRMED_CANCELLED,
        Stage.COMPLETED,
        Stage.COMPLETED_AFTER_CANCEL,
        Stage.FAILED,
        Stage.FORCE_STOPPED,
    )
)


class Trigger(StrEnum):
    """Why a worker asks to begin: a first delivery, a redelivery of the same message, a replacement of a
    worker that was lost, or a resumed checkpoint; or because something has finished that the next turn waited for: a
    notification came, a tool answered, what it depended on is ready, a continuation is due, a run wants to go on as a
    new one, a cron tick came (ADM-9)."""

    FIRST = "first"
    REDELIVERY = "redelivery"
    REPLACEMENT = "replacement"
    RESUME = "resume"
    NOTIFICATION = "notification"
    TOOL_RESULT = "tool_result"
    DEPENDANT_READY = "dependant_ready"
    CONTINUATION = "continuation"
    CONTINUE_AS_NEW = "continue_as_new"
    CRON_TICK = "cron_tick"


class GrantKind(StrEnum):
    """What is kept for later use: a person's approval of one act, a standing permission, a write that was prepared
    and is fired by its use, or the authorisation to compensate one effect of another task, which only that compensation
    spends (RCN-3). All of them die at their task's cutoff (ADM-8)."""

    APPROVAL = "approval"
    PERMISSION = "permission"
    PREPARED_WRITE = "prepared_write"
    COMPENSATION = "compensation"


class ResultPlace(StrEnum):
    """Where a result is to go: into the answer to whoever asked; into what the task remembers for its later runs; into
    a cache that all tasks of the tenant share; into that from which later steps are planned."""

    RESPONSE = "response"
    MEMORY = "memory"
    CACHE = "cache"
    PLAN = "plan"


class Handover(StrEnum):
    """Where an item is that was handed to a task: it waits here; somebody took it and has not confirmed it; it was
    confirmed; it went back to whoever handed it over, who may hand it to another; it is kept for the account."""

    WAITING = "waiting"
    TAKEN = "taken"
    DELIVERED = "delivered"
    RETURNED = "returned"
    RECORDED = "recorded"

    @property
    def accounted(self) -> bool:
        """Whether nobody has to do anything about it any more."""
        return self not in (Handover.WAITING, Handover.TAKEN)


class LeaseState(StrEnum):
    """What a lease is worth now. Only an ``active`` one carries authority."""

    ACTIVE = "active"
    RELEASED = "released"
    REVOKED = "revoked"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"


class ProbeResult(StrEnum):
    """What a probe found of a worker after a forced stop. What force is used on is the worker's process with all that
    it has started: ``gone`` says that none of it lives, ``descendants_live`` that only the worker's own process has
    ended. So nothing but ``gone`` proves a stop (ESC-8)."""

    GONE = "gone"
    DESCENDANTS_LIVE = "descendants_live"
    ALIVE = "alive"
    UNREACHABLE = "unreachable"


class Halt(StrEnum):
    """Why a task's work is suspended. Neither is a cancellation (REC-8): a pause by somebody who means to go on, or an
    orderly shutdown of what runs the work."""

    PAUSE = "pause"
    SHUTDOWN = "shutdown"


class ViewEnd(StrEnum):
    """How somebody came to look at a task no longer. None of it is a cancellation (RPT-4)."""

    STREAM_CLOSED = "stream_closed"
    CLIENT_DROPPED = "client_dropped"
    ROW_HIDDEN = "row_hidden"


class RefusalReason(StrEnum):
    """Why a request was refused outright."""

    FORBIDDEN = "forbidden"
    UNKNOWN = "unknown"
    UNRESOLVABLE = "unresolvable"
    MALFORMED = "malformed"
