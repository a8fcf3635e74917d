"""--fail-fast: what counts is the plan's first job with a finding, whatever is done at the same time."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import trio

from stopcheck.campaign import ExitCode, JobResult, Options
from stopcheck.campaign._certify import report_on
from stopcheck.campaign._executor import _Crew
from stopcheck.campaign._messages import Finished, Open, Opened, Run
from stopcheck.campaign._outcome import AT_FIRST, Manner, Outcome, give_up_rest
from tests.fast.campaign.small import job
from tests.fast.campaign.test_merge import head
from tests.fast.report.samples import FINDING

RIGHT = job(strategy="mixed", bound=None)
WRONG = msgspec.structs.replace(RIGHT, findings=(FINDING,))
RESULTS = (RIGHT, WRONG, WRONG, RIGHT)


async def outcome_of(order: tuple[int, ...], tmp_path: Path) -> Outcome:
    """What is known when these jobs came to their end in this order."""
    opened: Opened = msgspec.structs.replace(head().opened, jobs=tuple(each.spec for each in RESULTS))
    outcome = Outcome(opened)
    crew = _Crew(Open("memory", (), 0, None, None), outcome, tmp_path, lambda _: None, Manner(fail_fast=True))
    running = {index: trio.CancelScope() for index in range(4)}
    crew._running.update(running)
    for index in order:
        crew._running.pop(index)
        crew._enter(Finished(index, RESULTS[index]))
    assert crew._gave_up(Run(3, RESULTS[3].spec))
    assert not running[0].cancel_called
    assert running[3].cancel_called or 3 in order
    assert give_up_rest(outcome, fail_fast=True)
    return outcome


@pytest.mark.parametrize("order", [(0, 1), (1, 0), (0, 2, 1), (2, 0, 1), (3, 2, 1, 0)])
def test_the_same_whatever_ends_first(order: tuple[int, ...], tmp_path: Path) -> None:
    outcome = trio.run(outcome_of, order, tmp_path)
    kept: dict[int, JobResult] = outcome.results
    assert sorted(kept) == [0, 1]
    assert outcome.cut == AT_FIRST
    outcome.audited = {0, 1}
    report = report_on(Options(scenarios=("before-admission",), fail_fast=True), outcome)
    assert report.exit_code == ExitCode.VIOLATIONS
    assert report.jobs[3].left == f"not run: {AT_FIRST}"
    assert f"no run put it to the test (not run: {AT_FIRST})" in {clause.why for clause in report.clauses}
