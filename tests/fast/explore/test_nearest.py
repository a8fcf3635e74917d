"""The nearest passing run: fewest changed answers, always the same one, and it really passes."""

from __future__ import annotations

import pytest

from stopcheck.explore import Budget, Nearest, Result, depth_first, nearest_passing, replay, shrink
from stopcheck.kernel import Choice, branch
from tests.fast.explore.programs import ProgramTrial, deep_race
from tests.fast.explore.toys import Body, Toy, ToyTrial, generated, race


def choices_of(trial: ToyTrial | ProgramTrial, clause: str, budget: int = 2_000) -> tuple[Choice, ...]:
    """The shrunk run that breaks a clause."""
    failure = depth_first(trial, Budget(budget)).failures[clause]
    return shrink(trial, failure).schedule.choices


def passes(trial: ToyTrial | ProgramTrial, nearest: Nearest) -> Result:
    """The nearest run, made again."""
    result = replay(trial, nearest.schedule).result
    assert result is not None
    assert nearest.clause not in result.clauses
    return result


def test_the_deviation_that_makes_the_race_is_what_decides() -> None:
    trial = ToyTrial(race)
    failing = choices_of(trial, "TOY-1")
    nearest = nearest_passing(trial, "TOY-1", failing)
    assert nearest is not None
    deviating = next(at for at, choice in enumerate(failing) if choice.index)
    assert (nearest.changed, nearest.position, nearest.breaks) == (1, deviating, ())
    assert nearest.failing == failing[deviating].option == "stop@start"
    assert nearest.passing.startswith("worker@")
    assert passes(trial, nearest).schedule() == nearest.schedule


def test_of_several_deviations_the_last_that_decides_is_named() -> None:
    """Any of the three would do; the two runs then agree for longest."""
    trial = ProgramTrial(deep_race())
    failing = choices_of(trial, "SENT-LATE")
    nearest = nearest_passing(trial, "SENT-LATE", failing)
    assert nearest is not None
    assert nearest.changed == 1
    assert nearest.position == max(at for at, choice in enumerate(failing) if choice.index)
    assert [c.option for c in nearest.schedule.choices][: nearest.position] == [
        c.option for c in failing[: nearest.position]
    ]
    passes(trial, nearest)


def always_late(toy: Toy) -> dict[str, Body]:
    """Broken by default: only who starts with ``second`` is spared."""

    async def first(toy: Toy) -> None:
        toy.put("x", 1)

    async def second(toy: Toy) -> None:
        await branch("look")
        if toy.get("x"):
            toy.breaks("TOY-5")

    return {"first": first, "second": second}


def test_where_the_default_run_fails_another_answer_is_given_instead() -> None:
    trial = ToyTrial(always_late)
    nearest = nearest_passing(trial, "TOY-5", ())
    assert nearest is not None
    assert (nearest.position, nearest.failing, nearest.passing) == (0, "first@start", "second@start")
    assert nearest.changed == 1
    passes(trial, nearest)


def test_two_answers_are_changed_where_one_is_not_enough() -> None:
    """Either preemption alone breaks it."""

    def build(toy: Toy) -> dict[str, Body]:
        async def steady(toy: Toy) -> None:
            for at in range(4):
                await branch(f"s{at}")
                toy.put("at", at + 1)

        def peeking(name: str) -> Body:
            async def peek(toy: Toy) -> None:
                if 0 < toy.shared.get("at", 0) < 4:
                    toy.breaks("TOY-6")

            return peek

        return {"steady": steady, "a": peeking("a"), "b": peeking("b")}

    trial = ToyTrial(build)
    failing = [
        Choice("run", option, index)
        for option, index in [
            ("steady@start", 0),
            ("steady@s0", 0),
            ("a@start", 1),
            ("steady@s1", 0),
            ("b@start", 1),
            ("steady@s2", 0),
            ("steady@s3", 0),
        ]
    ]
    nearest = nearest_passing(trial, "TOY-6", failing)
    assert nearest is not None
    assert nearest.changed == 2
    assert nearest.failing == "a@start"
    assert passes(trial, nearest).schedule().deviations == 0


def test_a_run_that_breaks_something_else_is_only_the_second_choice() -> None:
    """Whoever goes first breaks a clause of its own; a third who goes before both breaks none."""

    def build(_: Toy) -> dict[str, Body]:
        def body(name: str) -> Body:
            async def first_of_all(toy: Toy) -> None:
                if not toy.shared.get("over"):
                    toy.put("over", 1)
                    if name != "c":
                        toy.breaks(f"TOY-{name}")

            return first_of_all

        return {name: body(name) for name in ("a", "b", "c")}

    trial = ToyTrial(build)
    nearest = nearest_passing(trial, "TOY-a", ())
    assert nearest is not None
    assert (nearest.passing, nearest.breaks) == ("c@start", ())
    only = nearest_passing(trial, "TOY-a", (), runs=2)
    assert only is not None
    assert (only.passing, only.breaks, only.runs) == ("b@start", ("TOY-b",), 2)


def test_what_fails_whatever_is_chosen_has_no_passing_run() -> None:
    async def alone(toy: Toy) -> None:
        toy.breaks("TOY-7")

    trial = ToyTrial(lambda _: {"alone": alone, "idle": alone})
    assert nearest_passing(trial, "TOY-7", ()) is None
    assert nearest_passing(trial, "TOY-8", ()) is None  # that does not fail at all


def test_the_search_is_bounded_and_tells_its_watchdog() -> None:
    trial = ToyTrial(race)
    beats: list[int] = []
    failing = choices_of(trial, "TOY-1")
    trial.runs = 0
    nearest_passing(trial, "TOY-1", failing, runs=2, before_run=lambda: beats.append(1))
    assert len(beats) == trial.runs <= 2


@pytest.mark.parametrize("seed", range(40))
def test_on_small_programs_no_passing_run_is_nearer(seed: int) -> None:
    """By brute force: when one changed answer is enough, one is changed; and the same search finds the same run."""
    trial = ToyTrial(generated(seed))
    for clause in sorted(depth_first(trial, Budget(5_000)).failures):
        failing = choices_of(trial, clause)
        nearest, again = (nearest_passing(trial, clause, failing, runs=300) for _ in range(2))
        assert nearest == again
        one_away = _one_answer_away(trial, clause, failing)
        assert (nearest is not None and nearest.changed == 1 and not nearest.breaks) or not one_away
        if nearest is not None:
            passes(trial, nearest)


def _one_answer_away(trial: ToyTrial, clause: str, failing: tuple[Choice, ...]) -> bool:
    """Whether some run that breaks nothing differs in one answer, everything else by default or as before."""
    widths: list[int] = []

    class Indexed:
        def __init__(self, wanted: list[int]) -> None:
            self._wanted = wanted

        def choose(self, point: object) -> int:
            options = len(getattr(point, "options", ()))
            at = len(widths)
            widths.append(options)
            return min(self._wanted[at], options - 1) if at < len(self._wanted) else 0

    plan = [choice.index for choice in failing]
    assert clause in trial(Indexed(plan)).clauses
    shape = list(widths)
    for at, width in enumerate(shape):
        for index in range(width):
            if index != plan[at]:
                widths.clear()
                # What follows the changed answer goes by default: then exactly one answer was changed.
                if not any(plan[at + 1 :]) and not trial(Indexed([*plan[:at], index])).clauses:
                    return True
    return False
