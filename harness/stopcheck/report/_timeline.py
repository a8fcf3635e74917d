"""A run as a timeline: who, what, when; where it left the default order; which clause broke at which step."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from rich.console import Console
from rich.text import Text

from stopcheck.campaign import Deviation, ReplayedRun
from stopcheck.gate import Receipt, Request, Snapshot
from stopcheck.judge import Violation
from stopcheck.world import (
    Answered,
    Called,
    Committed,
    Entry,
    Event,
    FaultChosen,
    FinalAccount,
    GateDied,
    InnerPoint,
    MessageDelivered,
    NotCommitted,
    PhaseBegan,
    ReceiverTruth,
    Returned,
    Submitted,
    WorkerActed,
)

_PLUMBING = frozenset({"call_id", "caller", "now_ns", "task", "incarnation", "type"})
_SECOND_NS = 1_000_000_000


def print_timeline(console: Console, replayed: ReplayedRun) -> None:
    """Print the run. A ``*`` marks a choice that was not the default; violations stand where they happened."""
    for line, style in timeline(replayed):
        console.print(Text(line, style=style), soft_wrap=True)


def timeline(replayed: ReplayedRun) -> Iterator[tuple[str, str]]:
    """The timeline's lines with their styles."""
    deviations = {d.step: d for d in replayed.deviations}
    broken: dict[int, list[Violation]] = {}
    for violation in replayed.violations:
        broken.setdefault(violation.step, []).append(violation)
    step = -1
    for line in replayed.record.log:
        number = line.step if isinstance(line, Entry) else line[0]
        if number != step:
            yield from _broken(broken.pop(step, []))
            step = number
        if isinstance(line, Entry):
            text = describe(line.event)
            if text:
                yield f"             {text}", _style(line.event)
        else:
            yield _turn(line[0], line[1], line[2], deviations.get(line[0])), "bold"
    for left in list(broken.values()):
        yield from _broken(left)


def _broken(violations: list[Violation]) -> Iterator[tuple[str, str]]:
    for violation in violations:
        yield f"  !! {violation.clause} broken at step {violation.step}: {violation.message}", "bold red"


def _turn(step: int, now_ns: int, option: str, deviation: Deviation | None) -> str:
    mark = "*" if deviation is not None else " "
    actor, _, label = option.partition("@")
    who = f"{actor}: {label}" if label else option
    instead = f"   (not the default, which was {deviation.default})" if deviation is not None else ""
    return f"{mark}{step:4d} {seconds(now_ns):>8} {who}{instead}"


def seconds(now_ns: int) -> str:
    """Virtual time in seconds, without trailing noise."""
    whole, rest = divmod(now_ns, _SECOND_NS)
    return f"{whole}s" if not rest else f"{whole}.{rest:09d}s".replace("000000s", "s")


def _style(event: Event) -> str:
    if isinstance(event, GateDied | FaultChosen):
        return "magenta"
    if isinstance(event, Committed):
        return "yellow"
    return ""


def describe(event: Event) -> str:
    """One event in words; empty for what a reader need not see."""
    match event:
        case Called():
            return f"{event.actor} -> gate[{event.handle}] {event.operation}({_arguments(event.request)})"
        case Returned():
            where = f"   at {event.where}" if event.where else ""
            return f"{event.actor} <- {_short(event.reply)}{where}"
        case InnerPoint():
            return f"   {event.operation} of {event.actor} pauses at {event.label}" + (
                f"   {event.where}" if event.where else ""
            )
        case PhaseBegan():
            return f"--- {event.phase} ---"
        case FinalAccount() if isinstance(event.reply, Snapshot):
            return f"account of {event.task.key.task_id} through gate[{event.handle}]: {_account(event.reply)}"
        case _:
            return _describe_world(event)


def _describe_world(event: Event) -> str:
    match event:
        case GateDied():
            return f"the gate's process dies ({event.kind}); a new one opens on the same storage"
        case Submitted():
            return f"{event.receiver} receives {event.effect_id} (permit {event.permit or 'none'})"
        case Committed():
            return f"{event.receiver} COMMITS {event.effect_id}"
        case NotCommitted():
            return f"{event.receiver} does not commit {event.effect_id}: {event.why}"
        case Answered():
            return f"{event.actor or 'sender'} hears from {event.receiver} about {event.effect_id}: {_short(event.evidence)}"
        case FaultChosen():
            return f"fault at {event.label}: {event.fault}"
        case MessageDelivered():
            return f"{event.queue} delivers {event.delivery_id} to {event.consumer} ({event.trigger.value})"
        case WorkerActed():
            return f"{event.worker} {event.what}" + (f" ({event.detail})" if event.detail else "")
        case ReceiverTruth():
            return f"truth at {event.receiver}: {event.effect_id} committed {event.commits} time(s)"
        case _:
            return ""


def _arguments(request: Request) -> str:
    data = {k: v for k, v in msgspec.structs.asdict(request).items() if k not in _PLUMBING and v not in (None, ())}
    task = f"{request.task.task_id}" + (f"/{request.incarnation}" if request.incarnation is not None else "")
    return ", ".join([task, *(f"{k}={_value(v)}" for k, v in data.items())])


def _value(value: object) -> str:
    if isinstance(value, msgspec.Struct):
        return _short(value)
    return str(getattr(value, "value", value))


def _short(value: object) -> str:
    """A record in short: its name, and the fields that are set; a snapshot and a record of cancellation by what matters."""
    if isinstance(value, Snapshot):
        return f"Snapshot({_account(value)})"
    if isinstance(value, Receipt):
        return f"receipt {value.finding.value} {value.effect_id}"
    if not isinstance(value, msgspec.Struct):
        return _value(value)
    record = getattr(value, "record", None)
    if record is not None:
        return (
            f"{type(value).__name__}(record {record.record_id} revision {record.revision} scope {record.scope.value})"
        )
    fields = {k: v for k, v in msgspec.structs.asdict(value).items() if v not in (None, (), "")}
    return f"{type(value).__name__}({', '.join(f'{k}={_value(v)}' for k, v in fields.items())})"


def _account(snapshot: Snapshot) -> str:
    effects = ", ".join(f"{e.effect_id}={e.disposition.value}" for e in snapshot.effects) or "no effects"
    record = f"record revision {snapshot.record.revision}" if snapshot.record is not None else "no record"
    return f"{snapshot.execution.value}, shown as {snapshot.status.value}; {record}; {effects}"
