"""No check fails a right gate, whatever the gate chooses where the contract leaves the choice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from stopcheck.explore import make_trial
from stopcheck.gate import GateFactory
from stopcheck.judge import CHECKS, gate_memo
from stopcheck.kernel import Chooser
from stopcheck.world import PlainInterior, Scenario, Variant
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_fixtures.right import RIGHT_GATES
from stopcheck_scenarios.acceptance import SCENARIOS
from tests.fast.scenarios.driver import MoodChooser, NoStorage, RandomChooser


def choosers(gate: GateFactory) -> list[Chooser]:
    """A mood, and for the first gate a walk as well; the self-test searches with all of them."""
    return [RandomChooser(0), MoodChooser(0)] if gate is MemoryGate else [MoodChooser(0)]


#: One person's walk of hundreds of calls, in which there is hardly a choice: it is left to the self-test as well.
LONG = "many-of-each"


def tried() -> Iterator[Any]:
    """The first gate in all scenarios, each of the others in every fourth one, the next gate from the next one on; the
    rest with more time. Those that write to a disk are left to the self-test."""
    yield pytest.param(MemoryGate, SCENARIOS, id="MemoryGate")
    in_memory = [right.factory for right in RIGHT_GATES if not right.factory.contract.durable]
    for number, gate in enumerate(in_memory):
        some = SCENARIOS[number % 4 :: 4]
        yield pytest.param(gate, some, id=gate.__name__)
        rest = [scenario for scenario in SCENARIOS if scenario not in some]
        yield pytest.param(gate, rest, id=f"{gate.__name__}-rest", marks=pytest.mark.campaign)


@pytest.mark.parametrize(("gate", "scenarios"), list(tried()))
def test_a_right_gate_breaks_no_clause(gate: GateFactory, scenarios: Sequence[Scenario]) -> None:
    memo = gate_memo(gate.contract)
    for scenario in scenarios:
        if not scenario.fits(gate.contract) or scenario.id == LONG:
            continue
        trial = make_trial(scenario, gate, Variant(1), PlainInterior(NoStorage()), CHECKS, memo=memo)
        for chooser in choosers(gate):
            result = trial(chooser)
            assert result.fault is None, f"{scenario.id}: {result.fault}"
            assert not result.violations, f"{scenario.id}: {result.violations[0]}"
