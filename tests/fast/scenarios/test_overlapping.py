"""Every operation is made by two who are busy at the same time: one that is not would never overlap but with a stop."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import msgspec
import pytest

from stopcheck.explore import STRATEGIES, Aim, Budget, Exploration, make_trial
from stopcheck.gate import OPERATIONS, Environment, Request
from stopcheck.judge import CHECKS, gate_memo
from stopcheck.world import Called, Granularity, PlainInterior, Scenario, Variant
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_scenarios._hands import LEFT, RIGHT
from stopcheck_scenarios.acceptance import one_for_two, overlapping, overlapping_ends
from tests.fast.scenarios.driver import NoStorage, one_run

PAGES = (*overlapping.SCENARIOS, *overlapping_ends.SCENARIOS, *one_for_two.SCENARIOS)


class OnlyWaits(MemoryGate):
    """A right gate: each operation waits for its store first, and is one transition then."""

    contract = msgspec.structs.replace(MemoryGate.contract, serialised_calls=False)

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        for operation in OPERATIONS:
            setattr(self, operation, partial(self._wait, getattr(self, operation)))

    async def _wait(self, decide: Callable[[Request], Any], request: Request) -> Any:
        await self._environment.branch("waits for its store", ("gate",))
        return decide(request)


def inside(scenario: Scenario, gate: type[MemoryGate]) -> Exploration:
    """Every run with at most one disruption, between the gate's own branch points too, until one breaks something."""
    variant, memo = Variant(1, Granularity.INNER), gate_memo(gate.contract)
    trial = make_trial(scenario, gate, variant, PlainInterior(NoStorage()), CHECKS, memo=memo)
    return STRATEGIES["bounded"](trial, Budget(2_000), 0, Aim(bound=1, fail_fast=True))


@cache
def made_by_hands(scenario: Scenario) -> frozenset[str]:
    """The operations that its two hands ask for."""
    events = one_run(scenario).events
    return frozenset(one.operation for one in events if isinstance(one, Called) and one.actor in (LEFT, RIGHT))


def test_every_operation_is_made_by_one_of_two_hands() -> None:
    assert all(scenario.races for scenario in PAGES)
    assert sorted(set(OPERATIONS).difference(*map(made_by_hands, PAGES))) == []


@pytest.mark.parametrize("scenario", PAGES, ids=lambda scenario: scenario.id)
def test_a_gate_that_only_waits_is_right(scenario: Scenario) -> None:
    found = inside(scenario, OnlyWaits)
    assert not found.failures
    assert not found.faults
    assert found.bound is None or found.bound >= 1
