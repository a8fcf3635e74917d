"""The acceptance cases of the contract, and small scenarios that probe one thing each.

One idea: a case is one page, and a page reads like its sentence in the contract.
"""

from __future__ import annotations

from stopcheck.world import Scenario
from stopcheck_scenarios.acceptance import (
    after_commitment,
    bad_workers,
    before_admission,
    budget_ends,
    child_creation_race,
    dead_retries,
    detached_work,
    early_stop,
    effect_identity,
    every_child_ends,
    foreign_hands,
    given_up,
    hasty_owners,
    in_doubt,
    in_peace,
    last_interest,
    late_approvals,
    late_completion,
    late_turns,
    lifetimes,
    long_memory,
    lost_response,
    mistaken_evidence,
    named_stops,
    no_cancellation,
    no_new_child,
    old_checkpoint,
    old_epoch,
    old_incarnations,
    other_runs,
    partitioned_worker,
    policy_assistant,
    probes_evidence,
    probes_settling,
    released_owner,
    removed_work,
    said_twice,
    seen_at_every_step,
    sent_again,
    shared_dependency,
    spent_leases,
    subtree,
    two_people,
    two_reasons,
    uncooperative_worker,
    worker_restart,
)

#: The cases, in the contract's order.
CASES: tuple[Scenario, ...] = (
    before_admission.SCENARIO,
    after_commitment.SCENARIO,
    lost_response.SCENARIO,
    child_creation_race.SCENARIO,
    worker_restart.SCENARIO,
    shared_dependency.SCENARIO,
    late_completion.SCENARIO,
    uncooperative_worker.SCENARIO,
    no_new_child.SCENARIO,
    every_child_ends.SCENARIO,
    dead_retries.CANCELLED,
    policy_assistant.SCENARIO,
    old_checkpoint.STOPPED,
)

#: What the cases leave untried.
PROBES: tuple[Scenario, ...] = (
    *in_peace.SCENARIOS,
    two_people.SCENARIO,
    two_reasons.SCENARIO,
    said_twice.SCENARIO,
    *subtree.SCENARIOS,
    *hasty_owners.SCENARIOS,
    released_owner.SCENARIO,
    detached_work.SCENARIO,
    early_stop.SCENARIO,
    old_incarnations.SCENARIO,
    *foreign_hands.SCENARIOS,
    *named_stops.SCENARIOS,
    effect_identity.SCENARIO,
    *in_doubt.SCENARIOS,
    *sent_again.SCENARIOS,
    given_up.SCENARIO,
    old_epoch.SCENARIO,
    *spent_leases.SCENARIOS,
    partitioned_worker.SCENARIO,
    late_approvals.SCENARIO,
    late_turns.SCENARIO,
    old_checkpoint.REPLACED,
    removed_work.SCENARIO,
    *other_runs.SCENARIOS,
    dead_retries.EXPIRED,
    *bad_workers.SCENARIOS,
    last_interest.SCENARIO,
    *lifetimes.SCENARIOS,
    *no_cancellation.SCENARIOS,
    *seen_at_every_step.SCENARIOS,
    long_memory.SCENARIO,
    long_memory.CROWDED,
    *probes_settling.SCENARIOS,
    budget_ends.SCENARIO,
    probes_evidence.SCENARIO,
    mistaken_evidence.SCENARIO,
)

#: What this entry point offers to the kit.
SCENARIOS: tuple[Scenario, ...] = (*CASES, *PROBES)

__all__ = ["CASES", "PROBES", "SCENARIOS"]
