"""A gate without a fingerprint is known by what it went through: nothing is lost by it, and still much is cut."""

from __future__ import annotations

import msgspec
import pytest

from stopcheck.campaign import load_gate, load_scenarios
from stopcheck.campaign._ground import ground
from stopcheck.explore import CACHE_BOUND, Budget, Exploration, Result, depth_first, make_trial
from stopcheck.gate import Environment, Gate, GateContract
from stopcheck.judge import CHECKS
from stopcheck.world import Granularity, Variant


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
