"""Searches say how far they came, and only what they completed is evidence."""

from __future__ import annotations

import msgspec
import pytest

from stopcheck.explore import STRATEGIES, Aim, Budget, Completes, Exploration, Result, Watch, unwatched
from stopcheck.explore._deepening import deepening, exhaustive_or_bounded
from stopcheck.kernel import Chooser
from tests.fast.explore.toys import ToyTrial, race


class Noting:
    """A trial in which a run puts to the test as many disruptions as it has."""

    scenario = "toy"

    def __init__(self) -> None:
        self._trial = ToyTrial(race, cached=False)
        self.variant: dict[str, str] = {}

    def __call__(self, chooser: Chooser, watch: Watch = unwatched, /) -> Result:
        result = self._trial(chooser, watch)
        deviations = sum(choice.deviates for choice in result.choices)
        return msgspec.structs.replace(result, exercised={f"{deviations} deviations": 1})


def test_a_space_that_fits_is_exhausted_in_one_pass() -> None:
    found = exhaustive_or_bounded(ToyTrial(race), Budget(2_000))
    assert found.exhausted
    assert found.bound is None
    assert found.truncated_by is None
    assert found.searched.exercised == found.exercised


def test_a_space_that_does_not_fit_is_completed_up_to_the_bound_that_is_named() -> None:
    found = exhaustive_or_bounded(ToyTrial(race, cached=False), Budget(300))
    assert not found.exhausted
    assert found.bound == 1
    assert found.limited
    assert found.executions <= 300


def test_raising_the_bound_exhausts_in_the_end() -> None:
    found = deepening(ToyTrial(race), Budget(100_000), wanted=20)
    assert found.exhausted
    assert not found.limited
    assert found.bound is not None
    assert found.bound < 20
    assert found.truncated_by is None


def test_what_a_pass_that_was_cut_short_has_met_is_no_evidence() -> None:
    one = deepening(Noting(), Budget(150), wanted=1)
    assert one.bound == 1
    cut = deepening(Noting(), Budget(one.executions + 40), wanted=2)
    assert cut.bound == 1
    assert cut.remaining > 0
    assert cut.searched == one.searched
    assert sum(cut.exercised.values()) > sum(cut.searched.exercised.values())


def test_a_bound_that_does_not_fit_leaves_none() -> None:
    found = deepening(ToyTrial(race), Budget(1), wanted=1)
    assert found.bound in (None, 0)
    found = deepening(ToyTrial(race), Budget(0), wanted=1)
    assert found.bound is None
    assert not found.exhausted
    assert found.searched.exercised == {}


def found_by(name: str, budget: int, *, fail_fast: bool = False) -> Exploration:
    return STRATEGIES[name](ToyTrial(race), Budget(budget), 1, Aim(fail_fast=fail_fast))


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_keeps_its_budget_and_is_the_same_each_time(name: str) -> None:
    found = found_by(name, 150)
    assert 0 < found.executions <= 150
    assert msgspec.json.encode(found, order="deterministic") == msgspec.json.encode(
        found_by(name, 150), order="deterministic"
    )
    assert found.exhausted <= (STRATEGIES[name].completes is Completes.SPACE)


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_ends_at_the_first_failure_if_asked(name: str) -> None:
    found = found_by(name, 500, fail_fast=True)
    assert found.failing["TOY-1"] <= 2  # Hypothesis repeats a run that failed
    assert found.executions < 500


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_heeds_the_callers_own_limit(name: str) -> None:
    spent: list[int] = []

    def over() -> str:
        spent.append(1)
        return "enough" if len(spent) > 12 else ""

    found = STRATEGIES[name](ToyTrial(race), Budget(10_000, over))
    assert found.executions <= 12 * 3  # a search's run may be followed by two of the audit
    assert found.truncated_by == "enough"
    assert not found.exhausted
