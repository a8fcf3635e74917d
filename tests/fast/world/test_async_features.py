"""Adapters written with what their library has work as they are, in whole runs, on the host of their library."""

from __future__ import annotations

import pytest

from stopcheck.explore import Deviating, generator, replay
from stopcheck.gate import HostKind
from stopcheck.kernel import Ending
from stopcheck_scenarios.acceptance import SCENARIOS
from tests.fast.world.feature_gates import FEATURES, written_with
from tests.fast.world.test_async_hosts import small, trial_of

each = pytest.mark.parametrize(
    ("host", "feature"),
    [(host, feature) for host, features in FEATURES.items() for feature in features],
    ids=lambda value: value.value if isinstance(value, HostKind) else value,
)


@each
def test_nothing_is_broken_wherever_others_move_and_each_run_can_be_had_again(host: HostKind, feature: str) -> None:
    labels: set[str] = set()
    for scenario in (small(2), SCENARIOS[0], SCENARIOS[1]):
        trial = trial_of(written_with(host, feature), scenario)
        for seed in range(4):
            result = trial(Deviating(generator(seed, 0), 0.5))
            assert result.fault is None
            assert result.violations == []
            assert result.ending is Ending.REST
            assert result.rested
            again = replay(trial, result.schedule()).result
            assert again is not None
            assert again.log() == result.log()
            labels |= {option.partition("@")[2].partition("#")[0] for _, option in result.turns()}
    assert "inside" in labels
