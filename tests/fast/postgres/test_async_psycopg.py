"""Statement-level branch points of psycopg's asynchronous side: what they find, who waits, and what is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import psycopg
import pytest
from psycopg import AsyncConnection

from stopcheck.campaign._databases import Database
from stopcheck.gate import HostMismatch
from stopcheck.world._asyncio_drivers import AsyncioDrivers, asyncio_drivers
from tests.fast.kernel.loops import SECOND, stand
from tests.fast.postgres.async_gates import (
    Alchemy,
    Blocks,
    CheckThenInsert,
    Crossed,
    EveryWay,
    InMemoryToo,
    Locking,
    Pooled,
)
from tests.fast.postgres.async_runs import Branch, Operation, all_runs, drivers, filled, one_run, outcomes
from tests.fast.postgres.asyncpg_gates import connected

__all__ = ["drivers", "filled"]


def admission(kind: type[CheckThenInsert], conninfo: str) -> dict[str, Operation]:
    gate = kind(conninfo)
    return {"worker": gate.commit_effect, "person": gate.cancel}


RIGHT = {("admitted", 1), ("stopped", 0)}
WINDOW = ("admitted", 0)  # the person was told "no effects", and one came


def test_what_was_read_is_not_held(drivers: AsyncioDrivers, filled: Database) -> None:
    assert outcomes(drivers, filled, lambda: admission(CheckThenInsert, filled.conninfo)) == {*RIGHT, WINDOW}


@pytest.mark.parametrize("kind", [Locking, Blocks, Alchemy, Pooled])
def test_a_row_lock_makes_the_other_wait(kind: type[Locking], drivers: AsyncioDrivers, filled: Database) -> None:
    assert outcomes(drivers, filled, lambda: admission(kind, filled.conninfo)) == RIGHT


def test_each_statement_and_the_commit_are_branch_points(drivers: AsyncioDrivers, filled: Database) -> None:
    for kind in (Locking, Blocks):
        moves = one_run(drivers, filled, **admission(kind, filled.conninfo)).points
        labels = [move.partition("@")[2] for move in moves if move.startswith("worker@sql:")]
        assert labels == ["sql:SELECT task", "sql:INSERT effect", "sql:COMMIT"]


def test_a_schedule_is_the_same_each_time(drivers: AsyncioDrivers, filled: Database) -> None:
    for played, prefix in all_runs(drivers, filled, lambda: admission(Locking, filled.conninfo)):
        again = one_run(drivers, filled, choose=Branch(prefix).choose, **admission(Locking, filled.conninfo))
        assert (again.moves, again.results) == (played.moves, played.results)


def test_a_deadlock_ends_whoever_closed_the_circle(drivers: AsyncioDrivers, filled: Database) -> None:
    def make() -> dict[str, Operation]:
        gate = Crossed(filled.conninfo)
        return {"left": lambda: gate.take(1, 2), "right": lambda: gate.take(2, 1)}

    assert outcomes(drivers, filled, make, 2) == {("both", "both"), ("both", "deadlock"), ("deadlock", "both")}


@pytest.mark.parametrize(("timeout", "answer", "at_s"), [("2s", "timeout", 2), ("1min", "both", 5), ("0", "both", 5)])
def test_a_lock_timeout_passes_in_virtual_time(
    timeout: str, answer: str, at_s: int, drivers: AsyncioDrivers, filled: Database
) -> None:
    gate, at_ns = Crossed(filled.conninfo, timeout), list[float]()

    async def take() -> str:
        came_to = await gate.take(1, 2)
        at_ns.append(asyncio.get_running_loop().time())
        return came_to

    played = one_run(drivers, filled, holder=gate.hold, left=take)
    assert (played.results[1], at_ns) == (answer, [at_s])
    assert played.now_ns == 5 * SECOND


def test_between_an_answer_and_who_hears_it_others_move(drivers: AsyncioDrivers, filled: Database) -> None:
    def make() -> dict[str, Operation]:
        gate = InMemoryToo(filled.conninfo)
        return {"reader": gate.look, "teller": gate.tell}

    found = {first for first, _ in outcomes(drivers, filled, make)}
    assert found == {("running", False), ("running", True), ("cancelled", True)}


def test_every_way_to_speak_is_heard(drivers: AsyncioDrivers, filled: Database) -> None:
    filled.put_back()
    plain = asyncio.run(EveryWay(filled.conninfo).speak())  # in a real loop: as psycopg itself does it
    played = one_run(drivers, filled, one=EveryWay(filled.conninfo).speak)
    assert played.results == [plain]
    assert len([move for move in played.points if "@sql:" in move]) >= 10


def test_what_a_session_holds_when_a_call_is_over_is_state(drivers: AsyncioDrivers, filled: Database) -> None:
    held: list[bytes] = []

    async def holds() -> None:
        one = await AsyncConnection.connect(filled.conninfo, autocommit=True)
        other = await connected(filled.conninfo)
        for connection in (one, other):
            for statement in ("SELECT 1", "BEGIN", "UPDATE task SET status = 'y' WHERE id = 1", "COMMIT"):
                await connection.execute(statement)
                held.append(drivers.held())
            await connection.close()

    one_run(drivers, filled, holds=holds)
    assert [bool(digest) for digest in held] == [False, True, True, False] * 2
    assert len(set(held)) == 5  # how each came to hold it is told apart


def test_afterwards_everything_is_as_it_was() -> None:
    def methods() -> list[object]:
        kinds = (psycopg.Connection, psycopg.AsyncConnection)
        found: list[object] = [vars(kind)[name] for kind in kinds for name in ("connect", "wait", "close")]
        return [*found, psycopg.waiting.wait_conn_async, psycopg.generators.connect, psycopg.connect]

    before = methods()
    with asyncio_drivers():
        assert all(now is not was for now, was in zip(methods(), before, strict=True))
    assert methods() == before


# -- cancellation ----------------------------------------------------------------------------------------------------

INSERT = "INSERT INTO effect VALUES ('e')"
ROWS = "SELECT count(*) FROM effect"
Ends = Callable[[AsyncConnection[Any]], Awaitable[object]]


async def insert(connection: AsyncConnection[Any]) -> object:
    return await connection.execute(INSERT)


async def commit(connection: AsyncConnection[Any]) -> object:
    await connection.commit()
    return None


async def end_block(connection: AsyncConnection[Any]) -> object:
    async with connection.transaction():
        return await connection.execute(INSERT)


def pressed(database: Database, act: Ends, *, autocommit: bool, before: str = "") -> dict[str, Operation]:
    """The worker says something, and somebody cancels that. The worker's result: whether it was cancelled, the state of
    its transaction then, and how many rows others find after it has rolled back."""
    tasks: list[asyncio.Future[object]] = []

    async def worker() -> tuple[str, str, int]:
        connection = await AsyncConnection.connect(database.conninfo, autocommit=autocommit)
        if before:
            await connection.execute(before)
        tasks.append(asyncio.ensure_future(act(connection)))
        await asyncio.wait(tasks)
        status = connection.info.transaction_status
        await connection.rollback()
        await connection.close()
        with psycopg.connect(database.conninfo) as other:
            found = other.execute(ROWS).fetchone()
        assert found is not None
        return "cancelled" if tasks[0].cancelled() else "answered", status.name, found[0]

    async def person() -> None:
        while not tasks:
            await stand("press", blocked=True)
        await stand("press")
        tasks[0].cancel()

    return {"worker": worker, "person": person}


@pytest.mark.parametrize(
    ("act", "autocommit", "before", "expected"),
    [
        (insert, True, "", {("answered", "IDLE", 1), ("cancelled", "IDLE", 0), ("cancelled", "IDLE", 1)}),
        (insert, False, "", {("answered", "INTRANS", 0), ("cancelled", "INERROR", 0), ("cancelled", "INTRANS", 0)}),
        (commit, False, INSERT, {("answered", "IDLE", 1), ("cancelled", "INERROR", 0), ("cancelled", "IDLE", 1)}),
        (
            end_block,
            True,
            "",
            # Before the block began; in its INSERT, which was then rolled back; in its COMMIT.
            {("answered", "IDLE", 1), ("cancelled", "IDLE", 0), ("cancelled", "INERROR", 0), ("cancelled", "IDLE", 1)},
        ),
    ],
)
def test_a_cancelled_statement_fails_or_was_made(
    act: Ends,
    autocommit: bool,
    before: str,
    expected: set[Any],
    drivers: AsyncioDrivers,
    filled: Database,
) -> None:
    found = outcomes(drivers, filled, lambda: pressed(filled, act, autocommit=autocommit, before=before))
    assert {worker for worker, _ in found} == expected


def test_a_wait_for_a_lock_is_cancelled_in_the_server(drivers: AsyncioDrivers, filled: Database) -> None:
    """Whoever comes next finds the lock as it would be without the one that gave up."""

    async def waits() -> tuple[str, str]:
        async with await AsyncConnection.connect(filled.conninfo, autocommit=True) as connection:
            try:
                async with asyncio.timeout(2):
                    await connection.execute("UPDATE task SET status = 'y' WHERE id = 1")
            except TimeoutError:
                found = await (await connection.execute("SELECT status FROM task WHERE id = 1")).fetchone()
                assert found is not None
                return "gave up", found[0]
            return "waited", ""

    holder = Crossed(filled.conninfo)
    played = one_run(drivers, filled, holder=holder.hold, hasty=waits, patient=lambda: holder.take(1, 2))
    assert played.results == [None, ("gave up", "running"), "both"]
    assert played.now_ns == 5 * SECOND


# -- what is not simulated -------------------------------------------------------------------------------------------


def test_a_blocking_connection_that_would_wait_is_the_adapters_fault(drivers: AsyncioDrivers, filled: Database) -> None:
    def blocks() -> None:
        with psycopg.connect(filled.conninfo) as connection:
            connection.execute("UPDATE task SET status = 'y' WHERE id = 1")

    async def at_once() -> None:
        blocks()

    async def in_a_thread() -> None:
        await asyncio.to_thread(blocks)

    for wrong in (at_once, in_a_thread):
        played = one_run(drivers, filled, holder=Crossed(filled.conninfo).hold, blocks=wrong)
        assert isinstance(played.results[1], HostMismatch)
        assert "blocking psycopg connection waits for another call's lock" in str(played.results[1])
        assert one_run(drivers, filled, blocks=wrong).results == [None]


def test_listening_is_the_adapters_fault(drivers: AsyncioDrivers, filled: Database) -> None:
    async def listens() -> None:
        async with await AsyncConnection.connect(filled.conninfo, autocommit=True) as connection:
            await connection.execute("LISTEN news")
            async for _ in connection.notifies():
                pass

    (fault,) = one_run(drivers, filled, listens=listens).results
    assert isinstance(fault, HostMismatch)
    assert "LISTEN" in fault.what
