"""Each wrong gate about accounts is failed for the clause that it names, in the scenarios that it names.

One idea: random walks with fixed seeds; the first that shows the fault is enough. That right gates pass the same walks
is shown beside it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from stopcheck.campaign._ground import ground
from stopcheck.campaign._loading import LoadedGate
from stopcheck.gate import GateFactory, KnownFault
from stopcheck.judge import CHECKS, Judge
from stopcheck.kernel import Point
from stopcheck.world import Granularity, Interior, Scenario, Variant, run
from stopcheck_fixtures.faulty import (
    acknowledgement,
    completion,
    effects,
    escalation,
    liveness,
    reconciliation,
    reporting,
)
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_fixtures.reference.sqlite import SqliteGate
from stopcheck_scenarios.acceptance import SCENARIOS

FAULTS: tuple[KnownFault, ...] = (
    *completion.FAULTS,
    *effects.FAULTS,
    *acknowledgement.FAULTS,
    *escalation.FAULTS,
    *reconciliation.FAULTS,
    *liveness.FAULTS,
    *reporting.FAULTS,
)
WALKS = 80
BY_ID = {scenario.id: scenario for scenario in SCENARIOS}


class Walk:
    """Every third walk is uniform; the others leave the default order now and then."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._chance = (1.0, 0.1, 0.3)[seed % 3]

    def choose(self, point: Point) -> int:
        """One of the options."""
        return self._random.randrange(len(point.options)) if self._random.random() < self._chance else 0


def broken(scenario: Scenario, factory: GateFactory, interior: Interior, seed: int) -> set[str]:
    """The clauses that some check found broken in one walk."""
    judge = Judge(factory.contract, CHECKS)
    record = run(scenario, factory, Walk(seed).choose, variant=Variant(), interior=interior, observers=(judge,))
    judge.close()
    assert record.fault is None
    checks = {check.name for check in CHECKS}
    return {violation.clause for violation in judge.violations if violation.check in checks}


def walks(factory: GateFactory, names: tuple[str, ...], number: int) -> Iterator[set[str]]:
    """What was broken in walks over those scenarios that the gate can play."""
    played = [BY_ID[name] for name in names if BY_ID[name].needs <= factory.contract.capabilities]
    with ground(LoadedGate("test", factory), Granularity.CALLS) as interior:
        for seed in range(number):
            for scenario in played:
                yield broken(scenario, factory, interior, seed)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_it_dies_for_its_clause(fault: KnownFault) -> None:
    """And a check finds it, not only the search for an order of calls."""
    assert fault.scenarios
    assert any(fault.clause in found for found in walks(fault.factory, fault.scenarios, WALKS))


@pytest.mark.parametrize("factory", [MemoryGate, pytest.param(SqliteGate, marks=pytest.mark.campaign)])
def test_right_gates_pass_the_same_walks(factory: GateFactory) -> None:
    """In every scenario."""
    assert [found for found in walks(factory, tuple(BY_ID), 3) if found] == []
