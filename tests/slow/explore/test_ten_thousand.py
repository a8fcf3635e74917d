"""Ten thousand schedules, each run twice: equal to the byte."""

from __future__ import annotations

import hashlib

import pytest

from stopcheck.campaign import load_scenarios
from stopcheck.explore import STRATEGIES, Aim, Budget, Result, find_nondeterminism
from stopcheck.kernel import Schedule
from stopcheck_fixtures.reference.memory import MemoryGate
from tests.fast.explore.test_scenarios import trial_of

SCHEDULES = 10_000
STRATEGY = "uniform-walk"


@pytest.mark.campaign
def test_ten_thousand_schedules_run_twice_are_identical() -> None:
    able = MemoryGate.contract.capabilities
    scenarios = [s for s in load_scenarios().values() if s.case is not None and s.needs <= able]
    each = -(-SCHEDULES // len(scenarios))
    made = 0
    logs: set[bytes] = set()
    for scenario in scenarios:
        schedules: list[Schedule] = []

        def note(result: Result, into: list[Schedule] = schedules) -> None:
            assert result.fault is None
            into.append(result.schedule())
            logs.add(hashlib.blake2b(result.log()).digest())

        trial = trial_of(scenario)
        STRATEGIES[STRATEGY](trial, Budget(each), 1, Aim(observe=note))
        assert find_nondeterminism(trial, schedules) is None
        made += len(schedules)
    assert made >= SCHEDULES
    assert len(logs) > 2_000  # walks of small cases meet again: 2,278 are runs of their own
