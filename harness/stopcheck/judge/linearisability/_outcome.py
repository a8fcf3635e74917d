"""What a call may be answered, and whether a reply is that.

One idea: an outcome names the kind of reply and, for its one field that matters, the values that are allowed; the model
makes outcomes without knowing the reply, since a call may take effect long before it is answered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from stopcheck.gate import (
    Accepted,
    Admitted,
    CancellationRecord,
    ChildEntry,
    EffectEntry,
    Ended,
    ExistingChild,
    ExistingEffect,
    ExistingRecord,
    Exists,
    LastReleased,
    Live,
    Opened,
    Reply,
    Resolved,
    Snapshot,
    Stage,
    TaskRef,
    Tombstoned,
    Widened,
)
from stopcheck.judge.linearisability._state import SCOPE_OF, Cut

#: Of an effect in a snapshot, beside the definitive dispositions.
UNCLAIMED = "unclaimed"
DOUBT = "doubt"

#: The kind of outcome that every reply matches: nothing is known of the operation.
ANYTHING = "*"


class View(msgspec.Struct, frozen=True, array_like=True, cache_hash=True):
    """What a snapshot may show of the parts that are compared; each part of the task with its allowed classes."""

    task: TaskRef
    cut: Cut
    records: tuple[TaskRef, ...]
    executions: tuple[str, ...]
    effects: tuple[tuple[str, tuple[str, ...]], ...]
    children: tuple[tuple[TaskRef, bool, tuple[str, ...]], ...]
    interests: tuple[tuple[str, tuple[bool, ...]], ...]


class Outcome(msgspec.Struct, frozen=True, array_like=True, cache_hash=True):
    """One way to answer. ``records``: whose cancellation record the reply shows; ``values``: what its one
    enumerated field may be (none: anything); ``least`` and ``most``: the range of its number, where it has one;
    ``task``: the task that it opens."""

    kind: str
    records: tuple[TaskRef, ...] = ()
    values: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    task: TaskRef | None = None
    view: View | None = None


ANY = Outcome(ANYTHING)
REFUSED = Outcome("Refused")
STALE = Outcome("StaleLease")
DONE = Outcome("Done")
NO_TIME = Outcome("NoTime")


def end_of(stage: Stage) -> str:
    """The class of an owned operation's stage: ``ended``, ``unknown`` or ``live``."""
    if stage.terminal:
        return "ended"
    return "unknown" if stage is Stage.UNKNOWN else "live"


def effect_class(entry: EffectEntry) -> str:
    """The class of a ledger entry: a definitive disposition, in doubt (claimed, or unknown), or unclaimed."""
    if entry.disposition.definitive:
        return str(entry.disposition)
    return DOUBT if entry.claimed or entry.disposition == "unknown" else UNCLAIMED


def _scope(reply: Any) -> str:
    return str(reply.record.scope)


#: The enumerated field of each reply that has one.
_FIELD: dict[type[Any], Callable[[Any], str]] = {
    Ended: lambda reply: str(reply.state),
    Exists: lambda reply: str(reply.state),
    Resolved: lambda reply: str(reply.disposition),
    ExistingEffect: lambda reply: str(reply.disposition),
    LastReleased: lambda reply: str(reply.fate),
    ExistingChild: lambda reply: end_of(reply.stage),
    Admitted: lambda reply: "claimed" if reply.claimed else "unclaimed",
    Accepted: _scope,
    ExistingRecord: _scope,
    Widened: _scope,
    Tombstoned: _scope,
}
_NUMBER: dict[type[Any], Callable[[Any], int]] = {
    Live: lambda reply: reply.count,
    Opened: lambda reply: reply.incarnation,
}


def same_task(known: TaskRef, shown: TaskRef) -> bool:
    """Whether an answer that shows ``shown`` may mean ``known``, whose incarnation may not be known yet."""
    return known == shown or (known.incarnation < 0 and known.key == shown.key)


def matches(outcome: Outcome, reply: Reply | Snapshot) -> bool:
    """Whether ``reply`` is an answer that ``outcome`` allows."""
    if outcome.kind == ANYTHING:
        return True
    kind = type(reply)
    if kind.__name__ != outcome.kind:
        return False
    if isinstance(reply, Snapshot):
        return outcome.view is not None and not differences(outcome.view, reply)
    if outcome.records and not _shows(outcome.records, reply):
        return False
    if outcome.values and _FIELD[kind](reply) not in outcome.values:
        return False
    if outcome.least is not None and _NUMBER[kind](reply) < outcome.least:
        return False
    return outcome.most is None or _NUMBER[kind](reply) <= outcome.most


def _shows(records: tuple[TaskRef, ...], reply: Any) -> bool:
    record: CancellationRecord = reply.record
    return any(same_task(ref, record.task) for ref in records)


def differences(view: View, shown: Snapshot) -> list[str]:
    """The parts in which a snapshot shows something that ``view`` does not allow."""
    parts = (
        ("task", same_task(view.task, shown.task)),
        ("record", _record_fits(view, shown.record)),
        ("execution", str(shown.execution) in view.executions),
        ("effects", _effects_fit(view, shown.effects)),
        ("children", _children_fit(view, shown.children)),
        ("interests", _interests_fit(view, shown)),
    )
    return [name for name, fits in parts if not fits]


def _record_fits(view: View, record: CancellationRecord | None) -> bool:
    if record is None:
        return view.cut is Cut.NONE
    if not any(same_task(ref, record.task) for ref in view.records):
        return False
    own = view.cut is not Cut.NONE and same_task(view.task, record.task)
    # A cascade from above may have widened the task's own record before anybody asked for it.
    wider = len(view.records) > 1 and record.scope == "subtree"
    return not own or wider or record.scope is SCOPE_OF[view.cut]


def _effects_fit(view: View, entries: tuple[EffectEntry, ...]) -> bool:
    shown = {entry.effect_id: effect_class(entry) for entry in entries}
    return len(shown) == len(entries) == len(view.effects) and all(
        shown.get(effect_id) in classes for effect_id, classes in view.effects
    )


def _children_fit(view: View, entries: tuple[ChildEntry, ...]) -> bool:
    shown = {entry.child: entry for entry in entries}
    if not len(shown) == len(entries) == len(view.children):
        return False
    for child, started, ends in view.children:
        entry = shown.get(child)
        # A child that began to work without ``start_child`` may be shown as started: only the converse is wrong.
        if entry is None or end_of(entry.stage) not in ends or (started and not entry.started):
            return False
    return True


def _interests_fit(view: View, shown: Snapshot) -> bool:
    live = {entry.interest_id: entry.released_revision is None for entry in shown.interests}
    return len(live) == len(shown.interests) == len(view.interests) and all(
        live.get(interest_id) in lives for interest_id, lives in view.interests
    )
