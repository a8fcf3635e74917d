"""The acceptance cases of the contract, and small scenarios that probe one thing each."""

from __future__ import annotations

from stopcheck.world import Scenario
from stopcheck_scenarios.acceptance import (
    after_commitment,
    before_admission,
    child_creation_race,
    late_completion,
    lost_response,
    shared_dependency,
    uncooperative_worker,
    worker_restart,
)

#: In the contract's order; what this entry point offers to the kit.
SCENARIOS: tuple[Scenario, ...] = (
    before_admission.SCENARIO,
    after_commitment.SCENARIO,
    lost_response.SCENARIO,
    child_creation_race.SCENARIO,
    worker_restart.SCENARIO,
    shared_dependency.SCENARIO,
    late_completion.SCENARIO,
    uncooperative_worker.SCENARIO,
)

__all__ = ["SCENARIOS"]
