"""The policy assistant's run reads as one story: tree, budgets, the user who leaves, and what became of the note."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from stopcheck.campaign import ReplayedRun, load_gate, load_scenarios, replay_schedule
from stopcheck.campaign._ground import ground
from stopcheck.explore import Budget, Result, depth_first, make_trial
from stopcheck.judge import CHECKS
from stopcheck.kernel import Schedule
from stopcheck.report._timeline import timeline
from stopcheck.world import Granularity, Variant


@cache
def runs() -> dict[str, ReplayedRun]:
    """One run for each witness, as ``stopcheck replay`` would make it again."""
    loaded, scenario, variant = load_gate("memory"), load_scenarios()["policy-assistant"], Variant(1)
    found: dict[str, Schedule] = {}

    def observe(result: Result) -> None:
        for witness in result.witnesses:
            found.setdefault(witness, Schedule.of(scenario.id, variant.names(), result.choices))

    with ground(loaded, Granularity.CALLS) as interior:
        depth_first(make_trial(scenario, loaded.factory, variant, interior, CHECKS), Budget(400), observe=observe)
    return {witness: replay_schedule(loaded, schedule) for witness, schedule in found.items()}


def told(witness: str) -> list[str]:
    """The timeline's lines without step and time."""
    return [line.what for line in timeline(runs()[witness]) if line.what]


def at(lines: list[str], *words: str) -> int:
    """Where a line has all these words."""
    return next(i for i, line in enumerate(lines) if all(word in line for word in words))


def test_the_story_has_tree_budgets_and_the_late_answer_in_their_order() -> None:
    lines = told("the database answered to nobody")
    places = [
        at(lines, "open_task(assistant/1, deadline 8s) = Opened"),
        at(lines, "register_child(", "retrieval/1, cap 2s", "reserve 2s) = Done"),
        at(lines, "register_child(", "generation/1, cap 4s", "reserve 2s) = Done"),
        at(lines, "register_child(", "second-draft/1", "= NoTime"),
        at(lines, "user", "request_cancel(assistant/1, subtree, user) = Accepted"),
        at(lines, "user", "close_view(", "stream_closed) = Done"),
        at(lines, "database", "offer_result(assistant/1, target retrieval, place plan", "= Quarantined"),
        at(lines, "database", "finish_child(assistant/1, retrieval/1, completed) = Done"),
        at(lines, "gate", "owns retrieval/1 completed_after_cancel, generation/1 confirmed_cancelled"),
    ]
    assert places == sorted(places)


def test_the_times_are_those_of_the_case() -> None:
    texts = [line.text for line in timeline(runs()["the database answered to nobody"])]
    assert any("2.4s  user          request_cancel" in text for text in texts)
    assert any("3s  database" in text for text in texts)
    assert any("retrieval/1: " in text and "deadline 2.6s" in text for text in texts)


@pytest.mark.parametrize(
    ("witness", "sentence"),
    [
        ("the note was there before the user left", "Stopped; case-note "),
        ("the note was on its way when the user left", "Stopped; case-note went out all the same."),
        ("the note came too late", "Stopped; nothing had gone out."),
    ],
)
def test_a_person_is_told_what_became_of_the_note(witness: str, sentence: str) -> None:
    lines = told(witness)
    assert sentence in lines[at(lines, "gate", "assistant/1: cancelled_settled, shown as cancelled")]


def test_a_note_that_was_proved_before_the_stop_had_already_gone_out() -> None:
    """The first run found is the default one: the note's receipt is recorded before the user leaves."""
    lines = told("both parts were in flight, and a second draft had no time")
    assert "Stopped; case-note had already gone out." in lines[at(lines, "gate", "assistant/1: ")]


def test_nothing_broke() -> None:
    checks: list[Callable[[ReplayedRun], bool]] = [lambda run: not run.violations, lambda run: run.record.rested]
    assert all(check(run) for run in runs().values() for check in checks)
    assert len(runs()) == 6
