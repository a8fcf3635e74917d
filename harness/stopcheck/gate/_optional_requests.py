"""Requests of the operations that belong to optional capabilities.

One idea: they are requests like all others; a gate without the capability leaves the method alone. Those marked
provisional are exercised by no scenario yet.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate._requests import CommitEffect, Request
from stopcheck.gate._vocabulary import (
    CancellationClass,
    GrantKind,
    Halt,
    OwnedKind,
    ProbeResult,
    ResultPlace,
    Stage,
    TaskRef,
)


class Suppress(Request, frozen=True, kw_only=True):
    """Withdraw an admitted effect that nobody has claimed (right ``stop``)."""

    operation: ClassVar[str] = "suppress"
    effect_id: str


class RegisterChild(Request, frozen=True, kw_only=True):
    """Record ownership of a child before it can run, and open the child's task (right ``work``).

    ``task`` is the parent. The other times are durations and count only where the gate declares ``deadlines``:
    ``cap_ns`` is the longest that the child may live, from its registration; ``minimum_ns`` the least time in which it
    can be of use; ``reserve_ns`` what the parent keeps for itself at the end of its own lifetime (DDL-2).
    ``cancellation_class`` is what stop the operation supports; ``None``, undeclared, counts as ``cooperative``.
    A child that was stopped before it came to be never runs: it is rejected, with its own record or as ``Refused``, or
    taken in as stopped, with ``Done`` (SCOPE-6).
    """

    operation: ClassVar[str] = "register_child"
    epoch: int
    child: TaskRef
    kind: OwnedKind
    owner: str
    cap_ns: int | None = None
    minimum_ns: int = 0
    reserve_ns: int = 0
    cancellation_class: CancellationClass | None = None


class StartChild(Request, frozen=True, kw_only=True):
    """A registered child is about to run (right ``work``). ``task`` is the parent."""

    operation: ClassVar[str] = "start_child"
    child: TaskRef


class FinishChild(Request, frozen=True, kw_only=True):
    """An owned operation has ended, or its end is explicitly unknown (right ``work`` or ``supervise``)."""

    operation: ClassVar[str] = "finish_child"
    child: TaskRef
    stage: Stage


class Subscribe(Request, frozen=True, kw_only=True):
    """Register an interest in a shared task (right ``work``). ``task`` is the shared one."""

    operation: ClassVar[str] = "subscribe"
    interest_id: str
    subscriber: TaskRef


class Release(Request, frozen=True, kw_only=True):
    """Give up an interest in a shared task (right ``work`` or ``stop``)."""

    operation: ClassVar[str] = "release"
    interest_id: str


class Escalate(Request, frozen=True, kw_only=True):
    """Ask for leave to force-stop a worker (right ``supervise``). ``level`` names the mechanism (``kill``)."""

    operation: ClassVar[str] = "escalate"
    worker: str
    level: str


class RecordProbe(Request, frozen=True, kw_only=True):
    """A supervisor looked whether this task's ``worker`` still lives (right ``supervise``). Another run's worker of the
    same name is somebody else: names, like pids and epochs, are used again (DLV-8)."""

    operation: ClassVar[str] = "record_probe"
    worker: str
    result: ProbeResult


class Suspend(Request, frozen=True, kw_only=True):
    """Halt the task's work for a while (right ``supervise``). No cancellation: it makes no record (REC-8)."""

    operation: ClassVar[str] = "suspend"
    halt: Halt


class Resume(Request, frozen=True, kw_only=True):
    """Let a suspended task's work go on, by itself or at somebody's wish (right ``supervise``)."""

    operation: ClassVar[str] = "resume"


class ScheduleRetry(Request, frozen=True, kw_only=True):
    """Arm a retry of the task's work, or any timer that leads to a new turn, at ``at_ns`` (right ``work``)."""

    operation: ClassVar[str] = "schedule_retry"
    retry_id: str
    at_ns: int


