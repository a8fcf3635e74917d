"""The SQLite gate: equal to the memory gate in what it answers, and durable, shared and atomic beyond it."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stopcheck.gate import (
    OPERATIONS,
    Accepted,
    Admitted,
    Caller,
    CancellationClass,
    Cause,
    CommitEffect,
    Durability,
    ExistingRecord,
    Gate,
    HostKind,
    Inspect,
    LeaseGranted,
    OpenTask,
    Request,
    RequestCancel,
    Retry,
    Right,
    Scope,
    Snapshot,
    Stopped,
    Tick,
    Trigger,
)
from stopcheck.gate import BeginWork as Begin
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_fixtures.reference.sqlite import SqliteGate
from tests.fast.gates.plain_environment import PlainEnvironment
from tests.fast.gates.random_requests import TASKS, Requests, ref

CALLER = Caller("test", "acme", tuple(Right))


def ask(gate: Gate, request: Request) -> Any:
    """One call."""
    return getattr(gate, request.operation)(request)


def request(kind: type[Request], name: str, now_ns: int = 0, /, **fields: Any) -> Request:
    """A sensible request."""
    return kind(call_id="c", caller=CALLER, now_ns=now_ns, task=ref(name).key, incarnation=1, **fields)


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[SqliteGate]:
    made = SqliteGate(PlainEnvironment(tmp_path))
    yield made
    made.close()


def begun(gate: Gate, name: str = "root") -> None:
    """Open a task, and let a worker begin."""
    ask(gate, request(OpenTask, name))
    granted = ask(gate, request(Begin, name, worker="anna", delivery_id="d", trigger=Trigger.FIRST))
    assert isinstance(granted, LeaseGranted)


def stop(gate: Gate, name: str = "root", request_id: str = "r") -> Any:
    """Press Stop."""
    fields = {"scope": Scope.TASK, "cause": Cause.USER, "request_id": request_id, "reason": "pressed"}
    return ask(gate, request(RequestCancel, name, **fields))


def commit(gate: Gate, effect_id: str) -> Any:
    """Make a dispatch commitment."""
    fields = {"epoch": 1, "effect_id": effect_id, "payload_digest": "p", "receiver": "post", "kind": "mail"}
    return ask(gate, request(CommitEffect, "root", cancellation_class=CancellationClass.COOPERATIVE, **fields))


def inspect(gate: Gate, name: str = "root") -> Any:
    """Read the account."""
    return ask(gate, request(Inspect, name))


@pytest.mark.parametrize("seed", range(12))
def test_it_answers_what_the_memory_gate_answers(seed: int, tmp_path: Path) -> None:
    memory, sqlite = MemoryGate(PlainEnvironment(tmp_path)), SqliteGate(PlainEnvironment(tmp_path))
    second = SqliteGate(sqlite._environment)
    requests = Requests(seed)
    asked: list[Request] = list(requests.opening())
    for number in range(120):
        if number >= len(asked):
            asked.append(requests.next())
        handle = second if number % 3 == 0 else sqlite
        reply = ask(memory, asked[number])
        assert named(ask(handle, asked[number])) == named(reply), asked[number]
        requests.learn(asked[number], reply)
    for name in TASKS:
        assert named(inspect(second, name)) == named(inspect(memory, name))
    for _ in range(20):
        ticked = ask(memory, request(Tick, "root", requests.now_ns))
        assert ask(sqlite, request(Tick, "root", requests.now_ns)) == ticked
        if ticked.next_wake_ns is None:
            break
        requests.now_ns = ticked.next_wake_ns
    assert sqlite.fingerprint() == second.fingerprint()
    sqlite.close()
    second.close()


def named(reply: Any) -> str:
    """A reply, without the one difference: the gates' own names (of who stopped unwanted shared work, of figures)."""
    return re.sub("(requester|adapter)='memory'", r"\1='sqlite'", repr(reply))


def test_it_covers_every_operation_of_its_capabilities() -> None:
    for operation in OPERATIONS.values():
        declared = operation.capability is None or SqliteGate.contract.has(operation.capability)
        assert (getattr(SqliteGate, operation.name) is not getattr(Gate, operation.name)) == declared
    assert SqliteGate.contract.durability is Durability.PROCESS_DEATH
    assert SqliteGate.contract.host is HostKind.THREAD
    assert not SqliteGate.contract.serialised_calls


def test_what_was_answered_is_there_for_another_handle_and_after_a_restart(gate: SqliteGate, tmp_path: Path) -> None:
    begun(gate)
    assert isinstance(commit(gate, "mail"), Admitted)
    accepted = stop(gate)
    assert isinstance(accepted, Accepted)
    other = SqliteGate(PlainEnvironment(tmp_path))
    assert stop(other) == ExistingRecord(accepted.record)
    assert isinstance(commit(other, "export"), Stopped)
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in ("gate.db", "gate.db-wal"):
        shutil.copy(tmp_path / file, copy / file)
    restarted = SqliteGate(PlainEnvironment(copy))
    assert inspect(restarted) == inspect(gate) == inspect(other)
    restarted.close()
    other.close()


def test_a_locked_store_is_answered_with_retry_and_has_no_effect(gate: SqliteGate, tmp_path: Path) -> None:
    begun(gate)
    before = gate.fingerprint()
    for db in gate._idle:
        db.execute("PRAGMA busy_timeout = 0")
    holder = sqlite3.connect(tmp_path / "gate.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    assert stop(gate) == Retry()
    holder.close()
    assert gate.fingerprint() == before
    assert isinstance(inspect(gate), Snapshot)


def test_a_call_that_fails_in_the_middle_leaves_nothing(gate: SqliteGate, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(gate)
    before = gate.fingerprint()

    def fail(*_: object) -> None:
        raise RuntimeError("in the middle")

    monkeypatch.setattr(gate, "_settled", fail)
    with pytest.raises(RuntimeError):
        commit(gate, "mail")
    assert gate.fingerprint() == before


def test_the_fingerprint_tells_states_apart_and_nothing_else(gate: SqliteGate, tmp_path: Path) -> None:
    begun(gate)
    seen = {gate.fingerprint()}
    commit(gate, "mail")
    assert gate.fingerprint() not in seen
    seen.add(gate.fingerprint())
    inspect(gate)
    commit(gate, "mail")
    assert gate.fingerprint() in seen
    other_root = tmp_path / "other"
    other_root.mkdir()
    other = SqliteGate(PlainEnvironment(other_root))
    begun(other)
    commit(other, "mail")
    assert other.fingerprint() == gate.fingerprint()
    other.close()


def test_the_file_is_in_wal_mode_and_every_connection_synchronous_in_full(gate: SqliteGate, tmp_path: Path) -> None:
    begun(gate)
    (db,) = gate._idle
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert db.execute("PRAGMA synchronous").fetchone() == (2,)
    gate.close()
    assert [file.name for file in tmp_path.iterdir()] == ["gate.db"]
