"""What the gate had answered and what receivers really held, side by side, at one moment of a run.

One idea: a gate's promises are its answers. What nobody was told, a gate may still change; what was told, and what a
receiver did, cannot be taken back. So both sides are read from the log, never from the gate's insides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from stopcheck.campaign import Held
from stopcheck.gate import GateContract, Snapshot, TaskRef
from stopcheck.judge import Facts
from stopcheck.report._words import account, answered, short
from stopcheck.world import EffectDeclared, Entry, Event, FinalAccount, ReceiverTruth


def held(contract: GateContract, entries: Iterable[Entry], stored: Mapping[TaskRef, Snapshot]) -> tuple[Held, ...]:
    """What was certain after these entries: each task, then each effect that was declared. ``stored``: what a new gate
    on the storage shows."""
    facts = Facts(contract)
    declared: dict[str, EffectDeclared] = {}
    for entry in entries:
        facts.apply(entry)
        if isinstance(entry.event, EffectDeclared):
            declared[entry.event.effect_id] = entry.event
    tasks = [Held(short(ref), _task(facts, ref), stored=_stored(stored.get(ref))) for ref in facts.tasks]
    kept = {e.effect_id: e.disposition.value for snapshot in stored.values() for e in snapshot.effects}
    effects = [
        Held(
            f"{name} at {event.receiver}",
            _effect(facts, name),
            _times(facts.effects[name].commits),
            kept.get(name, "nothing") if stored else "",
        )
        for name, event in declared.items()
        if name in facts.effects
    ]
    return (*tasks, *effects)


def at_rest(events: Iterable[Event], handles: int) -> tuple[Held, ...]:
    """The final account: what the gate shows of each task, and how often a receiver did each effect."""
    rows: list[Held] = []
    effects: dict[str, str] = {}
    for event in events:
        if isinstance(event, FinalAccount):
            through = f" through handle {event.handle}" if handles > 1 else ""
            shown = account(event.reply) if isinstance(event.reply, Snapshot) else answered(event.reply)
            rows.append(Held(f"{short(event.task)}{through}", shown))
            if isinstance(event.reply, Snapshot):
                effects |= {e.effect_id: e.disposition.value for e in event.reply.effects}
        elif isinstance(event, ReceiverTruth):
            fenced = ", fenced" if event.fenced else ""
            subject = f"{event.effect_id} at {event.receiver}"
            rows.append(Held(subject, effects.get(event.effect_id, "not shown"), _times(event.commits) + fenced))
    return tuple(rows)


def _stored(snapshot: Snapshot | None) -> str:
    if snapshot is None:
        return ""
    record = snapshot.record
    stop = "no stop" if record is None else f"a stop (revision {record.revision}, scope {record.scope.value})"
    return f"{snapshot.execution.value}, {stop}"


def _task(facts: Facts, ref: object) -> str:
    task = next(task for key, task in facts.tasks.items() if key == ref)
    record = task.record
    if record is None:
        covering = facts.covering(task.ref)
        stop = "no stop was accepted" if covering is None else "stopped with its owner"
    else:
        stop = f"a stop was accepted (revision {record.revision}, scope {record.scope.value})"
    parts = [stop]
    if task.won:
        parts.append(f"ended: {task.won}")
    parts += [f"{lease.worker} has epoch {lease.epoch}" for lease in task.leases[-1:] if not lease.released]
    return "; ".join(parts)


def _effect(facts: Facts, name: str) -> str:
    effect = facts.effects[name]
    parts: list[str] = []
    if effect.admitted:
        revision = f" at revision {effect.admitted_revision}" if effect.admitted_revision >= 0 else ""
        parts.append(f"admitted{revision}")
    elif effect.doubtful:
        parts.append("perhaps admitted (no answer)")
    if effect.claims:
        parts.append(f"permit given{'' if effect.claims == 1 else f' {effect.claims} times'}")
    if effect.suppressed:
        parts.append("suppressed")
    parts += [f"was told {short(evidence)}" for evidence in effect.told]
    return ", ".join(parts) or "not admitted"


def _times(commits: int) -> str:
    return {0: "not done", 1: "done once"}.get(commits, f"done {commits} times")
