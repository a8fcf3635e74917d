"""Checks of REC-6, on histories written by hand: how long a record is there, and whose clock dates it."""

from __future__ import annotations

from typing import Any

import pytest

from stopcheck.gate import (
    Accepted,
    Execution,
    ExistingRecord,
    LeaseGranted,
    RefusalReason,
    Refused,
    RequestCancel,
    Stopped,
)
from stopcheck.judge.checks._retention import CROWD, LivesItsRetention, NoForeignClock
from tests.fast.judge.history import CONTRACT, REFUND, Story, account, cause, record, ref

SETTLED = Execution.CANCELLED_SETTLED
RETENTION_NS = CONTRACT.retention_ns


def stopped() -> Story:
    story = Story(LivesItsRetention)
    story.stop(Accepted(record()))
    return story


def read(story: Story) -> None:
    story.looks(account(REFUND, record(), SETTLED))


def crowd_in(story: Story) -> None:
    for number in range(CROWD):
        other = story.task(ref(f"other-{number}"))
        story.stop(Accepted(record(other, id=f"c-{number + 2}")), other)


def grow_old(story: Story) -> None:
    story.now_ns = RETENTION_NS - 1


@pytest.mark.parametrize("comes_over", [read, crowd_in, grow_old])
@pytest.mark.parametrize(
    "gone", [account(REFUND, None, SETTLED), account(REFUND, record(id="c-99")), Refused(RefusalReason.UNKNOWN)]
)
def test_a_record_does_not_vanish(comes_over: Any, gone: Any) -> None:
    story = stopped()
    comes_over(story)
    story.looks(gone)
    assert story.broken == ["REC-6"]


@pytest.mark.parametrize("comes_over", [read, crowd_in, grow_old])
def test_a_late_worker_is_not_let_in(comes_over: Any) -> None:
    story = stopped()
    comes_over(story)
    story.begins(LeaseGranted(1, 100))
    assert story.broken == ["REC-6"]


@pytest.mark.parametrize("comes_over", [read, crowd_in, grow_old])
def test_a_record_that_is_there_is_fine(comes_over: Any) -> None:
    story = stopped()
    comes_over(story)
    story.begins(Stopped(record()))
    story.stop(ExistingRecord(record()))
    read(story)
    assert story.tested("REC-6")
    assert not story.broken


def test_after_its_retention_it_may_go() -> None:
    story = stopped()
    story.now_ns = RETENTION_NS
    story.looks(Refused(RefusalReason.UNKNOWN))
    assert not story.tested("REC-6")


def test_what_has_just_been_made_is_not_judged_here() -> None:
    story = stopped()
    story.looks(account())
    assert not story.tested("REC-6")


def test_a_stranger_may_be_told_that_it_is_unknown() -> None:
    story = stopped()
    read(story)
    story.looks(Refused(RefusalReason.UNKNOWN), rights=())
    assert not story.broken


@pytest.mark.parametrize(("at_ns", "broken"), [(-5, True), (4, False), (7, False), (8, True)])
def test_a_record_is_dated_within_the_call(at_ns: int, broken: bool) -> None:
    story = Story(NoForeignClock)
    story.now_ns = 4
    call = story.call(RequestCancel, **Story.pressing(requested_ns=-5))
    story.now_ns = 7
    story.ends(call, Accepted(record(causes=[cause(at_ns=at_ns)])))
    assert story.tested("REC-6")
    assert bool(story.broken) is broken


def test_without_a_clock_of_its_own_a_stop_is_not_judged() -> None:
    story = Story(NoForeignClock)
    story.now_ns = 4
    story.stop(Accepted(record()))
    assert not story.tested("REC-6")
