"""Requests, replies and events in few words, for timelines.

One idea: a reader follows a story, so a call shows what distinguishes it from others (which effect, which epoch) and
leaves out what the story does not turn on (digests, call ids, who may do what).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import msgspec

from stopcheck.gate import CancellationRecord, Receipt, Reply, Request, Snapshot, TaskRef, Trigger, sentence_for
from stopcheck.judge import label, seconds
from stopcheck.world import (
    Answered,
    Committed,
    Death,
    Event,
    FaultChosen,
    GateDied,
    InnerPoint,
    MessageDelivered,
    NotCommitted,
    ReceiverTruth,
    Submitted,
    WorkerActed,
)

#: Fields that every request has, or that no reader misses.
_UNSAID = frozenset(
    {
        "call_id",
        "caller",
        "now_ns",
        "task",
        "incarnation",
        "payload_digest",
        "kind",
        "receiver",
        "cancellation_class",
        "items",
        "reason",
        "result_digest",
        "idempotent_receiver",
        "attempt",
        "partial",
        "item",
        "delivery_id",
        "request_id",
        "owner",
    }
)
#: Fields whose value speaks for itself.
_NAMELESS = frozenset(
    {"effect_id", "worker", "evidence", "scope", "cause", "strength", "child", "stage", "result", "halt", "how"}
)
_STATEMENT = 90


def asked(request: Request) -> str:
    """A request: its operation, its task, and what matters of the rest."""
    incarnation = f"/{request.incarnation}" if request.incarnation is not None else ""
    fields = [f"{request.task.task_id}{incarnation}"]
    for name in request.__struct_fields__:
        value: object = getattr(request, name)
        if name not in _UNSAID and value not in (None, (), "", Trigger.FIRST):
            label = "" if name in _NAMELESS else f"{name.removesuffix('_ns')} "
            fields.append(f"{label}{_value(name, value)}")
    return f"{request.operation}({', '.join(fields)})"


def answered(reply: Reply | Snapshot) -> str:
    """A reply, and what it says."""
    if isinstance(reply, Snapshot):
        return account(reply)
    record = getattr(reply, "record", None)
    if record is not None:
        return f"{type(reply).__name__} (record {record.record_id}, revision {record.revision}, {record.scope.value})"
    return short(reply)


def short(value: object) -> str:
    """A record in short: its name, and the fields that are set."""
    if isinstance(value, Receipt):
        return f"receipt: {value.finding.value}"
    if isinstance(value, TaskRef):
        return label(value)
    if not isinstance(value, msgspec.Struct):
        return str(getattr(value, "value", value))
    receipt = getattr(value, "receipt", None)
    if receipt is not None:
        return short(receipt)
    fields = [
        f"{name.removesuffix('_ns')} {_value(name, getattr(value, name))}"
        for name in value.__struct_fields__
        if getattr(value, name) not in (None, (), "", False)
    ]
    return type(value).__name__ + (f" ({', '.join(fields)})" if fields else "")


def account(snapshot: Snapshot) -> str:
    """What a snapshot shows: state, status, record, effects, owned work, and what a person is told."""
    effects = ", ".join(f"{e.effect_id} {e.disposition.value}" for e in snapshot.effects) or "no effects"
    parts = [f"{snapshot.execution.value}, shown as {snapshot.status.value}", _recorded(snapshot.record), effects]
    if snapshot.deadline_ns is not None:
        parts.append(f"deadline {seconds(snapshot.deadline_ns)}")
    if snapshot.children:
        parts.append("owns " + ", ".join(f"{short(c.child)} {c.stage.value}" for c in snapshot.children))
    return f'{"; ".join(parts)}; "{sentence_for(snapshot)}"'


def _recorded(record: CancellationRecord | None) -> str:
    """A record by its revision and its causes."""
    if record is None:
        return "no record"
    return f"record revision {record.revision} ({', then '.join(entry.cause.value for entry in record.causes)})"


def place(where: str) -> str:
    """A place in the gate's code, its statement shortened."""
    code, separator, statement = where.partition(" | ")
    statement = " ".join(statement.split())
    if len(statement) > _STATEMENT:
        statement = f"{statement[: _STATEMENT - 3]}..."
    return f"{code}{separator}{statement}"


def _value(name: str, value: object) -> str:
    if name.endswith("_ns") and isinstance(value, int):
        return seconds(value)
    if isinstance(value, tuple):
        return " ".join(short(part) for part in cast("tuple[object, ...]", value))
    return short(value)


# -- events of the world ----------------------------------------------------------------------------------


def actor_of(event: Event) -> str:
    """Who did it; empty where nobody in particular did."""
    if isinstance(event, Submitted | Answered | FaultChosen):
        return event.actor
    if isinstance(event, WorkerActed):
        return event.worker
    if isinstance(event, Committed | NotCommitted | ReceiverTruth):
        return event.receiver
    return event.queue if isinstance(event, MessageDelivered) else ""


def happened(event: Event) -> str:
    """An event of the world in words; empty for what a reader need not see."""
    for kind, words in _WORDS:
        if isinstance(event, kind):
            return words(event)
    return ""


def _submitted(event: Submitted) -> str:
    return f"sends {event.effect_id} to {event.receiver} ({event.permit or 'without a permit'})"


def _committed(event: Committed) -> str:
    return f"COMMITS {event.effect_id}"


def _not_committed(event: NotCommitted) -> str:
    return f"does not commit {event.effect_id}: {event.why}"


def _heard(event: Answered) -> str:
    return f"hears from {event.receiver} about {event.effect_id}: {short(event.evidence)}"


def _fault(event: FaultChosen) -> str:
    return f"FAULT at {event.label}: {event.fault}"


def _delivered(event: MessageDelivered) -> str:
    return f"delivers {event.delivery_id} to {event.consumer} ({event.trigger.value})"


def _acted(event: WorkerActed) -> str:
    return event.what + (f" {event.detail}" if event.detail else "")


def _truth(event: ReceiverTruth) -> str:
    times = {0: "never committed", 1: "committed once"}.get(event.commits, f"committed {event.commits} times")
    return f"truth: {event.effect_id} was {times}" + (", fenced" if event.fenced else "")


def _died(event: GateDied) -> str:
    lost = "; what was not synced is lost" if event.kind == Death.POWER else ""
    return f"the gate's process DIES ({event.kind}){lost}; a new one opens on what it left"


def _paused(event: InnerPoint) -> str:
    return f"{event.operation} stands at {event.label}"


_WORDS: tuple[tuple[type[Event], Callable[..., str]], ...] = (
    (Submitted, _submitted),
    (Committed, _committed),
    (NotCommitted, _not_committed),
    (Answered, _heard),
    (FaultChosen, _fault),
    (MessageDelivered, _delivered),
    (WorkerActed, _acted),
    (ReceiverTruth, _truth),
    (GateDied, _died),
    (InnerPoint, _paused),
)
