"""Gates whose calls really overlap: a right one is never accused, one that checks and then acts is."""

from __future__ import annotations

import copy
import random
from typing import Any

import msgspec
import pytest

from stopcheck.gate import OPERATIONS, Admitted, CommitEffect, Environment, Request
from stopcheck.judge.linearisability import GateMemo, HistoryVerdict, LinearisabilityMonitor, gate_memo
from stopcheck.kernel import Point
from stopcheck.world import Granularity, PlainInterior, Scenario, Variant, run
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_scenarios.acceptance import SCENARIOS
from tests.fast.scenarios.driver import NoStorage


class Overlapping(MemoryGate):
    """The reference gate, where others may move before each transition and between it and its answer."""

    contract = msgspec.structs.replace(MemoryGate.contract, name="overlapping", serialised_calls=False)

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self.branch = environment.branch


def overlapping(name: str) -> Any:
    async def operation(self: Overlapping, request: Request) -> Any:
        await self.branch("before the transition")
        reply = getattr(MemoryGate, name)(self, request)
        await self.branch("before the answer")
        return reply

    return operation


for _name in OPERATIONS:
    setattr(Overlapping, _name, overlapping(_name))


class ChecksThenActs(Overlapping):
    """Decides a commitment on what it read before others moved."""


async def checks_then_acts(self: ChecksThenActs, request: CommitEffect) -> Any:
    now, then = self._tasks, copy.deepcopy(self._tasks)
    await self.branch("between check and act")
    self._tasks = then
    reply = MemoryGate.commit_effect(self, request)
    self._tasks = now
    if isinstance(reply, Admitted) and request.ref is not None:
        now[request.ref].effects[request.effect_id] = then[request.ref].effects[request.effect_id]
    return reply


setattr(ChecksThenActs, "commit_effect", checks_then_acts)  # noqa: B010 - a coroutine where the base has a plain method

MEMOS: dict[str, GateMemo] = {}


def verdicts(scenario: Scenario, factory: type[Overlapping], runs: int) -> list[LinearisabilityMonitor]:
    memo = MEMOS.setdefault(factory.__name__, gate_memo(factory.contract))
    monitors: list[LinearisabilityMonitor] = []
    for seed in range(runs):
        rng = random.Random(seed)

        def choose(point: Point, rng: random.Random = rng) -> int:
            return rng.randrange(len(point.options)) if rng.random() < 0.7 else 0

        monitor = LinearisabilityMonitor(factory.contract, memo)
        variant = Variant(granularity=Granularity.INNER)
        record = run(
            scenario, factory, choose, variant=variant, interior=PlainInterior(NoStorage()), observers=(monitor,)
        )
        assert record.fault is None
        monitors.append(monitor)
    return monitors


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.id)
def test_a_right_gate_is_never_accused(scenario: Scenario) -> None:
    runs = 3 if scenario.id == "many-of-each" else 12  # there a run has hundreds of calls
    for monitor in verdicts(scenario, Overlapping, runs):
        assert monitor.verdict is HistoryVerdict.OK, monitor.illegal


def test_a_gate_that_checks_and_then_acts_is_accused() -> None:
    found = [monitor.illegal for monitor in verdicts(SCENARIOS[0], ChecksThenActs, 25) if monitor.illegal]
    assert found
    assert all("ADM-3" in one.clauses for one in found)
