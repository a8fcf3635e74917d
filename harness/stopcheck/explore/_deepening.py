"""Searches that are complete where they can be, and say how far they came where not.

One idea: a space that is too large to exhaust is completed up to a bound of disruptions, and the bound is raised while
the next one is likely to fit into the budget. What is said afterwards is the greatest bound that was *completed*; what
a pass that was cut short has met is no ground for anything.
"""

from __future__ import annotations

from stopcheck.explore._exhaustive import exhaustive
from stopcheck.explore._exploration import Budget, Evidence, Exploration, Observe
from stopcheck.explore._merging import merged
from stopcheck.explore._trial import Trial

#: The next bound is tried while what was spent is at most this part of the budget: each costs a multiple of the last.
DEEPEN = 160
#: Of the budget of :func:`exhaustive_or_bounded`, what the search without a bound may take, in per cent.
_WHOLE_SHARE = 75


def exhaustive_or_bounded(
    trial: Trial, budget: Budget, *, wanted: int = 1, fail_fast: bool = False, observe: Observe | None = None
) -> Exploration:
    """Make all runs; if they do not fit into the greater part of the budget, see how far the rest of it takes."""
    share = budget.part(budget.executions * _WHOLE_SHARE // 100)
    whole = exhaustive(trial, share, fail_fast=fail_fast, observe=observe)
    found = merged(whole.strategy, None, [whole])
    found.truncated_by, found.remaining, found.exhausted = whole.truncated_by, whole.remaining, whole.exhausted
    if whole.exhausted:
        found.searched = _evidence([whole])
        return found
    if _is_over(whole, fail_fast=fail_fast):
        return found
    left = budget.part(budget.executions - whole.executions)
    bounded = deepening(trial, left, wanted=wanted, fail_fast=fail_fast, observe=observe)
    found = merged(whole.strategy, None, [whole, bounded])
    found.exhausted, found.bound, found.limited = bounded.exhausted, bounded.bound, bounded.limited
    found.truncated_by, found.remaining, found.searched = bounded.truncated_by, bounded.remaining, bounded.searched
    return found


def deepening(
    trial: Trial, budget: Budget, *, wanted: int = 1, fail_fast: bool = False, observe: Observe | None = None
) -> Exploration:
    """Complete bound after bound: up to ``wanted`` as far as the budget reaches, then further while the next is likely
    to fit. ``bound`` is the greatest that was completed, ``exhausted`` whether it kept nothing back."""
    passes: list[Exploration] = []
    completed: list[Exploration] = []
    spent = 0
    while spent < budget.executions and (len(completed) <= wanted or spent * DEEPEN <= budget.executions):
        left = budget.part(budget.executions - spent)
        found = exhaustive(trial, left, bound=len(completed), fail_fast=fail_fast, observe=observe)
        passes.append(found)
        spent += found.executions
        if not found.exhausted:
            break
        completed.append(found)
        if not found.limited or _is_over(found, fail_fast=fail_fast):
            break
    total = merged("bounded search", None, passes)
    total.bound = len(completed) - 1 if completed else None
    total.limited = bool(completed) and completed[-1].limited
    total.exhausted = bool(completed) and not total.limited
    total.searched = _evidence(completed)
    if not total.exhausted:
        last = passes[-1] if passes else None
        unlikely = f"{budget.over(budget.executions)}, into which the next bound is not likely to fit"
        total.truncated_by = (last.truncated_by if last is not None else None) or unlikely
        total.remaining = last.remaining if last is not None else 0
    return total


def _is_over(found: Exploration, *, fail_fast: bool) -> bool:
    """Whether what was found ends everything."""
    broken = bool(found.faults) or found.nondeterminism is not None
    return broken or (fail_fast and bool(found.failures))


def _evidence(completed: list[Exploration]) -> Evidence:
    total = merged("", None, completed)
    return Evidence(total.exercised, total.inner)
