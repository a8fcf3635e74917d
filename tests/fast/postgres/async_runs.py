"""Runs of asynchronous code on a database, over the bare kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from stopcheck.campaign._databases import Database
from stopcheck.kernel import AsyncioHost, Ending, Point
from stopcheck.world._asyncio_drivers import AsyncioDrivers, asyncio_drivers
from tests.fast.kernel.loops import Played, play
from tests.fast.postgres.small_gates import SCHEMA

Operation = Any  # a callable that returns an awaitable; ``play`` has other keywords too


@pytest.fixture(scope="module")
def filled(database: Database) -> Database:
    with psycopg.connect(database.conninfo) as connection:
        connection.execute(SCHEMA)
    database.keep_template()
    return database


@pytest.fixture
def drivers(filled: Database) -> Iterator[AsyncioDrivers]:
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


def one_run(drivers: AsyncioDrivers, database: Database, *wanted: str, choose: Any = None, **operations: Any) -> Played:
    """A run on the template, and then nothing is left of it."""

    def host(now_ns: Callable[[], int]) -> AsyncioHost:
        drivers.psycopg.begin_at(now_ns)
        return AsyncioHost(now_ns)

    database.put_back()
    try:
        return play(host, *wanted, choose=choose, **operations)
    finally:
        drivers.psycopg.over()
        drivers.end()


def all_runs(
    drivers: AsyncioDrivers, database: Database, make: Callable[[], dict[str, Operation]], deviations: int = 1
) -> Iterator[tuple[Played, list[int]]]:
    """Every interleaving that leaves the default order at most so often, depth first."""
    pending: list[list[int]] = [[]]
    while pending:
        path = Branch(pending.pop())
        yield one_run(drivers, database, choose=path.choose, **make()), path.prefix
        if sum(map(bool, path.prefix)) == deviations:
            continue
        for position in range(len(path.prefix), len(path.counts)):
            for other in range(1, path.counts[position]):
                pending.append([*path.prefix, *([0] * (position - len(path.prefix))), other])


def outcomes(
    drivers: AsyncioDrivers, database: Database, make: Callable[[], dict[str, Operation]], deviations: int = 1
) -> set[Any]:
    found: set[Any] = set()
    for played, _ in all_runs(drivers, database, make, deviations):
        assert played.ending is Ending.REST
        found.add(tuple(played.results))
    return found
