"""The corpus on the disk: one text file for each case, made to be read in a diff.

One idea: the bytes of a log are kept as their digest, and what happened as one short line for each of its lines; not as
the report's timeline, whose wording may change. Line numbers in gates are left out of both: who moves a line in a gate
changes no run.
"""

from __future__ import annotations

import hashlib
import re
from enum import Enum
from pathlib import Path

import msgspec

from stopcheck.campaign import ReplayedRun, load_gate, replay_schedule
from stopcheck.kernel import Schedule
from stopcheck.world import Entry, LogLine
from tests.fast.corpus.cases import Case

FOLDER = Path(__file__).parent / "expected"
_TOKEN = re.compile(r"^token +(\S+)$", re.MULTILINE)
_LINE_NUMBER = re.compile(r"(\.py):\d+")


def path_of(case: Case) -> Path:
    """Where its entry stands."""
    return FOLDER / f"{case.name}.txt"


def token_of(entry: str) -> str:
    """The token that an entry pins."""
    found = _TOKEN.search(entry)
    assert found is not None, "an entry has a line 'token ...'"
    return found[1]


def render(case: Case, token: str) -> str:
    """The entry of a token: replay it, and say what came of it."""
    replayed = replay_schedule(load_gate(case.gate), Schedule.from_token(token))
    return _rendered(case, token, replayed)


def _rendered(case: Case, token: str, replayed: ReplayedRun) -> str:
    record = replayed.record
    log = _LINE_NUMBER.sub(r"\1", record.rendered().decode())
    story = [_story(line) for line in record.log]
    clauses = ", ".join(sorted({violation.clause for violation in replayed.violations}))
    chosen = [f"{d.chosen}, instead of {d.default}, in step {d.step}" for d in replayed.deviations]
    head = [
        case.about,
        "",
        f"gate      {case.gate}",
        f"scenario  {case.scenario}, handles {case.handles}, granularity {case.granularity.value}",
        *(f"chosen    {choice}" for choice in chosen or ["nothing but defaults"]),
        f"broken    {clauses or 'nothing'}",
        f"ended     {record.ending.value}, {record.steps} steps",
        f"log       sha256 {hashlib.sha256(log.encode()).hexdigest()} of {log.count(chr(10))} lines",
        f"token     {token}",
        "",
    ]
    return "\n".join([*head, *story, ""])


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
