"""The corpus on the disk: one text file for each case, made to be read in a diff.

One idea: what happened is kept as one short line for each line of the log (not as the report's timeline, whose wording
may change), and the log itself as a digest of each of its lines, so that the first line that is another is found. Left
out of both is what changes no run: line numbers in gates, and fields that are empty, since a protocol grows by these.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any, cast

import msgspec

from stopcheck.campaign import ReplayedRun, load_gate, replay_schedule
from stopcheck.kernel import Schedule
from stopcheck.world import Entry, LogLine
from tests.fast.corpus.cases import Case

FOLDER = Path(__file__).parent / "expected"
_TOKEN = re.compile(r"^token +(\S+)$", re.MULTILINE)
#: Digests in a row.
_ROW = 16
_LINE_NUMBER = re.compile(r"(\.py):\d+")


def path_of(case: Case) -> Path:
    """Where its entry stands."""
    return FOLDER / f"{case.name}.txt"


def token_of(entry: str) -> str:
    """The token that an entry pins."""
    found = _TOKEN.search(entry)
    assert found is not None, "an entry has a line 'token ...'"
    return found[1]


def replayed_of(case: Case, token: str) -> ReplayedRun:
    """The token's run."""
    return replay_schedule(load_gate(case.gate), Schedule.from_token(token))


def render(case: Case, token: str, replayed: ReplayedRun) -> str:
    """The entry of a token whose run is this."""
    record = replayed.record
    clauses = ", ".join(sorted({violation.clause for violation in replayed.violations}))
    chosen = [f"{d.chosen}, instead of {d.default}, in step {d.step}" for d in replayed.deviations]
    head = [
        case.about,
        "",
        f"gate      {case.gate}",
        f"scenario  {case.scenario}, handles {case.handles}, granularity {case.granularity.value}",
        *(f"chosen    {choice}" for choice in chosen or ["nothing but defaults"]),
        f"broken    {clauses or 'nothing'}",
        f"ended     {record.ending.value}, {record.steps} steps, {len(record.log)} lines of log",
        f"token     {token}",
        "",
    ]
    return "\n".join([*head, *map(_story, record.log), "", *_table(map(_digest, _lines(replayed))), ""])


def first_other_line(pinned: str, replayed: ReplayedRun) -> str:
    """The first line of the log whose digest is not the pinned one; empty when there is none."""
    digests = pinned.rpartition(_DIGESTS)[2].split()
    for number, line in enumerate(_lines(replayed)):
        if number >= len(digests) or digests[number] != _digest(line):
            return f"line {number} of the log is another: {line}"
    return ""


_DIGESTS = "digests of the log's lines:"


def _table(digests: Iterable[str]) -> Iterator[str]:
    yield _DIGESTS
    left = list(digests)
    while left:
        yield " ".join(left[:_ROW])
        del left[:_ROW]


def _digest(line: str) -> str:
    return hashlib.sha256(line.encode()).hexdigest()[:6]


def _lines(replayed: ReplayedRun) -> list[str]:
    """The log's lines, without what changes no run."""
    lines = replayed.record.rendered().splitlines()
    return [_LINE_NUMBER.sub(r"\1", json.dumps(_filled(json.loads(line)), sort_keys=True)) for line in lines]


def _filled(value: Any) -> Any:
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {name: _filled(part) for name, part in fields.items() if part not in (None, False, "", [], {})}
    return [_filled(part) for part in value] if isinstance(value, list) else value


def _story(line: LogLine) -> str:
    """A line of the log in short: who moved, or what happened to whom; of records inside what they are, and what
    they have of the contract's vocabulary."""
    if not isinstance(line, Entry):
        step, now_ns, what = line
        return f"{step:4d} {now_ns / 1e9:12.9f}s  {what}"
    event = line.event
    said = [_said(getattr(event, field)) for field in event.__struct_fields__ if field != "where"]
    return f"{'':19} {type(event).__name__}: {', '.join(part for part in said if part)}"


def _said(value: object) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, msgspec.Struct):
        named = [
            str(part.value) for part in map(value.__getattribute__, value.__struct_fields__) if isinstance(part, Enum)
        ]
        return type(value).__name__ + (f"({', '.join(named)})" if named else "")
    return "" if value is None else str(value)
