"""The space-time diagram of an interleaving: a lane for each who takes part, time downwards, messages as arrows.

One idea: each thing that happened is a row of its own, a list item with a small drawing and its words beside it. So the
words wrap on a phone, can be searched, copied and read aloud, and the lanes still run through from row to row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from markupsafe import Markup

from stopcheck.campaign import Broken, Interleaving, Kind, Lane, Move
from stopcheck.judge import seconds
from stopcheck.report._story_text import told

#: Pixels from lane to lane, and from the top of a row to its arrow.
PITCH, _Y = 54, 14
_HEAD = 7
#: Characters of a name that a lane has room for.
_NAME = 8
_DEEP = 4000
#: Rows that are drawn.
MOST = 150


class Row(NamedTuple):
    """A row: its drawing, and its words. ``tone`` is its class: ``cutoff``, ``broken``, ``breaks``, ``turn`` or
    empty."""

    step: int
    time: str
    drawing: Markup
    who: str
    what: str
    where: str
    note: str
    tone: str


class Diagram(NamedTuple):
    """The lanes, their width in all, and the rows. ``tall``: their names need two lines."""

    lanes: tuple[Lane, ...]
    width: int
    rows: tuple[Row, ...]
    tall: bool


def diagram(story: Interleaving, *, parts_at: int | None = None) -> Diagram:
    """Draw it. ``parts_at``: after this step it parts from another run, and the first row after that says so."""
    rows = tuple(_Drawer(story, parts_at).rows())
    if len(rows) > MOST:
        what = f"... and {len(rows) - MOST} more rows: replay it to see them"
        rows = (*rows[:MOST], Row(0, "", Markup(""), "", what, "", "", ""))
    tall = any(len(lane.name) > _NAME for lane in story.lanes)
    return Diagram(story.lanes, len(story.lanes) * PITCH, rows, tall)


class _Drawer:
    def __init__(self, story: Interleaving, parts_at: int | None) -> None:
        self._story = story
        self._parts_at = parts_at
        self._x = {lane.name: PITCH // 2 + PITCH * number for number, lane in enumerate(story.lanes)}
        self._gates = [lane.name for lane in story.lanes if lane.part.value == "gate"]
        self._open: dict[str, list[str]] = {}
        self._last_ns = -1

    def rows(self) -> Iterator[Row]:
        """All of them."""
        for one in told(self._story):
            if isinstance(one, Broken):
                yield self._broken(one)
                continue
            yield self._of(one)
            if one.cutoff:
                what = "Cutoff: the stop is accepted. From here on nothing new may be admitted."
                yield Row(one.step, "", self._drawing(""), "", what, "", "", "cutoff")

    def _broken(self, broken: Broken) -> Row:
        cross = "".join(f'<path class="x" d="M{self._x[g] - 6} 8l12 12m0-12l-12 12"/>' for g in self._gates)
        who = f"{broken.clause} breaks here:"
        return Row(broken.step, "", self._drawing(cross), who, broken.message, "", "", "broken")

    def _of(self, move: Move) -> Row:
        time = "" if move.at_ns == self._last_ns else seconds(move.at_ns)
        self._last_ns = move.at_ns
        drawing = self._drawing(self._arrow(move), move)
        who = f"{move.lane} → {move.to}" if move.to else move.lane
        notes: list[str] = []
        if move.phase == "final":
            notes.append("from here on no more faults; everything runs to rest")
        if move.instead_of:
            actor, _, label = move.instead_of.partition("@")
            notes.append(f"out of turn: by default {actor} would have gone on" + (f" from {label}" if label else ""))
        if self._parts_at is not None and move.step > self._parts_at:
            self._parts_at = None
            notes.append("here it parts from the run that fails")
        breaks = any(broken.step == move.step for broken in self._story.broken)
        tone = "breaks" if breaks and move.step == self._story.step else "turn" if move.instead_of else ""
        return Row(move.step, time, drawing, who, move.what, move.where, "; ".join(notes), tone)

    def _drawing(self, what: str, move: Move | None = None) -> Markup:
        lanes = "".join(f"M{x} 0V{_DEEP}" for x in self._x.values())
        bars = self._bars(move)
        return Markup(f'<path class="l" d="{lanes}"/>{bars}{what}')

    def _bars(self, move: Move | None) -> str:
        """Where a call is inside of the gate: from the row in which it goes in to that in which it comes out."""
        begins = move.to if move is not None and move.kind is Kind.CALL else ""
        ends = move.lane if move is not None and move.kind is Kind.RETURN else ""
        bars = ""
        for gate in self._gates:
            calls = self._open.setdefault(gate, [])
            before = len(calls)
            if gate == begins and move is not None:
                calls.append(move.lane)
            if gate == ends and move is not None and move.to in calls:
                calls.remove(move.to)
            top = 0 if before else _Y
            bottom = _DEEP if calls else _Y
            if before or calls:
                bars += f'<path class="o" d="M{self._x[gate]} {top}V{bottom}"/>'
        return bars

    def _arrow(self, move: Move) -> str:
        start = self._x.get(move.lane)
        if start is None:
            return ""
        end = self._x.get(move.to)
        kind = move.kind.value
        if end is None or end == start:
            return _sign(move.kind, start)
        ahead = 1 if end > start else -1
        tip, tail = end - ahead * 4, start + ahead * 4
        both = (
            _head(tail, -ahead) if move.kind is Kind.EXCHANGE else f'<circle class="a" cx="{start}" cy="{_Y}" r="3"/>'
        )
        return f'<path class="a {kind}" d="M{tail} {_Y}H{tip}"/>{_head(tip, ahead)}{both}'


def _head(x: int, ahead: int) -> str:
    return f'<path class="h" d="M{x} {_Y}l{-ahead * _HEAD} -4v8z"/>'


def _sign(kind: Kind, x: int) -> str:
    if kind is Kind.COMMIT:
        return f'<path class="c" d="M{x} 5l9 9l-9 9l-9 -9z"/>'
    if kind is Kind.FAULT:
        return f'<path class="f" d="M{x + 2} 3l-8 12h5l-1 9l8 -12h-5z"/>'
    if kind is Kind.DEATH:
        return f'<path class="x" d="M{x - 7} 7l14 14m0-14l-14 14"/>'
    if kind is Kind.POINT:
        return f'<circle class="p" cx="{x}" cy="{_Y}" r="5"/>'
    return f'<circle class="d" cx="{x}" cy="{_Y}" r="4"/>'
