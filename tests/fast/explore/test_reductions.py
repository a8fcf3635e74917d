"""Reductions by independence: they lose nothing, they are audited, and they refuse what is not sound."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stopcheck.explore import BoundedTrial, Budget, Exploration, Result, Trial, Watch, depth_first, unwatched
from stopcheck.explore._dpor import source_dpor
from stopcheck.explore._footprints import Rule, as_given, in_world, in_world_enabling, independent
from stopcheck.explore._reduction import Reduction, cache_bound_reached
from stopcheck.explore._sleep_sets import sleep_sets
from stopcheck.kernel import Chooser, branch, wait_until
from tests.fast.explore.programs import Body, Build, ProgramTrial, Shared, generated, race, stale_cache
from tests.fast.explore.test_scenarios import BY_ID, FAULT_BY_NAME, inner_trial_of, trial_of

PLENTY = Budget(50_000)

#: 540 programs in twelve tests.
PROGRAMS = 540
GROUP = 45

Search = Callable[..., Exploration]


def sleeping(trial: Trial, **options: object) -> Exploration:
    return sound(sleep_sets(trial, PLENTY, swaps=8, **options))  # type: ignore[arg-type]


def sleeping_uncached(trial: Trial, **options: object) -> Exploration:
    return sound(sleep_sets(trial, PLENTY, swaps=0, cache=False, **options))  # type: ignore[arg-type]


def racing(trial: Trial, **options: object) -> Exploration:
    return sound(source_dpor(trial, PLENTY, swaps=0, **options))  # type: ignore[arg-type]


def unreduced(trial: Trial, **options: object) -> Exploration:
    return depth_first(trial, PLENTY, cache=False, **options)  # type: ignore[arg-type]


def sound(reduction: Reduction) -> Exploration:
    assert reduction.lie is None
    return reduction.exploration


def outcomes(search: Search, trial: Trial, **options: object) -> tuple[set[bytes], set[str], int]:
    """Final accounts, violated clauses, executions."""
    found: set[bytes] = set()

    def note(result: Result) -> None:
        if not result.cut:
            found.add(result.outcome())

    exploration = search(trial, observe=note, **options)
    assert exploration.exhausted, exploration
    assert exploration.cache is None or exploration.cache.refuted is None
    return found, set(exploration.failures), exploration.executions


@pytest.mark.parametrize("group", range(PROGRAMS // GROUP))
def test_reduced_searches_find_what_the_unreduced_finds(group: int) -> None:
    broken: set[str] = set()
    fewer = all_of_them = 0
    for seed in range(group * GROUP, (group + 1) * GROUP):
        accounts, clauses, executions = outcomes(unreduced, ProgramTrial(generated(seed)))
        for search in (sleeping, sleeping_uncached, racing):
            reduced = outcomes(search, ProgramTrial(generated(seed)))
            assert reduced[:2] == (accounts, clauses), (seed, search.__name__)
            fewer += reduced[2]
            all_of_them += executions
        broken |= clauses
    assert fewer < all_of_them
    assert broken == {"PROGRAM-LOCAL", "PROGRAM-STALE"}


# -- the order that the judge sees ------------------------------------------------------------------------


@pytest.mark.parametrize("search", [sleeping, sleeping_uncached, racing])
def test_a_stale_cache_is_found_since_calls_depend_on_each_other(search: Search) -> None:
    found = search(ProgramTrial(stale_cache()))
    assert set(found.failures) == {"PROGRAM-STALE"}


@pytest.mark.parametrize("reduce", [sleep_sets, source_dpor])
def test_without_the_judge_in_the_footprints_it_is_lost_unless_audited(reduce: Callable[..., Reduction]) -> None:
    if reduce is source_dpor:
        lost = reduce(ProgramTrial(stale_cache(judged=False)), PLENTY, swaps=0)
        assert lost.exhausted
        assert not lost.exploration.failures
    caught = reduce(ProgramTrial(stale_cache(judged=False)), PLENTY)
    assert caught.lie is not None
    assert {caught.lie.one, caught.lie.other} == {"reader@Rx0", "writer@Wx0"}
    assert not caught.exhausted
    assert caught.exploration.truncated_by == "a footprint that lies"


# -- footprints that lie ----------------------------------------------------------------------------------


def hidden_write(shared: Shared) -> dict[str, Body]:
    """Both write ``x``; one says that it writes ``y``."""

    async def body(touches: str, value: int) -> None:
        await branch("write", (touches,))
        shared.values["x"] = value

    return {"honest": body("x", 1), "liar": body("y", 2)}


def hidden_fault(shared: Shared) -> dict[str, Body]:
    """What one writes decides what the other is asked."""

    async def writer() -> None:
        await branch("write", ("x",))
        shared.values["x"] = 1

    async def asker() -> None:
        await branch("ask", ("y",))
        options = ("none", "lost") if shared.values.get("x") else ("none", "late")
        shared.kernel.fault("fault", options)
        await branch("more", ("y",))

    return {"writer": writer(), "asker": asker()}


def hidden_claim(shared: Shared) -> dict[str, Body]:
    """Each waits for the one token and takes it, and says that it touches only what is its own."""

    async def body(own: str) -> None:
        await wait_until("claim", lambda: not shared.values.get("taken"), (own,))
        shared.values["taken"] = 1
        await branch("more", (own,))

    async def idle() -> None:
        await branch("idle", ("idle",))

    return {"one": body("x"), "two": body("y"), "idle": idle()}


def test_a_step_that_disables_another_is_a_lie() -> None:
    found = sleep_sets(ProgramTrial(hidden_claim), PLENTY)
    assert found.lie is not None
    assert found.lie.what == "one@claim disables two@claim"
    assert found.lie.schedule.choices == ()
    assert not found.exhausted
    unaudited = sleep_sets(ProgramTrial(hidden_claim), PLENTY, swaps=0)
    assert unaudited.lie is not None


@pytest.mark.parametrize("build", [hidden_write, hidden_fault])
@pytest.mark.parametrize("cached", [True, False], ids=["digest", "no digest"])
@pytest.mark.parametrize("reduce", [sleep_sets, source_dpor])
def test_the_audit_reports_a_lie(build: Build, *, cached: bool, reduce: Callable[..., Reduction]) -> None:
    found = reduce(ProgramTrial(build, cached=cached), PLENTY)
    assert found.lie is not None
    assert found.lie.what.startswith("the order decides")
    assert not found.exhausted


@pytest.mark.parametrize("reduce", [sleep_sets, source_dpor])
def test_a_swap_that_cannot_be_repeated_is_a_finding(reduce: Callable[..., Reduction]) -> None:
    runs: list[int] = []

    def build(shared: Shared) -> dict[str, Body]:
        runs.append(1)
        label = f"label {len(runs)}"

        async def body(own: str) -> None:
            await branch("first", (own,))
            await branch(label, (own,))

        return {"p": body("p"), "q": body("q")}

    found = reduce(ProgramTrial(build), PLENTY)
    assert found.exploration.nondeterminism is not None
    assert not found.exhausted


def test_honest_footprints_are_swapped_and_pass() -> None:
    found = sleep_sets(ProgramTrial(race(3, fixed=True)), PLENTY)
    assert found.swaps > 20
    assert found.lie is None
    assert found.exhausted
    assert found.slept > 0


def test_who_is_awake_at_a_known_state_is_taken_there() -> None:
    found = sleep_sets(ProgramTrial(race(3, fixed=False)), PLENTY)
    plain = depth_first(ProgramTrial(race(3, fixed=False)), PLENTY)
    assert found.woken > 0
    assert found.exploration.states == plain.states
    assert found.exploration.transitions < plain.transitions


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


def test_taking_from_the_outbox_is_seen_by_nobody() -> None:
    call, taking = in_world("worker@complete", ("gate",)), in_world("dispatcher@outbox", ("outbox",))
    assert independent("worker@complete", call, "dispatcher@outbox", taking)
    waiting = in_world_enabling("dispatcher@outbox", ("outbox",))
    assert not independent("worker@complete", call, "dispatcher@outbox", waiting)
    doubt = in_world("reconciler@doubt", ("outbox",))
    assert not independent("worker@complete", call, "reconciler@doubt", doubt)


# -- what is refused --------------------------------------------------------------------------------------


class Wrapped:
    """Hides that a trial is bounded."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self.scenario = trial.scenario
        self.variant = trial.variant

    def __call__(self, chooser: Chooser, watch: Watch = unwatched, /) -> Result:
        return self._trial(chooser, watch)


