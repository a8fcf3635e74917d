"""A gate without a fingerprint is known by what it went through: nothing is lost by it, and still much is cut."""

from __future__ import annotations

from typing import ClassVar

import msgspec
import pytest

from stopcheck.campaign import load_gate, load_scenarios
from stopcheck.campaign._ground import ground
from stopcheck.explore import CACHE_BOUND, Budget, Exploration, Result, depth_first, make_trial
from stopcheck.gate import Environment, Gate, GateContract, GateFactory, HostKind, RequestCancel, RequestCancelReply
from stopcheck.judge import CHECKS
from stopcheck.world import Granularity, Variant
from stopcheck_fixtures.reference.memory import MemoryGate
from tests.fast.world.async_gates import declared
from tests.fast.world.test_async_hosts import small, trial_of


def search(reference: str, scenario: str, *, opaque: bool, cache: bool = True) -> tuple[set[bytes], Exploration]:
    """What a gate's whole calls can come to."""
    loaded = load_gate(reference)

    class Factory:
        contract: GateContract = msgspec.structs.replace(loaded.contract, fingerprint=not opaque)

        def __call__(self, environment: Environment, /) -> Gate:
            return loaded.factory(environment)  # type: ignore[no-any-return]

    outcomes: set[bytes] = set()

    def observe(result: Result) -> None:
        if not result.cut:
            outcomes.add(result.outcome())

    with ground(loaded, Granularity.CALLS) as interior:
        trial = make_trial(load_scenarios()[scenario], Factory(), Variant(), interior, CHECKS)
        found = depth_first(trial, Budget(6000), cache_bound=CACHE_BOUND if cache else 0, observe=observe)
    assert found.exhausted, found.truncated_by
    return outcomes, found


@pytest.mark.parametrize("scenario", ["stop-in-peace"])
def test_the_same_outcomes_as_with_the_fingerprint(scenario: str) -> None:
    known, with_print = search("memory", scenario, opaque=False)
    opaque, without = search("memory", scenario, opaque=True)
    assert opaque == known
    assert without.cache is not None
    assert without.cache.hits > 0
    assert without.cache.refuted is None
    assert without.executions >= with_print.executions


class Auditing(MemoryGate):
    """Notes who pressed Stop in a step of its own, which touches only that person's notes; ``promises`` it, or not."""

    promises = True
    contract = declared(HostKind.INLINE, fingerprint=False)
    notes: ClassVar[list[str]] = []

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._environment = environment

    async def request_cancel(self, request: RequestCancel) -> RequestCancelReply:  # type: ignore[override]
        reply = super().request_cancel(request)
        name = request.caller.principal
        for _ in range(2):
            await self._environment.branch("note", (f"notes of {name}",) if self.promises else ())
            self.notes.append(name)
        return reply


class Silent(Auditing):
    """Promises nothing."""

    promises = False


def noted(gate: GateFactory, *, cache: bool = True) -> tuple[set[bytes], Exploration]:
    """What two people come to who press Stop at once."""
    outcomes: set[bytes] = set()

    def observe(result: Result) -> None:
        if not result.cut:
            outcomes.add(result.outcome())

    kept = CACHE_BOUND if cache else 0
    found = depth_first(trial_of(gate, small(2)), Budget(6_000), cache_bound=kept, observe=observe)
    assert found.exhausted
    assert not found.unsound
    return outcomes, found


def test_steps_that_a_gate_promises_to_be_apart_are_one_state_in_either_order() -> None:
    everything, unreduced = noted(Auditing, cache=False)
    promised, fewer = noted(Auditing)
    ordered, more = noted(Silent)
    assert promised == ordered == everything
    assert fewer.states < more.states
    assert fewer.transitions < more.transitions <= unreduced.transitions
