"""From a run that was made again to an interleaving as plain data, which every renderer draws from.

One idea: what is drawn is decided here and nowhere else. Plumbing (setup, quiet ticks, turns in which nobody did
anything) is left out as in the timeline; a choice that leaves the default order and a broken clause never are.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from stopcheck.campaign import Broken, Interleaving, Kind, Lane, Move, Part, ReplayedRun, Stored
from stopcheck.gate import GateContract, Ticked
from stopcheck.judge import Facts, first_breaks
from stopcheck.report._holdings import at_rest, held
from stopcheck.report._words import actor_of, answered, asked, happened, place, short
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
)

_GATE = "gate"
#: In the place of a lane, when nothing happens but that time passes.
CLOCK = "time"
_PARTS = (Part.ACTOR, Part.QUEUE, Part.GATE, Part.RECEIVER)


def interleaving(replayed: ReplayedRun, contract: GateContract, token: str, clause: str | None = None) -> Interleaving:
    """The run that ``token`` replays, as it breaks ``clause`` (by default the one that broke first), and beside it the
    nearest run that passes if there is one."""
    broken = first_breaks(replayed.violations)
    first = next(iter(broken.values()), 0)
    step = broken.get(clause, first) if clause is not None else first
    nearest = None
    if replayed.nearest is not None:
        parts, other = replayed.nearest
        nearest = _told(other, contract, parts.token, parts.step)
    return _told(replayed, contract, token, step, nearest)


def _told(
    replayed: ReplayedRun, contract: GateContract, token: str, step: int, nearest: Interleaving | None = None
) -> Interleaving:
    record, stored = replayed.record, replayed.stored or Stored()
    moves = tuple(_Teller(replayed, contract).moves())
    entries = [line for line in record.log if isinstance(line, Entry)]
    return Interleaving(
        token=token,
        scenario=record.scenario,
        granularity=record.variant.granularity.value,
        handles=record.variant.handles,
        step=step,
        lanes=_lanes(moves, entries, record.variant.handles),
        moves=moves,
        broken=_broken(replayed),
        before=held(contract, [entry for entry in entries if entry.step < step], stored.before),
        after=held(contract, [entry for entry in entries if entry.step <= step], stored.after),
        at_rest=at_rest(record.events, record.variant.handles),
        ending=record.ending.value,
        steps=record.steps,
        nearest=nearest,
    )


def _broken(replayed: ReplayedRun) -> tuple[Broken, ...]:
    first: dict[str, Broken] = {}
    for violation in sorted(replayed.violations, key=lambda broke: broke.step):
        first.setdefault(violation.clause, Broken(violation.clause, violation.step, violation.message))
    return tuple(first.values())


def _lanes(moves: tuple[Move, ...], entries: list[Entry], handles: int) -> tuple[Lane, ...]:
    """Who moves or is moved to, in the order of first appearance: actors, queues, the gate, receivers."""
    parts: dict[str, Part] = {gate_lane(number, handles): Part.GATE for number in range(handles)}
    for entry in entries:
        event = entry.event
        if isinstance(event, Submitted | Committed | NotCommitted | Answered | ReceiverTruth):
            parts[event.receiver] = Part.RECEIVER
        elif isinstance(event, MessageDelivered):
            parts[event.queue] = Part.QUEUE
    seen = dict.fromkeys(name for move in moves for name in (move.lane, move.to) if name not in {"", CLOCK})
    lanes = [Lane(name, parts.get(name, Part.ACTOR)) for name in (*seen, *parts) if name in seen or name in parts]
    unique = list({lane.name: lane for lane in lanes}.values())
    return tuple(sorted(unique, key=lambda lane: _PARTS.index(lane.part)))


def gate_lane(handle: int, handles: int) -> str:
    """The gate's lane, one for each handle."""
    return _GATE if handles == 1 else f"{_GATE} handle {handle}"


def _time_passes(option: str) -> str:
    """``time:after:the lease`` in words."""
    _, how, timer = option.split(":", 2) if option.count(":") > 1 else ("", "at", option)
    words = {"at": "to", "before": "to just before", "after": "to just after"}
    return f"passes {words.get(how, how)} {timer}"


