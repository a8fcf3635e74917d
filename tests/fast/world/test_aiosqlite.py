"""aiosqlite's statements as branch points: what lies between them, and who waits for whom."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import aiosqlite
import pytest

from stopcheck.kernel import AsyncioHost, Ending, Point
from stopcheck.world._asyncio_drivers import AsyncioDrivers, asyncio_drivers
from tests.fast.kernel.loops import SECOND, Played, play

Operation = Any  # a callable that returns an awaitable; ``play`` has other keywords too


@pytest.fixture
def drivers() -> Iterator[AsyncioDrivers]:
    with asyncio_drivers() as made:
        yield made


class Branch:
    """Answers by prefix, then by the default; keeps how many options there were."""

    def __init__(self, prefix: list[int]) -> None:
        self.prefix = prefix
        self.counts: list[int] = []

    def choose(self, point: Point) -> int:
        number = len(self.counts)
        self.counts.append(len(point.options))
        return self.prefix[number] if number < len(self.prefix) else 0


#: From the default order: a window needs one.
DEVIATIONS = 1


def all_runs(drivers: AsyncioDrivers, make: Callable[[], dict[str, Operation]]) -> Iterator[Played]:
    """Every interleaving that leaves the default order at most once, depth first."""
    pending: list[list[int]] = [[]]
    while pending:
        path = Branch(pending.pop())
        played = play(AsyncioHost, choose=path.choose, **make())
        drivers.end()
        yield played
        if sum(map(bool, path.prefix)) == DEVIATIONS:
            continue
        for position in range(len(path.prefix), len(path.counts)):
            for other in range(1, path.counts[position]):
                pending.append([*path.prefix, *([0] * (position - len(path.prefix))), other])


def database(path: Path) -> Path:
    """A flag that is up, and no effects."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE flag (up INTEGER)")
        db.execute("INSERT INTO flag VALUES (1)")
        db.execute("CREATE TABLE effect (name TEXT)")
    return path


async def value(db: aiosqlite.Connection, sql: str) -> int:
    async with db.execute(sql) as cursor:
        row = await cursor.fetchone()
    assert row is not None
    return int(row[0])


def race(path: Path, begin: str) -> dict[str, Operation]:
    """An admission against a stop, each on a connection of its own; ``begin`` comes before they look."""
    database(path)

    async def admit() -> str:
        async with aiosqlite.connect(path, isolation_level=None) as db:
            if begin:
                await db.execute(begin)
            up = await value(db, "SELECT up FROM flag")
            if up:
                await db.execute("INSERT INTO effect VALUES ('mail')")
            await db.commit()
            return "admitted" if up else "stopped"

    async def stop() -> int:
        async with aiosqlite.connect(path, isolation_level=None) as db:
            if begin:
                await db.execute(begin)
            await db.execute("UPDATE flag SET up = 0")
            seen = await value(db, "SELECT COUNT(*) FROM effect")
            await db.commit()
            return seen

    return {"worker": admit, "person": stop}


@pytest.mark.parametrize(
    ("begin", "outcomes"),
    [
        ("", {("admitted", 0), ("admitted", 1), ("stopped", 0)}),  # told "no effects", and one came
        ("BEGIN IMMEDIATE", {("admitted", 1), ("stopped", 0)}),
    ],
)
def test_a_window_between_two_statements_is_found_and_one_transaction_has_none(
    drivers: AsyncioDrivers, tmp_path: Path, begin: str, outcomes: set[Any]
) -> None:
    paths = iter(tmp_path / f"{number}.db" for number in range(10_000))
    seen: set[Any] = set()
    for played in all_runs(drivers, lambda: race(next(paths), begin)):
        assert played.ending is Ending.REST
        seen.add(tuple(played.results))
    assert seen == outcomes


