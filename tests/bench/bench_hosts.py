"""What a host costs: a random walk over the race of three workers against one stopper, each a nested call.

One idea: only ratios, of CPU times, say anything on a machine that others use too. The yardstick for the hosts with a
loop is an empty run of their library, which each execution contains; the ways are timed in turn, in short batches, and
the best of each is compared. A step's cost is the difference between a long and a short run, by its steps.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from typing import Any

import trio

from stopcheck.kernel import (
    AsyncioHost,
    Host,
    InlineHost,
    Kernel,
    Park,
    Point,
    ThreadHost,
    TrioHost,
    branch,
    current_call,
    current_loop,
    park_here,
    perform,
)
from tests.bench.conftest import Figures

#: The bar for trio is 700 executions/s where an empty ``trio.run`` takes 344 us: this many empty runs.
BAR = 1e6 / 700 / 344

_BATCHES = 40
_RUNS = 10
_LONG = 50


async def point(label: str) -> None:
    """A branch point on any host."""
    loop = current_loop()
    if loop is not None:
        await loop.stand(Park(label))
    elif current_call() is not None:
        park_here(Park(label))
    else:
        await branch(label)


class Race:
    """Workers check a flag and send; a stopper sets it. ``late`` counts what was sent after the stop."""

    def __init__(self, points: int) -> None:
        self.points = points
        self.stopped = False
        self.late = 0

    async def work(self) -> None:
        """Checks, then acts."""
        if self.points > 1 or not self.stopped:  # many points are for the cost of a step
            for _ in range(self.points):
                await point("send")
            self.late += self.stopped

    async def stop(self) -> None:
        self.stopped = True


class Walk:
    """A seeded random walk."""

    def __init__(self) -> None:
        self.random = random.Random(1).random

    def choose(self, point: Point) -> int:
        return int(self.random() * len(point.options))


async def _actor(call: Callable[[], Any]) -> None:
    await perform(call)


def execute(make: Callable[[Callable[[], int]], Host], choose: Callable[[Point], int], points: int = 1) -> Kernel:
    """One execution on a host of its own."""
    race = Race(points)
    kernels: list[Kernel] = []
    host = make(lambda: kernels[0].now_ns)
    kernel = Kernel(choose, host=host)
    kernels.append(kernel)
    for number in range(3):
        kernel.spawn(f"worker{number}", _actor(race.work))
    kernel.spawn("stopper", _actor(race.stop))
    kernel.run()
    kernel.close()
    host.close()
    return kernel


async def _nothing() -> None:
    pass


def best(ways: dict[str, Callable[[], object]]) -> dict[str, float]:
    """For each way: microseconds of one run in its best batch."""
    fastest = dict.fromkeys(ways, float("inf"))
    for _ in range(_BATCHES):
        for name, run in ways.items():
            begin = time.process_time()
            for _ in range(_RUNS):
                run()
            fastest[name] = min(fastest[name], (time.process_time() - begin) / _RUNS * 1e6)
    return fastest


HOSTS: dict[str, Callable[[Callable[[], int]], Host]] = {
    "inline": lambda _now: InlineHost(),
    "thread": lambda _now: ThreadHost(),
    "trio": TrioHost,
    "asyncio": AsyncioHost,
}


def test_the_race_of_three_workers_on_each_host(figures: Figures) -> None:
    walk = Walk()
    ways: dict[str, Callable[[], object]] = {
        "empty trio": lambda: trio.run(_nothing),
        "empty asyncio": lambda: asyncio.run(_nothing()),
    }
    for name, make in HOSTS.items():
        ways[name] = lambda make=make: execute(make, walk.choose)  # type: ignore[misc]
        ways[f"{name}, long"] = lambda make=make: execute(make, walk.choose, _LONG)  # type: ignore[misc]
    us = best(ways)
    lines = [f"an empty trio.run {us['empty trio']:.0f} us, an empty asyncio.run {us['empty asyncio']:.0f} us"]
    for name in HOSTS:
        step = (us[f"{name}, long"] - us[name]) / (3 * (_LONG - 1))
        lines.append(f"{name:8} {1e6 / us[name]:8,.0f} executions/s ({us[name]:6.0f} us), {step:5.1f} us a step")
    ratio = us["trio"] / us["empty trio"]
    lines.append(f"trio: {ratio:.2f} empty runs for one execution; the bar of 700/s is {BAR:.2f}")
    figures.print(*lines)
    assert ratio <= BAR
