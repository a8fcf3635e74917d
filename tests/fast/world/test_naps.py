"""Calls that sleep: others move meanwhile or not, and a gate that acts on what it saw before its nap is failed."""

from __future__ import annotations

import pytest

from stopcheck.explore import STRATEGIES, Aim, Budget, make_trial
from stopcheck.gate import GateFactory
from stopcheck.judge import CHECKS
from stopcheck.world import FaultKind, Granularity, PlainInterior, Variant
from stopcheck_fixtures.faulty.overlapping import ChecksNapsRecords
from stopcheck_fixtures.right.waiting import NapsAndActs, NapsOnTrio
from stopcheck_scenarios.acceptance import before_admission
from tests.fast.scenarios.driver import NoStorage

INNER = Variant(1, Granularity.INNER)


def searched(gate: GateFactory, budget: int) -> tuple[set[str], dict[str, int], set[str]]:
    """What broke, how often a call was suspended inside, and which faults were taken, in a bounded search."""
    trial = make_trial(before_admission.SCENARIO, gate, INNER, PlainInterior(NoStorage()), CHECKS)
    found = STRATEGIES["bounded"](trial, Budget(budget), 0, Aim(bound=1))
    taken = {option for _, options in found.offers for option in options if "gate timer" in option}
    return set(found.failures), dict(found.inner), taken


@pytest.mark.parametrize("gate", [NapsAndActs, NapsOnTrio])
def test_a_nap_is_a_place_where_others_move_and_breaks_nothing(gate: GateFactory) -> None:
    failed, inner, taken = searched(gate, 60)
    assert failed == set()
    assert {"commit_effect", "request_cancel"} <= set(inner)
    assert taken == {"time:at:gate timer"}


def test_a_gate_that_acts_on_what_it_saw_before_its_nap_is_failed() -> None:
    failed, _, _ = searched(ChecksNapsRecords, 200)
    assert "ADM-3" in failed


def test_only_gates_with_timers_have_a_place_for_their_races() -> None:
    assert before_admission.SCENARIO.budget.limits()[FaultKind.GATE_TIMER] == 2
