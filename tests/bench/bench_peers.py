"""Other tools on the same two races, where they are installed: ``pip install -e '.[bench]'``.

One idea: only what is measured side by side can be compared, so every ratio is of one run: ours and the peer's, in CPU
time, one after the other. Each peer gets the race as its users would write it: *check, pause, send* of three workers
against one stopper (fixed, so that nothing ends it), and the *deep race*, in which all three sends must follow the
cutoff. A peer that is missing is named with the reason, and nothing is said about it.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stopcheck.explore import Budget, depth_first, random_walk
from stopcheck.explore._footprints import as_given
from tests.bench.bench_kernel import Walk, on_kernel
from tests.bench.conftest import Figures
from tests.fast.explore.programs import ProgramTrial, deep_race

SEEDS = range(3)
#: Executions of the race of three workers: ours, and a peer's on an event loop of its own.
OURS, THEIRS = 20_000, 2_000
#: Executions after which the deep race is given up.
DEEP = 6_000


def peer(name: str, figures: Figures) -> Any:
    """The module, or a skipped test that says why there is none."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        figures.print(f"{name}: not measured, it is not installed here ({error})")
        pytest.skip(f"{name} is no part of this environment: pip install -e '.[bench]'")


def cpu_s(run: Callable[[], object]) -> float:
    """Seconds of CPU time."""
    begin = time.process_time()
    run()
    return time.process_time() - begin


def our_rate() -> float:
    """Executions a second of our random walk over the race of three workers, log included."""
    walk = Walk(1)
    return OURS / cpu_s(lambda: [on_kernel(walk.choose, "fixed", 3) for _ in range(OURS)])


def our_deep_race() -> str:
    """What ours need for the first violation and for everything."""
    first = depth_first(ProgramTrial(deep_race()), Budget(DEEP), rule=as_given, fail_fast=True)
    begin = time.process_time()
    whole = depth_first(ProgramTrial(deep_race()), Budget(DEEP), rule=as_given)
    seconds = time.process_time() - begin
    walks = [random_walk(ProgramTrial(deep_race()), Budget(DEEP), seed, fail_fast=True).executions for seed in SEEDS]
    assert first.failures
    assert whole.exhausted
    return (
        f"deep race: search first in {first.executions}, whole in {whole.executions} ({seconds:.2f} s); random walk "
        f"first in {', '.join(map(str, walks))}"
    )


# -- on an event loop -------------------------------------------------------------------------------------


async def race(steps: int = 0, stopper: int = 0, needed: int = 1, *, fixed: bool) -> None:
    """Three workers against one stopper; it fails when ``needed`` sends follow the cutoff."""
    stopped = False
    late = 0

    async def work() -> None:
        nonlocal late
        for _ in range(steps):
            await asyncio.sleep(0)
        if not stopped:
            await asyncio.sleep(0)
            if not (fixed and stopped):
                late += stopped

    async def stop() -> None:
        nonlocal stopped
        for _ in range(stopper):
            await asyncio.sleep(0)
        stopped = True

    await asyncio.gather(work(), work(), work(), stop())
    assert late < needed


async def fixed_race() -> None:
    """As :mod:`tests.bench.bench_kernel` has it."""
    await race(fixed=True)


async def deep() -> None:
    """As :func:`tests.fast.explore.programs.deep_race` has it."""
    await race(steps=3, stopper=4, needed=3, fixed=False)


def test_a_tool_with_an_event_loop_of_its_own(figures: Figures) -> None:
    name = "detangle"
    tool = peer(name, figures)
    ours = our_rate()
    walk = partial(tool.explore, shrink=False, database=False)
    theirs = THEIRS / cpu_s(lambda: walk(fixed_race, runs=THEIRS, strategy="random", seed=1))
    figures.print(
        f"{name}: race of 3 workers {theirs:,.0f} executions/s, ours {ours:,.0f}/s, {ours / theirs:.1f} times as many",
        f"  ours, {our_deep_race()}",
    )
    for strategy in ("random", None):
        needed: list[str] = []
        begin = time.process_time()
        for seed in SEEDS:
            try:
                walk(deep, runs=DEEP, strategy=strategy, seed=seed)
            except tool.BugFound as bug:
                needed.append(str(bug.report.runs))
            else:
                needed.append(f"none in {DEEP}")
        seconds = time.process_time() - begin
        figures.print(
            f"  {name}, {strategy or 'its default'}: deep race first in {', '.join(needed)} ({seconds:.1f} s)"
        )
    assert ours > theirs


def test_a_tool_for_later_pythons(figures: Figures) -> None:
    """It wants Python 3.12, and so is not measured where the other figures are made."""
    peer("simloom", figures)
    figures.print("simloom: not measured, though it is installed: this benchmark has no race for it yet")


# -- by tracing threads -----------------------------------------------------------------------------------


def test_a_tool_that_traces_threads(figures: Figures) -> None:
    """It wants a process of its own, started by its command."""
    peer("frontrun", figures)
    command = [sys.executable, "-m", "frontrun.cli", sys.executable, "-m", "tests.bench.traced_race"]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    measured = json.loads(done.stdout.splitlines()[-1])
    race, deep_race = measured["race"], measured["deep"]
    ours, theirs = our_rate(), race["explored"] / race["seconds"]
    figures.print(
        f"frontrun: race of 3 workers {theirs:,.0f} executions/s, ours {ours:,.0f}/s, {ours / theirs:.0f} times as "
        "many",
        f"  ours, {our_deep_race()}",
    )
    found = "first in" if deep_race["holds"] is False else "none in"
    figures.print(f"  frontrun, DPOR: deep race {found} {deep_race['explored']} ({deep_race['seconds']:.1f} s)")
    assert ours > theirs
