"""A run as a timeline: who, what, when; where it left the default order; which clause broke at which step.

One idea: the log is complete and a story is not. Plumbing (setup, quiet ticks, turns in which nobody did anything) is
left out unless it is asked for; a deviation and a broken clause are never left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from stopcheck.campaign import Deviation, ReplayedRun
from stopcheck.gate import OpenTask, Snapshot, Ticked
from stopcheck.judge import Violation, label, seconds
from stopcheck.kernel import many
from stopcheck.report._console import ReportConsole, one_line
from stopcheck.report._words import account, actor_of, answered, asked, happened, place
from stopcheck.world import (
    Called,
    Committed,
    Entry,
    Event,
    FaultChosen,
    FinalAccount,
    GateDied,
    InnerPoint,
    LogLine,
    PhaseBegan,
    Returned,
)

_PHASES = {
    "setup": "setup, before anything is a choice",
    "main": "from here on every step is a choice",
    "final": "faults off; everything runs to rest",
    "account": "what the gate and the receivers hold at rest",
}


class Line(NamedTuple):
    """One line of a timeline. ``what`` is what it tells, without when: lines of two runs that tell the same are equal
    in it. Empty for lines that tell nothing of the run. ``again``: of a clause that broke before."""

    text: str
    style: str
    what: str = ""
    step: int = 0
    again: bool = False


def print_timeline(console: ReportConsole, replayed: ReplayedRun, *, full: bool = False) -> None:
    """Print the run. A ``*`` marks a choice that was not the default; violations stand where they happened."""
    console.say("    step    time  who           what", "dim")
    for line in timeline(replayed, full=full):
        console.say(line.text, line.style)


def timeline(replayed: ReplayedRun, *, full: bool = False) -> Iterator[Line]:
    """The timeline's lines."""
    story = _Story(replayed, full=full)
    for step, lines in groupby(replayed.record.log, key=_step):
        yield from story.step(step, list(lines))
    yield from story.end()


def _step(line: LogLine) -> int:
    return line.step if isinstance(line, Entry) else line[0]


