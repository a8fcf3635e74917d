"""Calls that never return by waiting, and operations that were forgotten, are the adapter's faults and say so."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from stopcheck.gate import (
    CallNeverReturned,
    CommitEffect,
    GateFactory,
    HostKind,
    MissingOperation,
    Scope,
    Unsupported,
)
from stopcheck.kernel import DefaultChooser, Ending, Point, Recorder, Replayer, Schedule
from stopcheck.world import (
    Granularity,
    PlainInterior,
    Record,
    SubstitutedInterior,
    Variant,
    run,
    substituted,
)
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_scenarios.acceptance import SCENARIOS
from tests.fast.scenarios.driver import NoStorage, RandomChooser
from tests.fast.world import stuck_gates
from tests.fast.world.async_gates import OnAsyncio, OnTrio
from tests.fast.world.stuck_gates import (
    InOtherOrders,
    StuckFromTheStart,
    TakesItsLockTwice,
    WaitsInline,
    WaitsOnAsyncio,
    WaitsOnTrio,
)

BY_ID = {scenario.id: scenario for scenario in SCENARIOS}
Choose = Callable[[Point], int]


def play(
    factory: GateFactory,
    choose: Choose | None = None,
    scenario: str = "before-admission",
    granularity: Granularity = Granularity.INNER,
) -> Record:
    """One run; of blocking code with its locks substituted."""
    variant, choose = Variant(1, granularity), choose or DefaultChooser().choose
    if factory.contract.host is not HostKind.THREAD:
        return run(BY_ID[scenario], factory, choose, variant=variant, interior=PlainInterior(NoStorage()))
    with substituted([sys.modules[stuck_gates.__name__]]) as substitutes:
        interior = SubstitutedInterior(NoStorage(), substitutes)
        return run(BY_ID[scenario], factory, choose, variant=variant, interior=interior)


STUCK = [WaitsInline, WaitsOnTrio, WaitsOnAsyncio, TakesItsLockTwice]
on_every_host = pytest.mark.parametrize("factory", STUCK, ids=lambda factory: factory.__name__)


@on_every_host
def test_a_call_that_waits_for_ever_is_named_with_where_it_stands(factory: type[MemoryGate]) -> None:
    fault = play(factory).fault
    assert isinstance(fault, CallNeverReturned)
    assert fault.what.startswith("commit_effect (call worker#")
    assert "stuck_gates.py:" in fault.what
    assert "commit_effect; nothing that can still happen lets it go on" in fault.what
    assert "event that nobody sets" in fault.cause
    assert "every path" in fault.hint


@pytest.mark.parametrize("factory", [WaitsInline, WaitsOnTrio, WaitsOnAsyncio], ids=lambda factory: factory.__name__)
def test_between_whole_calls_too(factory: type[MemoryGate]) -> None:
    assert isinstance(play(factory, granularity=Granularity.CALLS).fault, CallNeverReturned)


def test_it_is_noticed_in_setup_too() -> None:
    fault = play(StuckFromTheStart, scenario="two-reasons").fault
    assert isinstance(fault, CallNeverReturned)
    assert "begin_work (call setup#" in fault.what


def test_two_calls_that_wait_for_each_other_are_both_named_and_the_choices_replay_it() -> None:
    found: list[tuple[Recorder, Record]] = []
    for seed in range(200):
        recorder = Recorder(RandomChooser(seed))
        record = play(InOtherOrders, recorder.choose)
        assert record.fault is None or isinstance(record.fault, CallNeverReturned)
        if record.fault is not None:
            found.append((recorder, record))
    assert found
    recorder, record = found[0]
    fault = record.fault
    assert fault is not None
    assert record.ending is Ending.DEADLOCK
    assert "commit_effect (call worker#" in fault.what
    assert "request_cancel (call person#" in fault.what
    assert "different orders" in fault.cause
    schedule = Schedule.of("before-admission", Variant(1, Granularity.INNER).names(), recorder.choices)
    again = play(InOtherOrders, Replayer(schedule).choose)
    assert again.fault is not None
    assert again.fault.what == fault.what


@pytest.mark.parametrize("factory", [OnTrio, OnAsyncio], ids=lambda factory: factory.__name__)
def test_calls_that_wait_for_each_other_for_a_while_are_no_fault(factory: type[MemoryGate]) -> None:
    for seed in range(20):
        assert play(factory, RandomChooser(seed).choose).fault is None


def without(operation: str) -> Any:
    """A gate that answers ``Unsupported`` to one operation."""
    return type("Without", (MemoryGate,), {operation: lambda _self, _request: Unsupported()})


def test_a_core_operation_that_is_unsupported_is_missing() -> None:
    fault = play(without("commit_effect")).fault
    assert isinstance(fault, MissingOperation)
    assert fault.what.startswith("commit_effect (call worker#")
    assert "answers so itself" in fault.cause
    assert "the core operations are: open_task, begin_work" in fault.hint


def test_a_misspelt_operation_is_recognised() -> None:
    class Misspelt(MemoryGate):
        def commit_efect(self, request: CommitEffect) -> Any:
            return MemoryGate.commit_effect(self, request)

    Misspelt.commit_effect = vars(next(k for k in MemoryGate.__mro__ if k.__name__ == "Gate"))["commit_effect"]  # type: ignore[method-assign]
    fault = play(Misspelt).fault
    assert isinstance(fault, MissingOperation)
    assert "'commit_efect'" in fault.cause


def test_a_scope_that_is_not_declared_is_rightly_unsupported() -> None:
    class TaskOnly(MemoryGate):
        contract = msgspec.structs.replace(MemoryGate.contract, scopes=frozenset((Scope.TASK,)))

    answers = 0
    for scenario in ("two-people", "foreign-hands"):
        if scenario in BY_ID:
            record = play(TaskOnly, scenario=scenario)
            assert record.fault is None
            answers += sum("Unsupported" in repr(event) for event in record.events)
    assert answers
