"""Every capability that a gate may declare is declared by both reference gates, and exercised on them by scenarios."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from stopcheck.gate import OPERATIONS, Capability, GateFactory, OpenTask, RecordOutcome, Right
from stopcheck.kernel import Chooser, DefaultChooser
from stopcheck.world import Called, Event, MessageDelivered, PlainInterior, StorageArea, Variant, Workspace, run
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_fixtures.reference.sqlite import SqliteGate
from stopcheck_scenarios.acceptance import SCENARIOS
from tests.fast.gates.plain_environment import PlainEnvironment
from tests.fast.scenarios.driver import MoodChooser

GATES: dict[str, GateFactory] = {"memory": MemoryGate, "sqlite": SqliteGate}
every_gate = pytest.mark.parametrize("gate", GATES)


@every_gate
def test_the_reference_gates_declare_every_capability(gate: str) -> None:
    assert set(Capability) - GATES[gate].contract.capabilities == set()


def exercises(event: Event) -> Iterator[Capability]:
    """The capabilities that an event belongs to."""
    if isinstance(event, MessageDelivered):
        yield Capability.DELIVERY
    if not isinstance(event, Called):
        return
    capability = OPERATIONS[event.operation].capability
    if capability is not None:
        yield capability
    if isinstance(event.request, RecordOutcome) and event.request.caller.rights == (Right.RECONCILE,):
        yield Capability.RECONCILIATION
    if isinstance(event.request, OpenTask) and event.request.deadline_ns is not None:
        yield Capability.DEADLINES


def seen(gate: str, area: StorageArea) -> set[Capability]:
    """What runs of all scenarios exercise, until nothing is missing."""
    interior = PlainInterior(area)
    found: set[Capability] = set()
    in_need = sorted(SCENARIOS, key=lambda scenario: -len(scenario.needs))
    choosers: tuple[Callable[[], Chooser], ...] = (DefaultChooser, lambda: MoodChooser(0))
    for make, scenario in itertools.product(choosers, in_need):
        if found == set(Capability):
            break
        record = run(scenario, GATES[gate], make().choose, variant=Variant(), interior=interior)
        found.update(capability for event in record.events for capability in exercises(event))
    return found


@every_gate
def test_scenarios_exercise_every_capability(gate: str, tmp_path: Path) -> None:
    prepared, runs = tmp_path / "prepared", tmp_path / "runs"
    prepared.mkdir()
    runs.mkdir()
    GATES[gate](PlainEnvironment(prepared)).close()  # a database is not made anew for each run
    with closing(Workspace(runs)) as area:
        area.use_template(prepared)
        assert set(Capability) - seen(gate, area) == set()
