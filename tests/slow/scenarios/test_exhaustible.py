"""Every scenario can be exhausted: small enough for a depth-first search with a state cache, crashes included."""

from __future__ import annotations

import pytest

from stopcheck.gate import GateFactory
from stopcheck.world import Scenario
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_scenarios.acceptance import SCENARIOS
from tests.fast.scenarios.driver import DepthFirst, SurvivingGate, one_run


@pytest.mark.parametrize(
    "scenario",
    [
        pytest.param(scenario, id=scenario.id, marks=pytest.mark.campaign if number % 4 else ())
        for number, scenario in enumerate(SCENARIOS)
    ],
)
@pytest.mark.parametrize(
    ("factory", "limit"),
    [
        pytest.param(MemoryGate, 3_000, id="volatile"),
        pytest.param(SurvivingGate, 10_000, id="durable", marks=pytest.mark.campaign),
    ],
)
def test_every_interleaving_is_within_reach_and_ends_well(scenario: Scenario, factory: GateFactory, limit: int) -> None:
    search = DepthFirst()
    records = search.explore(lambda choose: one_run(scenario, choose, factory=factory), limit)
    assert search.executions < limit
    assert not [record.fault for record in records if record.fault is not None]
    assert all(record.rested for record in records if not record.cut)
    wanted = {witness.name for witness in scenario.witnesses if witness.asked_of(factory.contract)}
    assert wanted <= {name for record in records for name in record.witnesses}