class _Teller:
    def __init__(self, replayed: ReplayedRun, contract: GateContract) -> None:
        self._log = replayed.record.log
        self._handles = replayed.record.variant.handles
        self._facts = Facts(contract)
        self._instead = {d.step: d.default for d in replayed.deviations if not d.fault}
        self._printed = dict(replayed.printed)
        self._phase = ""
        self._new_phase = ""
        self._open: dict[str, Called] = {}
        self._stays: set[str] = set()
        self._quiet: set[str] = set()
        self._cut: set[object] = set()

    def moves(self) -> Iterator[Move]:
        """What is drawn, in order."""
        pending: tuple[int, int, str] | None = None
        for position, line in enumerate(self._log):
            if not isinstance(line, Entry):
                yield from self._silent_turn(pending)
                pending = line
                continue
            self._facts.apply(line)
            cutoff = self._is_cutoff()
            if isinstance(line.event, PhaseBegan):
                yield from self._silent_turn(pending)
                pending = None
                self._phase, self._new_phase = line.event.phase, line.event.phase
                continue
            for move in self._of(line, position, cutoff=cutoff):
                pending = None
                yield move
            yield from self._said(line)
        yield from self._silent_turn(pending)

    def _said(self, entry: Entry) -> Iterator[Move]:
        """What the gate printed in the step, told when it comes back from it."""
        if isinstance(entry.event, Returned | InnerPoint):
            call = self._open.get(entry.event.call_id)
            for text in self._printed.pop(entry.step, ()):
                yield self._go(entry, self._gate(call), Kind.DEED, f"prints: {text}")

    def _silent_turn(self, turn: tuple[int, int, str] | None) -> Iterator[Move]:
        """A turn in which nothing is seen is told only if it leaves the default order."""
        if turn is not None and turn[0] in self._instead:
            actor, _, label = turn[2].partition("@")
            if not label:
                yield self._move(Move(turn[0], turn[1], CLOCK, Kind.DEED, _time_passes(turn[2])))
            else:
                yield self._move(Move(turn[0], turn[1], actor, Kind.DEED, f"goes on from {label}"))

    def _is_cutoff(self) -> bool:
        """Whether the record of some task was just told for the first time."""
        stopped = {ref for ref, task in self._facts.tasks.items() if task.record is not None}
        new = stopped - self._cut
        self._cut |= stopped
        return bool(new)

    def _move(self, move: Move) -> Move:
        """The move, with what its step left and the phase that it is the first of."""
        phase, self._new_phase = self._new_phase, ""
        return replace(move, instead_of=self._instead.pop(move.step, ""), phase=phase)

    def _of(self, entry: Entry, position: int, *, cutoff: bool) -> Iterator[Move]:
        event = entry.event
        if self._phase == "account" or self._is_quiet(event):
            return
        if isinstance(event, Called):
            if not self._is_answered_at_once(position, event.call_id):
                self._stays.add(event.call_id)
                yield self._go(entry, event.actor, Kind.CALL, asked(event.request), self._gate(event))
        elif isinstance(event, Returned):
            yield self._returned(entry, event, cutoff=cutoff)
        elif isinstance(event, InnerPoint):
            call = self._open.get(event.call_id)
            gate = self._gate(call)
            yield self._go(entry, gate, Kind.POINT, happened(event), where=place(event.where))
        elif isinstance(event, GateDied):
            yield self._go(entry, gate_lane(0, self._handles), Kind.DEATH, happened(event))
        else:
            yield from self._of_world(entry, event)

    def _returned(self, entry: Entry, event: Returned, *, cutoff: bool) -> Move:
        call = self._open.pop(event.call_id, None)
        stayed = event.call_id in self._stays
        reply = answered(event.reply)
        gate = self._gate(call)
        where = place(event.where)
        if call is not None and not stayed:
            what = f"{asked(call.request)} = {reply}"
            return self._go(entry, event.actor, Kind.EXCHANGE, what, gate, where=where, cutoff=cutoff)
        what = f"{event.operation} = {reply}"
        return self._go(entry, gate, Kind.RETURN, what, event.actor, where=where, cutoff=cutoff)

    def _of_world(self, entry: Entry, event: Event) -> Iterator[Move]:
        what = happened(event)
        if isinstance(event, Submitted):
            yield self._go(entry, event.actor, Kind.MESSAGE, what, event.receiver)
        elif isinstance(event, Answered):
            what = f"answers {event.actor} about {event.effect_id}: {short(event.evidence)}"
            yield self._go(entry, event.receiver, Kind.MESSAGE, what, event.actor)
        elif isinstance(event, MessageDelivered):
            yield self._go(entry, event.queue, Kind.MESSAGE, what, event.consumer)
        elif isinstance(event, Committed):
            yield self._go(entry, event.receiver, Kind.COMMIT, what)
        elif isinstance(event, FaultChosen):
            yield self._go(entry, event.actor, Kind.FAULT, what)
        elif what and not isinstance(event, ReceiverTruth | FinalAccount):
            yield self._go(entry, actor_of(event) or self._gate(None), Kind.DEED, what)

    def _go(
        self,
        entry: Entry,
        lane: str,
        kind: Kind,
        what: str,
        to: str = "",
        *,
        where: str = "",
        cutoff: bool = False,
    ) -> Move:
        return self._move(Move(entry.step, entry.now_ns, lane, kind, what, to, where, cutoff=cutoff))

    def _gate(self, call: Called | None) -> str:
        return gate_lane(call.handle if call is not None else 0, self._handles)

    def _is_answered_at_once(self, position: int, call_id: str) -> bool:
        """Whether the next that is heard of the call, within this step, is its answer."""
        for line in self._log[position + 1 :]:
            if not isinstance(line, Entry):
                return False
            if isinstance(line.event, Returned | InnerPoint) and line.event.call_id == call_id:
                return isinstance(line.event, Returned)
        return False

    def _is_quiet(self, event: Event) -> bool:
        """Whether it is plumbing: tasks that are opened before anything is a choice, and ticks that change nothing."""
        if isinstance(event, Called):
            self._open[event.call_id] = event
            timed = getattr(event.request, "deadline_ns", None) is not None
            opens = self._phase == "setup" and event.operation == "open_task" and not timed
            if opens or (self._phase == "final" and event.operation == "tick"):
                self._quiet.add(event.call_id)
            return event.call_id in self._quiet
        if isinstance(event, Returned) and event.call_id in self._quiet:
            return not (isinstance(event.reply, Ticked) and event.reply.transitions)
        return False
