"""From a job's strategy to an exploration, and to words for what was covered.

One idea: a target is named, and either completed or not. ``exhausted`` and a bound of disruptions are targets; a number
of samples is one too, but proves nothing about what was not sampled.
"""

from __future__ import annotations

from typing import Any

import msgspec

from stopcheck.campaign._plan import BOUNDED, EXHAUSTIVE, MACHINE, PCT, RANDOM, SWEEP
from stopcheck.campaign._results import JobSpec
from stopcheck.explore import (
    Budget,
    Exploration,
    Trial,
    both_offers,
    exhaustive,
    pct,
    random_walk,
    state_machine,
    stop_sweep,
)

#: The next bound is tried while what was spent is at most this part of the budget: each costs a multiple of the last.
DEEPEN = 160
#: Random base runs of a sweep, beside those that prefer one actor each. None inside of calls, where runs are dear.
SWEEP_BASES = 1


class Search(msgspec.Struct):
    """What a strategy came to, in words. ``bound``: the greatest number of disruptions for which every run was made;
    ``None`` where that was not asked, or not even 0 was completed. ``exhausted``: every run of all was made."""

    exploration: Exploration
    target: str
    complete: bool
    ground: str
    left: str
    unsound: str = ""
    exhausted: bool = False
    bound: int | None = None


def search(spec: JobSpec, trial: Any) -> Search:
    """Carry out the job's strategy."""
    if spec.strategy == EXHAUSTIVE:
        return _exhaustive(spec, trial)
    if spec.strategy == BOUNDED:
        return _bounded(spec, trial, spec.budget, None)
    if spec.strategy == SWEEP:
        return _sweep(spec, trial)
    if spec.strategy == RANDOM:
        found = random_walk(trial, Budget(spec.budget), spec.seed)
        return _sampled(found, f"{spec.budget} random walks")
    if spec.strategy == PCT:
        return _sampled(pct(trial, Budget(spec.budget), spec.seed), f"{spec.budget} PCT samples")
    if spec.strategy == MACHINE:
        found = state_machine(trial, Budget(spec.budget), spec.seed)
        return _sampled(found, f"{found.executions} examples of the state machine")
    raise ValueError(f"no strategy {spec.strategy!r}; known: {EXHAUSTIVE}, {BOUNDED}, {SWEEP}, {RANDOM}, {MACHINE}")


def _exhaustive(spec: JobSpec, trial: Trial) -> Search:
    found = exhaustive(trial, Budget(spec.budget))
    if found.exhausted or found.faults or found.nondeterminism is not None:
        ground = f"exhausted in {found.executions} executions, {found.states} states" if found.exhausted else ""
        return Search(
            found, "exhausted", found.exhausted, ground, _left(found), found.unsound, exhausted=found.exhausted
        )
    return _bounded(spec, trial, spec.budget, found)


def _bounded(spec: JobSpec, trial: Trial, budget: int, before: Exploration | None) -> Search:
    """Deepen the bound while the next one is likely to fit; complete when the job's own bound was completed."""
    wanted = spec.bound if spec.bound is not None else 1
    total = before
    done, spent = -1, 0
    exhausted = False
    while not exhausted and spent < budget and (done < wanted or spent * DEEPEN <= budget):
        found = exhaustive(trial, Budget(budget - spent), bound=done + 1)
        spent += found.executions
        total = found if total is None else merge(total, found)
        if not found.exhausted:
            break
        done += 1
        exhausted = not found.limited
    assert total is not None
    ground = "" if done < 0 else "exhausted" if exhausted else f"every run of at most {_disruptions(done)}"
    target = f"every run of at most {_disruptions(wanted)}"
    complete = done >= wanted or exhausted
    left = "" if complete else _left(total) or f"the budget of {budget} executions ended first"
    return Search(
        total,
        target,
        complete,
        ground,
        left,
        total.unsound,
        exhausted=exhausted,
        bound=done if done >= 0 else None,
    )


def _disruptions(bound: int) -> str:
    return f"{bound} disruption{'' if bound == 1 else 's'} (preemption, fault or death)"


def _sweep(spec: JobSpec, trial: Trial) -> Search:
    bases = SWEEP_BASES if spec.granularity == "calls" else 0
    found = stop_sweep(trial, Budget(spec.budget), spec.seed, random_bases=bases)
    coverage = found.coverage
    assert coverage is not None
    complete = not coverage.missed and not found.faults
    ground = (
        f"a stop started next at {coverage.hit} of {len(coverage.planned)} branch points of {coverage.base_runs} base "
        "runs"
    )
    left = ""
    if not complete:
        missed = f"{len(coverage.missed)} branch points were not hit by a stop"
        left = "an adapter fault ended it" if found.faults else missed
    return Search(found, "every branch point hit by a stop", complete, ground, left, found.unsound)


def _sampled(found: Exploration, target: str) -> Search:
    """Samples are complete when they were made; what was not sampled they say nothing about."""
    left = "" if not found.faults else "an adapter fault ended it"
    return Search(found, target, not left, target, left, found.unsound)


def _left(found: Exploration) -> str:
    if found.exhausted:
        return ""
    return f"{found.truncated_by or 'unfinished'}; {found.remaining} known branches were not taken"


def merge(first: Exploration, second: Exploration) -> Exploration:
    """Two explorations of one space as one; the shorter failure of each clause is kept."""
    failures = dict(first.failures)
    for clause, failure in second.failures.items():
        if clause not in failures or failure.size < failures[clause].size:
            failures[clause] = failure
    return msgspec.structs.replace(
        second,
        executions=first.executions + second.executions,
        states=first.states + second.states,
        failures=failures,
        witnesses=first.witnesses | second.witnesses,
        exercised=_sum(first.exercised, second.exercised),
        called=_sum(first.called, second.called),
        inner=_sum(first.inner, second.inner),
        faults=[*first.faults, *second.faults],
        nondeterminism=first.nondeterminism or second.nondeterminism,
        cache=first.cache if first.cache is not None and first.cache.refuted is not None else second.cache,
        footprints=first.footprints or second.footprints,
        undecided=_sum(first.undecided, second.undecided),
        endings=_sum(first.endings, second.endings),
        offers=both_offers(first.offers, second.offers),
        admitted=first.admitted or second.admitted,
    )


def _sum(first: dict[str, int], second: dict[str, int]) -> dict[str, int]:
    return {key: first.get(key, 0) + second.get(key, 0) for key in {**first, **second}}
