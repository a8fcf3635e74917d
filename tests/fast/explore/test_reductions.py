"""Reductions by independence: they lose nothing, they are audited, and they refuse what is not sound."""

from __future__ import annotations

import pytest

from stopcheck.explore import Exploration, Trial, depth_first
from stopcheck.explore._dpor import source_dpor
from stopcheck.explore._footprints import in_world, in_world_enabling
from stopcheck.kernel import OWN, branch, wait_until
from tests.fast.explore.programs import Body, Build, ProgramTrial, Shared, generated, race, stale_cache
from tests.fast.explore.searches import (
    PLENTY,
    Search,
    cached,
    entered,
    lie_of,
    outcomes,
    racing,
    sleep_sets,
    sleeping,
    sleeping_uncached,
    unreduced,
    used,
)
from tests.fast.explore.test_scenarios import BY_ID, FAULT_BY_NAME, trial_of

#: 540 programs in twelve tests.
PROGRAMS = 540
GROUP = 45
REDUCED = (entered, sleeping, sleeping_uncached, racing)


@pytest.mark.parametrize("group", range(PROGRAMS // GROUP))
def test_reduced_searches_find_what_the_unreduced_finds(group: int) -> None:
    broken: set[str] = set()
    fewer = merged = all_of_them = 0
    for seed in range(group * GROUP, (group + 1) * GROUP):
        accounts, clauses, executions = outcomes(unreduced, ProgramTrial(generated(seed)))
        for search in REDUCED:
            reduced = outcomes(search, ProgramTrial(generated(seed)))
            assert reduced[:2] == (accounts, clauses), (seed, search.__name__)
            fewer += reduced[2]
            all_of_them += executions
        for search in (cached, sleeping):
            reduced = outcomes(search, ProgramTrial(generated(seed), opaque=True))
            assert reduced[:2] == (accounts, clauses), (seed, search.__name__, "opaque")
            merged += reduced[2]
        broken |= clauses
    assert fewer < all_of_them
    assert merged < all_of_them
    assert broken == {"PROGRAM-LOCAL", "PROGRAM-STALE"}


# -- the order that the judge sees ------------------------------------------------------------------------


@pytest.mark.parametrize("search", [sleeping, sleeping_uncached, racing])
def test_a_stale_cache_is_found_since_calls_depend_on_each_other(search: Search) -> None:
    found = search(ProgramTrial(stale_cache()))
    assert set(found.failures) == {"PROGRAM-STALE"}


@pytest.mark.parametrize("reduce", [sleep_sets, source_dpor])
def test_without_the_judge_in_the_footprints_it_is_lost_unless_audited(reduce: Search) -> None:
    if reduce is source_dpor:
        lost = reduce(ProgramTrial(stale_cache(judged=False)), PLENTY, swaps=0)
        assert lost.exhausted
        assert not lost.failures
    caught = reduce(ProgramTrial(stale_cache(judged=False)), PLENTY)
    lie = lie_of(caught)
    assert lie is not None
    assert {lie.one, lie.other} == {"reader@Rx0", "writer@Wx0"}
    assert not caught.exhausted
    assert caught.truncated_by == "a footprint that lies"


@pytest.mark.parametrize("opaque", [False, True])
def test_a_stale_cache_is_found_by_the_order_of_what_happened(*, opaque: bool) -> None:
    assert set(cached(ProgramTrial(stale_cache(), opaque=opaque)).failures) == {"PROGRAM-STALE"}


def test_an_order_that_leaves_the_judge_out_is_refuted_by_the_audit() -> None:
    """Both orders of the write and the read are one then, and only in one of them is the read too late."""
    found = cached(ProgramTrial(stale_cache(judged=False, bystanders=2), opaque=True))
    assert found.cache is not None
    assert found.cache.refuted is not None
    assert "PROGRAM-STALE" in found.cache.refuted.what
    assert found.unsound
    assert set(found.failures) == {"PROGRAM-STALE"}  # by the search that began again without the cache


# -- footprints that lie ----------------------------------------------------------------------------------


def hidden_write(shared: Shared) -> dict[str, Body]:
    """Both write ``x``; one says that it writes ``y``. Both go on, so that there is a state to compare."""

    async def body(touches: str, value: int) -> None:
        await branch("write", (touches,))
        shared.values["x"] = value
        await branch("more", (touches,))

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
    lie = lie_of(found)
    assert lie is not None
    assert lie.what == "one@claim disables two@claim"
    assert lie.schedule.choices == ()
    assert not found.exhausted
    assert lie_of(sleep_sets(ProgramTrial(hidden_claim), PLENTY, swaps=0)) is not None


@pytest.mark.parametrize("build", [hidden_write, hidden_fault])
@pytest.mark.parametrize("cached", [True, False], ids=["digest", "no digest"])
@pytest.mark.parametrize("reduce", [sleep_sets, source_dpor])
def test_the_audit_reports_a_lie(build: Build, *, cached: bool, reduce: Search) -> None:
    found = reduce(ProgramTrial(build, cached=cached), PLENTY)
    lie = lie_of(found)
    assert lie is not None
    state = "the state that follows" if cached else "the outcome"
    assert lie.what == f"the order decides {'what is asked within the steps' if build is hidden_fault else state}"
    assert not found.exhausted


@pytest.mark.parametrize("reduce", [sleep_sets, source_dpor])
def test_a_swap_that_cannot_be_repeated_is_a_finding(reduce: Search) -> None:
    runs: list[int] = []

    def build(shared: Shared) -> dict[str, Body]:
        runs.append(1)
        label = f"label {len(runs)}"

        async def body(own: str) -> None:
            await branch("first", (own,))
            await branch(label, (own,))

        return {"p": body("p"), "q": body("q")}

    found = reduce(ProgramTrial(build), PLENTY)
    assert found.nondeterminism is not None
    assert not found.exhausted


def test_honest_footprints_are_swapped_and_pass() -> None:
    found = sleep_sets(ProgramTrial(race(3, fixed=True, private=False)), PLENTY)
    assert used(found).swaps > 20
    assert lie_of(found) is None
    assert found.exhausted
    assert used(found).slept > 0


def test_who_is_awake_at_a_known_state_is_taken_there() -> None:
    found = sleep_sets(ProgramTrial(race(3, fixed=False, private=False)), PLENTY)
    plain = depth_first(ProgramTrial(race(3, fixed=False)), PLENTY)
    assert used(found).woken > 0
    assert found.states == plain.states
    assert found.transitions < plain.transitions


def lets_another_go(shared: Shared) -> dict[str, Body]:
    """When the second is over, only the first can move, and nobody is asked about it; then the third can."""

    async def first() -> None:
        await branch("begin", ("x",))
        shared.values["x"] = 1
        await branch("more", ("x",))

    async def second() -> None:
        await branch("only", ("y",))

    async def third() -> None:
        await wait_until("go", lambda: bool(shared.values.get("x")), ("x",))
        shared.values["x"] = 2

    return {"first": first(), "second": second(), "third": third()}


def test_a_step_that_nobody_was_asked_about_wakes_all() -> None:
    all_of_them = outcomes(unreduced, ProgramTrial(lets_another_go))
    assert outcomes(sleeping, ProgramTrial(lets_another_go))[:2] == all_of_them[:2]


def test_what_nobody_can_see_is_taken_alone_and_leaves_out_states() -> None:
    found = sleep_sets(ProgramTrial(race(3, fixed=False)), PLENTY)
    shared = sleep_sets(ProgramTrial(race(3, fixed=False, private=False)), PLENTY)
    assert used(found).alone > 0
    assert found.states < shared.states
    assert set(found.failures) == set(shared.failures) == {"SENT-LATE"}


def hasty_claim(shared: Shared) -> dict[str, Body]:
    """As :func:`hidden_claim`, but each says that taking the token is its own affair."""

    async def body() -> None:
        await wait_until("claim", lambda: not shared.values.get("taken"), OWN)
        shared.values["taken"] = 1
        await branch("more", OWN)

    return {"one": body(), "two": body()}


def test_a_step_that_is_said_to_be_private_and_is_not_is_a_lie() -> None:
    lie = lie_of(sleep_sets(ProgramTrial(hasty_claim), PLENTY))
    assert lie is not None
    assert lie.what == "one@claim disables two@claim"


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
