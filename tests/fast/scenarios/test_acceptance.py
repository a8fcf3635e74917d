"""The bundled scenarios on a right gate: every run ends well, and together they reach every witness."""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from stopcheck.gate import GateFactory
from stopcheck.judge.requirements import REQUIREMENTS
from stopcheck.kernel import Chooser, DefaultChooser, Ending
from stopcheck.world import Scenario, as_data
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_scenarios.acceptance import CASES, SCENARIOS
from tests.fast.scenarios.driver import MoodChooser, RandomChooser, SurvivingGate, one_run

RUNS = 1_000
AT_LEAST = 20
GATES = {"volatile": MemoryGate, "durable": SurvivingGate}

every_scenario = pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.id)


def choosers() -> Iterator[Chooser]:
    """The plain run, then walks and moods in turn."""
    yield DefaultChooser()
    for seed in itertools.count():
        yield RandomChooser(seed)
        yield MoodChooser(seed)


def wanted(scenario: Scenario, factory: GateFactory) -> set[str]:
    """The witnesses that are asked for of this gate."""
    return {witness.name for witness in scenario.witnesses if witness.asked_of(factory.contract)}


@every_scenario
@pytest.mark.parametrize(
    ("kind", "handles"), [("volatile", 1), pytest.param("durable", 1, marks=pytest.mark.campaign), ("durable", 2)]
)
def test_runs_end_well_and_together_reach_every_witness(scenario: Scenario, kind: str, handles: int) -> None:
    missing = wanted(scenario, GATES[kind])
    for number, chooser in enumerate(itertools.islice(choosers(), RUNS)):
        record = one_run(scenario, chooser.choose, factory=GATES[kind], handles=handles)
        assert record.fault is None, f"run {number}: {record.fault}"
        assert record.ending is Ending.REST, f"run {number}"
        assert record.rested, f"run {number}"
        missing -= record.witnesses
        if not missing and number >= AT_LEAST:
            return
    assert not missing


def digest_of(scenario: Scenario, seed: int) -> str:
    return hashlib.sha256(one_run(scenario, MoodChooser(seed).choose, factory=SurvivingGate).rendered()).hexdigest()


@every_scenario
def test_a_run_is_a_function_of_its_choices(scenario: Scenario) -> None:
    assert [digest_of(scenario, seed) for seed in range(3)] == [digest_of(scenario, seed) for seed in range(3)]


def all_digests() -> list[str]:
    return [f"{scenario.id} {digest_of(scenario, seed)}" for scenario in SCENARIOS for seed in range(3)]


def test_a_run_is_the_same_in_a_process_with_other_hashes() -> None:
    code = "from tests.fast.scenarios.test_acceptance import all_digests; print(*all_digests(), sep='\\n')"
    environment = {**os.environ, "PYTHONHASHSEED": "4711", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:-1] == all_digests()


def test_ids_are_unique_and_in_kebab_case() -> None:
    ids = [scenario.id for scenario in SCENARIOS]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", each) for each in ids)


def test_the_cases_are_the_contracts_in_its_order() -> None:
    cases = [scenario.case for scenario in CASES]
    assert cases[:8] == [*range(1, 9)]
    assert cases == sorted({case for case in cases if case is not None and case <= 20})


@every_scenario
def test_a_scenario_names_clauses_that_exist_and_a_witness(scenario: Scenario) -> None:
    assert scenario.clauses
    assert set(scenario.clauses) <= set(REQUIREMENTS)
    assert scenario.witnesses
    assert len({witness.name for witness in scenario.witnesses}) == len(scenario.witnesses)


@every_scenario
def test_a_log_is_plain_data(scenario: Scenario) -> None:
    assert as_data(one_run(scenario).log)
