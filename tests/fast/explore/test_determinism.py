"""Where two runs of one schedule part is said by the first event that differs, in words."""

from __future__ import annotations

import itertools
import json

import pytest

from stopcheck.explore import Budget, Result, find_nondeterminism, made_again, random_walk
from stopcheck.explore._determinism import in_words
from stopcheck.kernel import Schedule, branch
from tests.fast.explore.test_scenarios import BY_ID, trial_of
from tests.fast.explore.toys import Body, Toy, ToyTrial, race


def line(step: int, what: object, at_ns: int = 0) -> bytes:
    return json.dumps([step, at_ns, what]).encode()


def answer(reply: object, where: str = "gate.py:7 Gate.inspect") -> dict[str, object]:
    return {
        "type": "Returned",
        "actor": "worker",
        "operation": "inspect",
        "call_id": "worker#1",
        "reply": reply,
        "where": where,
    }


HERE = "(at gate.py:7 Gate.inspect)"
ANSWER = "event 4, step 9, the answer to worker's inspect: its"
WORDS = [
    (
        line(9, answer({"type": "Snapshot", "revision": 1})),
        line(9, answer({"type": "Snapshot", "revision": 2})),
        f"{ANSWER} reply.revision is 1 in the first run and 2 in the second {HERE}",
    ),
    (
        line(9, answer({"type": "Snapshot", "aaa": 1})),
        line(9, answer({"type": "Retry"})),
        f'{ANSWER} reply.type is "Snapshot" in the first run and "Retry" in the second {HERE}',
    ),
    (
        line(9, answer({"ids": ["a", "b"]})),
        line(9, answer({"ids": ["a", "c", "d"]})),
        f'{ANSWER} reply.ids.1 is "b" in the first run and "c" in the second {HERE}',
    ),
    (
        line(9, answer({}), at_ns=1),
        line(9, answer({}), at_ns=2),
        f"{ANSWER} at_ns is 1 in the first run and 2 in the second {HERE}",
    ),
    (
        line(3, {"type": "Called", "actor": "a", "operation": "tick", "call_id": "1"}),
        line(3, {"type": "Called", "actor": "a", "operation": "tick", "call_id": "2"}),
        'event 4, step 3, a\'s call of tick: its call_id is "1" in the first run and "2" in the second',
    ),
    (
        line(3, "a@tick"),
        line(3, "b@tick"),
        "event 4: step 3, a@tick in the first run and step 3, b@tick in the second",
    ),
    (
        line(3, "a@tick"),
        line(3, answer({})),
        f"event 4: step 3, a@tick in the first run and step 3, the answer to worker's inspect in the second {HERE}",
    ),
    (
        line(9, answer({}, "gate.py:7 Gate.inspect")),
        line(9, answer({}, "gate.py:8 Gate.inspect")),
        f'{ANSWER} place is "at gate.py:7 Gate.inspect" in the first run and "at gate.py:8 Gate.inspect" in the second '
        f"{HERE}",
    ),
    (line(3, "a@tick"), None, "event 4: step 3, a@tick in the first run and the end in the second"),
    (b"no json", b"\xff", "event 4: no json in the first run and \\xff in the second"),
]


@pytest.mark.parametrize(("first", "second", "words"), WORDS)
def test_the_first_event_that_differs_in_words(first: bytes, second: bytes | None, words: str) -> None:
    assert in_words(4, first, second) == words


def test_long_values_are_shown_where_they_part() -> None:
    one, other = ("x" * 500 + letter + "y" * 500 for letter in "ab")
    words = in_words(0, line(1, answer({"id": one})), line(1, answer({"id": other})))
    assert "...xxx" in words
    assert "xa" in words
    assert "xb" in words
    assert len(words) < 350


def drifting() -> ToyTrial:
    """A program whose second step has another name in each run."""
    made = itertools.count()

    def build(_: Toy) -> dict[str, Body]:
        number = next(made)

        async def body(_: Toy) -> None:
            await branch("number")
            await branch(f"run {number}")

        async def other(_: Toy) -> None:
            await branch("other")

        return {"worker": body, "other": other}

    return ToyTrial(build)


def test_a_run_that_asks_something_else_is_told_by_its_event() -> None:
    trial = drifting()
    runs: list[Result] = []
    random_walk(trial, Budget(1), 1, observe=runs.append)
    found = find_nondeterminism(trial, [runs[0].schedule()])
    assert found is not None
    assert "worker@run 1" in found.what or "worker@run 2" in found.what
    assert made_again(trial, runs[0].schedule(), runs[0].log())


def test_what_is_made_again_is_equal_where_nothing_else_has_a_say() -> None:
    runs: list[Result] = []
    random_walk(ToyTrial(race), Budget(20), 1, observe=runs.append)
    assert all(made_again(ToyTrial(race), run.schedule(), run.log()) == "" for run in runs)


@pytest.mark.parametrize("name", ["before-admission", "old-incarnations"])
def test_a_token_is_enough_to_make_a_run_of_a_scenario_again(name: str) -> None:
    trial = trial_of(BY_ID[name])
    runs: list[Result] = []
    random_walk(trial, Budget(5), 1, observe=runs.append)
    for run in runs:
        schedule = Schedule.from_token(run.schedule().token())
        assert made_again(trial, schedule, run.log()) == ""
