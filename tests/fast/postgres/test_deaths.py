"""A death at every branch point: what was accepted or admitted is there afterwards."""

from __future__ import annotations

import pytest

from stopcheck.campaign import load_gate
from stopcheck.campaign._ground import ground
from stopcheck.campaign._loading import load_scenarios
from stopcheck.explore import make_trial
from stopcheck.judge import CHECKS
from stopcheck.kernel import CRASH_PREFIX, Point, ThreadHost
from stopcheck.world import Granularity, Variant

pytestmark = pytest.mark.usefixtures("server")


class DiesAt:
    """The default order with the answer of the receiver lost, and a death at one branch point, counted from 1."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.deaths_offered = 0

    def choose(self, point: Point) -> int:
        if "drop_answer" in point.options:
            return point.options.index("drop_answer")
        for index, option in enumerate(point.options):
            if option.startswith(CRASH_PREFIX):
                self.deaths_offered += 1
                if self.deaths_offered == self.number:
                    return index
        return 0


def test_nothing_is_lost_by_a_death_between_any_two_statements() -> None:
    gate, variant = load_gate("postgres"), Variant(1, Granularity.INNER)
    threads = ThreadHost(real_time_s=20)
    with ground(gate, Granularity.INNER) as interior:
        trial = make_trial(
            load_scenarios()["lost-response"], gate.factory, variant, interior, CHECKS, thread_host=threads
        )
        number = 0
        while True:
            number += 1
            chooser = DiesAt(number)
            result = trial(chooser)
            if chooser.deaths_offered < number:
                break
            assert (result.fault, list(result.violations)) == (None, []), f"after a death at branch point {number}"
            assert result.rested
    assert number > 25
    threads.close()
