"""From a job's spec to an exploration, and to words for what was covered.

One idea: a target is named, and either completed or not. What a strategy can complete decides the words, and it says
that itself; so a new strategy needs none here. A number of samples is a target too, but proves nothing about what was
not sampled.
"""

from __future__ import annotations

from typing import Any

import msgspec

from stopcheck.campaign._ledger import disruptions
from stopcheck.campaign._results import JobSpec
from stopcheck.explore import STRATEGIES, Aim, Budget, Completes, Exploration
from stopcheck.world import Granularity

#: Random base runs of a sweep, beside those that prefer one actor each. None inside of calls, where runs are dear.
SWEEP_BASES = 1


class Search(msgspec.Struct):
    """What a strategy came to, in words."""

    exploration: Exploration
    target: str
    complete: bool
    ground: str
    left: str
    unsound: str = ""

    @property
    def exhausted(self) -> bool:
        """Every run of all was made."""
        return self.exploration.exhausted

    @property
    def bound(self) -> int | None:
        """The greatest number of disruptions for which every run was made; ``None`` where that was not asked, or not
        even 0 was completed."""
        return None if self.exhausted else self.exploration.bound


def search(spec: JobSpec, trial: Any) -> Search:
    """Carry out the job's strategy."""
    strategy = STRATEGIES[spec.strategy]
    bases = SWEEP_BASES if spec.granularity == Granularity.CALLS else 0
    aim = Aim(bound=_wanted(spec), random_bases=bases)
    found = strategy(trial, Budget(spec.budget), spec.seed, aim)
    target, complete, ground, left = _WORDS[strategy.completes](found, spec)
    return Search(found, target, complete, ground, left, found.unsound)


def _wanted(spec: JobSpec) -> int:
    """How many disruptions a search must at least complete."""
    return 1 if spec.bound is None else spec.bound


_Words = tuple[str, bool, str, str]


def _space(found: Exploration, spec: JobSpec) -> _Words:
    """Complete when every run was made, or every run up to the job's bound."""
    wanted = _wanted(spec)
    done = -1 if found.bound is None else found.bound
    complete = found.exhausted or done >= wanted
    ground = "" if done < 0 else f"every run of at most {_disruptions(done)}"
    if found.exhausted:
        ground = f"exhausted in {found.executions} executions, {found.states} states"
    left = "" if complete else _cut_short(found, done)
    target = "exhausted" if found.exhausted else f"every run of at most {_disruptions(wanted)}"
    if found.coverage is not None and found.coverage.planned:
        ground = f"{ground}; {_swept(found)}" if ground else _swept(found)
    return target, complete, ground, left


def _cut_short(found: Exploration, done: int) -> str:
    """What ended the search that came after the last bound that was completed, and what is known to be left of it."""
    completed = f"completed up to {disruptions(done)}" if done >= 0 else "no bound was completed"
    why = f"{found.truncated_by or 'something'} ended the search up to {disruptions(done + 1)}"
    return f"{why}, with {found.remaining} known branches not taken; {completed}"


def _disruptions(bound: int) -> str:
    return f"{disruptions(bound)} (preemption, fault or death)"


def _stops(found: Exploration, _: JobSpec) -> _Words:
    coverage = found.coverage
    complete = coverage is not None and not coverage.missed and not found.faults
    left = ""
    if not complete:
        missed = len(coverage.missed) if coverage is not None else 0
        left = "an adapter fault ended it" if found.faults else f"{missed} branch points were not hit by a stop"
    return "every branch point hit by a stop", complete, _swept(found), left


def _swept(found: Exploration) -> str:
    coverage = found.coverage
    if coverage is None:
        return ""
    hit = f"{coverage.hit} of {len(coverage.planned)} branch points"
    return f"a stop started next at {hit} of {coverage.base_runs} base runs"


def _nothing(found: Exploration, spec: JobSpec) -> _Words:
    """Samples are complete when they were made; what was not sampled they say nothing about."""
    target = f"{found.executions} runs by {spec.strategy}"
    left = "an adapter fault ended it" if found.faults else ""
    return target, not left, target, left


_WORDS = {Completes.SPACE: _space, Completes.STOPS: _stops, Completes.NOTHING: _nothing}
