"""What the kernel costs: a seeded random walk over the race of n workers against one stopper, log included.

One idea: only a ratio, of CPU times, says anything on a machine that others use too. The yardstick is a bare loop that
steps the same coroutines in random order and keeps the same log, without points, names to choose from, timers, faults
or bounds. Both are timed in turn, in many short batches, and the best of each is compared.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

import pytest

from stopcheck.kernel import Kernel, Point, Recorder, branch
from tests.bench.conftest import Figures

#: The bar: at most this many times the bare loop's time.
BAR = 4.0

_BATCHES = 400
_RUNS = 25


class Race:
    """Workers check a flag and send; a stopper sets it. ``late`` counts what was sent after the stop."""

    def __init__(self) -> None:
        self.stopped = False
        self.sent = 0
        self.late = 0

    def send(self) -> None:
        self.sent += 1
        self.late += self.stopped

    async def broken(self) -> None:
        """Checks, then acts."""
        if not self.stopped:
            await branch("send", ("flag",))
            self.send()

    async def fixed(self) -> None:
        """Checks again in the step in which it acts."""
        if not self.stopped:
            await branch("send", ("flag",))
            if not self.stopped:
                self.send()

    async def stop(self) -> None:
        self.stopped = True

    def cast(self, kind: str, workers: int) -> list[tuple[str, Coroutine[Any, Any, None]]]:
        """The actors."""
        work = self.broken if kind == "broken" else self.fixed
        return [*((f"worker{number}", work()) for number in range(workers)), ("stopper", self.stop())]


class Walk:
    """A seeded random walk."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed).random

    def choose(self, point: Point) -> int:
        return int(self.random() * len(point.options))


def on_kernel(choose: Callable[[Point], int], kind: str, workers: int) -> Race:
    """One execution on the kernel, inline host."""
    race = Race()
    kernel = Kernel(choose)
    for name, coroutine in race.cast(kind, workers):
        kernel.spawn(name, coroutine)
    kernel.run()
    kernel.close()
    return race


def bare(uniform: Callable[[], float], kind: str, workers: int) -> Race:
    """One execution in a bare loop."""
    race = Race()
    live = race.cast(kind, workers)
    log: list[tuple[int, int, str]] = []
    while live:
        which = int(uniform() * len(live))
        name, coroutine = live[which]
        log.append((len(log), 0, name))
        try:
            coroutine.send(None)
        except StopIteration:
            del live[which]
    return race


def best(runs: Iterable[Callable[[], Race]]) -> tuple[list[float], list[int]]:
    """For each way to run: seconds for one execution in its best batch, and executions with a late send in 1,000."""
    ways = list(runs)
    fastest = [float("inf")] * len(ways)
    late = [0] * len(ways)
    for _ in range(_BATCHES):
        for number, run in enumerate(ways):
            begin = time.process_time()
            races = [run() for _ in range(_RUNS)]
            fastest[number] = min(fastest[number], (time.process_time() - begin) / _RUNS)
            late[number] += sum(race.late > 0 for race in races)
    return fastest, [1000 * count // (_BATCHES * _RUNS) for count in late]


@pytest.mark.parametrize("workers", [2, 3, 4])
@pytest.mark.parametrize("kind", ["broken", "fixed"])
def test_a_random_walk_costs_at_most_four_times_a_bare_loop(kind: str, workers: int, figures: Figures) -> None:
    walk, other, recorded = Walk(1), Walk(2), Walk(3)
    (kernel_s, bare_s, recorded_s), (late, bare_late, _) = best(
        [
            lambda: on_kernel(walk.choose, kind, workers),
            lambda: bare(other.random, kind, workers),
            lambda: on_kernel(Recorder(recorded).choose, kind, workers),
        ]
    )
    figures.print(
        f"{kind:6} race, {workers} workers: kernel {1 / kernel_s:8,.0f}/s, recorded {1 / recorded_s:8,.0f}/s, "
        f"bare loop {1 / bare_s:8,.0f}/s, {kernel_s / bare_s:.2f} times; "
        f"late sends in {late / 10:.1f} % of the runs (bare {bare_late / 10:.1f} %)"
    )
    assert (late > 0) == (bare_late > 0) == (kind == "broken")
    assert kernel_s / bare_s <= BAR
