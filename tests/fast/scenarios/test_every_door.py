"""Whichever one operation a gate lets everybody in at, a single plain run of `foreign-reach` shows it.

That includes whoever has other rights: nothing that strangers try changes anything, so the calls of the last round meet
the same situation as those before."""

from __future__ import annotations

import pytest

from stopcheck.explore import make_trial
from stopcheck.gate import OPERATIONS, Request, Right
from stopcheck.judge import CHECKS, gate_memo
from stopcheck.judge._rights import has_right
from stopcheck.kernel import DefaultChooser
from stopcheck.world import Called, PlainInterior, Variant
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_scenarios.acceptance import foreign_reach
from tests.fast.scenarios.driver import NoStorage, one_run

AUTHORITY = {"SCOPE-3", "SCOPE-7", "SCOPE-9"}
#: Due transitions are made for all tenants at once, so that it does not matter whose name a tick comes in.
OF_NO_TENANT = {"tick"}


class ForgetsTheRight(MemoryGate):
    """At one operation it asks for the tenant only."""

    door = ""

    def _authorised(self, request: Request, rights: tuple[Right, ...]) -> bool:
        open_door = request.operation == self.door and request.caller.tenant == request.task.tenant
        return open_door or super()._authorised(request, rights)


class ForgetsTheTenant(MemoryGate):
    """At one operation it asks for the right only."""

    door = ""

    def _authorised(self, request: Request, rights: tuple[Right, ...]) -> bool:
        open_door = request.operation == self.door and any(right in request.caller.rights for right in rights)
        return open_door or super()._authorised(request, rights)


def broken(gate: type[MemoryGate]) -> set[str]:
    """The clauses that one run finds broken."""
    scenario = foreign_reach.SCENARIO
    memo = gate_memo(gate.contract)
    trial = make_trial(scenario, gate, Variant(1), PlainInterior(NoStorage()), CHECKS, memo=memo)
    result = trial(DefaultChooser())
    assert result.fault is None
    return set(result.clauses)


@pytest.mark.parametrize("door", OPERATIONS)
def test_whoever_has_no_right_is_found_where_the_gate_lets_him_in(door: str) -> None:
    gate = type("Gate", (ForgetsTheRight,), {"door": door})
    assert broken(gate) & AUTHORITY


def test_each_operation_is_also_tried_with_every_right_but_its_own() -> None:
    events = one_run(foreign_reach.SCENARIO).events
    asked = [event.request for event in events if isinstance(event, Called)]
    wrongly = {request.operation for request in asked if request.caller.rights and not has_right(request)}
    assert wrongly == set(OPERATIONS)


@pytest.mark.parametrize("door", [name for name in OPERATIONS if name not in OF_NO_TENANT])
def test_another_tenant_is_found_where_the_gate_lets_him_in(door: str) -> None:
    gate = type("Gate", (ForgetsTheTenant,), {"door": door})
    assert broken(gate) & AUTHORITY


def test_a_gate_that_asks_for_both_everywhere_is_right() -> None:
    assert not broken(MemoryGate)
