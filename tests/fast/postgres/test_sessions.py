"""Sessions serve one run after another, as if each were new."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import psycopg
import pytest

from stopcheck.campaign._databases import Database
from stopcheck.kernel import Ending, ThreadHost
from stopcheck.world._substitutes import Substitutes, substituted
from tests.fast.postgres import small_gates
from tests.fast.postgres.small_gates import Speaks
from tests.fast.world.test_substitutes import Run

#: What a session may leave, and how a later one would notice.
LEFT = {
    "SET search_path = nowhere": "SHOW search_path",
    "CREATE TEMP TABLE mine (id int)": "SELECT to_regclass('pg_temp.mine')",
    "PREPARE mine AS SELECT 1": "SELECT count(*) FROM pg_prepared_statements WHERE name = 'mine'",
    "DECLARE mine CURSOR WITH HOLD FOR SELECT 1": "SELECT count(*) FROM pg_cursors",
    "LISTEN mine": "SELECT count(*) FROM pg_listening_channels()",
    "SELECT pg_advisory_lock(7)": "SELECT count(*) FROM pg_locks WHERE objid = 7 AND pid = pg_backend_pid()",
    "SET application_name = 'mine'": "SHOW application_name",
    "SET SESSION AUTHORIZATION pg_monitor": "SELECT session_user",
    "SET ROLE pg_read_all_stats": "SELECT current_user",
}
PID = "SELECT pg_backend_pid()"


@pytest.fixture(scope="module")
def host() -> Iterator[ThreadHost]:
    made = ThreadHost(real_time_s=20)
    yield made
    made.close()


@pytest.fixture
def substitutes(database: Database) -> Iterator[Substitutes]:
    with substituted((sys.modules[small_gates.__name__],)) as made:
        yield made


def played(
    substitutes: Substitutes, host: ThreadHost, conninfo: str, *statements: str, keeps: bool = False
) -> tuple[Speaks, list[object]]:
    """A gate in a run of its own, what it was told, and last the process that told it."""
    run = Run(substitutes, host, [])
    gate = Speaks(conninfo, keeps_cursor=keeps)
    run.actor("one", lambda: gate.say(*statements, PID))
    assert run.kernel.run() is Ending.REST
    run.kernel.close()
    substitutes.over()
    run.close()
    return gate, run.answers["one"]


def test_nothing_of_a_run_is_left_in_its_sessions(
    substitutes: Substitutes, host: ThreadHost, database: Database
) -> None:
    (_, before), (_, left), (_, after) = (
        played(substitutes, host, database.conninfo, *leaving, *LEFT.values()) for leaving in ((), LEFT, ())
    )
    assert before == after  # that of the process as well
    left = left[len(LEFT) :]
    assert left[-1] == before[-1]
    assert [look for look, was, is_ in zip(LEFT.values(), before, left, strict=False) if was == is_] == []


def test_a_session_of_another_run_is_out_of_reach(
    substitutes: Substitutes, host: ThreadHost, database: Database
) -> None:
    gate, first = played(substitutes, host, database.conninfo)
    _, second = played(substitutes, host, database.conninfo)
    assert first == second
    assert gate.connection.closed
    with pytest.raises(psycopg.OperationalError, match="closed"):
        gate.connection.execute("SELECT 1")


def test_a_session_ends_that_something_else_still_holds(
    substitutes: Substitutes, host: ThreadHost, database: Database
) -> None:
    _gate, first = played(substitutes, host, database.conninfo, keeps=True)
    _, second = played(substitutes, host, database.conninfo)
    assert first != second


def test_within_a_run_what_is_closed_ends(substitutes: Substitutes, host: ThreadHost, database: Database) -> None:
    run = Run(substitutes, host, [])
    gate = Speaks(database.conninfo)

    def reconnect() -> tuple[object, object, object]:
        (first,) = gate.say(PID)
        gate.connection.close()
        gate.connect()
        second, alive = gate.say(PID, f"SELECT count(*) FROM pg_stat_activity WHERE pid = {first}")
        return first, second, alive

    run.actor("one", reconnect)
    assert run.kernel.run() is Ending.REST
    first, second, alive = run.answers["one"]
    assert first != second
    assert alive == 0
    run.close()
