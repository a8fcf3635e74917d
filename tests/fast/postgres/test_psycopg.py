"""Statement-level branch points of psycopg: what they find, what waits, and that a run is the same each time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from stopcheck.campaign._databases import Database
from stopcheck.kernel import Ending, ThreadHost
from stopcheck.world._substitutes import Substitutes, substituted
from tests.fast.postgres import small_gates
from tests.fast.postgres.small_gates import (
    SCHEMA,
    Alchemy,
    AlchemyCheckThenInsert,
    CheckThenInsert,
    Crossed,
    Locking,
    Shared,
)
from tests.fast.world.test_substitutes import Run, all_runs


@pytest.fixture(scope="module")
def host() -> Iterator[ThreadHost]:
    made = ThreadHost(real_time_s=20)
    yield made
    assert not made.hung
    made.close()


@pytest.fixture(scope="module")
def filled(database: Database) -> Database:
    with psycopg.connect(database.conninfo) as connection:
        connection.execute(SCHEMA)
    database.keep_template()
    return database


@pytest.fixture
def substitutes(filled: Database) -> Iterator[Substitutes]:
    with substituted((sys.modules[small_gates.__name__],)) as made:
        yield made


Play = Callable[[list[int]], Run]


def playing(
    substitutes: Substitutes, host: ThreadHost, database: Database, start: Callable[[Run], Callable[[], Any]]
) -> tuple[Play, list[Any]]:
    """How to play one schedule, and where its outcome goes. ``start`` makes the actors."""
    seen: list[Any] = []

    def play(prefix: list[int]) -> Run:
        database.put_back()
        run = Run(substitutes, host, prefix)
        outcome = start(run)
        assert run.go() is Ending.REST
        seen.append(outcome())
        return run

    return play, seen


def admission(kind: type[CheckThenInsert], conninfo: str) -> Callable[[Run], Callable[[], Any]]:
    def start(run: Run) -> Callable[[], Any]:
        first, second = kind(conninfo), kind(conninfo)
        run.actor("worker", lambda: first.commit_effect("e"))
        run.actor("person", second.cancel)
        return lambda: (run.answers["worker"], run.answers["person"])

    return start


RIGHT = {("admitted", 1), ("stopped", 0)}
WINDOW = ("admitted", 0)  # the person was told "no effects", and one came


@pytest.mark.parametrize("kind", [CheckThenInsert, AlchemyCheckThenInsert])
def test_what_was_read_is_not_held(
    kind: type[CheckThenInsert], substitutes: Substitutes, host: ThreadHost, filled: Database
) -> None:
    play, seen = playing(substitutes, host, filled, admission(kind, filled.conninfo))
    assert sum(1 for _ in all_runs(play)) > 5
    assert set(seen) == {*RIGHT, WINDOW}


@pytest.mark.parametrize("kind", [Locking, Alchemy])
def test_a_row_lock_makes_the_other_wait(
    kind: type[CheckThenInsert], substitutes: Substitutes, host: ThreadHost, filled: Database
) -> None:
    play, seen = playing(substitutes, host, filled, admission(kind, filled.conninfo))
    runs = list(all_runs(play))
    assert set(seen) == RIGHT
    assert len(runs) > 5


def test_a_schedule_is_the_same_each_time(substitutes: Substitutes, host: ThreadHost, filled: Database) -> None:
    play, _ = playing(substitutes, host, filled, admission(Locking, filled.conninfo))
    for run in all_runs(play):
        again = play(run.chosen)
        assert (again.steps, again.answers) == (run.steps, run.answers)


def crossing(conninfo: str, timeout: str) -> Callable[[Run], Callable[[], Any]]:
    def start(run: Run) -> Callable[[], Any]:
        gate = Crossed(conninfo, timeout)
        run.actor("left", lambda: gate.take(1, 2))
        run.actor("right", lambda: gate.take(2, 1))
        return lambda: (run.answers["left"], run.answers["right"])

    return start


def test_a_deadlock_ends_whoever_closed_the_circle(
    substitutes: Substitutes, host: ThreadHost, filled: Database
) -> None:
    play, seen = playing(substitutes, host, filled, crossing(filled.conninfo, "0"))
    list(all_runs(play))
    assert set(seen) == {("both", "both"), ("both", "deadlock"), ("deadlock", "both")}


def test_a_lock_timeout_passes_in_virtual_time(substitutes: Substitutes, host: ThreadHost, filled: Database) -> None:
    def start(run: Run) -> Callable[[], Any]:
        gate = Crossed(filled.conninfo, "2s")
        with psycopg.connect(filled.conninfo) as other:
            other.execute("SELECT 1")
        run.actor("left", lambda: gate.take(1, 2))
        return lambda: (run.answers["left"], run.kernel.now_ns)

    play, seen = playing(substitutes, host, filled, start)
    play([])
    assert seen == [("both", 0)]


def test_one_connection_for_two_calls(substitutes: Substitutes, host: ThreadHost, filled: Database) -> None:
    def start(run: Run) -> Callable[[], Any]:
        gate = Shared(filled.conninfo)
        run.actor("left", lambda: gate.add("l"))
        run.actor("right", lambda: gate.add("r"))
        return lambda: (run.answers["left"], run.answers["right"])

    play, seen = playing(substitutes, host, filled, start)
    list(all_runs(play))
    assert set(seen) == {(1, 2), (2, 1), (2, 2)}


def test_the_methods_are_put_back() -> None:
    before = [vars(psycopg.Connection)[name] for name in ("connect", "wait", "close")], psycopg.connect
    with substituted((sys.modules[small_gates.__name__],)):
        assert psycopg.connect is not before[1]
    assert ([vars(psycopg.Connection)[name] for name in ("connect", "wait", "close")], psycopg.connect) == before
