"""Job systems without a ledger: put to the test for the whole of their profile, and told from a wrong one."""

from __future__ import annotations

import msgspec

from stopcheck.campaign import PROFILES
from stopcheck.campaign._applicability import unsupported
from stopcheck.explore import STRATEGIES, Aim, Budget, make_trial
from stopcheck.gate import MissingOperation
from stopcheck.judge import CHECKS, checked_clauses, gate_memo
from stopcheck.world import PlainInterior, Variant
from stopcheck_fixtures.faulty.jobs import RequeuesWhatWasStopped
from stopcheck_fixtures.right.jobs import JobGate
from stopcheck_scenarios.acceptance import SCENARIOS, worker_restart
from tests.fast.scenarios.driver import NoStorage

CONTRACT = JobGate.contract
FITTING = [scenario for scenario in SCENARIOS if scenario.fits(CONTRACT)]
MEMO = gate_memo(CONTRACT)


def test_a_job_system_is_searched_without_effects_and_each_clause_of_its_profile_is_put_to_the_test() -> None:
    exercised: set[str] = set()
    for scenario in FITTING:
        trial = make_trial(scenario, JobGate, Variant(1), PlainInterior(NoStorage()), CHECKS, memo=MEMO)
        found = STRATEGIES["exhaustive"](trial, Budget(800), 0, Aim(bound=scenario.disruptions))
        assert found.exhausted, scenario.id
        assert found.faults == [], scenario.id
        assert found.failures == {}, scenario.id
        assert {w.name for w in scenario.witnesses if w.asked_of(CONTRACT)} <= set(found.witnesses), scenario.id
        exercised |= set(found.exercised)
    clauses = PROFILES["job_control"].clauses
    assert [r.id for r in clauses if unsupported(r, CONTRACT) is not None] == []
    assert {r.id for r in clauses} & checked_clauses() <= exercised


def test_a_wrong_job_system_is_failed() -> None:
    trial = make_trial(worker_restart.SCENARIO, RequeuesWhatWasStopped, Variant(1), PlainInterior(NoStorage()), CHECKS)
    assert "DLV-1" in STRATEGIES["auto"](trial, Budget(100), 0, Aim()).failures


def test_a_gate_that_declares_a_ledger_must_have_its_operations() -> None:
    class Forgetful(JobGate):
        contract = msgspec.structs.replace(JobGate.contract, ledger=True)

    scenario = next(s for s in SCENARIOS if s.id == "plain-completion")
    trial = make_trial(scenario, Forgetful, Variant(1), PlainInterior(NoStorage()), CHECKS)
    found = STRATEGIES["random-walk"](trial, Budget(1), 0, Aim())
    assert [fault.kind for fault in found.faults] == [MissingOperation.__name__]
