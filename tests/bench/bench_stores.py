"""What a run costs on each store: the same scenario on the reference gates, whole calls and between inner points.

One idea: what differs is where the gate keeps its state. Real time is shown beside the time of this process, since a
database server works in processes of its own; on a machine that others use too, the least of several batches counts.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import closing

import psycopg
import pytest

from stopcheck.campaign import load_gate
from stopcheck.campaign._databases import Database
from stopcheck.campaign._ground import ground
from stopcheck.campaign._loading import load_scenarios
from stopcheck.explore import Trial, make_trial
from stopcheck.judge import CHECKS
from stopcheck.kernel import Point, ThreadHost
from stopcheck.world import Granularity, Variant
from tests.bench.conftest import Figures
from tests.fast.postgres.support import server

__all__ = ["server"]

SCENARIO = "after-commitment"
_BATCHES = 5
_RUNS = 10


class Walk:
    """A seeded random walk."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def choose(self, point: Point) -> int:
        return self._random.randrange(len(point.options))


def _batch(trial: Trial) -> tuple[float, float, float]:
    """Of a run: real time and this process' time, in seconds, and steps."""
    real_s, cpu_s = time.perf_counter(), time.process_time()
    steps = sum(trial(Walk(seed)).steps for seed in range(_RUNS))
    return (time.perf_counter() - real_s) / _RUNS, (time.process_time() - cpu_s) / _RUNS, steps / _RUNS


@pytest.mark.usefixtures("server")
def test_what_a_run_costs_on_each_store(figures: Figures) -> None:
    figures.print(f"a run of {SCENARIO} by random walk, judged; the least of {_BATCHES} batches of {_RUNS} runs")
    figures.print("gate      granularity  ms/run, real  of it CPU of this process  steps/run")
    scenario, threads = load_scenarios()[SCENARIO], ThreadHost(real_time_s=20)
    for name in ("memory", "sqlite", "postgres"):
        gate = load_gate(name)
        for granularity in Granularity:
            with ground(gate, granularity) as interior:
                variant = Variant(1, granularity)
                trial = make_trial(scenario, gate.factory, variant, interior, CHECKS, thread_host=threads)
                real_s, cpu_s, steps = min(_batch(trial) for _ in range(_BATCHES))
            figures.print(f"{name:<9} {granularity.value:<12} {real_s * 1e3:12.1f}  {cpu_s * 1e3:25.1f}  {steps:9.0f}")
    threads.close()


@pytest.mark.usefixtures("server")
def test_what_a_fresh_database_costs(figures: Figures) -> None:
    tables = [f"t{number}" for number in range(4)]
    with closing(Database()) as database:
        with psycopg.connect(database.conninfo, autocommit=True) as connection:
            made = "; ".join(f"CREATE TABLE {name} (id int PRIMARY KEY, body text)" for name in tables)
            connection.execute(made.encode())
        database.keep_template()
        ways = {"put back (DELETE)": database.put_back, "another database": lambda: Database().close()}
        figures.print("", "a fresh state of four tables with a row each; the median of 20")
        for name, way in ways.items():
            times = sorted(_once(database, tables, way) for _ in range(20))
            figures.print(f"{name:<20} {times[10] * 1e3:7.1f} ms")


def _once(database: Database, tables: list[str], way: Callable[[], None]) -> float:
    database.put_back()
    with psycopg.connect(database.conninfo, autocommit=True) as connection:
        connection.execute("; ".join(f"INSERT INTO {name} VALUES (1, 'x')" for name in tables).encode())
    before = time.perf_counter()
    way()
    return time.perf_counter() - before
