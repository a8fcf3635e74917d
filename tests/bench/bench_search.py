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

from stopcheck.campaign import load_gate
from stopcheck.campaign._ground import ground
from stopcheck.explore import (
    Budget,
    Exploration,
    Trial,
    depth_first,
    drawn_runs,
    exhaustive,
    make_trial,
    pct,
    random_walk,
)
from stopcheck.explore._dpor import source_dpor
from stopcheck.explore._footprints import as_given, in_world, in_world_enabling
from stopcheck.judge import CHECKS
from stopcheck.world import Granularity, Variant
from stopcheck_scenarios.acceptance import SCENARIOS
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
    assert sleeping.states < plain.states  # steps that nobody sees are taken alone
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
        assert row.whole.executions <= WHOLE
    assert sleeping.whole.steps <= STEPS
    assert sleeping.whole.transitions * 2 < rows["state cache"].whole.transitions


def test_the_deep_race_sampled(capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print("\nbroken deep race, sampled: executions to the first violation, by seed")
        for name, sampler in SAMPLERS.items():
            found = [sampler(ProgramTrial(deep_race()), Budget(BUDGET), seed) for seed in SEEDS]
            needed = [str(part.executions) if part.failures else f"none in {part.executions}" for part in found]
            print(f"  {name:18} {', '.join(needed)}")
            assert name != "random walk" or all(part.failures for part in found)


#: The seconds in which all eight cases must be exhausted on one core, by gate.
BARS = {"memory": 60, "sqlite": 300}
CASES = [scenario for scenario in SCENARIOS if scenario.case is not None and scenario.case <= 8]


@pytest.mark.parametrize("gate", BARS)
def test_the_acceptance_cases(gate: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each is exhausted at whole calls. And why campaigns use the cache: with as many executions as it needs for
    everything, source-DPOR is not through with any of them."""
    loaded = load_gate(gate)
    spent = 0.0
    with ground(loaded, Granularity.CALLS) as interior, capsys.disabled():
        for scenario in CASES:
            trial = make_trial(scenario, loaded.factory, Variant(1, Granularity.CALLS), interior, CHECKS)
            print(f"\n{scenario.id} on the gate {gate}")
            begin = time.process_time()
            whole = exhaustive(trial, Budget(10**6))
            seconds = time.process_time() - begin
            Row(None, whole).print("what is used", seconds)
            assert whole.exhausted
            assert not whole.unsound
            spent += seconds
            begin = time.process_time()
            reversing = source_dpor(trial, Budget(whole.executions), rule=in_world_enabling)
            Row(None, reversing).print("source-DPOR", time.process_time() - begin)
            assert not reversing.exhausted
        print(f"\nall eight on the gate {gate}: {spent:.1f} s of one core")
    assert spent < BARS[gate]


def test_what_each_reduction_saves(capsys: pytest.CaptureFixture[str]) -> None:
    """On the gate in memory."""
    for name in ("before-admission", "late-completion", "worker-restart"):
        found: dict[str, Exploration] = {}
        with capsys.disabled():
            print(f"\n{name} on the gate in memory")
            for search, rule in (("with footprints", in_world), ("state cache", None)):
                begin = time.process_time()
                found[search] = depth_first(trial_of(BY_ID[name]), Budget(BUDGET), rule=rule)
                Row(None, found[search]).print(search, time.process_time() - begin)
        assert found["with footprints"].exhausted
        assert found["with footprints"].states <= found["state cache"].states
        assert found["with footprints"].transitions < found["state cache"].transitions
