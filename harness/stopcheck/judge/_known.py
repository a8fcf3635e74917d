"""The entries of the books: calls, effects, leases, interests and tasks, as far as the log makes them certain.

One idea: a call carries what was certain *when it began* (``Call.known``). A check compares an answer with that, never
with what was learnt while the call was open, and so needs no assumption about the order of concurrent calls.
"""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import Any, cast

import msgspec

from stopcheck.gate import (
    CancellationRecord,
    Evidence,
    Execution,
    Reply,
    Request,
    Scope,
    Snapshot,
    TaskRef,
)


def twin(value: Any) -> Any:
    """A copy of an entry, or of a list or dict of them, that lives on apart from it. What is frozen is shared. A list
    is taken to hold things of one kind."""
    kind = cast("Any", type(value))
    if kind is list:
        return [twin(item) for item in value] if value and _changes(value[0]) else value.copy()
    if kind is dict:
        return {key: twin(item) for key, item in value.items()} if any(map(_changes, value.values())) else value.copy()
    growing = _growing(kind)
    if growing is None:
        return value
    other = copy(value)
    for name in growing:
        held = getattr(value, name)
        setattr(other, name, twin(held) if held else held.copy())
    return other


def _changes(value: Any) -> bool:
    kind = cast("Any", type(value))
    return kind is list or kind is dict or _growing(kind) is not None


@cache
def _growing(kind: Any) -> tuple[str, ...] | None:
    """The fields of an entry that are lists or dicts; ``None`` for what does not change."""
    if not issubclass(kind, msgspec.Struct) or kind.__struct_config__.frozen:
        return None
    return tuple(field.name for field in msgspec.structs.fields(kind) if field.default_factory in (list, dict))


class Known(msgspec.Struct, frozen=True):
    """What was certain of a call's task when the call began.

    ``records``: the newest versions that were shown of the task's own record and of its ancestors'. ``execution``: the
    furthest execution state that an ``inspect`` had shown. ``leased``: a worker may have been given a lease. ``stale``:
    why the epoch of the request (of its checkpoint) carries no authority (``superseded``, ``released``, ``revoked``,
    ``expired``; empty: it may carry some). ``admitted``, ``claimed`` and ``suppressed``: effect ids for which such an
    answer had been given. ``bound``: the payloads for which the request's effect id had been admitted. ``live`` and
    ``released``: interests that were certainly live or certainly given up.
    """

    records: tuple[CancellationRecord, ...] = ()
    execution: Execution | None = None
    stale: str = ""
    leased: bool = False
    admitted: tuple[str, ...] = ()
    claimed: tuple[str, ...] = ()
    suppressed: tuple[str, ...] = ()
    bound: tuple[str, ...] = ()
    children: tuple[TaskRef, ...] = ()
    live: tuple[str, ...] = ()
    released: tuple[str, ...] = ()

    def record(self, ref: TaskRef | None) -> CancellationRecord | None:
        """The record of that very task, if it was known."""
        return next((record for record in self.records if record.task == ref), None)


class Call(msgspec.Struct):
    """One call: its request, and what was certain when it began."""

    call_id: str
    actor: str
    handle: int
    operation: str
    request: Request
    step: int
    #: The covering cancellation that some caller had been told of before this call began.
    cut_off: CancellationRecord | None
    #: Whether the task's end (``Won``) had been told before this call began.
    ended: bool
    generation: int
    known: Known
    reply: Reply | Snapshot | None = None


class EffectFacts(msgspec.Struct):
    """What is certain of one effect id. It belongs to the first task that has it admitted; until that is known, to the
    one that declared it. ``rivals``: other tasks that have tried."""

    effect_id: str
    task: TaskRef
    payload_digest: str
    receiver: str
    declared: bool = False
    idempotent: bool = True
    lookup: str = "authoritative"
    can_fence: bool = True
    #: The items of a batch.
    items: tuple[str, ...] = ()
    #: A commitment was answered ``Admitted`` or ``ExistingEffect``.
    admitted: bool = False
    #: The payloads for which ``Admitted`` was answered, in order: a right gate answers it once.
    admissions: list[str] = []
    #: The revision that ``Admitted`` told; -1 while none did.
    admitted_revision: int = -1
    #: A commitment was answered ``Indefinite``: the effect may have been admitted. Over once it certainly was.
    doubtful: bool = False
    claims: int = 0
    #: A claim was answered ``Indefinite``: it may have been given.
    doubtful_claim: bool = False
    suppressed: bool = False
    commits: int = 0
    commit_payloads: list[str] = []
    #: Evidence that was told to the gate, whatever it answered; sorted.
    told: list[Evidence] = []
    rivals: list[TaskRef] = []


