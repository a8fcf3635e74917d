"""A death at every branch point: what was accepted or admitted is there afterwards."""

from __future__ import annotations

import pytest

from stopcheck.campaign import load_gate
from stopcheck.campaign._ground import ground
from stopcheck.explore import make_trial
from stopcheck.judge import CHECKS
from stopcheck.kernel import ThreadHost
from stopcheck.world import Granularity, Variant
from tests.fast.world.lost_response import Dying, scenario

pytestmark = pytest.mark.usefixtures("server")


def test_nothing_is_lost_by_a_death_between_any_two_statements() -> None:
    gate, variant = load_gate("postgres"), Variant(1, Granularity.INNER)
    threads = ThreadHost(real_time_s=20)
    with ground(gate, Granularity.INNER) as interior:
        trial = make_trial(scenario(), gate.factory, variant, interior, CHECKS, thread_host=threads)
        undisturbed = Dying()
        trial(undisturbed)
        for at, point in enumerate(undisturbed.points):
            result = trial(Dying(at))
            assert (result.fault, list(result.violations)) == (None, []), f"after a death before {point}"
            assert result.rested
    assert len(undisturbed.points) > 25
    threads.close()
