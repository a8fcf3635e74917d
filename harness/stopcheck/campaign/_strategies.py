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
from stopcheck.kernel import plural
from stopcheck.world import Granularity

#: Random base runs of a sweep, beside those that prefer one actor each, and at how many starts of a first stop it goes
#: on to a second one, by where runs branch: inside of calls they are dear, and have many more points.
_SWEEPS = {Granularity.CALLS: (1, 8), Granularity.INNER: (0, 4)}


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
    bases, firsts = _SWEEPS[Granularity(spec.granularity)]
    aim = Aim(bound=_wanted(spec), random_bases=bases, firsts=firsts)
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
    searched = found.exhausted or done >= wanted
    ground = "" if done < 0 else f"every run of at most {_disruptions(done)}"
    if found.exhausted:
        ground = f"exhausted in {found.executions} {plural(found.executions, 'execution')}"
        ground += f", {found.states} {plural(found.states, 'state')}"
    left = "" if searched else _cut_short(found, done)
    target = "exhausted" if found.exhausted else f"every run of at most {_disruptions(wanted)}"
    if found.coverage is not None and found.coverage.planned:
        ground = f"{ground}; {_swept(found)}" if ground else _swept(found)
    if found.made:
        ground += "; runs: " + ", ".join(f"{runs} {part}" for part, runs in found.made.items())
    left = left or _missed(found)
    return target, not left, ground, left


def _cut_short(found: Exploration, done: int) -> str:
    """What ended the search that came after the last bound that was completed, and what is known to be left of it."""
    completed = f"completed up to {disruptions(done)}" if done >= 0 else "no bound was completed"
    why = f"{found.truncated_by or 'something'} ended the search up to {disruptions(done + 1)}"
    return _with_remedy(f"{why}, with {found.remaining} known branches not taken; {completed}")


def _with_remedy(left: str) -> str:
    """What was left undone, and what to do where a budget ended it."""
    return f"{left}; raise --budget" if left.startswith("the budget of") else left


def _disruptions(bound: int) -> str:
    return f"{disruptions(bound)} (preemption, fault or death)"


def _stops(found: Exploration, _: JobSpec) -> _Words:
    left = "an adapter fault ended it" if found.faults else _missed(found) or _with_remedy(found.truncated_by or "")
    return "every branch point hit by a stop", not left, _swept(found), left


def _missed(found: Exploration) -> str:
    missed = len(found.coverage.all_missed) if found.coverage is not None else 0
    return f"{missed} branch points were not hit by a stop" if missed else ""


def _swept(found: Exploration) -> str:
    coverage = found.coverage
    if coverage is None:
        return ""
    if not coverage.stops:
        return "nobody stops here"
    hit = f"{coverage.hit} of {len(coverage.planned)} branch points"
    first = f"a stop started next at {hit} of {coverage.base_runs} base runs"
    second = coverage.second
    if second is None:
        return f"{first}; nobody stops a second time, so there is nothing to sweep at depth 2"
    again = f"{second.hit} of {len(second.planned)} branch points after {second.first_stops} of {second.of} first stops"
    return f"{first}, a second one at {again}"


def _nothing(found: Exploration, spec: JobSpec) -> _Words:
    """Samples are complete when they were made; what was not sampled they say nothing about."""
    target = f"{found.executions} {plural(found.executions, 'run')} by {spec.strategy}"
    left = "an adapter fault ended it" if found.faults else ""
    return target, not left, target, left


_WORDS = {Completes.SPACE: _space, Completes.STOPS: _stops, Completes.NOTHING: _nothing}
