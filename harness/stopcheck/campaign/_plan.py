"""The plan: which scenarios, variants and strategies a gate is tried with.

One idea: every scenario is searched exhaustively at call granularity, which is cheap, and, where it is about calls that
race and the gate's are not serialised by construction, again between its inner branch points up to a named bound of
disruptions, where exhaustion is out of reach. Sampling and the stop sweep come on top; they add evidence and
witnesses, and never stand in for a search that was not completed.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from stopcheck.campaign._results import JobSpec
from stopcheck.explore import STRATEGIES, Completes
from stopcheck.gate import GateContract, HostKind
from stopcheck.world import Granularity, Scenario

#: Executions that one search may take when no ``--budget`` is given.
DEFAULT_BUDGET = 8_000
#: Executions of each sampling job.
SAMPLES = 12

#: Executions of each sampling job when the campaign is restricted to a sampler.
RESTRICTED_SAMPLES = 200

# The strategies that a campaign is made of, as they are registered.
EXHAUSTIVE = "exhaustive"
BOUNDED = "bounded"
SWEEP = "stop-sweep"
MIXED = "mixed"
MACHINE = "state-machine"
#: Real deaths: a kind of job, but no strategy, since it makes no runs of a trial.
SIGKILL = "sigkill"


def variants(contract: GateContract, granularity: str | None = None) -> list[tuple[int, Granularity]]:
    """Handles and granularities to try. A volatile gate has one handle; serialised calls have no inside."""
    handles = (1, 2) if contract.durable else (1,)
    finest = Granularity.CALLS if contract.serialised_calls and not contract.durable else Granularity.INNER
    if granularity is not None:
        finest = Granularity(granularity)
    grains = (Granularity.CALLS,) if finest is Granularity.CALLS else (Granularity.CALLS, Granularity.INNER)
    return [(h, g) for g in grains for h in handles]


def plan(
    contract: GateContract,
    scenarios: Sequence[Scenario],
    *,
    seed: int,
    budget: int | None = None,
    granularity: str | None = None,
    strategy: str | None = None,
) -> list[JobSpec]:
    """All jobs of a campaign, in order. A scenario that needs a capability the gate lacks has none. ``strategy``
    restricts it: one job of that strategy wherever there would be any."""
    jobs: list[JobSpec] = []
    for scenario in scenarios:
        if not scenario.fits(contract):
            continue
        for handles, grain in variants(contract, granularity):
            if grain is Granularity.INNER and not _goes_inside(scenario, handles, granularity):
                continue
            planned = _jobs(scenario, handles, grain, contract, seed, budget or DEFAULT_BUDGET)
            jobs += planned if strategy is None else _restricted(planned, strategy, scenario, budget)
    return jobs


def known_strategies() -> tuple[str, ...]:
    """What a campaign can be restricted to."""
    return (*STRATEGIES, SIGKILL)


def _restricted(planned: Sequence[JobSpec], strategy: str, scenario: Scenario, budget: int | None) -> list[JobSpec]:
    """One job of the strategy in the place of those planned for a variant."""
    if strategy == SIGKILL:
        return [job for job in planned if job.strategy == SIGKILL]
    samples = STRATEGIES[strategy].completes is Completes.NOTHING
    size = budget or (RESTRICTED_SAMPLES if samples else DEFAULT_BUDGET)
    bound = None if samples else scenario.disruptions
    return [msgspec.structs.replace(job, strategy=strategy, budget=size, bound=bound) for job in planned[:1]]


def _goes_inside(scenario: Scenario, handles: int, asked: str | None) -> bool:
    """Runs between inner branch points are dear: unless asked for, only races have them, on two handles only cases."""
    return asked is not None or (scenario.races and (handles == 1 or scenario.case is not None))


def _jobs(
    scenario: Scenario, handles: int, grain: Granularity, contract: GateContract, seed: int, budget: int
) -> list[JobSpec]:
    def job(strategy: str, size: int, bound: int | None = None) -> JobSpec:
        return JobSpec(scenario.id, handles, grain.value, strategy, size, seed, bound)

    samples = min(SAMPLES, budget)
    case = scenario.case is not None
    if grain is Granularity.INNER:
        if handles == 2:
            return [job(MIXED, samples)]
        return [job(BOUNDED, budget, 1), job(SWEEP, budget)] if case else [job(BOUNDED, budget, 1)]
    if handles == 2 and not (case and scenario.races):
        return [job(MIXED, samples)] if case or scenario.races else []
    # A store and its deaths make a run ten times as dear and the space several times as large.
    bound = scenario.disruptions
    jobs = [job(BOUNDED, budget, bound) if contract.durable else job(EXHAUSTIVE, budget, bound)]
    if handles == 1:
        jobs += [job(SWEEP, budget), job(MIXED, samples)]
    if handles == 1 and case:
        jobs.append(job(MACHINE, samples))
        # In a process of its own each simulated death is a real one already.
        mortal = contract.durable and contract.host is not HostKind.PROCESS and scenario.budget.crashes > 0
        jobs += [job(SIGKILL, 1)] if mortal else []
    return jobs