class LeaseFacts(msgspec.Struct):
    """One granted lease. ``doubt``: renewals that may have lengthened it."""

    task: TaskRef
    worker: str
    epoch: int
    expires_ns: int
    superseded: bool = False
    released: bool = False
    revoked: bool = False
    doubt: int = 0

    def active(self, now_ns: int) -> bool:
        """Whether it certainly still carries authority, apart from a cutoff."""
        return not (self.superseded or self.released or self.revoked or now_ns >= self.expires_ns)

    def stale(self, now_ns: int) -> str:
        """Why it certainly carries no authority; empty if it may carry some."""
        if self.superseded:
            return "superseded"
        if self.released:
            return "released"
        if self.revoked:
            return "revoked"
        return "expired" if now_ns >= self.expires_ns and not self.doubt else ""


class InterestFacts(msgspec.Struct):
    """One interest in a shared task. ``subscribed`` and ``released``: an answer said so; ``asked``: a release was
    begun."""

    interest_id: str
    subscriber: TaskRef
    subscribed: bool = False
    asked: bool = False
    released: bool = False


class TaskFacts(msgspec.Struct):
    """What is certain of one task incarnation."""

    ref: TaskRef
    parent: TaskRef | None = None
    shared: bool = False
    opened: bool = False
    #: Somebody began to open it, with or without an answer so far.
    opening: bool = False
    #: The earliest time at which a deadline of it may pass, so that it is cancelled without a request; ``None``: it has
    #: none.
    due_from_ns: int | None = None
    #: The latest time at which its deadline passes; ``None`` while none is certain.
    due_by_ns: int | None = None
    #: The furthest execution state that was shown.
    execution: Execution | None = None
    record: CancellationRecord | None = None
    #: All versions of the record that were shown, oldest first.
    record_versions: list[CancellationRecord] = []
    #: The gate's generation and the handle in which the record was first shown.
    record_generation: int = 0
    record_handle: int = 0
    #: The generation in which a stop was first answered with the record; -1 while none was.
    answered_generation: int = -1
    won: str = ""
    #: Cancel requests that were answered ``Accepted``.
    accepted: int = 0
    #: Cancel requests that were answered ``Widened``.
    widened: int = 0
    #: Cancel requests that were answered ``Indefinite``.
    doubtful_stops: int = 0
    #: The scopes of the authorised stops that were begun, answered or not.
    stops: list[Scope] = []
    #: The request ids of authorised and of unauthorised stops that were begun.
    stop_ids: list[str] = []
    foreign_stop_ids: list[str] = []
    #: A worker was given a lease, or may have been (``Indefinite``).
    leased: bool = False
    leases: list[LeaseFacts] = []
    children: list[TaskRef] = []
    #: Children whose registration was answered ``Indefinite``, and of which nothing certain was told since.
    doubtful_children: list[TaskRef] = []
    started: list[TaskRef] = []
    finished: dict[str, str] = {}
    #: Children for which ``finish_child`` was begun.
    finishing: list[TaskRef] = []
    #: ``complete`` or ``fail`` was begun.
    ending: bool = False
    #: Its work was suspended, or may have been.
    halted: bool = False
    interests: dict[str, InterestFacts] = {}

    @property
    def deadline(self) -> bool:
        """Whether it may be cancelled by a deadline of its own."""
        return self.due_from_ns is not None


__all__ = ["Call", "EffectFacts", "InterestFacts", "Known", "LeaseFacts", "TaskFacts", "twin"]
