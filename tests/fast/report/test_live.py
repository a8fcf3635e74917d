"""Live progress: there for people, gone afterwards, and never in a pipe."""

from __future__ import annotations

import pytest

from stopcheck.campaign import CampaignStarted, JobFinished, JobProgress, JobStarted
from stopcheck.report import LiveProgress, ReportConsole
from tests.fast.report.samples import GATE, JOBS, SEARCH, SWEEP, pipe, terminal


def follow(console: ReportConsole, *, quiet: bool = False, plain: bool = False) -> None:
    with LiveProgress(console, quiet=quiet, plain=plain) as live:
        live.on_event(JobStarted(0, SEARCH))  # before the plan is known: nothing to show
        live.on_event(CampaignStarted(GATE, (SEARCH, SWEEP), 0))
        live.on_event(JobStarted(0, SEARCH))
        live.on_event(JobProgress(0, 50, 0, 1))
        live.on_event(JobFinished(0, JOBS[0]))


def test_nothing_in_a_pipe() -> None:
    console, out = pipe()
    follow(console)
    assert out.getvalue() == ""


def test_a_line_for_each_scenario_that_is_done_where_it_is_asked_for() -> None:
    console, out = pipe()
    follow(console, plain=True)
    assert out.getvalue() == "1/2 scenarios, 1,000 executions, 9 states, 0 findings: before-admission done\n"
    console, out = pipe()
    follow(console, plain=True, quiet=True)
    assert out.getvalue() == ""


def test_nothing_when_quiet_was_asked_for() -> None:
    console, out = terminal()
    follow(console, quiet=True)
    assert out.getvalue() == ""


@pytest.mark.parametrize("words", ["before-admission", "1,000 executions"])
def test_a_terminal_sees_it_and_it_is_cleared(words: str) -> None:
    console, out = terminal()
    follow(console)
    assert words in out.getvalue()
    assert "\x1b[2K" in out.getvalue().split(words)[-1]  # transient: its lines are erased at the end
