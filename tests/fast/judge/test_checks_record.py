"""Checks of REC, on histories written by hand: what they fail, and what they leave to the gate."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stopcheck.gate import (
    Accepted,
    Admitted,
    CancellationRecord,
    Cause,
    CauseEntry,
    Complete,
    Done,
    Ended,
    Execution,
    ExistingRecord,
    Inspect,
    LeaseGranted,
    OwnedKind,
    RefusalReason,
    Refused,
    RegisterChild,
    Renewed,
    RenewLease,
    Reply,
    RequestCancel,
    Retry,
    Scope,
    Snapshot,
    StaleLease,
    StartChild,
    Stopped,
    Widened,
    Won,
)
from stopcheck.judge.checks._record import (
    AnyHandle,
    ExecutionMoves,
    RecordIsFull,
    RecordOnlyGrows,
    RecordSurvives,
    WholeOrNone,
)
from tests.fast.judge.history import REFUND, Story, account, cause, record, ref

# -- REC-1 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kept",
    [
        cause(requester=""),
        cause(requester="bob"),
        cause(reason=""),
        cause(reason="cancelled"),
        cause(request_id=""),
    ],
)
def test_an_accepted_record_says_who_asked_and_why(kept: CauseEntry) -> None:
    story = Story(RecordIsFull)
    story.stop(Accepted(record(causes=[kept])))
    assert story.broken == ["REC-1"]


@pytest.mark.parametrize(
    "told",
    [record(id=""), record(causes=[]), record(scope=Scope.SUBTREE), record(ref("invoice"))],
)
def test_an_accepted_record_is_about_what_was_asked(told: CancellationRecord) -> None:
    story = Story(RecordIsFull)
    story.stop(Accepted(told))
    assert story.broken == ["REC-1"]


@pytest.mark.parametrize(
    "kept",
    [cause(), cause(requester="acme/ann"), cause(reason="Stop pressed (in the app)"), cause(revision=0)],
)
def test_a_full_record_may_say_more(kept: CauseEntry) -> None:
    story = Story(RecordIsFull)
    story.stop(Accepted(record(causes=[kept])))
    assert story.tested("REC-1")
    assert not story.broken


def test_a_cause_that_nobody_asked_for_needs_no_requester() -> None:
    story = Story(RecordIsFull)
    story.looks(account(REFUND, record(causes=[cause(cause=Cause.DEADLINE, requester="", request_id="")])))
    assert not story.broken


# -- REC-2 ------------------------------------------------------------------------------------------------


def stopped_and_dead(reply: Reply | None = None) -> Story:
    story = Story(RecordSurvives)
    story.stop(Accepted(record()) if reply is None else reply)
    story.dies()
    return story


@pytest.mark.parametrize("shown", [account(), Refused(RefusalReason.UNKNOWN), account(REFUND, record(id="c-2"))])
def test_an_accepted_record_is_there_after_the_death(shown: Snapshot | Reply) -> None:
    story = stopped_and_dead()
    story.looks(shown)
    assert story.broken == ["REC-2"]


def test_a_second_stop_after_the_death_is_not_accepted_anew() -> None:
    story = stopped_and_dead()
    story.stop(Accepted(record(id="c-2")))
    assert story.broken == ["REC-2"]


def test_the_same_record_after_the_death_is_fine() -> None:
    story = stopped_and_dead()
    story.looks(account(REFUND, record(causes=[cause(), cause(7, "stop-2")])))
    story.stop(ExistingRecord(record()))
    assert story.tested("REC-2")
    assert not story.broken


def test_without_a_death_nothing_was_tested() -> None:
    story = Story(RecordSurvives)
    story.stop(Accepted(record()))
    story.looks(account())
    assert not story.tested("REC-2")
    assert not story.broken


def test_a_record_that_no_stop_was_answered_with_may_be_gone() -> None:
    story = Story(RecordSurvives)
    stop = story.call(RequestCancel, **story.pressing())
    story.looks(account(REFUND, record()))
    story.dies()
    assert stop not in story.facts.open
    story.looks(account())
    assert not story.tested("REC-2")
    assert not story.broken


# -- REC-3 ------------------------------------------------------------------------------------------------

TWO = record(causes=[cause(), cause(7, "stop-2")])
WIDE = record(scope=Scope.SUBTREE, causes=[cause(), cause(7, "stop-2", Scope.SUBTREE)], subtree_revision=7)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (record(), record(id="c-2")),
        (record(), record(revision=6, causes=[cause()])),
        (TWO, record()),
        (TWO, record(causes=[cause(7, "stop-2")])),
        (WIDE, msgspec.structs.replace(WIDE, scope=Scope.TASK)),
        (WIDE, msgspec.structs.replace(WIDE, subtree_revision=8)),
    ],
)
def test_a_later_reading_contains_the_earlier(old: CancellationRecord, new: CancellationRecord) -> None:
    story = Story(RecordOnlyGrows)
    story.looks(account(REFUND, old))
    story.looks(account(REFUND, new))
    assert story.broken == ["REC-3"]


def test_an_erased_record_breaks_the_clause() -> None:
    story = Story(RecordOnlyGrows)
    story.stop(Accepted(record()))
    story.looks(account())
    assert story.broken == ["REC-3"]


@pytest.mark.parametrize(("old", "new"), [(record(), record()), (record(), TWO), (record(), WIDE), (TWO, TWO)])
def test_a_record_may_grow(old: CancellationRecord, new: CancellationRecord) -> None:
    story = Story(RecordOnlyGrows)
    story.looks(account(REFUND, old))
    story.looks(account(REFUND, new))
    assert story.tested("REC-3")
    assert not story.broken


def test_a_reader_that_began_before_the_widening_may_show_what_was() -> None:
    story = Story(RecordOnlyGrows)
    story.stop(Accepted(record()))
    reader = story.call(Inspect, handle=1)
    story.stop(Widened(WIDE), scope=Scope.SUBTREE, request_id="stop-2")
    story.ends(reader, account(REFUND, record()))
    assert not story.broken


def test_overlapping_readers_must_not_contradict_each_other() -> None:
    story = Story(RecordOnlyGrows)
    first, second = story.call(Inspect), story.call(Inspect)
    story.ends(first, account(REFUND, record(causes=[cause(), cause(7, "stop-2")])))
    story.ends(second, account(REFUND, record(causes=[cause(), cause(7, "stop-3")])))
    assert story.broken == ["REC-3"]


def test_an_ancestors_record_beside_the_own_is_another_record() -> None:
    story = Story(RecordOnlyGrows)
    child = story.task(ref("letter"), REFUND)
    story.looks(account(child, record(scope=Scope.SUBTREE)), child)
    story.looks(account(child, record(child, id="c-2")), child)
    assert not story.broken


# -- REC-4 ------------------------------------------------------------------------------------------------

E = Execution


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (E.CANCELLATION_REQUESTED, E.RUNNING),
        (E.DRAINING, E.CANCELLATION_REQUESTED),
        (E.CANCELLED_SETTLED, E.DRAINING),
        (E.CANCELLED_SETTLED, E.COMPLETED),
        (E.COMPLETED, E.CANCELLED_SETTLED),
        (E.STOPPED_UNRESOLVED, E.DRAINING),
        (E.RUNNING, E.UNSTARTED),
    ],
)
def test_execution_does_not_go_back(old: Execution, new: Execution) -> None:
    story = Story(ExecutionMoves)
    story.looks(account(execution=old))
    story.looks(account(execution=new))
    assert story.broken == ["REC-4"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (E.UNSTARTED, E.CANCELLED_SETTLED),
        (E.RUNNING, E.STOPPED_UNRESOLVED),
        (E.STOPPED_UNRESOLVED, E.CANCELLED_SETTLED),
        (E.RUNNING, E.COMPLETED),
        (E.DRAINING, E.DRAINING),
    ],
)
def test_states_in_between_may_be_skipped(old: Execution, new: Execution) -> None:
    story = Story(ExecutionMoves)
    story.looks(account(execution=old))
    story.looks(account(execution=new))
    assert story.tested("REC-4")
    assert not story.broken


def overlapping(first: Execution, second: Execution) -> Story:
    story = Story(ExecutionMoves)
    calls = story.call(Inspect), story.call(Inspect)
    for call, state in zip(calls, (first, second), strict=True):
        story.ends(call, account(execution=state))
    return story


def test_overlapping_readings_may_come_in_either_order() -> None:
    assert not overlapping(E.DRAINING, E.RUNNING).broken


def test_overlapping_readings_must_fit_into_one_history() -> None:
    assert overlapping(E.COMPLETED, E.DRAINING).broken == ["REC-4"]


def test_the_furthest_state_counts_not_the_last_that_was_shown() -> None:
    story = overlapping(E.DRAINING, E.RUNNING)
    story.looks(account(execution=E.RUNNING))
    assert story.broken == ["REC-4"]


# -- REC-5 ------------------------------------------------------------------------------------------------


def cut_by_death() -> Story:
    story = Story(WholeOrNone)
    story.call(RequestCancel, **story.pressing())
    story.dies()
    return story


@pytest.mark.parametrize(
    "shown",
    [
        account(execution=E.CANCELLATION_REQUESTED),
        account(REFUND, record(causes=[])),
        account(REFUND, record(causes=[cause(requester="")])),
    ],
)
def test_half_a_cancellation_after_the_death(shown: Snapshot) -> None:
    story = cut_by_death()
    story.looks(shown)
    assert story.broken == ["REC-5"]


@pytest.mark.parametrize("shown", [account(), account(REFUND, record(), E.CANCELLATION_REQUESTED)])
def test_a_whole_cancellation_or_none_is_fine(shown: Snapshot) -> None:
    story = cut_by_death()
    story.looks(shown)
    assert story.tested("REC-5")
    assert not story.broken


@pytest.mark.parametrize("reply", [Accepted(record()), ExistingRecord(record())])
def test_the_retry_yields_one_record(reply: Reply) -> None:
    story = cut_by_death()
    story.stop(reply)
    assert story.tested("REC-5")
    assert not story.broken


def test_the_retry_must_not_yield_a_second_record() -> None:
    story = cut_by_death()
    story.looks(account(REFUND, record()))
    story.stop(Accepted(record(id="c-2")))
    assert story.broken == ["REC-5"]


# -- REC-7 ------------------------------------------------------------------------------------------------


def accepted_at_the_first() -> Story:
    story = Story(AnyHandle)
    story.effect()
    story.stop(Accepted(record(scope=Scope.SUBTREE)), scope=Scope.SUBTREE)
    return story


CHILD: dict[str, Any] = {"epoch": 1, "child": ref("letter"), "kind": OwnedKind.CHILD_TASK, "owner": "w"}


@pytest.mark.parametrize("handle", [0, 1])
def test_the_other_handle_sees_the_record(handle: int) -> None:
    story = accepted_at_the_first()
    story.looks(account(), handle=handle)
    story.commits(Admitted(9), handle=handle)
    story.begins(LeaseGranted(2, 100), handle=handle)
    story.stop(Accepted(record(id="c-2")), handle=handle)
    story.asks(Complete, Won(), handle=handle, epoch=1, result_digest="r")
    story.asks(RenewLease, Renewed(100), handle=handle, epoch=1)
    story.asks(RegisterChild, Done(), handle=handle, **CHILD)
    story.asks(StartChild, Done(), handle=handle, child=ref("letter"))
    assert story.broken == ["REC-7"] * (8 if handle else 0)


@pytest.mark.parametrize("reply", [Stopped(record()), StaleLease(1), Ended(E.FAILED), Retry()])
def test_any_refusal_shows_that_it_was_seen_or_shows_nothing(reply: Reply) -> None:
    story = accepted_at_the_first()
    story.commits(reply, handle=1)
    assert not story.broken


def test_a_call_that_began_before_need_not_see_it() -> None:
    story = Story(AnyHandle)
    reader = story.call(Inspect, handle=1)
    story.stop(Accepted(record()))
    story.ends(reader, account())
    assert not story.tested("REC-7")
    assert not story.broken
