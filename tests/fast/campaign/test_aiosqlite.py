"""Gates on aiosqlite: what is wrong between two statements is found there, and a right one is not accused."""

from __future__ import annotations

from typing import Any

import pytest

from stopcheck.campaign import JobResult, JobSpec
from stopcheck.campaign._job import JobRunner
from stopcheck.campaign._loading import as_loaded
from tests.fast.world.aiosqlite_gates import ChecksThenActs, InOneTransaction


def searched(gate: Any, granularity: str, budget: int, strategy: str = "bounded") -> JobResult:
    spec = JobSpec("before-admission", 1, granularity, strategy, budget, 0, 1)
    with JobRunner(as_loaded(gate.__name__, gate)) as runner:
        return runner.run(spec, lambda *_: None)


@pytest.mark.parametrize("gate", [InOneTransaction, ChecksThenActs])
def test_between_whole_calls_both_look_right(gate: Any) -> None:
    found = searched(gate, "calls", 15)
    assert (found.fault, found.findings) == (None, ())
    assert found.searched_inner == {}


def test_between_statements_the_wrong_one_admits_what_was_stopped() -> None:
    found = searched(ChecksThenActs, "inner", 120)
    assert found.fault is None
    assert {finding.clause for finding in found.findings} >= {"ADM-3"}


def test_between_statements_the_right_one_breaks_nothing_and_nobody_hangs() -> None:
    found = searched(InOneTransaction, "inner", 30)
    assert (found.fault, found.findings, found.unsound) == (None, (), "")
    assert found.inner["commit_effect"] > 10
