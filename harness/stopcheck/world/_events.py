"""The run's log: one totally ordered list of what really happened.

One idea: the log is the ground truth. It holds what was asked and answered, what receivers committed, what workers did
and where the gate died; the judge reads nothing else. Entries of the kernel (who moved, when time passed) stand between
the events of the world, all numbered by step.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import msgspec

from stopcheck.gate import Disposition, Evidence, Receipt, Reply, Request, Snapshot, TaskRef, Trigger


class Event(msgspec.Struct, frozen=True, tag=True):
    """The base of the world's events."""


class Called(Event, frozen=True):
    """A request went out to the gate: its interval opens. ``handle`` is the ordinal of the gate handle."""

    call_id: str
    actor: str
    handle: int
    operation: str
    request: Request


class Returned(Event, frozen=True):
    """A call's interval closes with ``reply`` (``Indefinite`` where the gate died under it). ``where`` is the place
    in the gate's own code that was reached last (file and line, or statement), for people."""

    call_id: str
    actor: str
    operation: str
    reply: Reply | Snapshot
    where: str = ""


class InnerPoint(Event, frozen=True):
    """A call parked at a branch point inside the gate."""

    call_id: str
    actor: str
    operation: str
    label: str
    where: str = ""


class GateDied(Event, frozen=True):
    """The gate's process died (``kind``: ``process_death``, or ``power_loss`` with all that was not synced);
    its handles were reopened on the same storage."""

    kind: str
    generation: int


class Submitted(Event, frozen=True):
    """A dispatcher sent an effect to a receiver, showing ``permit`` (empty: none)."""

    receiver: str
    effect_id: str
    payload_digest: str
    permit: str
    actor: str


class Committed(Event, frozen=True):
    """The receiver really did it: from here on it cannot be undone."""

    receiver: str
    effect_id: str
    payload_digest: str
    permit: str
    receipt: Receipt


class NotCommitted(Event, frozen=True):
    """The receiver will not do this request: ``why`` is ``rejected``, ``dropped``, ``fenced``, ``no_permit`` or
    ``duplicate`` (it had done it under this id before)."""

    receiver: str
    effect_id: str
    why: str


class Answered(Event, frozen=True):
    """What the sender saw of its request, or of a look-up."""

    receiver: str
    effect_id: str
    actor: str
    evidence: Evidence


class FaultChosen(Event, frozen=True):
    """A fault was chosen at a point of the world."""

    actor: str
    label: str
    fault: str


class MessageDelivered(Event, frozen=True):
    """A queue handed a message to a consumer."""

    queue: str
    delivery_id: str
    consumer: str
    task: TaskRef
    trigger: Trigger


class WorkerActed(Event, frozen=True):
    """A worker did something outside the gate: ``what`` is ``died``, ``signalled``, ``worked`` (ordinary work of its
    own), ``killed`` (by force) or ``noticed`` (it saw the stop)."""

    actor: str
    worker: str
    task: TaskRef
    what: str
    detail: str = ""


class TaskDeclared(Event, frozen=True):
    """A scenario declares a task, its parent and what it may do (for the judge and for the timeline)."""

    task: TaskRef
    parent: TaskRef | None = None
    shared: bool = False


class EffectDeclared(Event, frozen=True):
    """A scenario declares an effect that a worker may try to make."""

    task: TaskRef
    effect_id: str
    payload_digest: str
    receiver: str
    idempotent: bool
    lookup: str
    can_fence: bool
    items: tuple[str, ...] = ()


class PhaseBegan(Event, frozen=True):
    """``setup``, ``main`` (choices matter), ``final`` (faults off, everything runs to rest) or ``account``."""

    phase: str


class ReceiverTruth(Event, frozen=True):
    """At rest: how often a receiver really committed an effect id, under which payloads."""

    receiver: str
    effect_id: str
    commits: int
    payloads: tuple[str, ...]
    fenced: bool


class FinalAccount(Event, frozen=True):
    """At rest: what ``inspect`` answered through one handle."""

    handle: int
    task: TaskRef
    reply: Reply | Snapshot


class WitnessSeen(Event, frozen=True):
    """A scenario's witness was hit in this run."""

    name: str


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """One line of the log."""

    step: int
    now_ns: int
    event: Event


class Observer(Protocol):
    """Something that follows a run while it happens. The judge is one."""

    def observe(self, entry: Entry) -> None:
        """An event happened."""
        ...

    def digest(self) -> bytes:
        """Everything on which the observer's later verdicts depend, so that a state cache may merge runs."""
        ...


LogLine = tuple[int, int, str] | Entry

_encoder = msgspec.json.Encoder(order="sorted")


def render_line(line: LogLine) -> bytes:
    """One log line as canonical JSON."""
    return _encoder.encode(line)


def render_log(lines: Iterable[LogLine]) -> bytes:
    """The whole log as JSON lines: equal runs give equal bytes."""
    return b"\n".join(render_line(line) for line in lines) + b"\n"


def as_data(value: Any) -> Any:
    """A record as plain data, for reports."""
    return msgspec.to_builtins(value, str_keys=True)


__all__ = [
    "Answered",
    "Called",
    "Committed",
    "Disposition",
    "EffectDeclared",
    "Entry",
    "Event",
    "FaultChosen",
    "FinalAccount",
    "GateDied",
    "InnerPoint",
    "LogLine",
    "MessageDelivered",
    "NotCommitted",
    "Observer",
    "PhaseBegan",
    "ReceiverTruth",
    "Returned",
    "Submitted",
    "TaskDeclared",
    "WitnessSeen",
    "WorkerActed",
    "as_data",
    "render_line",
    "render_log",
]
