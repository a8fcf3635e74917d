"""Exhaustive depth-first search with a state cache.

One idea: a run can't be rewound, but it can be repeated. The search keeps the path to where it is, repeats it from the
start, takes the next option at its end, and goes on by default; a state that was seen before is not entered twice
(``_state_cache``). Two things make it shorter, and exclude each other: footprints, by which one of several orders of
independent steps is enough (``_sleep_sets``), and a bound of disruptions (``_bounded``).

Measured (``make bench``; ``python -m pytest -o python_files='bench_*.py' tests/bench/bench_search.py``): the deep race
takes 130 executions with footprints and 5,261 without. On worlds all calls of the gate depend on each other, and what
footprints save is what only the harness does: before-admission on the gate in memory takes 168 executions instead of
224, late-completion 521 instead of 627, worker-restart 716 instead of 994.
"""

from __future__ import annotations

from stopcheck.explore._bounded import Bounded
from stopcheck.explore._exploration import Book, Budget, Exploration, Observe
from stopcheck.explore._footprint_audit import FootprintAudit
from stopcheck.explore._footprints import Rule, refuse_unsound, unknown
from stopcheck.explore._search import conclude, explore
from stopcheck.explore._sleep_sets import Sleeping
from stopcheck.explore._state_cache import CACHE_BOUND, StateCache
from stopcheck.explore._trial import Trial


def depth_first(
    trial: Trial,
    budget: Budget,
    *,
    rule: Rule | None = None,
    bound: int | None = None,
    cache_bound: int = CACHE_BOUND,
    swaps: int | None = None,
    fail_fast: bool = False,
    observe: Observe | None = None,
) -> Exploration:
    """Make every run, up to the budget. All clauses that can fail are found, unless ``fail_fast``.

    ``rule`` reads footprints: then one run of each class that differs only in the order of independent steps.
    ``bound``: only runs of at most so many disruptions. ``cache_bound``: how many states are kept at most; 0 for no
    cache. ``swaps``: how many pairs of steps the footprint audit takes in both orders at most; those runs explore
    nothing, and are counted in ``Exploration.footprints`` only. Raises ``ValueError`` for a rule with a bound, and for
    a rule that does not hold for the trial.
    """
    if bound is not None and rule is not None:
        raise ValueError("a reduction by independence is not sound together with a bound of disruptions")
    refuse_unsound(trial, rule or unknown)
    book = Book(
        "depth-first" if rule is None else "depth-first, sleep sets", budget, fail_fast=fail_fast, observe=observe
    )
    audit = FootprintAudit(swaps)

    def search_with(kept: int) -> Sleeping | Bounded:
        search: Sleeping | Bounded
        if bound is None:
            search = Sleeping(trial, rule or unknown, audit, StateCache(kept))
        else:
            search = Bounded(bound, StateCache(kept))
        explore(trial, search, book)
        return search

    first = last = search_with(cache_bound)
    if first.cache.refuted is not None:
        last = search_with(0)
    found = book.exploration
    found.states, found.cache = first.cache.states, first.cache.use
    if isinstance(last, Bounded):
        found.bound, found.limited = bound, last.limited
    conclude(found, last, last.use if isinstance(last, Sleeping) and rule is not None else None)
    return found


__all__ = ["CACHE_BOUND", "depth_first"]
