"""Checks of answers at a boundary and of items in hand-over, on histories written by hand: RES-4 and RES-5."""

from __future__ import annotations

from typing import Any

import pytest

from stopcheck.gate import (
    Accepted,
    Ask,
    BoundaryAnswer,
    ConfirmItem,
    Done,
    Execution,
    Handed,
    HandOver,
    Handover,
    HandoverEntry,
    Indefinite,
    NoAnswer,
    OfferResult,
    Quarantined,
    ReadAnswer,
    RefusalReason,
    Refused,
    Reply,
    ResultPlace,
    Stopped,
    TakeItem,
    Taken,
    Withdraw,
)
from stopcheck.judge.checks import _boundary as boundary
from stopcheck.judge.checks import _handover as handover
from stopcheck.world import PhaseBegan
from tests.fast.judge.history import REFUND, Story, account, record

# -- RES-4 ------------------------------------------------------------------------------------------------


def asked() -> Story:
    """Ann has asked, and Bob too, on the same connection."""
    story = Story(boundary.AnswersAreSingleAndPrivate)
    for who in ("ann", "bob"):
        story.asks(Ask, Done(), by=who, request_id=who, channel="c")
    return story


def answers(story: Story, reply: Reply, digest: str = "for ann", request_id: str = "ann") -> None:
    fields: dict[str, Any] = {"target": "model", "place": ResultPlace.RESPONSE, "authority_version": 1}
    story.asks(OfferResult, reply, result_digest=digest, request_id=request_id, **fields)


def reads(story: Story, reply: Reply, request_id: str = "ann", by: str = "ann") -> None:
    story.asks(ReadAnswer, reply, by=by, request_id=request_id)


def test_a_request_is_answered_once() -> None:
    story = asked()
    answers(story, Taken())
    answers(story, Taken(), "for ann, and better")
    assert story.broken == ["RES-4"]


@pytest.mark.parametrize(("second", "broken"), [(Taken(), ["RES-4"]), (Quarantined(), [])], ids=["both", "one"])
def test_of_two_answers_at_the_same_time_one_is_taken(second: Reply, broken: list[str]) -> None:
    story = asked()
    fields: dict[str, Any] = {"target": "model", "place": ResultPlace.RESPONSE, "authority_version": 1}
    one, other = (
        story.call(OfferResult, result_digest=digest, request_id="ann", **fields) for digest in ("one", "other")
    )
    story.ends(one, Taken())
    story.ends(other, second)
    assert story.tested("RES-4")
    assert story.broken == broken


def test_the_same_answer_again_is_the_same_answer() -> None:
    story = asked()
    answers(story, Taken())
    answers(story, Taken())
    reads(story, BoundaryAnswer("for ann"))
    reads(story, BoundaryAnswer("for ann"))
    assert not story.broken


def test_no_request_is_answered_after_its_withdrawal_was_confirmed() -> None:
    story = asked()
    story.asks(Withdraw, Done(), by="ann", request_id="ann")
    answers(story, Taken())
    assert story.broken == ["RES-4"]
    right = asked()
    right.asks(Withdraw, Done(), by="ann", request_id="ann")
    answers(right, Quarantined())
    reads(right, NoAnswer(final=True))
    assert right.tested("RES-4")
    assert not right.broken


def test_an_answer_that_overlaps_with_the_withdrawal_may_win() -> None:
    story = asked()
    withdrawal = story.call(Withdraw, by="ann", request_id="ann")
    answers(story, Taken())
    story.ends(withdrawal, BoundaryAnswer("for ann"))
    reads(story, BoundaryAnswer("for ann"))
    assert not story.broken


def test_an_answer_is_not_read_after_its_withdrawal_was_confirmed() -> None:
    story = asked()
    withdrawal = story.call(Withdraw, by="ann", request_id="ann")
    answers(story, Taken())
    story.ends(withdrawal, Done())
    reads(story, BoundaryAnswer("for ann"))
    assert story.broken == ["RES-4"]


def test_nobody_reads_what_was_meant_for_another() -> None:
    story = asked()
    answers(story, Taken())
    reads(story, BoundaryAnswer("for ann"), request_id="bob", by="bob")
    assert story.broken == ["RES-4"]
    assert "never offered for it" in story.message
    curious = asked()
    answers(curious, Taken())
    reads(curious, BoundaryAnswer("for ann"), by="bob")
    assert curious.broken == ["RES-4"]
    refused = asked()
    answers(refused, Taken())
    reads(refused, Refused(RefusalReason.FORBIDDEN), by="bob")
    assert refused.tested("RES-4")
    assert not refused.broken