def test_a_statement_does_not_overtake_one_of_the_same_connection(drivers: AsyncioDrivers, tmp_path: Path) -> None:
    paths = iter(tmp_path / f"{number}.db" for number in range(10_000))

    def make() -> dict[str, Operation]:
        path, begun = database(next(paths)), list[str]()
        shared: list[asyncio.Future[aiosqlite.Connection]] = []

        async def write(name: str) -> None:
            if not shared:
                shared.append(asyncio.ensure_future(aiosqlite.connect(path, isolation_level=None).__aenter__()))
            db = await asyncio.shield(shared[0])
            begun.append(name)
            await db.execute("INSERT INTO effect VALUES (?)", (name,))

        async def first() -> None:
            await write("first")

        async def second() -> list[str]:
            await write("second")
            with closing(sqlite3.connect(path)) as db:
                found = [row[0] for row in db.execute("SELECT name FROM effect ORDER BY rowid")]
            assert found == begun[: len(found)]
            return found

        return {"first": first, "second": second}

    seen = {tuple(played.results[1]) for played in all_runs(drivers, make)}
    assert {("first", "second"), ("second",)} <= seen


def test_a_lock_is_waited_for_in_virtual_time_and_no_longer_than_the_timeout(
    drivers: AsyncioDrivers, tmp_path: Path
) -> None:
    path = database(tmp_path / "gate.db")

    async def holds() -> None:
        async with aiosqlite.connect(path, isolation_level=None) as db:
            await db.execute("BEGIN IMMEDIATE")
            await asyncio.sleep(60)
            await db.commit()

    async def wants(**options: Any) -> str:
        async with aiosqlite.connect(path, isolation_level=None, **options) as db:
            await db.execute("BEGIN IMMEDIATE")
            await db.commit()
        return "got it"

    async def patient() -> str:
        return await wants(timeout=90)

    async def hasty() -> str:
        return await wants()

    async def at_once() -> str:
        async with aiosqlite.connect(path, isolation_level=None) as db:
            await db.execute("PRAGMA busy_timeout = 0")
            await db.execute("BEGIN IMMEDIATE")
        return "got it"

    played = play(AsyncioHost, holds=holds, patient=patient, hasty=hasty, at_once=at_once)
    assert (played.ending, played.results[1]) == (Ending.REST, "got it")
    assert ["locked" in str(result) for result in played.results[2:]] == [True, True]
    assert played.now_ns == 60 * SECOND
    drivers.end()


def test_of_two_that_would_wait_for_each_other_one_is_told_at_once(drivers: AsyncioDrivers, tmp_path: Path) -> None:
    """Both have read and want to write: SQLite does not let a reader wait for a writer, and nobody hangs."""
    paths = iter(tmp_path / f"{number}.db" for number in range(10_000))

    def make() -> dict[str, Operation]:
        path = database(next(paths))

        async def take() -> str:
            async with aiosqlite.connect(path, isolation_level=None) as db:
                await db.execute("BEGIN")
                await value(db, "SELECT up FROM flag")
                try:
                    await db.execute("UPDATE flag SET up = up + 1")
                    await db.commit()
                except sqlite3.OperationalError as error:
                    return str(error)
                return "both"

        return {"left": take, "right": take}

    runs = list(all_runs(drivers, make))
    assert {played.ending for played in runs} == {Ending.REST}
    locked = "database is locked"
    assert {tuple(played.results) for played in runs} == {("both", "both"), ("both", locked), (locked, "both")}
    assert {played.now_ns for played in runs} == {0}


def test_a_cancelled_statement_is_made_all_the_same(drivers: AsyncioDrivers, tmp_path: Path) -> None:
    path = database(tmp_path / "gate.db")

    async def operation() -> int:
        async with aiosqlite.connect(path, isolation_level=None) as db:
            task = asyncio.ensure_future(db.execute("INSERT INTO effect VALUES ('mail')").__aenter__())
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            return await value(db, "SELECT COUNT(*) FROM effect")

    assert play(AsyncioHost, operation=operation).results == [1]
    drivers.end()


def test_no_thread_is_started_and_afterwards_everything_is_as_it_was(tmp_path: Path) -> None:
    before = dict(aiosqlite.Connection.__dict__)
    running = threading.active_count()
    kept: list[aiosqlite.Connection] = []

    async def operation() -> int:
        kept.append(db := await aiosqlite.connect(database(tmp_path / "gate.db")))
        assert threading.active_count() == running
        return await value(db, "SELECT up FROM flag")

    with asyncio_drivers() as drivers:
        assert play(AsyncioHost, operation=operation).results == [1]
        drivers.end()
    assert dict(aiosqlite.Connection.__dict__) == before
