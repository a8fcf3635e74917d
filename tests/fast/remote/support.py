"""Gates in processes that are right but for one thing, and calls of theirs."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stopcheck.gate import Caller, CancellationClass, ClaimDispatch, CommitEffect, Inspect, Right, TaskKey
from stopcheck.remote import Limits, RemoteFactory
from stopcheck.world import RunEnvironment

SCRIPT = Path(__file__).with_name("wire_gate.py")
#: Patient, since a test machine may be busy; where a test needs silence to be noticed it says so.
PATIENT = Limits(start_s=60, answer_s=60, stop_s=30)
HASTY = Limits(start_s=60, answer_s=1, stop_s=0.5)
CALLER = Caller("somebody", "acme", tuple(Right))
TASK = TaskKey("acme", "task")
MARK = "STOPCHECK_GATE_PROCESS="


def command(wrong: str = "") -> list[str]:
    """How a gate is started that does one thing wrong."""
    return [sys.executable, "-S", "-E", str(SCRIPT), wrong]


@contextmanager
def factory_of(wrong: str = "", limits: Limits = PATIENT) -> Generator[RemoteFactory, None, None]:
    """Its factory. Whatever happens, no process is left behind."""
    factory = RemoteFactory(command(wrong), limits)
    try:
        yield factory
    finally:
        factory.close()
        assert left_behind() == []


def left_behind() -> list[str]:
    """The processes of gates that this process started and that live."""
    mark = f"{MARK}{os.getpid()}-".encode()
    found: list[str] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if mark in (entry / "environ").read_bytes() and b") Z " not in (entry / "stat").read_bytes():
                    found.append((entry / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue
    return found


def environment(folder: Path, now_ns: int = 5) -> RunEnvironment:
    """As in a run."""
    return RunEnvironment(storage=lambda: folder, now=lambda: now_ns, verify=bool, counter={}, inner=True)


def commit(call_id: str = "worker#1") -> CommitEffect:
    """A request that the script's gate stands in, and admits."""
    return CommitEffect(
        call_id=call_id,
        caller=CALLER,
        now_ns=0,
        task=TASK,
        incarnation=1,
        epoch=1,
        effect_id="mail-1",
        payload_digest="d",
        receiver="mail",
        cancellation_class=CancellationClass.IRREVERSIBLE,
        kind="mail",
    )


def claim(call_id: str = "dispatcher#1") -> ClaimDispatch:
    """A request that it answers at once."""
    return ClaimDispatch(call_id=call_id, caller=CALLER, now_ns=0, task=TASK, incarnation=1, effect_id="mail-1")


def look(call_id: str = "person#1") -> Inspect:
    """A request of which it knows nothing."""
    return Inspect(call_id=call_id, caller=CALLER, now_ns=0, task=TASK, incarnation=1)


def advance(call: Any) -> Any:
    """Let a call go on: where it parks, or its reply."""
    try:
        return call.send(None)
    except StopIteration as stop:
        return stop.value


def finish(call: Any) -> Any:
    """Let a call go on to its reply."""
    while True:
        try:
            call.send(None)
        except StopIteration as stop:
            return stop.value
