"""Campaigns of one strategy: what each may say, and above all what samples may not."""

from __future__ import annotations

import pytest

from stopcheck.campaign import Options, UsageFault, Verdict, certify, known_strategies, load_gate, load_scenarios
from stopcheck.campaign._plan import DEFAULT_BUDGET, RESTRICTED_SAMPLES, SIGKILL, plan
from stopcheck.explore import STRATEGIES, Completes
from tests.fast.campaign.support import campaign

SEARCHES = [name for name, strategy in STRATEGIES.items() if strategy.completes is Completes.SPACE]
OTHERS = [name for name in STRATEGIES if name not in SEARCHES]
SMALL = ("stop-in-peace",)


@pytest.mark.parametrize("name", OTHERS)
def test_without_a_search_nothing_passes_however_much_was_exercised(name: str) -> None:
    report = campaign("memory", Options(scenarios=SMALL, strategy=name, budget=60))
    assert [job.spec.strategy for job in report.jobs] == [name]
    assert all(job.complete for job in report.jobs)
    assert sum(1 for clause in report.clauses if clause.exercised) > 10
    assert {clause.verdict for clause in report.clauses if clause.exercised} == {Verdict.UNKNOWN}
    assert report.exit_code == 3


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_alone_is_ground_for_a_pass(name: str) -> None:
    report = campaign("memory", Options(scenarios=SMALL, strategy=name))
    (job,) = report.jobs
    assert job.exhausted or (job.bound is not None and job.bound >= 1)
    assert "exhausted in" in job.ground or f"every run of at most {job.bound} disruption" in job.ground
    assert job.searched
    assert sum(1 for clause in report.clauses if clause.verdict is Verdict.PASS) > 10


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_that_its_budget_cut_short_is_none(name: str) -> None:
    report = campaign("memory", Options(scenarios=SMALL, strategy=name, budget=4))
    (job,) = report.jobs
    assert not job.complete
    assert "budget" in job.left
    assert Verdict.PASS not in {clause.verdict for clause in report.clauses}


def test_what_only_the_samples_of_auto_met_is_not_searched() -> None:
    (job,) = campaign("memory", Options(scenarios=SMALL, strategy="auto", budget=40)).jobs
    assert set(job.exercised) > set(job.searched)


def test_restricting_replaces_each_variants_jobs_by_one() -> None:
    scenarios = list(load_scenarios().values())
    contract = load_gate("sqlite").contract
    everything = plan(contract, scenarios, seed=3)
    variants = list(dict.fromkeys((job.scenario, job.handles, job.granularity) for job in everything))
    for name in STRATEGIES:
        restricted = plan(contract, scenarios, seed=3, strategy=name)
        assert [(job.scenario, job.handles, job.granularity) for job in restricted] == variants
        assert {job.strategy for job in restricted} == {name}
        samples = STRATEGIES[name].completes is Completes.NOTHING
        assert {job.budget for job in restricted} == {RESTRICTED_SAMPLES if samples else DEFAULT_BUDGET}
        assert {job.budget for job in plan(contract, scenarios, seed=3, strategy=name, budget=7)} == {7}
    kills = plan(contract, scenarios, seed=3, strategy=SIGKILL)
    assert kills == [job for job in everything if job.strategy == SIGKILL]


def test_an_unknown_strategy_is_a_usage_error_with_the_list() -> None:
    with pytest.raises(UsageFault) as raised:
        certify("memory", Options(strategy="quantum"), lambda _: None)
    assert "'quantum'" in raised.value.what
    assert all(name in raised.value.hint for name in known_strategies())
    with pytest.raises(UsageFault) as raised:
        certify("memory", Options(strategy="random-wlak"), lambda _: None)
    assert "did you mean random-walk" in raised.value.hint
