"""``auto``: the strategies together, and what can be said after them.

One idea: first what finds most faults soonest, last what can be *completed*. Most faults of a gate show in one of a
few runs of some sampler, and no sampler is best (priorities find double claims, uniform walks find checks that come
too early, walks near the default order what needs one deviation far down): so they take turns, run by run. Then the
stop sweep, then the search, which is the only part that a pass can rest on. What it leaves of the budget because the
whole space was too large is sampled again.

Measured (``make bench``, ``tests/bench/bench_kills.py``): of 169 wrong gates each is killed within 192 executions, half
of them within 3; of its parts alone the walk near the default order comes nearest, with one at 139; the search
leaves 8 alive after 300 executions, and the whole sweep 30.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from stopcheck.explore._deepening import exhaustive_or_bounded
from stopcheck.explore._exploration import Book, Budget, Exploration, Observe
from stopcheck.explore._merging import merged
from stopcheck.explore._pct import Priorities
from stopcheck.explore._pilot import Pilot
from stopcheck.explore._random_walk import DEVIATION, Deviating, Uniform
from stopcheck.explore._sampling import sample
from stopcheck.explore._stop_position import NEAR, StopsAt
from stopcheck.explore._sweep import stop_sweep
from stopcheck.explore._trial import Trial
from stopcheck.kernel import Chooser

#: Runs that the samplers make before anything else, if the budget has as many to spare.
_FIRST = 60
#: What of the budget they may take at most then, and what of the rest the search may take, in per cent.
_FIRST_SHARE = 25
_SEARCH_SHARE = 75
#: Starts of a first stop from which the sweep goes on to a second one, where nobody says otherwise.
FIRSTS = 8

_Sampler = Callable[[random.Random, Pilot], Chooser]

_SAMPLERS: tuple[_Sampler, ...] = (
    lambda rng, _: Uniform(rng),
    lambda rng, pilot: StopsAt(rng, pilot.stops, pilot.positions, NEAR),
    lambda rng, _: Deviating(rng, DEVIATION),
    lambda rng, pilot: Priorities(rng, 3, pilot.length),
    lambda rng, pilot: Priorities(rng, 5, pilot.length),
)


def auto(
    trial: Trial,
    budget: Budget,
    seed: int,
    *,
    wanted: int = 1,
    random_bases: int = 1,
    firsts: int | None = FIRSTS,
    fail_fast: bool = False,
    observe: Observe | None = None,
) -> Exploration:
    """Sample a little, sweep, search, and sample what is left of the budget.

    ``exhausted`` and ``bound`` are what the search completed; ``coverage`` is of the sweep; ``made`` says how many runs
    each part took.
    """
    parts: list[Exploration] = []
    done = merged("auto", seed, [])

    def within(executions: int) -> Budget:
        return budget.part(min(executions, budget.executions - done.executions))

    def over(part: Exploration) -> bool:
        nonlocal done
        parts.append(part)
        done = merged("auto", seed, parts)
        return bool(done.faults or done.nondeterminism or budget.over(done.executions) or (fail_fast and done.failures))

    def close(search: Exploration | None = None) -> Exploration:
        for part in parts:
            done.made[part.strategy] = done.made.get(part.strategy, 0) + part.executions
        if search is None:
            done.truncated_by = parts[-1].truncated_by or budget.over(done.executions)
            return done
        done.exhausted, done.bound, done.limited = search.exhausted, search.bound, search.limited
        done.searched, done.truncated_by, done.remaining = search.searched, search.truncated_by, search.remaining
        return done

    first = min(_FIRST, budget.executions * _FIRST_SHARE // 100)
    if over(mixed(trial, within(first), seed, fail_fast=fail_fast, observe=observe)):
        return close()
    sweep = stop_sweep(
        trial,
        within(budget.executions),
        seed,
        random_bases=random_bases,
        firsts=firsts,
        fail_fast=fail_fast,
        observe=observe,
    )
    if over(sweep):
        return close()
    share = within((budget.executions - done.executions) * _SEARCH_SHARE // 100)
    search = exhaustive_or_bounded(trial, share, wanted=wanted, fail_fast=fail_fast, observe=observe)
    if over(search) or search.exhausted:
        return close(search)
    over(mixed(trial, within(budget.executions), seed, first=first, fail_fast=fail_fast, observe=observe))
    return close(search)


def mixed(
    trial: Trial,
    budget: Budget,
    seed: int,
    *,
    first: int = 0,
    fail_fast: bool = False,
    observe: Observe | None = None,
) -> Exploration:
    """Sample runs, each by the next of the samplers, from number ``first`` on."""
    book = Book("samplers in turn", budget, seed=seed, fail_fast=fail_fast, observe=observe)
    pilot = Pilot(trial, book, positions=True)

    def make(rng: random.Random, number: int) -> Chooser:
        return _SAMPLERS[number % len(_SAMPLERS)](rng, pilot)

    return sample(trial, book, seed, make, first=first)
