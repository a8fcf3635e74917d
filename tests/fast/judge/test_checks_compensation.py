"""The check of compensations, on histories written by hand: RCN-3."""

from __future__ import annotations

from typing import Any

import pytest

from stopcheck.gate import (
    Accepted,
    Admitted,
    Compensate,
    Contradiction,
    Disposition,
    Done,
    Evidence,
    Finding,
    Grant,
    GrantKind,
    Indefinite,
    NoEvidence,
    NotCompleted,
    Receipt,
    ReceiptEvidence,
    Recorded,
    RecordOutcome,
    RefusalReason,
    Refused,
    Reply,
    StaleLease,
    TaskRef,
    Unauthorised,
    Void,
)
from stopcheck.judge.checks._compensation import CompensationIsAuthorised
from stopcheck.world._receivers import _signature
from tests.fast.judge.history import REFUND, Story, account, line, record, ref

CORRECTION = ref("correction")


def executed() -> Evidence:
    unsigned = Receipt("mail", "mail-1", "p", Finding.EXECUTED, "r", "")
    return ReceiptEvidence(Receipt("mail", "mail-1", "p", Finding.EXECUTED, "r", _signature(unsigned)))


def told(evidence: Evidence | None = None) -> Story:
    """A mail that was committed, of which this is known; a task that may answer it."""
    story = Story(CompensationIsAuthorised)
    story.task(CORRECTION)
    story.effect()
    story.effect("answer", CORRECTION)
    story.effect("second", CORRECTION)
    story.commits(Admitted(1))
    story.asks(RecordOutcome, Recorded(), effect_id="mail-1", evidence=evidence or executed())
    return story


def grants(story: Story, reply: Reply | None = None, task: TaskRef = CORRECTION, compensates: str = "mail-1") -> None:
    story.asks(Grant, reply or Done(), task, grant_id="g", kind=GrantKind.COMPENSATION, compensates=compensates)


def answering(**fields: Any) -> dict[str, Any]:
    named = {"target": REFUND, "target_effect_id": "mail-1", "grant_id": "g", "effect_id": "answer"}
    return Story.committing(**{**named, **fields})


def answers(story: Story, reply: Reply | None = None, task: TaskRef = CORRECTION, **fields: Any) -> None:
    story.asks(Compensate, reply or Admitted(2), task, **answering(**fields))


def test_an_authorised_answer_is_right() -> None:
    story = told()
    grants(story)
    answers(story)
    assert story.tested("RCN-3")
    assert not story.broken


@pytest.mark.parametrize("reply", [Unauthorised(), NotCompleted(), StaleLease(2), Refused(RefusalReason.UNRESOLVABLE)])
def test_whoever_turns_an_answer_away_is_not_blamed(reply: Reply) -> None:
    story = told()
    answers(story, reply)
    assert not story.broken


def test_a_stop_authorises_nothing() -> None:
    story = told()
    story.stop(Accepted(record()))
    answers(story)
    assert story.broken == ["RCN-3"]
    assert "a stop is none" in story.message


@pytest.mark.parametrize(
    ("reply", "task", "compensates"),
    [
        (Done(), CORRECTION, "mail-2"),
        (Done(), CORRECTION, ""),
        (Done(), REFUND, "mail-1"),
        (Void(), CORRECTION, "mail-1"),
    ],
)
def test_another_grant_is_not_enough(reply: Reply, task: TaskRef, compensates: str) -> None:
    story = told()
    grants(story, reply, task, compensates)
    answers(story)
    assert story.broken == ["RCN-3"]


def test_a_grant_whose_answer_was_lost_may_count() -> None:
    story = told()
    grants(story, Indefinite())
    answers(story)
    assert not story.broken


def test_a_grant_is_spent_by_one_answer() -> None:
    story = told()
    grants(story)
    answers(story)
    answers(story, effect_id="second")
    assert story.broken == ["RCN-3"]
    assert "also admitted answer" in story.message


def test_of_two_that_overlap_only_one_is_admitted() -> None:
    story = told()
    grants(story)
    first = story.call(Compensate, CORRECTION, **answering())
    answers(story, effect_id="second")
    assert not story.broken
    story.ends(first, Admitted(3))
    assert story.broken == ["RCN-3"]


@pytest.mark.parametrize("effect_id", ["mail-1", "answer"])
def test_an_answer_stands_in_a_task_of_its_own_under_an_id_of_its_own(effect_id: str) -> None:
    story = told()
    task = CORRECTION if effect_id == "mail-1" else REFUND
    grants(story, task=task)
    answers(story, task=task, effect_id=effect_id)
    assert story.broken == ["RCN-3"]


def test_what_nothing_proves_is_not_answered() -> None:
    story = told(NoEvidence("timeout"))
    grants(story)
    answers(story)
    assert story.broken == ["RCN-3"]


def test_the_answered_effect_stays_completed() -> None:
    story = told()
    grants(story)
    story.looks(account(effects=(line(claimed=True, disposition=Disposition.COMPLETED),)))
    answers(story)
    undone = account(effects=(line(claimed=True, disposition=Disposition.NOT_EXECUTED),))
    story.looks(account(contradictions=(Contradiction("mail-1", "told otherwise", 0),), effects=undone.effects))
    assert not story.broken
    story = told()
    grants(story)
    story.looks(account(effects=(line(claimed=True, disposition=Disposition.COMPLETED),)))
    answers(story)
    story.looks(undone)
    assert story.broken == ["RCN-3"]


def test_the_answer_stands_in_its_own_ledger() -> None:
    story = told()
    grants(story)
    answers(story)
    story.looks(account(CORRECTION, effects=(line("answer"),)), CORRECTION)
    assert not story.broken
    story.looks(account(CORRECTION), CORRECTION)
    assert story.broken == ["RCN-3"]


def test_the_answer_does_not_stand_in_the_answered_ledger() -> None:
    story = told()
    grants(story)
    answers(story)
    story.looks(account(effects=(line(), line("answer"))))
    assert story.broken == ["RCN-3"]
