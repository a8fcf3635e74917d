"""Checks of what a stop names and of whom it reaches, on histories written by hand: SCOPE-1, SCOPE-7 and SCOPE-8."""

from __future__ import annotations

from typing import Any

import pytest

from stopcheck.gate import (
    Accepted,
    Admitted,
    Caller,
    Cause,
    Done,
    Escalate,
    ExistingRecord,
    Forced,
    LeaseGranted,
    NotAdmitted,
    Recorded,
    RecordSignal,
    RefusalReason,
    Refused,
    Reply,
    Request,
    RequestCancel,
    RevokeLease,
    Right,
    Scope,
    SignalEntry,
    Snapshot,
    StaleLease,
    Stopped,
    Suppress,
    SuppressionDone,
    TaskKey,
    TooEarly,
)
from stopcheck.judge.checks._named_runs import OtherRunsSeeNothing, RightIsCheckedForEachRun, StopsWhatItNames
from stopcheck.judge.checks._stop_requests import StaleHandleIsAnError, StopNamesItsTarget
from stopcheck.world import Called
from tests.fast.judge.history import ALL, REFUND, Story, account, cause, record, ref

REPORT = ref("report")
WHOLE = record(scope=Scope.SUBTREE)
REFUSED = Refused(RefusalReason.MALFORMED)

# -- SCOPE-1 ----------------------------------------------------------------------------------------------


def unclear(reply: Reply, tenant: str = "acme", task_id: str = "refund", incarnation: int | None = None) -> Story:
    """A stop that lacks something was answered so."""
    story = Story(StopNamesItsTarget)
    request = RequestCancel(
        call_id="call#0",
        caller=Caller("ann", tenant, ALL),
        now_ns=0,
        task=TaskKey(tenant, task_id),
        incarnation=incarnation,
        scope=Scope.TASK,
        cause=Cause.USER,
        request_id="unclear",
        reason="Stop pressed",
    )
    story.event(Called("call#0", "ann", 0, "request_cancel", request))
    story.ends("call#0", reply)
    return story


@pytest.mark.parametrize("named", [{}, {"tenant": "", "incarnation": 1}, {"task_id": " ", "incarnation": 1}])
@pytest.mark.parametrize("reply", [Accepted(record()), Stopped(record())])
def test_a_stop_that_lacks_something_is_not_guessed(named: dict[str, Any], reply: Reply) -> None:
    assert unclear(reply, **named).broken == ["SCOPE-1"]


@pytest.mark.parametrize("reason", list(RefusalReason))
def test_any_refusal_of_a_stop_that_lacks_something_is_right(reason: RefusalReason) -> None:
    story = unclear(Refused(reason))
    assert story.tested("SCOPE-1")
    assert not story.broken


def test_a_refused_stop_stands_in_no_record() -> None:
    story = unclear(REFUSED)
    story.looks(account(REFUND, record(causes=[cause(request_id="unclear")])))
    assert story.broken == ["SCOPE-1"]


def test_the_record_of_another_stop_is_not_that_of_the_refused_one() -> None:
    story = unclear(REFUSED)
    story.stop(Accepted(record()))
    story.looks(account(REFUND, record()))
    assert not story.broken


@pytest.mark.parametrize("told", [WHOLE, record(REPORT)])
def test_an_accepted_stop_is_about_the_run_and_scope_that_it_named(told: Any) -> None:
    story = Story(StopNamesItsTarget)
    story.stop(Accepted(told))
    assert story.broken == ["SCOPE-1"]


@pytest.mark.parametrize("reply", [ExistingRecord(record()), Accepted(record())])
def test_one_request_for_two_runs_stops_both(reply: Reply) -> None:
    story = Story(StopsWhatItNames)
    story.task(REPORT)
    story.stop(Accepted(record()))
    story.stop(reply, REPORT)
    assert story.broken == ["SCOPE-7"]
    assert "report/1" in story.message


def test_a_record_of_the_named_run_or_of_its_owner_is_right() -> None:
    story = Story(StopsWhatItNames)
    story.task(REPORT)
    letter = story.task(ref("letter"), REFUND)
    story.stop(Accepted(record()))
    story.stop(Accepted(record(REPORT, id="c-2")), REPORT)
    story.stop(ExistingRecord(record()), letter)
    assert story.tested("SCOPE-7")
    assert not story.broken


# -- SCOPE-8 ----------------------------------------------------------------------------------------------


def replaced() -> Story:
    """A second attempt has superseded the first."""
    story = Story(StaleHandleIsAnError)
    story.begins()
    story.begins(LeaseGranted(2, 100), worker="second")
    return story


def test_the_epoch_of_an_earlier_attempt_stops_nothing() -> None:
    story = replaced()
    story.asks(RevokeLease, Done(), epoch=1)
    assert story.broken == ["SCOPE-8"]


def test_an_epoch_that_never_was_stops_nothing() -> None:
    story = replaced()
    story.asks(RevokeLease, Done(), epoch=7)
    assert story.broken == ["SCOPE-8"]