@pytest.mark.parametrize("wrapped", [False, True], ids=["bounded", "wrapped"])
@pytest.mark.parametrize("reduce", [sleep_sets, source_dpor])
def test_no_reduction_with_a_bound(*, wrapped: bool, reduce: Callable[..., Reduction]) -> None:
    bounded = BoundedTrial(ProgramTrial(race(2, fixed=True)), 1)
    with pytest.raises(ValueError, match="with a bound"):
        reduce(Wrapped(bounded) if wrapped else bounded, PLENTY)


@pytest.mark.parametrize("rule", [in_world, in_world_enabling])
def test_no_reduction_of_worlds_inside_of_calls(rule: Rule) -> None:
    inner, _ = inner_trial_of("checks-awaits-records")
    with pytest.raises(ValueError, match="whole calls"):
        sleep_sets(inner, PLENTY, rule=rule)


def test_no_race_reversal_with_the_cache() -> None:
    with pytest.raises(ValueError, match="cache"):
        source_dpor(ProgramTrial(race(2, fixed=True)), PLENTY, cache=True)


# -- budgets and bounds -----------------------------------------------------------------------------------


@pytest.mark.parametrize("reduce", [sleep_sets, source_dpor])
def test_a_truncated_reduction_says_so(reduce: Callable[..., Reduction]) -> None:
    found = reduce(ProgramTrial(race(3, fixed=True)), Budget(5))
    assert not found.exhausted
    assert found.exploration.truncated_by == "the budget of 5 executions"
    assert found.exploration.remaining > 0


