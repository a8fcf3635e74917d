"""What searches cost: executions and steps to the first violation, and until nothing is left.

One idea: executions and steps are facts of a strategy and a program; seconds are of a machine. So the former are
asserted and both are printed, seconds of CPU time. *Steps* are those that the kernel made, repeated prefixes included;
*transitions* are those of the space. Runs of the audits are counted too, but for the footprint audit's swaps.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial

import msgspec
import pytest

from stopcheck.explore import (
    Budget,
    Exploration,
    Trial,
    depth_first,
    exhaustive,
    pct,
    random_walk,
)
from stopcheck.explore._dpor import source_dpor
from stopcheck.explore._footprints import as_given, in_world, in_world_enabling
from stopcheck.explore.stateful import drawn_runs
from stopcheck_scenarios.acceptance import SCENARIOS
from tests.bench.conftest import Figures
from tests.fast.explore.programs import Build, ProgramTrial, deep_race, race
from tests.fast.explore.test_scenarios import BY_ID, trial_of

#: The bars of the deep race: executions to the first violation, and until nothing is left.
FIRST = 100
WHOLE = 500
STEPS = 6_000

#: A search that needs more is cut off, and the row says so.
BUDGET = 6_000
#: What is sampled is sampled with each of these.
SEEDS = range(5)

#: The cases on which the searches are compared: those that race most.
CASES = [scenario for scenario in SCENARIOS if scenario.case is not None and scenario.case <= 8]

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

    def line(self, name: str, seconds: float) -> str:
        """As ``make bench`` shows it."""
        whole, first = self.whole, self.first
        begin = ""
        if first is not None:
            found = "first in" if first.failures else "none in "
            begin = f"{found} {first.executions:5} executions, {first.steps:7,} steps; "
        end = "whole in" if whole.exhausted else "not in  "
        return (
            f"  {name:18} {begin}{end} {whole.executions:5} executions, {whole.transitions:6,} transitions, "
            f"{whole.steps:7,} steps, {whole.states:5,} states ({seconds:5.2f} s)"
        )


def measure(run: Run, build: Build, *, broken: bool) -> Row:
    first = run(ProgramTrial(build), Budget(BUDGET), True) if broken else None
    return Row(first, run(ProgramTrial(build), Budget(BUDGET), False))


def table(figures: Figures, title: str, build: Build, *, broken: bool) -> dict[str, Row]:
    """All searches on one program, printed."""
    figures.print(title)
    rows: dict[str, Row] = {}
    for name, run in SEARCHES.items():
        begin = time.process_time()
        row = rows[name] = measure(run, build, broken=broken)
        figures.print(row.line(name, time.process_time() - begin))
        assert broken or not row.whole.failures
        assert not (broken and row.whole.exhausted) or row.whole.failures
    return rows


@pytest.mark.parametrize("workers", [2, 3, 4])
@pytest.mark.parametrize("kind", ["broken", "fixed"])
def test_the_race(kind: str, workers: int, figures: Figures) -> None:
    build = race(workers, fixed=kind == "fixed")
    rows = table(figures, f"{kind} race, {workers} workers", build, broken=kind == "broken")
    plain, sleeping = rows["state cache"].whole, rows["sleep sets + cache"].whole
    assert plain.exhausted
    assert sleeping.exhausted
    assert sleeping.states < plain.states  # steps that nobody sees are taken alone
    assert sleeping.transitions < plain.transitions
    assert sleeping.executions < plain.executions


@pytest.mark.parametrize("kind", ["broken", "fixed"])
def test_the_deep_race(kind: str, figures: Figures) -> None:
    interleavings = math.factorial(23) // (math.factorial(6) ** 3 * math.factorial(5))
    title = f"{kind} deep race, {interleavings:.1e} interleavings"
    rows = table(figures, title, deep_race(fixed=kind == "fixed"), broken=kind == "broken")
    reversing, sleeping = rows["source-DPOR"], rows["sleep sets + cache"]
    for row in (reversing, sleeping):
        assert row.whole.exhausted
        assert row.first is None or row.first.executions <= FIRST
        assert row.whole.executions <= WHOLE
    assert sleeping.whole.steps <= STEPS
    assert sleeping.whole.transitions * 2 < rows["state cache"].whole.transitions


def test_the_deep_race_sampled(figures: Figures) -> None:
    figures.print("broken deep race, sampled: executions to the first violation, by seed")
    for name, sampler in SAMPLERS.items():
        found = [sampler(ProgramTrial(deep_race()), Budget(BUDGET), seed) for seed in SEEDS]
        needed = [str(part.executions) if part.failures else f"none in {part.executions}" for part in found]
        figures.print(f"  {name:18} {', '.join(needed)}")
        assert name != "random walk" or all(part.failures for part in found)


@pytest.mark.parametrize("name", [scenario.id for scenario in CASES])
def test_reversing_races_is_no_way_through_a_case(name: str, figures: Figures) -> None:
    """Why campaigns use the cache: with as many executions as it needs for everything, source-DPOR is not through."""
    whole, seconds = timed(lambda: exhaustive(trial_of(BY_ID[name]), Budget(10**6)))
    figures.print(f"{name} on the gate in memory", Row(None, whole).line("what is used", seconds))
    assert whole.exhausted
    assert not whole.unsound
    trial = trial_of(BY_ID[name])
    reversing, seconds = timed(lambda: source_dpor(trial, Budget(whole.executions), rule=in_world_enabling))
    figures.print(Row(None, reversing).line("source-DPOR", seconds))
    assert not reversing.exhausted


@pytest.mark.parametrize("name", ["before-admission", "late-completion", "worker-restart"])
def test_what_each_reduction_saves(name: str, figures: Figures) -> None:
    """On the gate in memory."""
    figures.print(f"{name} on the gate in memory")
    found: dict[str, Exploration] = {}
    for search, rule in (("with footprints", in_world), ("state cache", None)):
        run = partial(depth_first, trial_of(BY_ID[name]), Budget(BUDGET), rule=rule)
        found[search], seconds = timed(run)
        figures.print(Row(None, found[search]).line(search, seconds))
    assert found["with footprints"].exhausted
    assert found["with footprints"].states <= found["state cache"].states
    assert found["with footprints"].transitions < found["state cache"].transitions


def timed(search: Callable[[], Exploration]) -> tuple[Exploration, float]:
    """What it found, and in how many seconds of CPU time."""
    begin = time.process_time()
    found = search()
    return found, time.process_time() - begin
