"""A schedule as a trace that Chrome (chrome://tracing) and Perfetto (ui.perfetto.dev) open.

One idea: in virtual time most of a race happens at once, so what lies along the axis is the order: one millisecond for
each thing that happened. The virtual time of each stands in its arguments.
"""

from __future__ import annotations

from typing import Any

import msgspec

from stopcheck.campaign import Broken, Interleaving, Kind, Move
from stopcheck.report._story_text import told

_EACH_US = 1_000
_INSTANTS = {Kind.POINT, Kind.COMMIT, Kind.FAULT, Kind.DEED}


def trace_of(story: Interleaving) -> bytes:
    """The JSON object format of trace events."""
    return _Trace(story).rendered()


class _Trace:
    def __init__(self, story: Interleaving) -> None:
        self._story = story
        self._threads = {lane.name: number for number, lane in enumerate(story.lanes, 1)}
        self._events: list[dict[str, Any]] = []
        self._flows = 0

    def rendered(self) -> bytes:
        """Names of lanes first, then what happened."""
        for lane, thread in self._threads.items():
            self._add("thread_name", "M", lane, 0, args={"name": lane})
            self._add("thread_sort_index", "M", lane, 0, args={"sort_index": thread})
        items = list(told(self._story))
        for position, one in enumerate(items):
            at = position * _EACH_US
            if isinstance(one, Broken):
                self._add(f"{one.clause} broken", "i", "", at, s="g", args={"step": one.step, "what": one.message})
            else:
                self._of(one, at, _answered_after(items[position:]) if one.kind is Kind.CALL else 1)
        plain = {
            "displayTimeUnit": "ms",
            "otherData": {"scenario": self._story.scenario, "token": self._story.token},
            "traceEvents": self._events,
        }
        return msgspec.json.format(msgspec.json.encode(plain, order="sorted"), indent=1) + b"\n"

    def _of(self, move: Move, at: int, length: int) -> None:
        args = {"step": move.step, "virtual_ns": move.at_ns, "where": move.where, "instead_of": move.instead_of}
        if move.kind is Kind.DEATH:
            self._add(move.what, "i", move.lane, at, s="p", args=args)
        elif move.kind in _INSTANTS:
            self._add(move.what, "i", move.lane, at, s="t", args=args)
        else:
            self._add(move.what, "X", move.lane, at, dur=length * _EACH_US - 100, args=args)
            if move.to in self._threads:
                self._add(move.what, "X", move.to, at + 200, dur=_EACH_US - 400, args=args)
                self._flow(move, at)
        if move.cutoff:
            self._add("cutoff", "i", move.lane, at + _EACH_US - 1, s="g", args=args)

    def _flow(self, move: Move, at: int) -> None:
        self._flows += 1
        for phase, lane, offset in (("s", move.lane, 100), ("f", move.to, 250)):
            self._add("goes to", phase, lane, at + offset, id=self._flows, bp="e")

    def _add(self, name: str, phase: str, lane: str, at: int, **more: Any) -> None:
        event = {"name": name, "ph": phase, "pid": 1, "tid": self._threads.get(lane, 0), "ts": at, "cat": "stopcheck"}
        self._events.append(event | more)


def _answered_after(items: list[Move | Broken]) -> int:
    """How many things happen until the call that comes first is answered."""
    call = items[0]
    assert isinstance(call, Move)
    for distance, one in enumerate(items):
        if isinstance(one, Move) and one.kind is Kind.RETURN and (one.lane, one.to) == (call.to, call.lane):
            return distance
    return len(items)
