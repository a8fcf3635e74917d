"""The judge's own state tells apart what it will judge apart: also the order of two calls that are both over.

One idea: a search goes on from only one of two states with equal digests, so whatever follows must be judged alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import stopcheck.gate as g
from stopcheck.judge import CHECKS, Judge
from stopcheck_fixtures.reference.memory import MemoryGate
from tests.fast.judge.account_story import Story, ack, lease, record

Act = Callable[[Story], Story]


def says(story: Story) -> Story:
    return story.says("handler_stopped")


def another_begins(story: Story) -> Story:
    return story.begin("other", 2)


def begins_again(story: Story) -> Story:
    return story.begin("worker", 2)


def found_gone(story: Story) -> Story:
    return story.probe("gone")


def asks_to_commit(story: Story) -> Story:
    return story.commit(g.Stopped(record()))


def offers(story: Story) -> Story:
    place = g.ResultPlace.CACHE
    return story.ask(
        g.OfferResult, g.Indefinite(), target="search", place=place, authority_version=1, result_digest="found"
    )


def presses_stop(story: Story) -> Story:
    return story.stop()


def arms(story: Story) -> Story:
    return story.ask(g.ScheduleRetry, g.Scheduled(), retry_id="r", at_ns=0)


def fires(story: Story) -> Story:
    return story.ask(g.FireRetry, g.RetryFired(2), retry_id="r", worker="worker")


@pytest.mark.parametrize(
    ("one", "other"),
    [(says, another_begins), (found_gone, begins_again), (says, asks_to_commit), (offers, presses_stop), (arms, fires)],
    ids=[
        "a word and a newer epoch",
        "a probe and a new beginning",
        "a word and a commitment",
        "a result and a stop",
        "an armed retry and a fired one",
    ],
)
def test_two_calls_that_are_compared_stand_in_order(one: Act, other: Act) -> None:
    assert other(one(Story().begin())).facts.digest() != one(other(Story().begin())).facts.digest()


def test_two_calls_that_nobody_compares_stand_in_no_order() -> None:
    assert says(presses_stop(Story().begin())).facts.digest() == presses_stop(says(Story().begin())).facts.digest()


def test_the_order_of_a_word_and_a_newer_epoch_decides_a_verdict() -> None:
    """Why it must stand there: all else being equal, the word counts in one order only."""
    for one, other, broken in ((says, another_begins, False), (another_begins, says, True)):
        story = other(one(Story().begin()))
        story.look(
            acknowledgements=(ack("handler_stopped"),), leases=(lease("superseded"), lease(worker="other", epoch=2))
        )
        assert ("ACK-4" in story.broken) is broken


def test_the_order_of_a_word_and_a_commitment_decides_a_verdict() -> None:
    for one, other, broken in ((says, asks_to_commit, True), (asks_to_commit, says, False)):
        story = other(one(Story().begin()))
        story.look(acknowledgements=(ack("handler_stopped"),), leases=(lease(),))
        assert ("ACK-5" in story.broken) is broken


@pytest.mark.parametrize("first", [True, False], ids=["answered before it began", "answered after"])
def test_what_was_answered_when_an_open_call_began_is_part_of_it(*, first: bool) -> None:
    """A reading that begins later must show more."""

    def reading(*, after: bool) -> Story:
        story = Story().begin()
        story._calls = 20 if after else 10
        if after:
            says(story)
        story._calls = 30
        story.call(g.Inspect)
        if not after:
            story._calls = 20
            says(story)
        return story

    assert (reading(after=True).facts.digest() == reading(after=first).facts.digest()) is first


def test_the_judges_state_is_all_of_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = Judge(MemoryGate.contract, CHECKS)
    before = judge.digest()
    parts: list[Any] = [judge.facts, judge._order, *(judge._check(index) for index in judge._concerns.with_state)]
    assert len(parts) > 3
    for part in parts:
        with monkeypatch.context() as changed:
            changed.setattr(part, "digest", lambda: b"another")
            assert judge.digest() != before
    assert judge.digest() == before


def test_calls_that_are_over_are_part_of_it() -> None:
    assert says(Story().begin()).facts.digest() != Story().begin().facts.digest()
