"""What a verdict rests on: completed searches in which the clause was put to the test, each with how far it came."""

from __future__ import annotations

from typing import Any

from stopcheck.campaign import ClauseVerdict, Searched, UpTo, Verdict
from stopcheck.explore import SecondStops, SweepCoverage, Tally
from stopcheck.world import FaultKind
from tests.fast.campaign.small import job, judged

LIVE = {"LIVE-2": 3}
DEATH = Tally(FaultKind.CRASH, "w@complete", "death after it", 9, 4)


def row(*jobs: object, gate: str = "memory") -> ClauseVerdict:
    report = judged(gate, jobs, "before-admission", "late-completion", "lost-response")  # type: ignore[arg-type]
    return next(row for row in report.clauses if row.clause == "LIVE-2")


def test_exhausted_and_bounded_scenarios_are_told_apart_by_variant() -> None:
    found = row(
        job(exercised=LIVE, exhausted=True, bound=None, executions=50, states=30),
        job("late-completion", exercised=LIVE, bound=2),
        job("lost-response", exercised=LIVE, bound=1),
        job("lost-response", handles=2, exercised=LIVE, bound=1),
    )
    assert found.ground.searched == (
        Searched("calls", 1, 1, (UpTo(1, 1), UpTo(2, 1)), 70, 44),
        Searched("calls", 2, 0, (UpTo(1, 1),), 10, 7),
    )
    assert found.why == (
        "between whole calls, 1 handle: 1 scenario exhausted, 1 scenario up to 1 disruption, 1 scenario up to 2 "
        "disruptions; between whole calls, 2 handles: 1 scenario up to 1 disruption; 80 runs, 51 states"
    )


def test_a_search_that_did_not_put_the_clause_to_the_test_is_no_ground() -> None:
    found = row(job(exercised=LIVE), job(handles=2, exercised={"ADM-1": 5}))
    assert [one.handles for one in found.ground.searched] == [1]


def test_a_search_that_met_no_point_inside_of_calls_is_not_shown_as_one_inside_of_them() -> None:
    inside: dict[str, Any] = {"granularity": "inner", "exercised": LIVE}
    none = row(job(exercised=LIVE), job(**inside, executions=5, states=3))
    assert none.ground.searched == (Searched("calls", 1, 0, (UpTo(1, 1),), 15, 10),)
    assert "inside" not in none.why
    some = row(job(exercised=LIVE), job(**inside, searched_inner={"commit_effect": 2}))
    assert [one.granularity for one in some.ground.searched] == ["calls", "inner"]
    assert "inside calls, 1 handle: 1 scenario up to 1 disruption" in some.why


def test_samples_are_counted_apart_and_are_no_ground_by_themselves() -> None:
    sample = job(strategy="pct", exercised=LIVE, bound=None, executions=20, states=0)
    found = row(job(exercised=LIVE), sample)
    assert (found.ground.sampled, found.ground.searched[0].executions) == (20, 10)
    assert row(sample).verdict is Verdict.UNKNOWN
    assert row(sample).why == "it was only sampled: no search that was completed put it to the test"


def test_the_deaths_and_the_faults_of_a_run_are_named() -> None:
    kill = job(
        strategy="sigkill",
        exercised=LIVE,
        bound=None,
        deaths=6,
        ledger=(Tally(FaultKind.CRASH, "w@complete", "SIGKILL after its answer", 6, 6),),
    )
    searched = job(exercised=LIVE, ledger=(DEATH,), faults={"crash": 1, "provider": 1})
    other = job("late-completion", exercised=LIVE, ledger=(DEATH,), faults={"crash": 2})
    found = row(searched, other, kill, gate="sqlite")
    assert (found.ground.deaths, found.ground.kills) == (8, 6)
    assert found.ground.faults == {"crash": 2, "provider": 1}
    assert found.why.endswith("; 8 simulated deaths and 6 by SIGKILL; in one run at most 2 crash, 1 provider")


def test_the_points_of_sweeps_are_named_those_of_second_stops_apart() -> None:
    second = SecondStops(("a#1 then b#1", "a#1 then c#1"), missed=(), closed=(), first_stops=1, of=3)
    sweep = SweepCoverage(("person",), planned=("a#1", "b#1", "c#1"), missed=(), closed=(), base_runs=4, second=second)
    swept = job(strategy="stop-sweep", exercised=LIVE, bound=None, sweep=sweep)
    found = row(job(exercised=LIVE), swept)
    assert (found.ground.stops, found.ground.second_stops) == (3, 2)
    assert found.why.endswith("; stops at 3 points, second ones at 2")
    assert "stops at" not in row(job(exercised=LIVE)).why


def test_all_doubts_stand_in_the_ground_and_the_first_in_the_reason() -> None:
    cut: dict[str, Any] = {"complete": False, "left": "the budget of 5 executions", "bound": None}
    found = row(job(exercised=LIVE, **cut), job(handles=2, exercised=LIVE, **cut))
    assert found.verdict is Verdict.UNKNOWN
    assert found.why == "before-admission (calls, 1 handle, bounded): the budget of 5 executions (and 1 more)"
    assert len(found.ground.doubts) == 2


def test_a_job_that_was_cut_short_before_it_put_the_clause_to_the_test_counts_if_others_of_its_scenario_did() -> None:
    cut = job(handles=2, complete=False, left="the budget of 5 executions", bound=None)
    assert row(job(exercised=LIVE), cut).verdict is Verdict.UNKNOWN


def test_a_pass_names_jobs_elsewhere_that_were_cut_short() -> None:
    cut = job("late-completion", complete=False, left="the budget of 5 executions", bound=None)
    found = row(job(exercised=LIVE), cut)
    assert found.verdict is Verdict.PASS
    assert found.ground.cut_short == (cut.spec.name,)
    assert f"not explored to the end, and so perhaps not tried there: {cut.spec.name}" in found.why


def test_a_state_cache_that_was_full_is_named_and_takes_no_pass_away() -> None:
    found = row(job(exercised=LIVE, cache_full=True), job("late-completion", exercised=LIVE))
    assert found.verdict is Verdict.PASS
    assert found.ground.cache_full == ("before-admission (calls, 1 handle, bounded)",)
    assert found.why.endswith(
        "the state cache was full, and kept no further states, in before-admission (calls, 1 handle, bounded)"
    )
    assert not row(job(exercised=LIVE)).ground.cache_full
