"""What shrinking costs: the deep race to its minimum, and the first failure of every gate that is known to be wrong.

One idea: runs are facts of the shrinker and the failure, seconds are of a machine. So runs are asserted, and both are
printed. The failures are those of random walks where these find any: they are the longest that there are. Seconds are
of this process's own time, so that they mean the same on a busy machine.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

import msgspec
import pytest

from stopcheck.campaign import load_faults, load_scenarios
from stopcheck.campaign._ground import ground
from stopcheck.campaign._loading import as_loaded
from stopcheck.campaign._shrinking import SHRINK_RUNS
from stopcheck.explore import Budget, Exploration, Failure, Trial, depth_first, make_trial, random_walk, shrink
from stopcheck.gate import KnownFault
from stopcheck.judge import CHECKS
from stopcheck.world import Granularity, Scenario, Variant
from tests.bench.conftest import Figures
from tests.fast.explore.programs import ProgramTrial, deep_race

#: What a user waits for, at most; printed beside what was measured.
BAR_S = 5.0
#: Executions in which a failure is looked for.
WALKS, SEARCH = 150, 700


class Row(msgspec.Struct):
    """One failure, shrunk."""

    name: str
    before: tuple[int, int]
    after: tuple[int, int]
    runs: int
    seconds: float
    minimal: bool
    proved: bool

    def __str__(self) -> str:
        ground = "proved" if self.proved else "no attempt helps" if self.minimal else "runs spent"
        return (
            f"  {self.name:44} {self.before[0]:3} -> {self.after[0]:2} deviations, {self.before[1]:3} -> "
            f"{self.after[1]:3} choices, {self.runs:3} runs, {self.seconds:5.2f} s, {ground}"
        )


def measured(name: str, trial: Trial, failure: Failure, runs: int) -> Row:
    begin = time.process_time()
    shrunk = shrink(trial, failure, runs=runs)
    seconds = time.process_time() - begin
    assert shrunk.reproduced, name
    assert shrunk.runs <= runs
    after = (shrunk.schedule.deviations, len(shrunk.schedule.choices))
    assert after <= failure.size
    return Row(name, failure.size, after, shrunk.runs, seconds, shrunk.minimal, shrunk.proved)


@pytest.mark.parametrize("seed", range(3))
def test_the_deep_race_shrinks_to_its_minimum(seed: int, figures: Figures) -> None:
    """Three workers have checked when the stop comes: two switches between them and one to the stopper, then all goes
    on by default."""
    trial = ProgramTrial(deep_race())
    failure = random_walk(trial, Budget(6_000), seed, fail_fast=True).failures["SENT-LATE"]
    row = measured(f"deep race, random walk {seed}", trial, failure, 500)
    figures.print(str(row))
    assert row.after[0] == 3
    assert row.minimal


def test_the_first_failure_of_every_wrong_gate(figures: Figures) -> None:
    rows: list[Row] = []
    figures.print(f"first failures of wrong gates, shrunk in at most {SHRINK_RUNS} runs")
    for fault in load_faults():
        row = None if fault.sigkill else of_fault(fault)
        if row is not None:
            rows.append(row)
            figures.print(str(row))
    runs, seconds = [row.runs for row in rows], [row.seconds for row in rows]
    figures.print(
        f"  {len(rows)} gates: runs median {statistics.median(runs):.0f}, most {max(runs)}; seconds median "
        f"{statistics.median(seconds):.2f}, most {max(seconds):.2f}, over {BAR_S:g} s: "
        f"{sum(1 for s in seconds if s > BAR_S)}; deviations most {max(row.after[0] for row in rows)}"
    )
    assert statistics.median(runs) <= SHRINK_RUNS / 4


def of_fault(fault: KnownFault) -> Row | None:
    """The gate's first failure of its named clause, shrunk; nothing where the budget did not find it."""
    loaded = as_loaded(fault.name, fault.factory)
    variant = Variant(fault.handles, Granularity.INNER if fault.inner else Granularity.CALLS)
    with ground(loaded, variant.granularity) as interior:
        for scenario in scenarios_for(fault):
            if scenario.needs <= loaded.contract.capabilities:
                trial = make_trial(scenario, loaded.factory, variant, interior, CHECKS)
                failure = first_failure(trial, fault.clause)
                if failure is not None:
                    return measured(f"{fault.name} ({fault.clause}, {scenario.id})"[:44], trial, failure, SHRINK_RUNS)
    return None


def scenarios_for(fault: KnownFault) -> list[Scenario]:
    known = load_scenarios()
    return [known[name] for name in fault.scenarios if name in known] or list(known.values())


def first_failure(trial: Trial, clause: str) -> Failure | None:
    for found in _explored(trial, clause):
        if clause in found.failures:
            return found.failures[clause]
    return None


def _explored(trial: Trial, clause: str) -> Iterator[Exploration]:
    seen: set[str] = set()

    def budget(executions: int) -> Budget:
        return Budget(executions, lambda: "found" if clause in seen else "")

    yield random_walk(trial, budget(WALKS), 0, observe=lambda result: seen.update(result.clauses))
    yield depth_first(trial, budget(SEARCH), observe=lambda result: seen.update(result.clauses))
