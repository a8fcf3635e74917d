"""What a clause's verdict rests on: which searches were completed, where they branched, and what went wrong in them.

One idea: a reader who sees ``PASS`` asks what was tried. So the answer is data beside the verdict, and only a search
that was completed, and in which the clause was put to the test, counts as ground.
"""

from __future__ import annotations

from collections.abc import Sequence

from stopcheck.campaign._results import Ground, JobResult, Searched, UpTo
from stopcheck.campaign._sigkill import REAL
from stopcheck.explore import POWER_AFTER, POWER_BEFORE
from stopcheck.kernel import many
from stopcheck.world import FaultKind, Granularity


def ground_of(
    clause: str, jobs: Sequence[JobResult], cut_short: Sequence[str] = (), doubts: Sequence[str] = ()
) -> Ground:
    """The ground of a clause's verdict, from all jobs of the campaign."""
    tried = [job for job in jobs if clause in job.exercised]
    searches = [job for job in tried if clause in job.searched]
    faults: dict[str, int] = {}
    for job in tried:
        for kind, most in job.faults.items():
            faults[kind] = max(most, faults.get(kind, 0))
    sweeps = [job.sweep for job in tried if job.sweep is not None]
    return Ground(
        searched=_by_variant(searches),
        sampled=sum(job.executions for job in tried if clause not in job.searched and not job.deaths),
        deaths=sum(deaths_in(job) for job in tried),
        power_losses=sum(power_losses_in(job) for job in tried),
        kills=sum(job.deaths for job in tried),
        stops=sum(sweep.hit for sweep in sweeps),
        second_stops=sum(sweep.second.hit for sweep in sweeps if sweep.second is not None),
        faults=dict(sorted(faults.items())),
        cut_short=tuple(cut_short),
        cache_full=tuple(job.spec.name for job in searches if job.cache_full),
        doubts=tuple(doubts),
    )


def deaths_in(job: JobResult) -> int:
    """How often the gate's process died by simulation."""
    others = (REAL, POWER_AFTER, POWER_BEFORE)
    return sum(line.taken for line in job.ledger if line.kind is FaultKind.CRASH and line.what not in others)


def power_losses_in(job: JobResult) -> int:
    """How often the power was lost."""
    return sum(line.taken for line in job.ledger if line.what in (POWER_AFTER, POWER_BEFORE))


def _by_variant(jobs: Sequence[JobResult]) -> tuple[Searched, ...]:
    variants: dict[tuple[str, int], list[JobResult]] = {}
    for job in jobs:
        variants.setdefault((_branched(job), job.spec.handles), []).append(job)
    return tuple(_searched(*variant, of_it) for variant, of_it in sorted(variants.items()))


def _branched(job: JobResult) -> str:
    """Where the search branched. One that may go inside of calls and found no branch point there did not."""
    return job.spec.granularity if any(job.searched_inner.values()) else Granularity.CALLS.value


def _searched(granularity: str, handles: int, jobs: Sequence[JobResult]) -> Searched:
    whole = {job.spec.scenario for job in jobs if job.exhausted}
    furthest: dict[str, int] = {}
    for job in jobs:
        scenario = job.spec.scenario
        if scenario not in whole and job.bound is not None:
            furthest[scenario] = max(job.bound, furthest.get(scenario, 0))
    bounds = list(furthest.values())
    bounded = tuple(UpTo(bound, bounds.count(bound)) for bound in sorted(set(bounds)))
    executions, states = sum(job.executions for job in jobs), sum(job.states for job in jobs)
    return Searched(granularity, handles, len(whole), bounded, executions, states)


# -- in words ---------------------------------------------------------------------------------------------

_GRAINS = {"calls": "between whole calls", "inner": "inside calls"}


def in_words(ground: Ground) -> str:
    """One sentence for a reader."""
    parts = [_variant(one) for one in ground.searched]
    runs, states = sum(s.executions for s in ground.searched), sum(s.states for s in ground.searched)
    parts.append(f"{many(runs, 'run')}, {many(states, 'state')}")
    if ground.deaths or ground.kills:
        parts.append(f"{many(ground.deaths, 'simulated death')} and {ground.kills:,} by SIGKILL")
    if ground.power_losses:
        parts.append(f"{many(ground.power_losses, 'loss')} of power, each of all that was not synced")
    if ground.stops:
        second = f", second ones at {ground.second_stops:,}" if ground.second_stops else ""
        parts.append(f"stops at {many(ground.stops, 'point')}{second}")
    if ground.faults:
        parts.append("in one run at most " + ", ".join(f"{most} {kind}" for kind, most in ground.faults.items()))
    if ground.cut_short:
        parts.append(f"not explored to the end, and so perhaps not tried there: {_first(ground.cut_short)}")
    if ground.cache_full:
        parts.append(f"the state cache was full, and kept no further states, in {_first(ground.cache_full)}")
    return "; ".join(parts)


def _variant(one: Searched) -> str:
    far = [f"{many(one.exhausted, 'scenario')} exhausted"] if one.exhausted else []
    far += [f"{many(part.scenarios, 'scenario')} up to {many(part.bound, 'disruption')}" for part in one.bounded]
    return f"{_GRAINS.get(one.granularity, one.granularity)}, {many(one.handles, 'handle')}: {', '.join(far)}"


def _first(names: Sequence[str]) -> str:
    return names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")
