"""Statement-level branch points of psycopg: what they find, what waits, and that a run is the same each time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any, LiteralString

import psycopg
import pytest

from stopcheck.campaign._databases import Database
from stopcheck.kernel import Ending, HungError, Point, ThreadHost
from stopcheck.world._substitutes import Substitutes, substituted
from tests.fast.postgres import small_gates
from tests.fast.postgres.small_gates import (
    SCHEMA,
    Alchemy,
    AlchemyCheckThenInsert,
    Blocks,
    CheckThenInsert,
    Copies,
    Crossed,
    EveryWay,
    Holds,
    KeepsSnapshot,
    Locking,
    Shared,
    Sleeper,
    Writes,
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


@pytest.mark.parametrize("kind", [Locking, Blocks, Alchemy])
def test_a_row_lock_makes_the_other_wait(
    kind: type[CheckThenInsert], substitutes: Substitutes, host: ThreadHost, filled: Database
) -> None:
    play, seen = playing(substitutes, host, filled, admission(kind, filled.conninfo))
    runs = list(all_runs(play))
    assert set(seen) == RIGHT
    assert {"worker@sql:SELECT task", "worker@sql:INSERT effect", "worker@sql:COMMIT"} <= {
        s for r in runs for s in r.steps
    }


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


@pytest.mark.parametrize(("timeout", "answer", "at_s"), [("2s", "timeout", 2), ("1min", "both", 5), ("0", "both", 5)])
def test_a_lock_timeout_passes_in_virtual_time(
    timeout: str, answer: str, at_s: int, substitutes: Substitutes, host: ThreadHost, filled: Database
) -> None:
    def start(run: Run) -> Callable[[], Any]:
        gate, at_ns = Sleeper(filled.conninfo, timeout), list[int]()

        def take() -> str:
            answer = gate.take(1, 2)
            at_ns.append(run.kernel.now_ns)
            return answer

        run.actor("holder", gate.hold)
        run.actor("left", take)
        return lambda: (run.answers["left"], at_ns)

    play, seen = playing(substitutes, host, filled, start)
    play([])
    assert seen == [(answer, [at_s * 10**9])]


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


def test_every_way_to_speak_is_heard(substitutes: Substitutes, host: ThreadHost, filled: Database) -> None:
    filled.put_back()
    plain = EveryWay(filled.conninfo).speak()  # outside of a call: as psycopg itself does it

    def start(run: Run) -> Callable[[], Any]:
        run.actor("one", EveryWay(filled.conninfo).speak)
        return lambda: run.answers["one"]

    play, seen = playing(substitutes, host, filled, start)
    play([])
    assert seen == [plain]
    assert substitutes.reached >= 11  # each statement that another could tell the time of, and the COMMIT


def test_what_a_stranger_holds_is_no_endless_wait(substitutes: Substitutes, filled: Database) -> None:
    filled.put_back()
    impatient = ThreadHost(real_time_s=0.2)
    run = Run(substitutes, impatient, [])
    stranger = "SET idle_in_transaction_session_timeout = 0; BEGIN; LOCK TABLE task; SELECT 1"
    with subprocess.Popen(["psql", filled.conninfo, "-qAt"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as psql:
        assert psql.stdin is not None
        assert psql.stdout is not None
        psql.stdin.write(f"{stranger};\n".encode())
        psql.stdin.flush()
        psql.stdout.readline()
        gate = CheckThenInsert(filled.conninfo)
        run.actor("person", gate.cancel)
        with pytest.raises(HungError, match="did not come back"):
            run.kernel.run()
        psql.stdin.close()
    run.close()
    impatient.close()


@pytest.mark.parametrize(("kind", "ways"), [(Writes, 1), (Copies, 2), (KeepsSnapshot, 2)])
def test_what_is_not_committed_yet_is_told_apart_by_what_it_came_from(
    kind: type[Writes], ways: int, substitutes: Substitutes, host: ThreadHost, filled: Database
) -> None:
    digests: set[bytes] = set()

    class Ordered(Run):
        """The worker writes, then the person; or the other way round. Then the worker is about to commit."""

        worker_first = True

        def _choose(self, point: Point) -> int:
            first = {option.partition("@")[0]: index for index, option in enumerate(point.options)}
            has_written = "worker@sql:COMMIT" in point.options
            if has_written and "person" not in first:
                digests.add(substitutes.open_call_digest(self.kernel.actors[0].call))
            worker_moves = "person" not in first or (self.worker_first and not has_written)
            return first["worker" if worker_moves and "worker" in first else "person" if "person" in first else "other"]

    for worker_first in (True, False):
        filled.put_back()
        run, gate = Ordered(substitutes, host, []), kind(filled.conninfo)
        run.worker_first = worker_first
        run.actor("worker", gate.commit_effect)
        run.actor("person", gate.cancel)
        run.actor("other", gate.look)
        assert run.go() is Ending.REST
    assert len(digests) == ways


@pytest.mark.parametrize(
    ("statements", "holds"),
    [
        (("SELECT 1", "COMMIT"), False),
        (("INSERT INTO effect VALUES ('a')",), True),
        (("INSERT INTO effect VALUES ('a')", "ROLLBACK"), False),
        (("SELECT pg_advisory_lock(1)", "COMMIT"), True),
        (("SELECT pg_advisory_lock(1)", "SELECT pg_advisory_unlock(1)", "COMMIT"), False),
        (("SELECT pg_advisory_lock(1)", "SELECT pg_advisory_unlock(1)"), True),
        (("SELECT pg_advisory_lock(1), pg_advisory_lock(2)", "SELECT pg_advisory_unlock(1)", "COMMIT"), True),
        (("SELECT pg_advisory_lock(1), pg_advisory_lock(2)", "SELECT pg_advisory_unlock_all()", "COMMIT"), False),
        (("SELECT pg_advisory_lock(1), pg_advisory_lock(1)", "SELECT pg_advisory_unlock(1)", "COMMIT"), True),
        (("CREATE TEMP TABLE mine (id int)", "COMMIT"), True),
        (("CREATE TEMP TABLE mine (id int)", "SELECT pg_advisory_unlock_all()", "COMMIT"), True),
    ],
)
def test_what_a_session_holds_when_a_call_is_over_is_state(
    statements: tuple[LiteralString, ...], holds: bool, substitutes: Substitutes, host: ThreadHost, filled: Database
) -> None:
    filled.put_back()
    run, gate = Run(substitutes, host, []), Holds(filled.conninfo)
    run.actor("one", lambda: gate.say(*statements))
    assert run.kernel.run() is Ending.REST
    assert run.answers == {"one": None}
    assert bool(substitutes.left_open()) is holds
    run.close()