@pytest.mark.parametrize("reply", [StaleLease(2), Refused(RefusalReason.UNRESOLVABLE), Stopped(record())])
def test_an_error_is_right(reply: Reply) -> None:
    story = replaced()
    story.asks(RevokeLease, reply, epoch=1)
    assert story.tested("SCOPE-8")
    assert not story.broken


@pytest.mark.parametrize("epoch", [2, 7])
def test_an_epoch_that_may_have_been_granted_is_not_judged(epoch: int) -> None:
    story = replaced()
    asked = story.call(RevokeLease, epoch=2)
    story.ends(asked, Done())
    story.call(type(story.facts.book.all_deeds("begin_work")[0].request), worker="third", delivery_id="d-3")
    story.asks(RevokeLease, Done(), epoch=epoch)
    assert not story.broken


@pytest.mark.parametrize(
    ("asked", "fields", "silent", "error"),
    [
        (Escalate, {"worker": "nobody", "level": "kill"}, Forced(), Refused(RefusalReason.UNKNOWN)),
        (Escalate, {"worker": "nobody", "level": "kill"}, Forced(), TooEarly(9)),
        (Suppress, {"effect_id": "ghost"}, SuppressionDone(3), NotAdmitted()),
    ],
)
def test_force_and_suppression_need_something_to_hit(
    asked: type[Request], fields: dict[str, Any], silent: Reply, error: Reply
) -> None:
    story = replaced()
    story.asks(asked, error, **fields)
    assert not story.broken
    story.asks(asked, silent, **fields)
    assert story.broken == ["SCOPE-8"]


def test_force_and_suppression_of_what_is_there_are_not_judged() -> None:
    story = replaced()
    story.effect()
    story.commits(Admitted(1))
    story.asks(Escalate, Forced(), worker="second", level="kill")
    story.asks(Suppress, SuppressionDone(3), effect_id="mail-1")
    assert not story.tested("SCOPE-8")


# -- SCOPE-7 ----------------------------------------------------------------------------------------------

FORCED_FORMS: list[tuple[type[Request], dict[str, Any], Reply]] = [
    (RequestCancel, Story.pressing(), Accepted(record(REPORT))),
    (RevokeLease, {"epoch": 1}, Done()),
    (Escalate, {"worker": "worker", "level": "kill"}, TooEarly(9)),
    (Suppress, {"effect_id": "mail-1"}, NotAdmitted()),
]


@pytest.mark.parametrize(("asked", "fields", "reply"), FORCED_FORMS)
def test_who_may_not_stop_this_run_is_refused(asked: type[Request], fields: dict[str, Any], reply: Reply) -> None:
    story = Story(RightIsCheckedForEachRun)
    story.task(REPORT)
    story.stop(Accepted(record()))
    story.asks(asked, reply, REPORT, rights=(Right.WORK,), **fields)
    assert story.broken == ["SCOPE-7"]


@pytest.mark.parametrize(("asked", "fields", "reply"), FORCED_FORMS)
def test_who_is_refused_or_has_the_right_is_fine(asked: type[Request], fields: dict[str, Any], reply: Reply) -> None:
    story = Story(RightIsCheckedForEachRun)
    story.task(REPORT)
    story.asks(asked, Refused(RefusalReason.FORBIDDEN), REPORT, rights=(), **fields)
    story.asks(asked, reply, REPORT, rights=ALL, **fields)
    assert story.tested("SCOPE-7")
    assert not story.broken


def beside() -> Story:
    """One run was stopped and signalled; the other was left alone."""
    story = Story(OtherRunsSeeNothing)
    story.task(REPORT)
    story.begins()
    story.begins(task=REPORT)
    story.stop(Accepted(record()))
    story.asks(RecordSignal, Recorded(), target="worker", channel="bus", cause=Cause.USER)
    return story


@pytest.mark.parametrize(
    "shown",
    [
        account(REPORT, record(REPORT)),
        account(REPORT, signals=(SignalEntry("worker", "bus", Cause.USER, 0),)),
        account(REPORT, forced=("worker",)),
    ],
)
def test_the_other_run_shows_nothing_of_it(shown: Snapshot) -> None:
    story = beside()
    story.looks(shown, REPORT)
    assert story.broken == ["SCOPE-7"]


def test_the_other_run_is_not_told_to_stop() -> None:
    story = beside()
    story.commits(Stopped(record()), REPORT)
    assert story.broken == ["SCOPE-7"]


def test_a_run_that_is_left_alone_is_fine() -> None:
    story = beside()
    story.looks(account(REPORT), REPORT)
    assert story.tested("SCOPE-7")
    assert not story.broken


def test_a_run_that_was_signalled_itself_or_stopped_is_not_judged() -> None:
    story = beside()
    story.asks(RecordSignal, Recorded(), REPORT, target="worker", channel="bus", cause=Cause.USER)
    story.looks(account(REPORT, signals=(SignalEntry("worker", "bus", Cause.USER, 0),)), REPORT)
    story.stop(Accepted(record(REPORT)), REPORT)
    story.commits(Stopped(record(REPORT)), REPORT)
    assert not story.broken
