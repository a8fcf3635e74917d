"""Reductions: what depends on what, what is refused, and where a search ends."""

from __future__ import annotations

import msgspec
import pytest

from stopcheck.explore import (
    Budget,
    Exploration,
    Result,
    Trial,
    Watch,
    depth_first,
    unwatched,
)
from stopcheck.explore._dpor import source_dpor
from stopcheck.explore._footprints import Rule, as_given, in_world, in_world_enabling, independent, is_private
from stopcheck.kernel import OWN, Chooser, Point
from tests.fast.explore.programs import ProgramTrial, race
from tests.fast.explore.searches import (
    PLENTY,
    Search,
    sleep_sets,
    sleeping,
)
from tests.fast.explore.test_scenarios import inner_trial_of

# -- what depends on what ---------------------------------------------------------------------------------


def test_what_is_not_known_depends_on_everything() -> None:
    assert not independent("a@x", as_given("a@x", ()), "b@y", as_given("b@y", ("y",)))
    assert not independent("a@x", frozenset({"x"}), "a@y", frozenset({"y"}))
    assert not independent("a@x", frozenset({"x"}), "time:at:t", None)
    assert independent("a@x", frozenset({"x"}), "b@y", frozenset({"y"}))


@pytest.mark.parametrize(
    ("option", "touches"),
    [
        ("person@request_cancel", ("gate",)),
        ("dispatcher@mail.commit", ("mail",)),
        ("dispatcher@export.writing", ("export",)),
        ("worker@queue.receive", ("queue",)),
        ("supervisor@stop", ("stop",)),
    ],
)
def test_steps_that_the_judge_sees_depend_on_calls(option: str, touches: tuple[str, ...]) -> None:
    call = in_world("worker@commit_effect", ("gate",))
    assert not independent("worker@commit_effect", call, option, in_world(option, touches))


@pytest.mark.parametrize("option", ["worker@complete", "person@request_cancel", "crash:gate", "time:at:grace"])
def test_what_is_an_actors_own_commutes_with_whatever_happens(option: str) -> None:
    other = in_world(option, () if ":" in option else ("gate",))
    taking = in_world("dispatcher@outbox", OWN)
    assert is_private(taking)
    assert independent("dispatcher@outbox", taking, option, other)
    assert not independent("dispatcher@outbox", taking, "dispatcher@other", in_world("dispatcher@other", OWN))


def test_who_waits_for_what_a_call_may_bring_depends_on_it_where_races_are_reversed() -> None:
    call = in_world("worker@complete", ("gate",))
    waiting = in_world_enabling("dispatcher@outbox", OWN)
    assert not independent("worker@complete", call, "dispatcher@outbox", waiting)
    doubt = in_world("reconciler@doubt", ("outcomes",))
    assert not independent("worker@complete", call, "reconciler@doubt", doubt)


# -- what is refused --------------------------------------------------------------------------------------


class Narrowed:
    """Keeps one option of each question back, as a bound would, and says nothing of it."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self.scenario = trial.scenario
        self.variant = trial.variant

    def __call__(self, chooser: Chooser, watch: Watch = unwatched, /) -> Result:
        class Narrowing:
            def choose(self, point: Point) -> int:
                return chooser.choose(msgspec.structs.replace(point, options=point.options[:-1]))

        return self._trial(Narrowing(), watch)


def test_no_reduction_with_a_bound() -> None:
    with pytest.raises(ValueError, match="with a bound"):
        depth_first(ProgramTrial(race(2, fixed=True)), PLENTY, rule=as_given, bound=1)


@pytest.mark.parametrize("reduce", [sleep_sets, source_dpor])
def test_no_reduction_of_what_somebody_narrowed(reduce: Search) -> None:
    with pytest.raises(ValueError, match="with a bound"):
        reduce(Narrowed(ProgramTrial(race(2, fixed=True))), PLENTY)


@pytest.mark.parametrize("rule", [in_world, in_world_enabling])
def test_no_reduction_of_worlds_inside_of_calls(rule: Rule) -> None:
    inner, _ = inner_trial_of("checks-awaits-records")
    with pytest.raises(ValueError, match="whole calls"):
        sleep_sets(inner, PLENTY, rule=rule)


# -- budgets and bounds -----------------------------------------------------------------------------------


@pytest.mark.parametrize("reduce", [sleep_sets, source_dpor])
def test_a_truncated_reduction_says_so(reduce: Search) -> None:
    found = reduce(ProgramTrial(race(3, fixed=True)), Budget(5))
    assert not found.exhausted
    assert found.truncated_by == "the budget of 5 executions"
    assert found.remaining > 0


@pytest.mark.parametrize("reduced", [True, False], ids=["sleep sets", "plain"])
def test_the_bound_of_the_cache_is_named_when_it_is_reached(*, reduced: bool) -> None:
    def search(bound: int) -> Exploration:
        trial = ProgramTrial(race(2, fixed=False))
        return sleeping(trial, cache_bound=bound) if reduced else depth_first(trial, PLENTY, cache_bound=bound)

    bounded = search(7)
    assert bounded.exhausted
    assert bounded.states == 7
    assert bounded.cache is not None
    assert bounded.cache.full
    assert set(bounded.failures) == {"SENT-LATE"}
    unbounded = search(10_000)
    assert unbounded.cache is not None
    assert not unbounded.cache.full
