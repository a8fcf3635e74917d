"""Causes that are kept apart, and what is no cancellation: what breaks REC-8, and what is near and does not."""

from __future__ import annotations

from typing import Any

import pytest

from stopcheck.gate import (
    Accepted,
    Cause,
    CauseEntry,
    Done,
    Ended,
    Execution,
    ExistingRecord,
    Halt,
    Inspect,
    Opened,
    OpenTask,
    OwnedKind,
    RegisterChild,
    RequestCancel,
    Resume,
    Scope,
    Stopped,
    Suspend,
    TaskRef,
    Widened,
)
from stopcheck.judge.checks import _causes
from tests.fast.judge.history import REFUND, Story, account, cause, record, ref

CHILD = ref("letter")
RULE: dict[str, Any] = {"cause": Cause.POLICY, "request_id": "rule", "reason": "too late"}


def told() -> Story:
    return Story(*_causes.CHECKS)


def looks(story: Story, *causes: CauseEntry, task: TaskRef = REFUND) -> None:
    story.looks(account(task, record(task, causes=causes), Execution.DRAINING), task)


def owned() -> Story:
    """A task with a child."""
    story = told()
    story.task(CHILD, REFUND)
    story.asks(RegisterChild, Done(), child=CHILD, kind=OwnedKind.CHILD_TASK, owner="worker", epoch=1)
    return story


# -- kept and not confused --------------------------------------------------------------------------------


def test_a_later_cause_is_appended() -> None:
    story = told()
    story.stop(Accepted(record()))
    story.stop(ExistingRecord(record()), **RULE)
    looks(story, cause(), cause(6, "rule", cause=Cause.POLICY))
    assert story.tested("REC-8")
    assert not story.broken


@pytest.mark.parametrize(
    "reply", [ExistingRecord(record()), Widened(record(scope=Scope.SUBTREE))], ids=lambda reply: type(reply).__name__
)
def test_a_later_cause_is_not_lost(reply: ExistingRecord | Widened) -> None:
    story = told()
    story.stop(Accepted(record()))
    story.stop(reply, **RULE)
    looks(story, cause())
    assert story.broken == ["REC-8"]
    assert "without policy" in story.message


def test_a_reading_that_overlapped_the_later_stop_may_show_it_or_not() -> None:
    story = told()
    story.stop(Accepted(record()))
    looking = story.call(Inspect)
    stopping = story.call(RequestCancel, **story.pressing(**RULE))
    story.ends(stopping, ExistingRecord(record()))
    story.ends(looking, account(REFUND, record(), Execution.DRAINING))
    assert not story.broken


def test_two_users_may_be_folded_into_one_cause() -> None:
    story = told()
    story.stop(Accepted(record()))
    story.stop(ExistingRecord(record()), request_id="stop-2", by="bob")
    looks(story, cause())
    assert not story.broken


def test_a_stop_after_the_end_is_no_cause() -> None:
    story = told()
    story.stop(Accepted(record()))
    story.stop(Ended(Execution.COMPLETED), **RULE)
    looks(story, cause())
    assert not story.broken


@pytest.mark.parametrize(("kept", "right"), [(Cause.POLICY, True), (Cause.USER, False), (Cause.DEADLINE, False)])
def test_an_accepted_record_has_the_cause_that_was_given(kept: Cause, right: bool) -> None:
    story = told()
    story.stop(Accepted(record(causes=(cause(request_id="rule", cause=kept),))), **RULE)
    assert story.broken == ([] if right else ["REC-8"])


def test_a_cause_under_a_request_is_the_one_that_the_request_gave() -> None:
    story = told()
    story.stop(Accepted(record()))
    story.stop(ExistingRecord(record()), **RULE)
    looks(story, cause(), cause(6, "rule", cause=Cause.USER), cause(7, "rule", cause=Cause.POLICY))
    assert story.broken == ["REC-8"]
    assert "in which rule, asked with cause policy" in story.message


@pytest.mark.parametrize("made_up", [Cause.DEADLINE, Cause.PARENT, Cause.POLICY])
def test_a_cause_that_nothing_explains_is_confused(made_up: Cause) -> None:
    story = told()
    story.stop(Accepted(record()))
    looks(story, cause(), cause(6, "?", cause=made_up))
    assert story.broken == ["REC-8"]


def test_a_deadline_explains_a_deadline_and_no_user() -> None:
    story = told()
    story.asks(OpenTask, Opened(1), deadline_ns=5)
    looks(story, cause(request_id="deadline", cause=Cause.DEADLINE))
    assert not story.broken
    looks(story, cause(request_id="deadline"))
    assert story.broken == ["REC-8"]


@pytest.mark.parametrize(("kept", "right"), [(Cause.PARENT, True), (Cause.USER, True), (Cause.DEADLINE, False)])
def test_a_cascade_may_name_the_parent_or_what_stopped_it(kept: Cause, right: bool) -> None:
    story = owned()
    story.stop(Accepted(record(scope=Scope.SUBTREE)), scope=Scope.SUBTREE)
    looks(story, cause(2, "cascade", cause=kept), task=CHILD)
    assert story.broken == ([] if right else ["REC-8"])


def test_shared_work_may_be_stopped_by_a_rule_of_the_gate() -> None:
    story = told()
    shared = story.task(ref("index"), shared=True)
    looks(story, cause(request_id="last-interest", cause=Cause.POLICY), task=shared)
    assert not story.broken


def test_a_stop_without_authority_explains_nothing() -> None:
    story = told()
    story.stop(Accepted(record()), tenant="rival")
    assert story.broken == ["REC-8"]


# -- no cancellation at all -------------------------------------------------------------------------------


@pytest.mark.parametrize("halt", list(Halt))
def test_a_pause_and_a_shutdown_make_no_record(halt: Halt) -> None:
    story = told()
    story.asks(Suspend, Done(), halt=halt)
    story.looks(account())
    assert story.tested("REC-8")
    assert not story.broken
    looks(story, cause(cause=Cause.POLICY))
    assert "REC-8" in story.broken
    assert f"a {halt.value}" in story.docket.violations[-1].message


def test_a_crash_makes_no_record() -> None:
    story = told()
    story.dies()
    looks(story, cause(cause=Cause.POLICY))
    assert story.broken == ["REC-8", "REC-8"]
    assert "a crash" in story.docket.violations[-1].message


def test_a_stop_during_the_pause_makes_one() -> None:
    story = told()
    story.asks(Suspend, Done(), halt=Halt.PAUSE)
    story.stop(Accepted(record()))
    looks(story, cause())
    assert not story.broken


def test_a_stop_outranks_resumption() -> None:
    story = told()
    story.asks(Suspend, Done(), halt=Halt.PAUSE)
    story.stop(Accepted(record()))
    story.asks(Resume, Stopped(record()))
    assert story.tested("REC-8")
    assert not story.broken
    story.asks(Resume, Done())
    assert story.broken == ["REC-8"]


def test_a_resumption_that_overlapped_the_stop_may_have_come_first() -> None:
    story = told()
    story.asks(Suspend, Done(), halt=Halt.PAUSE)
    resuming = story.call(Resume)
    story.stop(Accepted(record()))
    story.ends(resuming, Done())
    assert not story.broken
