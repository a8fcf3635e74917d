"""States and outcomes in words, for the people who have to explain a finding."""

from __future__ import annotations

from stopcheck.gate import Reply, Snapshot, TaskRef
from stopcheck.judge._wording import label
from stopcheck.judge.linearisability._outcome import ANYTHING, Outcome, View, differences, effect_class, end_of
from stopcheck.judge.linearisability._state import SCOPE_OF, Cut, GateState, Task


def _task(ref: TaskRef, task: Task) -> str:
    parts = [f"{label(ref)} {task.phase}"]
    if task.cut is not Cut.NONE:
        parts.append(f"cancelled with scope {SCOPE_OF[task.cut]}")
    if task.lease is not None and task.lease.live:
        epoch = "?" if task.lease.epoch is None else task.lease.epoch
        parts.append(f"epoch {epoch} of {task.lease.worker}")
    parts += [f"child {label(one.child)} {one.end}" for one in task.children]
    parts += [f"interest {one.interest_id} {'live' if one.live else 'released'}" for one in task.interests]
    return ", ".join(parts)


def describe_state(state: GateState) -> str:
    """What the gate holds in this state."""
    parts = [_task(ref, task) for ref, task in state.tasks]
    parts += [f"effect {effect_id} {effect.stage}" for _, effect_id, effect in state.effects]
    return "; ".join(parts) or "nothing"


def describe_outcome(outcome: Outcome) -> str:
    """An answer that would have been allowed."""
    if outcome.kind == ANYTHING:
        return "any answer"
    if outcome.view is not None:
        return f"Snapshot({_view(outcome.view)})"
    inside = " or ".join(outcome.values)
    if outcome.records:
        shown = " or ".join(label(ref) for ref in outcome.records)
        inside = f"{inside}, record of {shown}" if inside else f"record of {shown}"
    if outcome.least is not None:
        inside = f"{outcome.least}" if outcome.least == outcome.most else f"{outcome.least} to {outcome.most}"
    return f"{outcome.kind}({inside})" if inside else outcome.kind


def _view(view: View) -> str:
    record = "no record" if view.cut is Cut.NONE else f"record with scope {SCOPE_OF[view.cut]}"
    parts = [record, " or ".join(view.executions)]
    parts += [f"effect {effect_id} {' or '.join(classes)}" for effect_id, classes in view.effects]
    parts += [f"child {label(child)} {' or '.join(ends)}" for child, _, ends in view.children]
    return ", ".join(parts)


def describe_reply(reply: Reply | Snapshot) -> str:
    """What was answered, as short as the parts that are compared."""
    if not isinstance(reply, Snapshot):
        return type(reply).__name__
    parts = ["no record" if reply.record is None else f"record with scope {reply.record.scope}", str(reply.execution)]
    parts += [f"effect {entry.effect_id} {effect_class(entry)}" for entry in reply.effects]
    parts += [f"child {label(entry.child)} {end_of(entry.stage)}" for entry in reply.children]
    return f"Snapshot({', '.join(parts)})"


def odd_parts(allowed: tuple[Outcome, ...], shown: Snapshot) -> list[str]:
    """The parts of a snapshot that are wrong against the view that comes closest."""
    views = [outcome.view for outcome in allowed if outcome.view is not None]
    wrong = [differences(view, shown) for view in views]
    return min(wrong, key=len) if wrong else []
