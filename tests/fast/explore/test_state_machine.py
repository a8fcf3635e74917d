"""Hypothesis as a source of runs: seeded, with rules by operation, its failures ordinary schedules."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from hypothesis import given, seed
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from stopcheck.explore import (
    Budget,
    Exploration,
    Result,
    Stepwise,
    shrink,
)
from stopcheck.explore._seeded import machine_settings, whatever_is_loaded
from stopcheck.explore.stateful import ClauseBroken, drawn_runs, machine_for, state_machine
from stopcheck.kernel import branch
from tests.fast.explore.toys import Body, Toy, ToyTrial, race

SOURCES = [state_machine, drawn_runs]


@pytest.mark.parametrize("source", SOURCES)
def test_a_seed_reproduces_its_runs(source: Callable[..., Exploration]) -> None:
    def runs_of(seed: int) -> list[tuple[str, ...]]:
        runs: list[tuple[str, ...]] = []

        def note(result: Result) -> None:
            runs.append(tuple(choice.option for choice in result.choices))

        source(ToyTrial(race), Budget(25), seed, observe=note)
        return runs

    assert runs_of(1) == runs_of(1)
    assert runs_of(1) != runs_of(2)


@pytest.mark.parametrize("source", SOURCES)
def test_a_failure_becomes_a_schedule_that_our_shrinker_shrinks(source: Callable[..., Exploration]) -> None:
    found = source(ToyTrial(race), Budget(80), 5)
    shrunk = shrink(ToyTrial(race), found.failures["TOY-1"])
    assert shrunk.reproduced
    assert shrunk.schedule.deviations == 1


@pytest.mark.parametrize("source", SOURCES)
def test_a_clause_that_is_known_to_break_does_not_hide_another(source: Callable[..., Exploration]) -> None:
    async def breaks_first(toy: Toy) -> None:
        toy.breaks("TOY-5")
        await branch("late")
        if toy.shared.get("x"):
            toy.breaks("TOY-6")

    async def writes(toy: Toy) -> None:
        await branch("write")
        toy.put("x", 1)

    def build(_: Toy) -> dict[str, Body]:
        return {"one": breaks_first, "two": writes}

    found = source(ToyTrial(build), Budget(40), 1)
    assert set(found.failures) == {"TOY-5", "TOY-6"}


@pytest.mark.parametrize("source", SOURCES)
def test_fail_fast_stops_early_and_the_callers_budget_is_heeded(source: Callable[..., Exploration]) -> None:
    assert source(ToyTrial(race), Budget(400), 5, fail_fast=True).executions < 100
    checks: list[int] = []

    def spent() -> str:
        checks.append(1)
        return "enough" if len(checks) > 10 else ""

    found = source(ToyTrial(lambda _: {}), Budget(1_000, spent), 1)
    assert found.executions <= 10


def test_the_machine_is_a_hypothesis_machine_with_a_rule_for_each_operation() -> None:
    machine = machine_for(ToyTrial(race), actors=("worker", "stop"))
    names = {rule.function.__name__ for rule in machine.setup_state().rules}
    wanted = {"stop", "let_commit_effect_go_on", "let_tick_go_on", "crash", "let_time_pass", "choose_a_fault"}
    assert wanted | {"step_worker", "step_stop", "let_a_parked_actor_step"} <= names
    with pytest.raises(ClauseBroken, match="TOY-1 at"):
        run_state_machine_as_test(machine, settings=machine_settings(400, 20))


def test_a_run_can_be_driven_from_outside_fault_points_included() -> None:
    async def suffers(toy: Toy) -> None:
        await branch("before")
        toy.put("lost", int(toy.kernel.fault("wire", ("fine", "lost")) == "lost"))

    async def other(toy: Toy) -> None:
        await branch("other")

    run = Stepwise(ToyTrial(lambda _: {"one": suffers, "two": other}))
    asked: list[str] = []
    while run.point is not None:
        asked.append(run.point.name)
        run.answer(len(run.point.options) - 1 if run.point.name == "one@wire" else 0)
    assert "one@wire" in asked
    assert run.finish().witnesses == {"lost"}


def test_a_run_can_be_cut_from_outside() -> None:
    run = Stepwise(ToyTrial(race))
    run.answer(0)
    assert run.cut().cut


def test_what_a_trial_raises_comes_out_of_the_driver() -> None:
    def build(_: Toy) -> dict[str, Body]:
        raise ValueError("no such program")

    with pytest.raises(ValueError, match="no such program"):
        Stepwise(ToyTrial(build))


def test_constants_of_loaded_modules_are_not_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails when Hypothesis sees what is loaded by another way than the one that is closed."""
    constants = range(700_000_001, 700_000_200, 2)

    def drawn() -> list[int]:
        found: list[int] = []

        @seed(3)
        @machine_settings(300, 1)
        @given(st.integers(0, 10**9))
        def draw(number: int) -> None:
            found.append(number)

        draw()
        return found

    with whatever_is_loaded():
        before = drawn()
    path = tmp_path / "loaded_later.py"
    path.write_text(f"CONSTANTS = {list(constants)}")
    spec = spec_from_file_location("loaded_later", path)
    assert spec is not None
    monkeypatch.setitem(sys.modules, "loaded_later", module_from_spec(spec))
    with whatever_is_loaded():
        assert drawn() == before
    assert set(drawn()) & set(constants)  # as it would do
