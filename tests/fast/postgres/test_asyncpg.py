"""Statement-level branch points of asyncpg: what they find, who waits, and what is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
import psycopg
import pytest

from stopcheck.campaign._databases import Database
from stopcheck.gate import HostMismatch
from stopcheck.world._asyncio_drivers import AsyncioDrivers, asyncio_drivers
from tests.fast.kernel.loops import SECOND, stand
from tests.fast.postgres import async_gates
from tests.fast.postgres.async_runs import Branch, Operation, all_runs, drivers, filled, one_run, outcomes
from tests.fast.postgres.asyncpg_gates import (
    CheckThenInsert,
    Crossed,
    EveryWay,
    InMemoryToo,
    Locking,
    Pooled,
    connected,
)

__all__ = ["drivers", "filled"]

RIGHT = {("admitted", 1), ("stopped", 0)}
WINDOW = ("admitted", 0)  # the person was told "no effects", and one came


def admission(kind: type[CheckThenInsert], conninfo: str) -> dict[str, Operation]:
    gate = kind(conninfo)
    return {"worker": gate.commit_effect, "person": gate.cancel}


def test_what_was_read_is_not_held(drivers: AsyncioDrivers, filled: Database) -> None:
    assert outcomes(drivers, filled, lambda: admission(CheckThenInsert, filled.conninfo)) == {*RIGHT, WINDOW}


@pytest.mark.parametrize("kind", [Locking, Pooled])
def test_a_row_lock_makes_the_other_wait(kind: type[Locking], drivers: AsyncioDrivers, filled: Database) -> None:
    assert outcomes(drivers, filled, lambda: admission(kind, filled.conninfo)) == RIGHT


def test_each_statement_and_the_commit_are_branch_points(drivers: AsyncioDrivers, filled: Database) -> None:
    moves = one_run(drivers, filled, **admission(Locking, filled.conninfo)).points
    labels = [move.partition("@")[2] for move in moves if move.startswith("worker@sql:")]
    assert labels == ["sql:SELECT task", "sql:INSERT effect", "sql:COMMIT"]


def test_a_schedule_is_the_same_each_time(drivers: AsyncioDrivers, filled: Database) -> None:
    for played, prefix in all_runs(drivers, filled, lambda: admission(Locking, filled.conninfo)):
        again = one_run(drivers, filled, choose=Branch(prefix).choose, **admission(Locking, filled.conninfo))
        assert (again.moves, again.results) == (played.moves, played.results)


def test_it_waits_for_what_psycopg_holds_and_psycopg_for_it(drivers: AsyncioDrivers, filled: Database) -> None:
    def make() -> dict[str, Operation]:
        one, other = Locking(filled.conninfo), async_gates.Locking(filled.conninfo)
        return {"worker": one.commit_effect, "person": other.cancel}

    assert outcomes(drivers, filled, make) == RIGHT


def test_a_deadlock_ends_whoever_closed_the_circle(drivers: AsyncioDrivers, filled: Database) -> None:
    def make() -> dict[str, Operation]:
        gate, other = Crossed(filled.conninfo), async_gates.Crossed(filled.conninfo)
        return {"left": lambda: gate.take(1, 2), "right": lambda: other.take(2, 1)}

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
    drivers.take_away()
    plain = asyncio.run(EveryWay(filled.conninfo).speak())  # in a real loop: as asyncpg itself does it
    drivers.put_in_place()
    played = one_run(drivers, filled, one=EveryWay(filled.conninfo).speak)
    assert played.results == [plain]
    assert len([move for move in played.points if "@sql:" in move]) >= 10


def test_afterwards_everything_is_as_it_was() -> None:
    kinds: list[Any] = [asyncpg.connect_utils, asyncpg.protocol.Protocol, asyncpg.Connection]
    kinds.append(asyncpg.protocol.protocol.Timer)
    before = [dict(vars(kind)) for kind in kinds]
    with asyncio_drivers():
        assert all(dict(vars(kind)) != was for kind, was in zip(kinds, before, strict=True))
    assert [dict(vars(kind)) for kind in kinds] == before


def test_two_tasks_on_one_connection_are_told_so(drivers: AsyncioDrivers, filled: Database) -> None:
    """As asyncpg tells them, though a statement that stands has not begun for it."""
    shared: list[Any] = []

    def make() -> dict[str, Operation]:
        shared.clear()
        return {"left": speaks, "right": also_speaks}

    async def speaks() -> str:
        if not shared:
            shared.append(await connected(filled.conninfo))
        try:
            await shared[0].execute("INSERT INTO effect VALUES ('e') ON CONFLICT DO NOTHING")
        except asyncpg.InterfaceError as error:
            return str(error)
        return "made"

    async def also_speaks() -> str:
        return await speaks()

    refused = "cannot perform operation: another operation is in progress"
    assert outcomes(drivers, filled, make) == {("made", "made"), ("made", refused)}


# -- cancellation ----------------------------------------------------------------------------------------------------

INSERT = "INSERT INTO effect VALUES ('e')"
Ends = Callable[[Any], Awaitable[object]]


async def insert(connection: Any) -> object:
    return await connection.execute(INSERT)


async def insert_prepared(connection: Any) -> object:
    return await connection.execute("INSERT INTO effect VALUES ($1)", "e")


async def insert_in_block(connection: Any) -> object:
    async with connection.transaction():
        return await connection.execute(INSERT)


def pressed(database: Database, act: Ends) -> dict[str, Operation]:
    """The worker says something, and somebody cancels that. The worker's result: whether it was cancelled, and how many
    rows others find then."""
    tasks: list[asyncio.Future[object]] = []

    async def worker() -> tuple[str, int, bool]:
        connection = await connected(database.conninfo)
        tasks.append(asyncio.ensure_future(act(connection)))
        await asyncio.wait(tasks)
        inside = connection.is_in_transaction()
        usable = await connection.fetchval("SELECT 1") == 1 if not inside else False
        await connection.close()
        with psycopg.connect(database.conninfo) as other:
            found = other.execute("SELECT count(*) FROM effect").fetchone()
        assert found is not None
        return "cancelled" if tasks[0].cancelled() else "answered", found[0], usable

    async def person() -> None:
        while not tasks:
            await stand("press", blocked=True)
        await stand("press")
        tasks[0].cancel()

    return {"worker": worker, "person": person}


@pytest.mark.parametrize(
    ("act", "more"),
    [
        (insert, set[Any]()),
        (insert_prepared, set[Any]()),
        (insert_in_block, {("cancelled", 0, False)}),  # BEGIN was made, and its block not entered
    ],
)
def test_a_cancelled_statement_fails_or_was_made(
    act: Ends, more: set[Any], drivers: AsyncioDrivers, filled: Database
) -> None:
    found = {worker for worker, _ in outcomes(drivers, filled, lambda: pressed(filled, act))}
    assert found == {("answered", 1, True), ("cancelled", 0, True), ("cancelled", 1, True), *more}


def test_a_statement_that_was_cancelled_has_failed_its_transaction(drivers: AsyncioDrivers, filled: Database) -> None:
    async def goes_on_all_the_same() -> str:
        connection = await connected(filled.conninfo)
        await connection.execute("BEGIN")
        task = asyncio.ensure_future(connection.execute(INSERT))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        try:
            await connection.execute("SELECT 1")
        except asyncpg.InFailedSQLTransactionError:
            return "failed"
        finally:
            await connection.close()
        return "went on"

    assert one_run(drivers, filled, one=goes_on_all_the_same).results == ["failed"]


@pytest.mark.parametrize("how", ["asyncio.timeout", "timeout=", "command_timeout="])
def test_a_wait_for_a_lock_is_cancelled_in_the_server(how: str, drivers: AsyncioDrivers, filled: Database) -> None:
    """Whoever comes next finds the lock as it would be without the one that gave up, which can go on."""

    async def waits() -> tuple[str, str]:
        connection = await connected(filled.conninfo, **({"command_timeout": 2} if how == "command_timeout=" else {}))
        more = {"timeout": 2} if how == "timeout=" else {}
        try:
            async with asyncio.timeout(2 if how == "asyncio.timeout" else None):
                await connection.execute("UPDATE task SET status = $1 WHERE id = 1", "y", **more)
        except TimeoutError:
            return "gave up", await connection.fetchval("SELECT status FROM task WHERE id = 1")
        finally:
            await connection.close()
        return "waited", ""

    holder = Crossed(filled.conninfo)
    played = one_run(drivers, filled, holder=holder.hold, hasty=waits, patient=lambda: holder.take(1, 2))
    assert played.results == [None, ("gave up", "running"), "both"]
    assert played.now_ns == 5 * SECOND


# -- what is not simulated -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("more", "what"), [({"ssl": "require"}, "sslmode 'require'"), ({}, "listens")])
def test_what_is_not_simulated_is_the_adapters_fault(
    more: dict[str, Any], what: str, drivers: AsyncioDrivers, filled: Database
) -> None:
    async def listens() -> None:
        connection = await connected(filled.conninfo, **more)
        await connection.add_listener("news", print)

    (fault,) = one_run(drivers, filled, listens=listens).results
    assert isinstance(fault, HostMismatch)
    assert what in fault.what


def test_other_sockets_are_refused_as_before(drivers: AsyncioDrivers, filled: Database) -> None:
    async def asks() -> None:
        connection = await connected(filled.conninfo)
        await connection.close()
        await asyncio.open_connection("127.0.0.1", 1)

    (fault,) = one_run(drivers, filled, asks=asks).results
    assert isinstance(fault, NotImplementedError)
