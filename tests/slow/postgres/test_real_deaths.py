"""Real deaths of a process whose state is in PostgreSQL."""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest

from stopcheck.campaign import load_gate
from stopcheck.campaign._databases import Database
from stopcheck.campaign._loading import load_scenarios
from stopcheck.campaign._sigkill import sigkill_pass
from stopcheck.campaign._sigkill_zygote import Promise, _forked, _missing, _Pass, _Witness
from stopcheck.gate import Snapshot, TaskRef

pytestmark = pytest.mark.usefixtures("server")


def test_sigkill_after_each_answer_loses_nothing() -> None:
    outcome = sigkill_pass(load_gate("postgres"), ("lost-response",))
    assert (outcome.trouble, outcome.findings) == ("", ())
    assert outcome.promises > 0
    assert all(planned == killed > 0 for planned, killed in outcome.points.values())


def dying_at(number: int) -> Callable[..., Any]:
    """In place of ``Connection.wait``: SIGKILL when that statement has been sent, and its answer has not come."""
    numbers, original = itertools.count(1), psycopg.Connection.wait

    def wait(connection: Any, generator: Any, *args: Any, **keywords: Any) -> Any:
        if next(numbers) == number:
            next(generator, None)
            os.kill(os.getpid(), signal.SIGKILL)
        return original(connection, generator, *args, **keywords)

    return wait


class Deaths(_Pass):
    """Lives of one gate in one scenario without simulated deaths, each in a process of its own."""

    def __init__(self, root: Path, database: Database) -> None:
        super().__init__(load_gate("postgres"), root, database)
        scenario = load_scenarios()["lost-response"]
        budget = msgspec.structs.replace(scenario.budget, crashes=0)
        self._scenario = msgspec.structs.replace(scenario, budget=budget)
        self._told = root / "told.json"
        self._found = root / "found.json"

    def kept_after(self, number: int) -> int | None:
        """How many promises were kept after a death with that statement in flight; none if there are not so many."""
        storage = self._fresh()
        self._told.write_bytes(b"[[], []]")
        status = _forked(lambda: self._live(storage, number))
        if not os.WIFSIGNALED(status):
            assert status == 0
            return None
        assert self._database is not None
        self._database.end_sessions()
        tasks, promises = msgspec.json.decode(self._told.read_bytes(), type=tuple[list[TaskRef], list[Promise]])
        if promises:
            assert _forked(lambda: self._inspect(storage, tasks, promises, self._found)) == 0
            snapshots = msgspec.json.decode(self._found.read_bytes(), type=dict[str, Snapshot])
            assert [_missing(promise, snapshots) for promise in promises] == [None] * len(promises)
        return len(promises)

    def _live(self, storage: Path, number: int) -> None:
        pytest.MonkeyPatch().setattr(psycopg.Connection, "wait", dying_at(number))

        def note(_answers: int, _where: str) -> None:
            self._told.write_bytes(msgspec.json.encode([witness.tasks, witness.promises]))

        witness = _Witness(None, note, self._told)
        self._run(self._scenario, 0, storage, witness, [])


def test_sigkill_with_any_statement_in_flight_loses_nothing(tmp_path: Path) -> None:
    with closing(Database()) as database:
        deaths = Deaths(tmp_path, database)
        kept = list(itertools.takewhile(lambda n: n is not None, map(deaths.kept_after, itertools.count(1))))
    assert len(kept) > 40
    assert kept[-1] == 2  # the effect that was admitted, and the stop that was accepted
