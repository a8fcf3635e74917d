"""The wrong gates are well described, and die for their clause."""

from __future__ import annotations

import pytest

from stopcheck.explore import make_trial
from stopcheck.gate import HostKind, KnownFault
from stopcheck.judge import CHECKS, gate_memo
from stopcheck.judge.requirements import REQUIREMENTS
from stopcheck.world import Granularity, PlainInterior, Scenario, Variant
from stopcheck_fixtures.faulty import (
    FAULTS,
    admission,
    batches,
    belongings,
    boundary,
    carried_over,
    children,
    closed_books,
    compensation,
    deadlines,
    declared_stops,
    delivery,
    detached,
    force,
    from_above,
    inventory,
    late_doors,
    later,
    measures,
    mistaken,
    named_stops,
    other_runs,
    record,
    removal,
    reopened,
    results,
    retention,
    rounded,
    scope,
    shared,
    suppression,
    tenants,
)
from stopcheck_scenarios.acceptance import SCENARIOS
from tests.fast.scenarios.driver import MoodChooser, NoStorage, RandomChooser

MODULES = (
    carried_over,
    scope,
    tenants,
    named_stops,
    retention,
    rounded,
    record,
    admission,
    suppression,
    children,
    closed_books,
    inventory,
    detached,
    delivery,
    removal,
    reopened,
    later,
    late_doors,
    force,
    from_above,
    results,
    deadlines,
    declared_stops,
    boundary,
    belongings,
    other_runs,
    shared,
    compensation,
    batches,
    measures,
    mistaken,
)
#: Those that walks over the memory gate can find; the others need files, threads or a death.
IN_MEMORY = [
    fault
    for module in MODULES
    for fault in module.FAULTS
    if fault.factory.contract.host is HostKind.INLINE and not fault.sigkill
]
KNOWN = {told.id: told for told in SCENARIOS}
WALKS = 400


def test_names_are_unique_and_what_they_name_exists() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    for fault in FAULTS:
        assert fault.clause in REQUIREMENTS, fault.name
        assert set(fault.scenarios) <= set(KNOWN), fault.name


def test_every_clause_with_a_check_has_a_gate_that_breaks_it() -> None:
    checked = {clause for check in CHECKS for clause in check.clauses}
    assert checked - {fault.clause for fault in FAULTS} == set()


def walks(fault: KnownFault, told: Scenario) -> set[str]:
    """The clauses that walks and moods break, until the named one is among them."""
    granularity = Granularity.INNER if fault.inner else Granularity.CALLS
    variant, interior = Variant(fault.handles, granularity), PlainInterior(NoStorage())
    trial = make_trial(told, fault.factory, variant, interior, CHECKS, memo=gate_memo(fault.factory.contract))
    broken: set[str] = set()
    for seed in range(WALKS):
        for chooser in (RandomChooser(seed), MoodChooser(seed)):
            result = trial(chooser)
            assert result.fault is None, f"{told.id}: {result.fault}"
            broken.update(result.clauses)
            if fault.clause in broken:
                return broken
    return broken


@pytest.mark.parametrize("fault", IN_MEMORY, ids=lambda fault: fault.name)
def test_a_wrong_gate_dies_for_its_clause(fault: KnownFault) -> None:
    assert any(fault.clause in walks(fault, KNOWN[name]) for name in fault.scenarios)