class _Story:
    def __init__(self, replayed: ReplayedRun, *, full: bool) -> None:
        self._full = full
        self._phase = ""
        self._hidden = 0
        self._told: set[str] = set()
        self._many = replayed.record.variant.handles > 1
        self._printed = dict(replayed.printed)
        self._deviations: dict[int, list[Deviation]] = {}
        for deviation in replayed.deviations:
            self._deviations.setdefault(deviation.step, []).append(deviation)
        self._broken: dict[int, list[Violation]] = {}
        for violation in replayed.violations:
            self._broken.setdefault(violation.step, []).append(violation)

    def step(self, step: int, lines: Sequence[LogLine]) -> Iterator[Line]:
        """One step: its turn and all that happened in it, then what broke by it."""
        option, now_ns = "", 0
        events: list[Event] = []
        for line in lines:
            if isinstance(line, Entry):
                if isinstance(line.event, PhaseBegan):
                    yield from self._turned(step, now_ns, option, events)
                    if line.event.phase != "account":  # what was read there broke in the same step
                        yield from self._left(step)
                    option, events = "", []
                    yield from self._began(line.event.phase)
                else:
                    events.append(line.event)
                    now_ns = line.now_ns
            else:
                now_ns, option = line[1], line[2]
        yield from self._turned(step, now_ns, option, events)
        yield from self._left(step)

    def _left(self, step: int) -> Iterator[Line]:
        """What a step left beside its events: what the gate printed, and what broke."""
        for text in self._printed.pop(step, []):
            what = f"{'':12}  prints: {one_line(text)}"
            yield Line(f"{'':16}  {what}", "cyan", what, step)
        yield from self._said(self._broken.pop(step, []))

    def end(self) -> Iterator[Line]:
        """What broke at no step in particular."""
        for violations in self._broken.values():
            yield from self._said(violations)

    def _said(self, violations: Sequence[Violation]) -> Iterator[Line]:
        """A clause that broke; one that goes on breaking is not told again in full, and once for each step."""
        now: set[str] = set()
        for violation in violations:
            clause, step = violation.clause, violation.step
            again = clause in self._told and not self._full
            self._told.add(clause)
            if again and clause in now:
                continue
            now.add(clause)
            if again:
                yield Line(
                    f"!!! {clause} broken again at step {step}", "red", f"!!! {clause} broken again", step, again
                )
            else:
                what = f"!!! {clause} broken"
                yield Line(f"{what} at step {step}: {violation.message}", "bold red", what, step)

    def _began(self, phase: str) -> Iterator[Line]:
        yield from self._left_out()
        self._phase = phase
        yield Line(f"--- {phase}: {_PHASES.get(phase, '')}", "dim")

    def _left_out(self) -> Iterator[Line]:
        if self._hidden and self._phase != "main":
            yield Line(f"{'':16}  ... {many(self._hidden, 'quiet step')} (--full shows them)", "dim")
        self._hidden = 0

    def _turned(self, step: int, now_ns: int, option: str, events: list[Event]) -> Iterator[Line]:
        deviations = self._deviations.pop(step, [])
        faults = [d for d in deviations if d.fault]
        order = [d for d in deviations if not d.fault]
        actor, _, label = option.partition("@")
        if not option and not events:
            return
        parts = list(self._events(actor, events))
        if self._is_quiet(events, deviations, label):
            self._hidden += bool(option and events)
            return
        yield from self._left_out()
        if option and (not parts or (parts[0][0] != actor and self._phase != "account")):
            parts.insert(0, (actor, _turn(label) if label else "", "bold" if order else ""))
        instead = "".join(f"   <- not the default, which was {d.default.replace('@', ': ')}" for d in order)
        for number, (who, what, style) in enumerate(parts):
            when = f"{step:4d} {seconds(now_ns):>8}" if number == 0 else ""
            mark = "*" if (order and number == 0) or (faults and what.startswith("FAULT")) else " "
            told = f"{who:12}  {what}"
            yield Line(f" {mark} {when:13}  {told}{instead if number == 0 else ''}", style, told, step)

    def _is_quiet(self, events: list[Event], deviations: list[Deviation], label: str) -> bool:
        if self._full or deviations:
            return False
        if self._phase == "setup":
            return all(isinstance(e, Called | Returned) and _is_plain_opening(e) for e in events)
        if self._phase == "account":
            return not any(not isinstance(e, Called | Returned) for e in events)
        if self._phase == "final":
            calls = [e for e in events if isinstance(e, Called | Returned)]
            idle = [e for e in calls if isinstance(e, Returned) and isinstance(e.reply, Ticked)]
            changed = any(isinstance(e.reply, Ticked) and e.reply.transitions for e in idle)
            return all(e.operation == "tick" for e in calls) and len(calls) == len(events) and not changed
        return not events

    def _events(self, actor: str, events: list[Event]) -> Iterator[tuple[str, str, str]]:
        """Who, what and how it is shown, for each event that is shown; a call that is answered at once is one line."""
        calls: list[Called] = []
        for event in events:
            if self._phase == "account" and isinstance(event, Called | Returned) and not self._full:
                continue  # the account itself follows
            if isinstance(event, Called):
                calls.append(event)
            elif isinstance(event, Returned):
                call = next((c for c in calls if c.call_id == event.call_id), None)
                question = f"{self._asked(call)} = " if call is not None else f"{event.operation} = "
                if call is not None:
                    calls.remove(call)
                yield event.actor, f"{question}{answered(event.reply)}{_at(event.where)}", ""
            elif isinstance(event, InnerPoint):
                call = next((c for c in calls if c.call_id == event.call_id), None)
                if call is not None:
                    calls.remove(call)
                    yield event.actor, f"{self._asked(call)} begins", ""
                yield event.actor, f"{happened(event)}{_at(event.where)}", "dim"
            elif isinstance(event, FinalAccount):
                shown = account(event.reply) if isinstance(event.reply, Snapshot) else answered(event.reply)
                handle = f" through handle {event.handle}" if self._many else ""
                yield "gate", f"{label(event.task)}{handle}: {shown}", ""
            else:
                what = happened(event)
                if what:
                    yield actor_of(event) or actor, what, _style(event)
        for call in calls:
            yield call.actor, f"{self._asked(call)} begins", ""

    def _asked(self, call: Called) -> str:
        return asked(call.request) + (f" by handle {call.handle}" if self._many else "")


def _is_plain_opening(event: Called | Returned) -> bool:
    """Whether it only says that a task is there."""
    timed = isinstance(event, Called) and isinstance(event.request, OpenTask) and event.request.deadline_ns is not None
    return event.operation == "open_task" and not timed


def _turn(label: str) -> str:
    return "starts" if label == "start" else f"goes on from {label}"


def _at(where: str) -> str:
    return f"   [{place(where)}]" if where else ""


def _style(event: Event) -> str:
    if isinstance(event, GateDied | FaultChosen):
        return "magenta"
    return "yellow" if isinstance(event, Committed) else ""