def test_two_readings_of_one_request_agree() -> None:
    story = asked()
    answers(story, Indefinite(), "for ann, and better")
    answers(story, Taken())
    reads(story, BoundaryAnswer("for ann"))
    reads(story, BoundaryAnswer("for ann, and better"))
    assert story.broken == ["RES-4"]


# -- RES-5 ------------------------------------------------------------------------------------------------


def handed(*, taken: bool = False, confirmed: bool = False) -> Story:
    """An item was handed over, and the task stopped."""
    story = Story(handover.ItemsAreConserved)
    story.begins()
    story.asks(HandOver, Done(), item_id="i")
    if taken:
        story.asks(TakeItem, Handed("i"), epoch=1)
    if confirmed:
        story.asks(ConfirmItem, Done(), item_id="i")
    story.stop(Accepted(record()))
    return story


def shows(story: Story, *states: Handover, execution: Execution = Execution.DRAINING) -> Story:
    items = tuple(HandoverEntry("i", state) for state in states)
    story.looks(account(shown=record(), execution=execution, handovers=items))
    return story


def test_no_item_is_lost_at_the_stop() -> None:
    assert shows(handed()).broken == ["RES-5"]
    assert shows(handed(taken=True)).broken == ["RES-5"]
    assert "not shown at all" in shows(handed()).message


@pytest.mark.parametrize("state", [Handover.RETURNED, Handover.RECORDED, Handover.WAITING])
def test_whatever_becomes_of_an_item_that_waits_is_right(state: Handover) -> None:
    story = shows(handed(), state)
    assert story.tested("RES-5")
    assert not story.broken


@pytest.mark.parametrize("state", [Handover.RETURNED, Handover.RECORDED, Handover.TAKEN, Handover.DELIVERED])
def test_so_is_whatever_becomes_of_one_in_a_workers_hands(state: Handover) -> None:
    assert not shows(handed(taken=True), state).broken


def test_what_was_confirmed_is_delivered() -> None:
    assert shows(handed(taken=True, confirmed=True), Handover.RETURNED).broken == ["RES-5"]
    assert not shows(handed(taken=True, confirmed=True), Handover.DELIVERED).broken


def test_what_nobody_took_is_not_delivered() -> None:
    assert shows(handed(), Handover.DELIVERED).broken == ["RES-5"]


def test_an_item_of_which_a_worker_did_not_hear_may_have_been_taken() -> None:
    story = Story(handover.ItemsAreConserved)
    story.begins()
    story.asks(HandOver, Done(), item_id="i")
    story.asks(TakeItem, Indefinite(), epoch=1)
    story.stop(Accepted(record()))
    assert not shows(story, Handover.DELIVERED).broken


def test_what_was_delivered_is_not_handed_out_again() -> None:
    story = handed(taken=True, confirmed=True)
    story.asks(TakeItem, Handed("i"), epoch=2)
    assert story.broken == ["RES-5"]


def test_an_item_is_in_the_hands_of_one() -> None:
    story = handed()
    one, other = (story.call(TakeItem, epoch=1) for _ in range(2))
    story.ends(one, Handed("i"))
    story.ends(other, Handed("i"))
    assert story.broken == ["RES-5"]


def test_an_item_of_a_holder_that_was_replaced_may_be_handed_out_again() -> None:
    story = handed()
    story.asks(TakeItem, Handed("i"), epoch=1)
    story.asks(TakeItem, Handed("i"), epoch=2)
    assert not story.broken


def test_a_gate_that_died_may_hand_an_item_out_again() -> None:
    story = handed()
    story.asks(TakeItem, Handed("i"), epoch=1)
    story.dies()
    story.asks(TakeItem, Handed("i"), epoch=1)
    assert not story.broken


def test_what_was_turned_away_is_not_asked_for() -> None:
    story = Story(handover.ItemsAreConserved)
    story.stop(Accepted(record()))
    story.asks(HandOver, Stopped(record()), item_id="i")
    assert not shows(story).tested("RES-5")


@pytest.mark.parametrize(("state", "broken"), [(Handover.WAITING, ["RES-5"]), (Handover.RECORDED, [])])
def test_at_rest_no_item_is_on_its_way(state: Handover, broken: list[str]) -> None:
    story = handed(taken=True)
    story.event(PhaseBegan("account"))
    shows(story, state, execution=Execution.CANCELLED_SETTLED)
    story.rests()
    assert story.broken == broken


def test_a_task_that_was_not_stopped_owes_no_account_of_items() -> None:
    story = Story(handover.ItemsAreConserved)
    story.asks(HandOver, Done(), item_id="i")
    story.looks(account(REFUND))
    assert not story.tested("RES-5")
