"""The durable gate, whose runs are dearer: a search that was cut short never looks like a pass."""

from __future__ import annotations

from tests.fast.campaign.small import campaign
from tests.fast.campaign.test_truncated import SCENARIOS, check_bounds, check_truncated


def test_a_budget_of_a_few_runs_certifies_nothing_and_says_what_was_not_explored() -> None:
    check_truncated(campaign("sqlite", SCENARIOS, 5))


def test_a_pass_names_its_bound_wherever_it_was_not_exhausted() -> None:
    check_bounds(campaign("sqlite", ("stop-in-peace",), 60))
