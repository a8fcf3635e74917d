"""What searches cost: executions and steps to the first violation, and until nothing is left.

One idea: executions and steps are facts of a strategy and a program; seconds are of a machine. So the former are
asserted and both are printed. *Steps* are those that the kernel made, repeated prefixes included; *transitions* are
those of the space. Runs of the audits are counted too, but for the footprint audit's swaps.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import msgspec
import pytest

from stopcheck.explore import (
    Budget,
    Exploration,
    Trial,
    depth_first,
    drawn_runs,
    pct,
    random_walk,
)
from stopcheck.explore._dpor import source_dpor
from stopcheck.explore._footprints import as_given, in_world, in_world_enabling
from tests.fast.explore.programs import Build, ProgramTrial, deep_race, race
from tests.fast.explore.test_scenarios import BY_ID, trial_of

#: The bars of the deep race: executions to the first violation, and until nothing is left.
FIRST = 100
WHOLE = 500

#: A search that needs more is cut off, and the row says so.
BUDGET = 6_000
#: What is sampled is sampled with each of these.
SEEDS = range(5)

Run = Callable[[Trial, Budget, bool], Exploration]

SEARCHES: dict[str, Run] = {
    "source-DPOR": lambda trial, budget, fast: source_dpor(trial, budget, fail_fast=fast),
    "sleep sets + cache": lambda trial, budget, fast: depth_first(trial, budget, rule=as_given, fail_fast=fast),
    "sleep sets": lambda trial, budget, fast: depth_first(trial, budget, rule=as_given, cache_bound=0, fail_fast=fast),
    "state cache": lambda trial, budget, fast: depth_first(trial, budget, fail_fast=fast),
    "unreduced": lambda trial, budget, fast: depth_first(trial, budget, cache_bound=0, fail_fast=fast),
}

SAMPLERS: dict[str, Callable[[Trial, Budget, int], Exploration]] = {
    "random walk": lambda trial, budget, seed: random_walk(trial, budget, seed, fail_fast=True),
    "random walk, 0.1": lambda trial, budget, seed: random_walk(trial, budget, seed, deviation=0.1, fail_fast=True),
    "PCT(3)": lambda trial, budget, seed: pct(trial, budget, seed, depth=3, fail_fast=True),
    "PCT(5)": lambda trial, budget, seed: pct(trial, budget, seed, depth=5, fail_fast=True),
    "Hypothesis": lambda trial, budget, seed: drawn_runs(trial, budget, seed, fail_fast=True),
}


class Row(msgspec.Struct):
    """One line of the table."""

    first: Exploration | None
    whole: Exploration

    def print(self, name: str, seconds: float) -> None:
        """As ``make bench`` shows it."""
        whole, first = self.whole, self.first
        begin = ""
        if first is not None:
            found = "first in" if first.failures else "none in "
            begin = f"{found} {first.executions:5} executions, {first.steps:7,} steps; "
        end = "whole in" if whole.exhausted else "not in  "
        print(
            f"  {name:18} {begin}{end} {whole.executions:5} executions, {whole.transitions:6,} transitions, "
            f"{whole.steps:7,} steps, {whole.states:5,} states ({seconds:5.2f} s)"
        )


def measure(run: Run, build: Build, *, broken: bool) -> Row:
    first = run(ProgramTrial(build), Budget(BUDGET), True) if broken else None
    return Row(first, run(ProgramTrial(build), Budget(BUDGET), False))


def table(title: str, build: Build, *, broken: bool) -> dict[str, Row]:
    """All searches on one program, printed."""
    print(f"\n{title}")
    rows: dict[str, Row] = {}
    for name, run in SEARCHES.items():
        begin = time.perf_counter()
        row = rows[name] = measure(run, build, broken=broken)
        row.print(name, time.perf_counter() - begin)
        assert broken or not row.whole.failures
        assert not (broken and row.whole.exhausted) or row.whole.failures
    return rows


@pytest.mark.parametrize("workers", [2, 3, 4])
@pytest.mark.parametrize("kind", ["broken", "fixed"])
def test_the_race(kind: str, workers: int, capsys: pytest.CaptureFixture[str]) -> None:
    build = race(workers, fixed=kind == "fixed")
    with capsys.disabled():
        rows = table(f"{kind} race, {workers} workers", build, broken=kind == "broken")
    plain, sleeping = rows["state cache"].whole, rows["sleep sets + cache"].whole
    assert plain.exhausted
    assert sleeping.exhausted
    assert sleeping.states == plain.states
    assert sleeping.transitions < plain.transitions
    assert sleeping.executions < plain.executions


@pytest.mark.parametrize("kind", ["broken", "fixed"])
def test_the_deep_race(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    interleavings = math.factorial(23) // (math.factorial(6) ** 3 * math.factorial(5))
    with capsys.disabled():
        title = f"{kind} deep race, {interleavings:.1e} interleavings"
        rows = table(title, deep_race(fixed=kind == "fixed"), broken=kind == "broken")
    reversing, sleeping = rows["source-DPOR"], rows["sleep sets + cache"]
    for row in (reversing, sleeping):
        assert row.whole.exhausted
        assert row.first is None or row.first.executions <= FIRST
    assert reversing.whole.executions <= WHOLE
    assert sleeping.whole.transitions * 2 < rows["state cache"].whole.transitions


def test_the_deep_race_sampled(capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print("\nbroken deep race, sampled: executions to the first violation, by seed")
        for name, sampler in SAMPLERS.items():
            found = [sampler(ProgramTrial(deep_race()), Budget(BUDGET), seed) for seed in SEEDS]
            needed = [str(part.executions) if part.failures else f"none in {part.executions}" for part in found]
            print(f"  {name:18} {', '.join(needed)}")
            assert name != "random walk" or all(part.failures for part in found)


#: Searches of worlds, and the budget of those that have no cache: more than the cache needs.
WORLDS = ["not-sent-again", "before-admission", "late-completion"]
WORLD_BUDGET = 900


@pytest.mark.parametrize("name", WORLDS)
def test_scenarios(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Why campaigns use the cache: here source-DPOR needs more executions."""

    searches: dict[str, Callable[[], Exploration]] = {
        "sleep sets + cache": lambda: depth_first(trial_of(BY_ID[name]), Budget(BUDGET), rule=in_world),
        "state cache": lambda: depth_first(trial_of(BY_ID[name]), Budget(BUDGET)),
        "source-DPOR": lambda: source_dpor(trial_of(BY_ID[name]), Budget(WORLD_BUDGET), rule=in_world_enabling),
        "unreduced": lambda: depth_first(trial_of(BY_ID[name]), Budget(WORLD_BUDGET), cache_bound=0),
    }
    found: dict[str, Exploration] = {}
    with capsys.disabled():
        print(f"\n{name} on the gate in memory")
        for search, make in searches.items():
            begin = time.perf_counter()
            found[search] = make()
            Row(None, found[search]).print(search, time.perf_counter() - begin)
    assert found["sleep sets + cache"].exhausted
    assert found["sleep sets + cache"].states == found["state cache"].states
    assert found["sleep sets + cache"].transitions < found["state cache"].transitions
    assert found["source-DPOR"].executions > found["state cache"].executions
