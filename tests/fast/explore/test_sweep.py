"""The stop sweep: it misses nothing, says what it missed, and goes on to a second stop."""

from __future__ import annotations

import msgspec
import pytest

from stopcheck.explore import Budget, Exploration, Result, SecondStops, SweepCoverage, stop_sweep
from stopcheck.explore._sweep_runs import NOBODY_ELSE
from stopcheck.kernel import branch, many, wait_until
from tests.fast.explore.toys import Body, Toy, ToyTrial, check_then_act, idle, press_stop, race


def covered(found: Exploration) -> SweepCoverage:
    assert found.coverage is not None
    return found.coverage


def second(found: Exploration) -> SecondStops:
    coverage = covered(found)
    assert coverage.second is not None
    return coverage.second


def test_the_sweep_hits_every_point() -> None:
    found = stop_sweep(ToyTrial(race), Budget(1_000))
    coverage = covered(found)
    assert coverage.stops == ("stop",)
    assert coverage.missed == ()
    assert coverage.closed == ()
    labels = ["start", "prepare", "check", "act"]
    assert {f"worker@{label}#1" for label in labels} <= set(coverage.planned)
    assert NOBODY_ELSE not in coverage.planned  # there is no choice: it is the stop's turn
    assert coverage.hit == len(coverage.planned) == 4 + 3
    assert found.truncated_by is None


@pytest.mark.parametrize("budget", [0, 1, 2, 12])
def test_a_sweep_that_was_cut_short_says_so_and_shows_what_it_missed(budget: int) -> None:
    found = stop_sweep(ToyTrial(race), Budget(budget))
    assert found.truncated_by == f"the budget of {many(budget, 'execution')}"
    coverage = covered(found)
    assert bool(coverage.missed) == (budget > 1)
    assert coverage.hit + len(coverage.missed) == len(coverage.planned)


def test_points_at_which_nobody_can_stop_yet_are_closed() -> None:
    async def patient(toy: Toy) -> None:
        await wait_until("ready", lambda: bool(toy.shared.get("ready")))
        await press_stop(toy)

    async def gets_ready(toy: Toy) -> None:
        await branch("before")
        toy.put("ready", 1)
        await branch("after")

    coverage = covered(stop_sweep(ToyTrial(lambda _: {"worker": gets_ready, "stop": patient}), Budget(1_000)))
    assert coverage.planned == ("worker@after#1",)
    assert coverage.missed == ()
    assert "worker@before#1" in coverage.closed


def test_without_a_stop_there_is_nothing_to_sweep() -> None:
    coverage = covered(stop_sweep(ToyTrial(lambda _: {"worker": check_then_act, "idle": idle}), Budget(100)))
    assert coverage.stops == ()
    assert coverage.planned == ()
    assert coverage.second is None


# -- depth 2 ----------------------------------------------------------------------------------------------


def test_with_one_stop_there_is_no_depth_2() -> None:
    assert covered(stop_sweep(ToyTrial(race), Budget(1_000))).second is None


async def steps(toy: Toy) -> None:
    await branch("one")
    await branch("two")


async def presses_twice(toy: Toy) -> None:
    await press_stop(toy)
    await press_stop(toy)


def by_two_people(_: Toy) -> dict[str, Body]:
    return {"worker": steps, "stop a": press_stop, "stop b": press_stop}


def by_one_person(_: Toy) -> dict[str, Body]:
    return {"worker": steps, "stop": presses_twice}


def test_another_persons_stop_starts_at_every_branch_point_of_what_remains() -> None:
    found = stop_sweep(ToyTrial(by_two_people), Budget(1_000))
    coverage = second(found)
    assert coverage.missed == ()
    assert coverage.first_stops == coverage.of > 0
    remaining = {
        "worker@start#1": ["worker@start#1", "worker@one#1", "worker@two#1"],
        "worker@one#1": ["worker@one#1", "worker@two#1"],
        "worker@two#1": ["worker@two#1"],
    }
    for first, points in remaining.items():
        assert {f"{first} then {point}" for point in points} <= set(coverage.planned)
    # The first's own steps are branch points of its remaining run too.
    assert "worker@start#1 then stop a@inspect#1" in coverage.planned
    assert found.truncated_by is None


def test_the_same_persons_stop_is_repeated_at_every_branch_point_of_what_remains() -> None:
    coverage = second(stop_sweep(ToyTrial(by_one_person), Budget(1_000)))
    assert coverage.missed == ()
    assert {f"worker@start#1 then worker@{label}#1" for label in ("start", "one", "two")} <= set(coverage.planned)
    # It can be repeated only when it has come back: before, nothing but its own step is to be made.
    assert "worker@start#1 then stop@inspect#1" in coverage.closed


def test_a_second_stop_really_starts_where_it_is_said_to() -> None:
    orders: list[tuple[str, ...]] = []

    def note(result: Result) -> None:
        names = [name for _, name in result.turns()]
        orders.append(tuple(name for name in names if name.endswith("@request_cancel") or name.startswith("worker")))

    coverage = second(stop_sweep(ToyTrial(by_two_people), Budget(1_000), observe=note))
    assert "worker@one#1 then worker@two#1" in coverage.planned
    a, b = "stop a@request_cancel", "stop b@request_cancel"
    assert ("worker@start", a, "worker@one", b, "worker@two") in orders
    assert ("worker@start", b, "worker@one", a, "worker@two") in orders


@pytest.mark.parametrize("budget", range(8, 60, 7))
def test_second_stops_that_the_budget_cut_off_are_missed(budget: int) -> None:
    whole = stop_sweep(ToyTrial(by_two_people), Budget(1_000))
    found = stop_sweep(ToyTrial(by_two_people), Budget(budget))
    coverage = covered(found)
    assert found.executions == budget < whole.executions
    assert coverage.all_missed
    cut = second(found)
    assert cut.hit + len(cut.missed) == len(cut.planned)
    assert cut.first_stops == cut.of
    assert any(point.endswith(" then anything") for point in cut.missed)


def test_only_some_first_stops_are_gone_on_from_if_asked() -> None:
    whole = stop_sweep(ToyTrial(by_two_people), Budget(1_000))
    some = stop_sweep(ToyTrial(by_two_people), Budget(1_000), firsts=2)
    assert (second(some).first_stops, second(some).of) == (2, second(whole).of)
    assert covered(some).all_missed == ()
    assert set(second(some).planned) < set(second(whole).planned)
    assert some.executions < whole.executions


def test_coverage_is_the_same_each_time() -> None:
    encoded = {msgspec.json.encode(stop_sweep(ToyTrial(by_two_people), Budget(99), 5).coverage) for _ in range(2)}
    assert len(encoded) == 1


def test_a_fault_that_needs_two_stops_at_their_points_is_found() -> None:
    """Who stops first while the worker is ready, and a second time while it acts: no other order shows it."""

    async def acts(toy: Toy) -> None:
        await branch("ready")
        ready = toy.get("stops")
        await branch("act")
        if ready == 1 and toy.get("stops") == 2:
            toy.breaks("TOY-9")
        await branch("end")

    async def stops(toy: Toy) -> None:
        await branch("request_cancel")
        toy.put("stops", toy.get("stops") + 1)

    trial = ToyTrial(lambda _: {"worker": acts, "stop a": stops, "stop b": stops})
    found = stop_sweep(trial, Budget(1_000), random_bases=0)
    assert "TOY-9" in found.failures
