"""The strategies on real scenarios and the gate in memory: what is exhausted, what is reduced, what is covered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stopcheck.explore import (
    CACHE_BOUND,
    Budget,
    Exploration,
    Result,
    Trial,
    Watch,
    depth_first,
    exhaustive,
    find_nondeterminism,
    make_trial,
    pct,
    random_walk,
    replay,
    shrink,
    stop_position,
    stop_sweep,
    unwatched,
)
from stopcheck.explore._footprints import in_world
from stopcheck.explore.stateful import drawn_runs, state_machine
from stopcheck.gate import GateFactory
from stopcheck.judge import CHECKS
from stopcheck.kernel import Chooser, Point, Schedule
from stopcheck.world import Granularity, PlainInterior, Scenario, StorageArea, Variant
from stopcheck_fixtures.faulty import FAULTS
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_scenarios.acceptance import SCENARIOS, before_admission, late_completion
from tests.fast.scenarios import driver
from tests.fast.scenarios.driver import SurvivingGate

BY_ID = {scenario.id: scenario for scenario in SCENARIOS}
FAULT_BY_NAME = {fault.name: fault for fault in FAULTS}


class NoStorage(StorageArea):
    """For gates that write nothing."""

    def fresh(self) -> Path:
        """A name."""
        return Path("nowhere")

    def crash_copy(self, path: Path) -> Path:
        """Never asked of a volatile gate."""
        raise AssertionError(path)

    def discard(self, path: Path) -> None:
        """Nothing was made."""


def trial_of(scenario: Scenario, factory: GateFactory = MemoryGate) -> Trial:
    return make_trial(scenario, factory, Variant(), PlainInterior(NoStorage()), CHECKS)


@pytest.mark.parametrize("scenario", [before_admission.SCENARIO, late_completion.SCENARIO], ids=lambda s: s.id)
def test_the_first_cases_are_exhausted_on_a_right_gate(scenario: Scenario) -> None:
    found = depth_first(trial_of(scenario), Budget(3_000))
    assert found.exhausted
    assert found.clean
    assert found.cache is not None
    assert found.cache.used
    assert found.cache.audits > 0
    assert found.cache.refuted is None
    assert {w.name for w in scenario.witnesses if not w.durable} <= found.witnesses


def test_the_cache_loses_no_final_account() -> None:
    def accounts(*, cache: bool) -> tuple[set[bytes], set[str], int]:
        ends: set[bytes] = set()

        def note(result: Result) -> None:
            if not result.cut:
                ends.add(result.outcome())

        kept = CACHE_BOUND if cache else 0
        found = depth_first(trial_of(BY_ID["not-sent-again"]), Budget(5_000), cache_bound=kept, observe=note)
        assert found.exhausted
        return ends, found.witnesses, found.executions

    reduced, reduced_witnesses, fewer = accounts(cache=True)
    full, witnesses, more = accounts(cache=False)
    assert reduced == full
    assert reduced_witnesses == witnesses
    assert fewer < more


class Unaware:
    """A trial that tells no chooser that nothing is left to choose."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self.scenario = trial.scenario
        self.variant = trial.variant

    def __call__(self, chooser: Chooser, watch: Watch = unwatched, /) -> Result:
        class OnlyChooses:
            def choose(self, point: Point) -> int:
                return chooser.choose(point)

        return self._trial(OnlyChooses(), watch)


@pytest.mark.parametrize("bound", [None, 1])
def test_a_run_that_comes_to_rest_as_another_did_ends_there_and_no_final_account_is_lost(bound: int | None) -> None:
    def accounts(trial: Trial) -> tuple[set[bytes], set[str], int]:
        ends: list[bytes] = []

        def note(result: Result) -> None:
            if not result.cut:
                ends.append(result.outcome())

        found = exhaustive(trial, Budget(5_000), bound=bound, rule=in_world, observe=note)
        assert found.exhausted
        assert not found.unsound
        return set(ends), found.witnesses, len(ends)

    scenario = BY_ID["shared-dependency"]
    ends, witnesses, made = accounts(trial_of(scenario))
    all_ends, all_witnesses, all_made = accounts(Unaware(trial_of(scenario)))
    assert ends == all_ends
    assert witnesses == all_witnesses
    assert made * 2 < all_made


