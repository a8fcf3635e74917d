"""Every strategy by name.

One idea: this table is the only place that knows them all. Campaigns, the command line and the benches pick from it by
name, and need no word of theirs for a strategy that is added here.
"""

from __future__ import annotations

from stopcheck.explore._deepening import deepening, exhaustive_or_bounded
from stopcheck.explore._exploration import Budget, Exploration
from stopcheck.explore._pct import pct
from stopcheck.explore._portfolio import auto, mixed
from stopcheck.explore._random_walk import DEVIATION, random_walk
from stopcheck.explore._stop_position import stop_position
from stopcheck.explore._strategy import Aim, Completes, Explore, Strategy
from stopcheck.explore._sweep import stop_sweep
from stopcheck.explore._trial import Trial


def _auto(trial: Trial, budget: Budget, seed: int, aim: Aim) -> Exploration:
    return auto(
        trial,
        budget,
        seed,
        wanted=aim.bound,
        random_bases=aim.random_bases,
        firsts=aim.firsts,
        fail_fast=aim.fail_fast,
        observe=aim.observe,
    )


def _exhaustive(trial: Trial, budget: Budget, _: int, aim: Aim) -> Exploration:
    return exhaustive_or_bounded(trial, budget, wanted=aim.bound, fail_fast=aim.fail_fast, observe=aim.observe)


def _bounded(trial: Trial, budget: Budget, _: int, aim: Aim) -> Exploration:
    return deepening(trial, budget, wanted=aim.bound, fail_fast=aim.fail_fast, observe=aim.observe)


def _sweep(trial: Trial, budget: Budget, seed: int, aim: Aim) -> Exploration:
    return stop_sweep(
        trial,
        budget,
        seed,
        random_bases=aim.random_bases,
        firsts=aim.firsts,
        fail_fast=aim.fail_fast,
        observe=aim.observe,
    )


def _mixed(trial: Trial, budget: Budget, seed: int, aim: Aim) -> Exploration:
    return mixed(trial, budget, seed, fail_fast=aim.fail_fast, observe=aim.observe)


def _random(trial: Trial, budget: Budget, seed: int, aim: Aim) -> Exploration:
    return random_walk(trial, budget, seed, deviation=DEVIATION, fail_fast=aim.fail_fast, observe=aim.observe)


def _uniform(trial: Trial, budget: Budget, seed: int, aim: Aim) -> Exploration:
    return random_walk(trial, budget, seed, fail_fast=aim.fail_fast, observe=aim.observe)


def _pct(trial: Trial, budget: Budget, seed: int, aim: Aim) -> Exploration:
    return pct(trial, budget, seed, fail_fast=aim.fail_fast, observe=aim.observe)


def _stop_position(trial: Trial, budget: Budget, seed: int, aim: Aim) -> Exploration:
    return stop_position(trial, budget, seed, fail_fast=aim.fail_fast, observe=aim.observe)


def _drawn_runs(trial: Trial, budget: Budget, seed: int, aim: Aim) -> Exploration:
    from stopcheck.explore.stateful import drawn_runs  # noqa: PLC0415 - imports Hypothesis, which few campaigns need

    return drawn_runs(trial, budget, seed, fail_fast=aim.fail_fast, observe=aim.observe)


def _state_machine(trial: Trial, budget: Budget, seed: int, aim: Aim) -> Exploration:
    from stopcheck.explore.stateful import state_machine  # noqa: PLC0415 - as above

    return state_machine(trial, budget, seed, fail_fast=aim.fail_fast, observe=aim.observe)


_SPACE, _STOPS, _NOTHING = Completes.SPACE, Completes.STOPS, Completes.NOTHING

_ALL: tuple[tuple[str, Completes, Explore, str], ...] = (
    ("auto", _SPACE, _auto, "Samplers in turn, the stop sweep, then the search; samplers again if it is too large."),
    ("exhaustive", _SPACE, _exhaustive, "Every run; if they are too many, every run up to a bound of disruptions."),
    ("bounded", _SPACE, _bounded, "Every run up to a bound of disruptions, raised while the budget lasts."),
    (
        "stop-sweep",
        _STOPS,
        _sweep,
        "A stop at every branch point of recorded runs, then a second one during the first.",
    ),
    ("mixed", _NOTHING, _mixed, "Samplers in turn, run by run: each finds what others miss."),
    ("random-walk", _NOTHING, _random, f"Seeded walks near the default order: {DEVIATION:g} deviations a choice."),
    ("uniform-walk", _NOTHING, _uniform, "Seeded walks, each option with the same chance."),
    ("pct", _NOTHING, _pct, "Random priorities with two change points."),
    (
        "stop-position",
        _NOTHING,
        _stop_position,
        "The stop at a uniformly drawn position, the rest near the default order.",
    ),
    ("drawn-runs", _NOTHING, _drawn_runs, "Whole runs drawn by Hypothesis, choice by choice."),
    (
        "state-machine",
        _NOTHING,
        _state_machine,
        "A Hypothesis state machine whose rules are operations, faults and time.",
    ),
)

#: All strategies, in the order in which they are listed to people.
STRATEGIES: dict[str, Strategy] = {
    name: Strategy(name, about, completes, explore) for name, completes, explore, about in _ALL
}