class FireRetry(Request, frozen=True, kw_only=True):
    """An armed retry is due, and ``worker`` asks for authority to carry it out (right ``work``)."""

    operation: ClassVar[str] = "fire_retry"
    retry_id: str
    worker: str


class OfferResult(Request, frozen=True, kw_only=True):
    """A result arrives and is to be put to use (right ``work``).

    ``target`` is the operation that made it: an owned task's id, or what the worker calls a step of its own.
    ``authority_version`` is the epoch of the task's lease under which that operation was begun (RES-2).
    ``request_id``: for a response, the one request at the boundary that it answers (RES-4); empty where nobody asked
    by name.
    """

    operation: ClassVar[str] = "offer_result"
    target: str
    place: ResultPlace
    authority_version: int
    result_digest: str
    request_id: str = ""


class Recall(Request, frozen=True, kw_only=True):
    """Read what a place holds for this task (right ``work``): its own answers, what any run of it remembers or planned,
    and what any task of the tenant put into the shared cache."""

    operation: ClassVar[str] = "recall"
    place: ResultPlace


class Ask(Request, frozen=True, kw_only=True):
    """Ask the task something and wait for the answer (right ``inspect``). ``channel`` is the connection or slot on
    which the caller waits; it says nothing of who waits there, since others use it afterwards (RES-4)."""

    operation: ClassVar[str] = "ask"
    request_id: str
    channel: str


class Withdraw(Request, frozen=True, kw_only=True):
    """The caller that asked wants no answer any more (right ``inspect``). The task itself goes on."""

    operation: ClassVar[str] = "withdraw"
    request_id: str


class ReadAnswer(Request, frozen=True, kw_only=True):
    """The caller that asked looks for its answer (right ``inspect``)."""

    operation: ClassVar[str] = "read_answer"
    request_id: str


class HandOver(Request, frozen=True, kw_only=True):
    """Somebody hands an item, or a wake-up, to the task's work (right ``work``). From ``Done`` on the gate has it."""

    operation: ClassVar[str] = "hand_over"
    item_id: str
    wake_up: bool = False


class TakeItem(Request, frozen=True, kw_only=True):
    """The worker takes what waits next (right ``work``). Until ``confirm_item`` it is neither here nor there."""

    operation: ClassVar[str] = "take_item"
    epoch: int


class ConfirmItem(Request, frozen=True, kw_only=True):
    """The worker has the item that it took (right ``work``), whatever became of its lease since."""

    operation: ClassVar[str] = "confirm_item"
    item_id: str


class Compensate(CommitEffect, frozen=True, kw_only=True):
    """Admit an effect that answers a committed one (right ``work``).

    It is a commitment like any other, by the lease of a task of its own, under an effect id of its own. ``target`` and
    ``target_effect_id`` name what it answers; ``grant_id`` the authorisation, a grant of this task (RCN-3).
    """

    operation: ClassVar[str] = "compensate"
    target: TaskRef
    target_effect_id: str
    grant_id: str


class Grant(Request, frozen=True, kw_only=True):
    """Allow something that the task may do later (right ``stop``; for a prepared write ``work``).

    ``compensates``: the effect id that a grant of kind ``compensation`` allows this task to answer; it belongs to
    another task of the tenant. Other grants leave it empty.
    """

    operation: ClassVar[str] = "grant"
    grant_id: str
    kind: GrantKind = GrantKind.APPROVAL
    compensates: str = ""


class UseGrant(Request, frozen=True, kw_only=True):
    """Spend what was granted: go ahead with what it allows (right ``work``)."""

    operation: ClassVar[str] = "use_grant"
    grant_id: str


class Measures(Request, frozen=True, kw_only=True):
    """Read the figures of MET-1 over all tasks of the tenant (right ``inspect``); ``task`` only names the tenant."""

    operation: ClassVar[str] = "measures"