def test_a_truncated_search_of_a_scenario_says_what_is_left() -> None:
    found = depth_first(trial_of(late_completion.SCENARIO), Budget(20))
    assert not found.exhausted
    assert found.truncated_by == "the budget of 20 executions"
    assert found.remaining > 0


@pytest.mark.parametrize("scenario", [before_admission.SCENARIO, late_completion.SCENARIO], ids=lambda s: s.id)
def test_the_sweep_misses_no_point(scenario: Scenario) -> None:
    coverage = stop_sweep(trial_of(scenario), Budget(1_000)).coverage
    assert coverage is not None
    assert coverage.stops == ("person",)
    assert coverage.missed == ()
    assert coverage.closed == ()
    assert "worker@commit_effect#1" in coverage.planned
    assert "dispatcher@mail.commit#1" in coverage.planned


def test_runs_of_a_scenario_are_deterministic() -> None:
    trial = trial_of(late_completion.SCENARIO)
    schedules: list[Schedule] = []
    pct(trial, Budget(10), 1, observe=lambda result: schedules.append(result.schedule()))
    assert find_nondeterminism(trial, schedules) is None
    logs = [replay(trial, schedule).result for schedule in (schedules[3], schedules[3])]
    assert logs[0] is not None
    assert logs[1] is not None
    assert logs[0].log() == logs[1].log()


def test_the_state_machine_plays_a_scenario() -> None:
    found = state_machine(trial_of(late_completion.SCENARIO), Budget(30), 1)
    assert found.clean
    assert found.executions == 30
    assert "the stop won" in found.witnesses


def inner_trial_of(name: str) -> tuple[Trial, str]:
    fault = FAULT_BY_NAME[name]
    granularity = Granularity.INNER if fault.inner else Granularity.CALLS
    scenario = BY_ID[fault.scenarios[0]]
    interior = PlainInterior(NoStorage())
    return make_trial(scenario, fault.factory, Variant(1, granularity), interior, CHECKS), fault.clause


@pytest.mark.parametrize("strategy", [stop_sweep, pct, stop_position, random_walk, state_machine, drawn_runs])
def test_each_strategy_finds_a_check_that_comes_too_early(strategy: Callable[..., Exploration]) -> None:
    trial, clause = inner_trial_of("checks-awaits-records")
    found = strategy(trial, Budget(150), 1)
    shrunk = shrink(trial, found.failures[clause])
    assert shrunk.reproduced
    assert shrunk.minimal
    assert shrunk.schedule.deviations == 1
    again = replay(trial, Schedule.from_token(shrunk.schedule.token())).result
    assert again is not None
    assert clause in again.clauses


def test_a_claim_given_twice_is_found_by_search() -> None:
    trial, clause = inner_trial_of("claims-given-twice")
    found = depth_first(trial, Budget(400))
    assert clause in found.failures
    assert shrink(trial, found.failures[clause]).schedule.deviations == 1


def sleeping(trial: Trial, budget: Budget) -> Exploration:
    return depth_first(trial, budget, rule=in_world, swaps=0)


@pytest.mark.parametrize("search", [depth_first, sleeping])
def test_a_death_that_is_on_offer_at_rest_is_not_taken_for_a_known_state(search: Callable[..., Exploration]) -> None:
    trial = make_trial(BY_ID["lost-response"], SurvivingGate, Variant(), PlainInterior(driver.NoStorage()), CHECKS)
    found = search(trial, Budget(250))
    assert found.cache is not None
    assert found.cache.audits > 0
    assert found.cache.refuted is None
    assert not found.unsound


def test_deaths_are_on_offer_for_a_durable_gate_and_the_sweep_still_misses_nothing() -> None:
    scenario = before_admission.SCENARIO
    trial = make_trial(scenario, SurvivingGate, Variant(handles=2), PlainInterior(driver.NoStorage()), CHECKS)
    swept = stop_sweep(trial, Budget(500))
    assert swept.clean
    assert swept.coverage is not None
    assert swept.coverage.missed == ()
    sampled = pct(trial, Budget(60), 2)
    assert sampled.clean
    assert "the gate died under the stop" in sampled.witnesses