@pytest.mark.parametrize("reduced", [True, False], ids=["sleep sets", "plain"])
def test_the_bound_of_the_cache_is_named_when_it_is_reached(*, reduced: bool) -> None:
    def search(bound: int) -> Exploration:
        trial = ProgramTrial(race(2, fixed=False))
        return sleeping(trial, cache_bound=bound) if reduced else depth_first(trial, PLENTY, cache_bound=bound)

    bounded = search(7)
    assert bounded.exhausted
    assert bounded.states == 7
    assert cache_bound_reached(bounded) == "the state cache's bound of 7 states"
    assert set(bounded.failures) == {"SENT-LATE"}
    assert cache_bound_reached(search(10_000)) is None


# -- scenarios --------------------------------------------------------------------------------------------

SMALL = ["not-sent-again", "child-in-doubt", "mistaken-evidence", "unregistered-child"]
FAULTY = ["any-receiver-believed", "settles-above-live-children", "claims-given-twice", "opens-what-begins"]


def in_sleep(trial: Trial, **options: object) -> Exploration:
    return sleeping(trial, rule=in_world, **options)


def in_races(trial: Trial, **options: object) -> Exploration:
    return racing(trial, rule=in_world_enabling, **options)


@pytest.mark.parametrize("name", SMALL)
def test_a_reduced_scenario_comes_to_the_same(name: str) -> None:
    accounts, clauses, executions = outcomes(unreduced, trial_of(BY_ID[name]))
    assert len(accounts) > 1
    for search in (in_sleep, in_races):
        reduced = outcomes(search, trial_of(BY_ID[name]))
        assert reduced[:2] == (accounts, clauses)
        assert reduced[2] <= executions


@pytest.mark.parametrize("name", FAULTY)
def test_a_reduced_scenario_breaks_the_same_clauses(name: str) -> None:
    fault = FAULT_BY_NAME[name]
    scenario = next(BY_ID[case] for case in fault.scenarios if case in SMALL)
    accounts, clauses, _ = outcomes(unreduced, trial_of(scenario, fault.factory))
    assert fault.clause in clauses
    for search in (in_sleep, in_races):
        assert outcomes(search, trial_of(scenario, fault.factory))[:2] == (accounts, clauses)
