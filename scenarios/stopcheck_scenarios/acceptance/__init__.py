"""The acceptance cases of the contract, and small scenarios that probe one thing each."""

from __future__ import annotations

from stopcheck.world import Scenario

from stopcheck_scenarios.acceptance import before_admission, late_completion

#: In the contract's order; what this entry point offers to the kit.
SCENARIOS: tuple[Scenario, ...] = (
    before_admission.SCENARIO,
    late_completion.SCENARIO,
)

__all__ = ["SCENARIOS"]
