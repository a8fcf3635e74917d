"""A gate that declares nothing but the core can be certified: every clause that applies to it is put to the test."""

from __future__ import annotations

from typing import ClassVar

from stopcheck.campaign._applicability import unsupported
from stopcheck.explore import make_trial
from stopcheck.gate import GateContract
from stopcheck.judge import CHECKS, checked_clauses, gate_memo
from stopcheck.judge.requirements import REQUIREMENTS, Level
from stopcheck.kernel import DefaultChooser
from stopcheck.world import PlainInterior, Scenario, Variant
from stopcheck_fixtures.vendor.simple_gate import Gate as SimpleGate
from stopcheck_scenarios.acceptance import SCENARIOS
from tests.fast.scenarios.driver import MoodChooser, NoStorage, RandomChooser

WALKS = 8


class CoreGate(SimpleGate):
    """A right gate with no capability, volatile, and of scope task."""

    contract: ClassVar[GateContract] = GateContract(name="core", version="1", fingerprint=True)


def applicable(contract: GateContract) -> list[Scenario]:
    return [s for s in SCENARIOS if all(contract.has(need) for need in s.needs)]


def test_every_clause_without_a_need_is_exercised_on_a_core_gate() -> None:
    contract = CoreGate.contract
    memo = gate_memo(contract)
    exercised: set[str] = set()
    for scenario in applicable(contract):
        trial = make_trial(scenario, CoreGate, Variant(1), PlainInterior(NoStorage()), CHECKS, memo=memo)
        walks = [RandomChooser(seed) for seed in range(WALKS)] + [MoodChooser(seed) for seed in range(WALKS)]
        for chooser in (DefaultChooser(), *walks):
            result = trial(chooser)
            assert result.fault is None
            assert not result.violations, f"{scenario.id}: {result.violations[0].message}"
            exercised |= set(result.exercised)
    binding = {r.id for r in REQUIREMENTS.values() if r.level is Level.MUST and unsupported(r, contract) is None}
    assert sorted((binding & checked_clauses()) - exercised) == []
