"""Every operation is made in a scenario that is tried inside of calls; one that is not would leave atomicity open."""

from __future__ import annotations

from stopcheck.explore import make_trial
from stopcheck.gate import OPERATIONS
from stopcheck.judge import CHECKS
from stopcheck.kernel import DefaultChooser
from stopcheck.world import PlainInterior, Variant
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_scenarios.acceptance import SCENARIOS
from tests.fast.scenarios.driver import NoStorage


def test_every_operation_is_made_where_calls_are_taken_apart() -> None:
    made: set[str] = set()
    for scenario in SCENARIOS:
        if scenario.races and scenario.fits(MemoryGate.contract):
            trial = make_trial(scenario, MemoryGate, Variant(1), PlainInterior(NoStorage()), CHECKS)
            made |= {operation for operation, times in trial(DefaultChooser()).called.items() if times}
    assert sorted(set(OPERATIONS) - made) == []
