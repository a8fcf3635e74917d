"""A search that was cut short never looks like a pass: what was not explored is named."""

from __future__ import annotations

import io

import pytest

from stopcheck.campaign import ExitCode, Report, Verdict
from stopcheck.report import ReportConsole, print_report
from tests.fast.campaign.small import campaign

SCENARIOS = ("late-completion", "lost-response")


def printed(report: Report) -> str:
    out = io.StringIO()
    print_report(ReportConsole(file=out, width=80, highlight=False), report, everything=True)
    return out.getvalue()


def check_truncated(report: Report) -> None:
    """Nothing is certified, each gap is named, and so it is beside each pass."""
    text = printed(report)
    assert report.exit_code == ExitCode.INCONCLUSIVE
    unfinished = [job for job in report.jobs if not job.complete]
    assert unfinished
    for job in unfinished:
        assert f"not explored: {job.spec.name}: {job.left}" in text
        assert "execution" in job.left or "never" in job.left or "branch points" in job.left
    for row in report.clauses:
        scenarios = {job.spec.scenario for job in unfinished}
        if row.verdict is Verdict.PASS:
            assert scenarios.isdisjoint(row.scenarios)
            assert {job.spec.name for job in unfinished} == set(row.ground.cut_short)
            assert "not explored to the end" in row.why
        elif row.exercised and row.verdict is Verdict.UNKNOWN:
            assert row.ground.doubts


@pytest.mark.parametrize("budget", [23, 100])
def test_the_budget_that_was_given_is_named_and_what_to_do_about_it(budget: int) -> None:
    left = [job.left for job in campaign("memory", ("late-completion",), budget).jobs if "budget" in job.left]
    assert left
    for words in left:
        assert f"the budget of {budget} executions" in words
        assert words.endswith("raise --budget")


def check_bounds(report: Report) -> None:
    """Each pass says how far each of its searches came."""
    for row in (row for row in report.clauses if row.verdict is Verdict.PASS):
        assert row.ground.searched
        for one in row.ground.searched:
            assert one.exhausted + sum(part.scenarios for part in one.bounded) == 1
            assert all(f"up to {part.bound} disruption" in row.why for part in one.bounded)


@pytest.mark.parametrize("budget", [1, 5])
def test_a_budget_of_a_few_runs_certifies_nothing_and_says_what_was_not_explored(budget: int) -> None:
    check_truncated(campaign("memory", SCENARIOS, budget))


@pytest.mark.parametrize("budget", [60, 150, 260, 2_000])
def test_a_pass_names_its_bound_wherever_it_was_not_exhausted(budget: int) -> None:
    report = campaign("memory", ("stop-in-peace",), budget)
    check_bounds(report)
    assert budget < 2_000 or any(row.verdict is Verdict.PASS for row in report.clauses)
