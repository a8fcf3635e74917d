"""Checks of DLV and SHR, on histories written by hand: what they fail, and what they leave to the gate."""

from __future__ import annotations

import pytest

from stopcheck.gate import (
    Accepted,
    Admitted,
    AlreadyReleased,
    BeginWork,
    Busy,
    Complete,
    Done,
    Ended,
    Execution,
    FireRetry,
    InterestEntry,
    LastFate,
    LastReleased,
    LeaseGranted,
    Live,
    Release,
    Reply,
    RequestCancel,
    RetryFired,
    RevokeLease,
    Snapshot,
    Stopped,
    Subscribe,
    Trigger,
    Unsupported,
    Won,
)
from stopcheck.judge._checks import Check
from stopcheck.judge.checks import _delivery as dlv
from stopcheck.judge.checks import _shared as shr
from stopcheck.world import MessageDelivered
from tests.fast.judge.history import REFUND, Story, account, record, ref

E = Execution

# -- DLV-1, DLV-2 -----------------------------------------------------------------------------------------

CLAUSES = [
    (Trigger.REDELIVERY, "DLV-1"),
    (Trigger.REPLACEMENT, "DLV-2"),
    (Trigger.RESUME, "DLV-5"),
    (Trigger.NOTIFICATION, "ADM-9"),
    (Trigger.TOOL_RESULT, "ADM-9"),
    (Trigger.DEPENDANT_READY, "ADM-9"),
    (Trigger.CONTINUATION, "ADM-9"),
    (Trigger.CONTINUE_AS_NEW, "ADM-9"),
    (Trigger.CRON_TICK, "ADM-9"),
]


def stopped(check: type[Check]) -> Story:
    story = Story(check)
    story.stop(Accepted(record()))
    return story


@pytest.mark.parametrize(("trigger", "clause"), [*CLAUSES, (Trigger.FIRST, "DLV-1")])
def test_nobody_begins_after_the_cutoff(trigger: Trigger, clause: str) -> None:
    story = stopped(dlv.BeginAfterCutoff)
    story.begins(LeaseGranted(2, 100), trigger=trigger)
    assert story.broken == [clause]


@pytest.mark.parametrize(("trigger", "clause"), CLAUSES)
@pytest.mark.parametrize("reply", [Stopped(record()), Busy(), Ended(E.FAILED)])
def test_a_message_after_the_cutoff_is_turned_away(trigger: Trigger, clause: str, reply: Reply) -> None:
    story = stopped(dlv.BeginAfterCutoff)
    story.begins(reply, trigger=trigger)
    assert story.tested(clause)
    assert not story.broken


def test_a_first_delivery_that_was_delayed_is_a_message_too() -> None:
    story = stopped(dlv.BeginAfterCutoff)
    story.begins(Stopped(record()), delivery_id="d-9")
    assert not story.tested("DLV-1")
    story.event(MessageDelivered("jobs", "d-9", "worker", REFUND, Trigger.FIRST))
    story.begins(Stopped(record()), delivery_id="d-9")
    assert story.tested("DLV-1")
    assert not story.broken


def test_a_beginning_that_overlapped_with_the_stop_may_win() -> None:
    story = Story(dlv.BeginAfterCutoff)
    stop = story.call(RequestCancel, **story.pressing())
    story.begins(LeaseGranted(1, 100), trigger=Trigger.REPLACEMENT)
    story.ends(stop, Accepted(record()))
    assert not story.broken


# -- DLV-5 ------------------------------------------------------------------------------------------------


def resumes(story: Story, reply: Reply, saved: int | None = 1) -> None:
    story.begins(reply, trigger=Trigger.RESUME, checkpoint_epoch=saved)


def replaced() -> Story:
    story = Story(dlv.CheckpointIsNoAuthority)
    story.begins(LeaseGranted(1, 100))
    story.begins(LeaseGranted(2, 100), worker="successor", trigger=Trigger.REPLACEMENT)
    return story


def test_a_superseded_epoch_is_not_given_back_to_a_checkpoint() -> None:
    story = replaced()
    resumes(story, LeaseGranted(1, 100))
    assert story.broken == ["DLV-5"]
    assert "superseded" in story.message


def test_nor_is_a_revoked_one() -> None:
    story = Story(dlv.CheckpointIsNoAuthority)
    story.begins(LeaseGranted(1, 100))
    story.asks(RevokeLease, Done(), epoch=1)
    resumes(story, LeaseGranted(1, 100))
    assert story.broken == ["DLV-5"]


@pytest.mark.parametrize("reply", [LeaseGranted(3, 100), Busy(), Stopped(record())])
def test_whoever_resumes_may_be_given_a_new_epoch_or_turned_away(reply: Reply) -> None:
    story = replaced()
    resumes(story, reply)
    assert story.tested("DLV-5")
    assert not story.broken


def test_nobody_resumes_what_has_ended() -> None:
    story = Story(dlv.CheckpointIsNoAuthority)
    story.begins(LeaseGranted(1, 100))
    story.asks(Complete, Won(), epoch=1, result_digest="r")
    resumes(story, Ended(E.COMPLETED))
    assert story.tested("DLV-5")
    assert not story.broken
    resumes(story, LeaseGranted(2, 100), None)
    assert story.broken == ["DLV-5"]


def test_a_replacement_that_overlaps_with_the_resumption_does_not_condemn_it() -> None:
    story = Story(dlv.CheckpointIsNoAuthority)
    story.begins(LeaseGranted(1, 100))
    resuming = story.call(BeginWork, worker="worker", delivery_id="d", trigger=Trigger.RESUME, checkpoint_epoch=1)
    story.begins(LeaseGranted(2, 100), worker="successor", trigger=Trigger.REPLACEMENT)
    story.ends(resuming, LeaseGranted(1, 100))
    assert not story.broken
    assert not story.tested("DLV-5")


@pytest.mark.parametrize("saved", [1, None])
def test_while_nothing_has_changed_a_resumption_puts_nothing_to_the_test(saved: int | None) -> None:
    story = Story(dlv.CheckpointIsNoAuthority)
    story.begins(LeaseGranted(1, 100))
    resumes(story, LeaseGranted(2, 100), saved)
    assert not story.tested("DLV-5")


# -- DLV-3 ------------------------------------------------------------------------------------------------


def test_after_a_restart_no_other_attempt_begins() -> None:
    story = stopped(dlv.RecoversIntoDraining)
    story.dies()
    story.begins(LeaseGranted(2, 100))
    story.asks(FireRetry, RetryFired(3), retry_id="r", worker="w")
    story.looks(account(REFUND, record()))
    assert story.broken == ["DLV-3", "DLV-3", "DLV-3"]


@pytest.mark.parametrize("state", [E.CANCELLATION_REQUESTED, E.DRAINING, E.CANCELLED_SETTLED, E.STOPPED_UNRESOLVED])
def test_after_a_restart_it_drains(state: Execution) -> None:
    story = stopped(dlv.RecoversIntoDraining)
    story.dies()
    story.begins(Stopped(record()))
    story.looks(account(REFUND, record(), state))
    assert story.tested("DLV-3")
    assert not story.broken


def test_without_a_death_or_without_a_record_nothing_was_tested() -> None:
    story = stopped(dlv.RecoversIntoDraining)
    story.looks(account(REFUND, record()))
    other = Story(dlv.RecoversIntoDraining)
    other.dies()
    other.stop(Accepted(record()))
    other.looks(account(REFUND, record()))
    assert not any(told.tested("DLV-3") or told.broken for told in (story, other))


# -- SHR --------------------------------------------------------------------------------------------------

EXPORT, FIRST, SECOND = ref("export"), ref("first"), ref("second")


def shared(check: type[Check], *, second: bool = True) -> Story:
    story = Story(check)
    story.task(EXPORT, shared=True)
    story.task(FIRST)
    story.task(SECOND)
    story.effect(task=EXPORT)
    story.asks(Subscribe, Live(1), EXPORT, interest_id="a", subscriber=FIRST)
    if second:
        story.asks(Subscribe, Live(2), EXPORT, interest_id="b", subscriber=SECOND)
    return story


def exported(*released: str, shown: object = None, state: Execution = E.RUNNING, unowned: bool = False) -> Snapshot:
    interests = tuple(
        InterestEntry(name, subscriber, 5 if name in released else None)
        for name, subscriber in (("a", FIRST), ("b", SECOND))
    )
    return account(EXPORT, shown, state, interests=interests, unowned=unowned)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "told", [exported("a", "b"), exported(), exported("a", shown=record(EXPORT), state=E.CANCELLATION_REQUESTED)]
)
def test_a_subscribers_stop_releases_its_interest_and_no_other(told: Snapshot) -> None:
    story = shared(shr.OthersKeepTheirInterest)
    story.stop(Accepted(record(FIRST)), FIRST)
    story.looks(told, EXPORT)
    assert story.broken == ["SHR-1"]


def test_shared_work_is_not_refused_while_somebody_wants_it() -> None:
    story = shared(shr.OthersKeepTheirInterest)
    story.stop(Accepted(record(FIRST)), FIRST)
    story.commits(Stopped(record(EXPORT)), EXPORT)
    assert story.broken == ["SHR-1"]


def test_the_work_goes_on_for_the_others() -> None:
    story = shared(shr.OthersKeepTheirInterest)
    story.stop(Accepted(record(FIRST)), FIRST)
    story.commits(Admitted(1), EXPORT)
    story.looks(exported("a"), EXPORT)
    assert story.tested("SHR-1")
    assert not story.broken


@pytest.mark.parametrize("how", ["stop", "release", "end", "stop of the work"])
def test_what_else_may_have_released_an_interest_or_stopped_the_work(how: str) -> None:
    story = shared(shr.OthersKeepTheirInterest)
    story.stop(Accepted(record(FIRST)), FIRST)
    if how == "stop":
        story.call(RequestCancel, SECOND, **story.pressing(request_id="stop-2"))
    elif how == "release":
        story.call(Release, EXPORT, interest_id="b")
    elif how == "end":
        story.asks(Complete, Won(), SECOND, epoch=1, result_digest="r")
    else:
        story.call(RequestCancel, EXPORT, **story.pressing(request_id="stop-2"))
    released = ("a",) if how == "stop of the work" else ("a", "b")
    story.looks(exported(*released, shown=record(EXPORT), state=E.DRAINING), EXPORT)
    assert not story.broken


def released_by_all(check: type[Check]) -> Story:
    story = shared(check)
    story.stop(Accepted(record(FIRST)), FIRST)
    story.asks(Release, LastReleased(LastFate.UNOWNED), EXPORT, interest_id="b")
    return story


def test_unwanted_work_does_not_run_unseen() -> None:
    story = released_by_all(shr.NoHiddenWork)
    story.looks(exported("a", "b"), EXPORT)
    assert story.broken == ["SHR-2"]


@pytest.mark.parametrize(
    "told",
    [
        exported("a", "b", unowned=True),
        exported("a", "b", shown=record(EXPORT), state=E.CANCELLATION_REQUESTED),
        exported("a", "b", state=E.COMPLETED),
        exported("a", "b", state=E.UNSTARTED),
    ],
)
def test_unwanted_work_is_stopped_or_shown_as_unowned(told: Snapshot) -> None:
    story = released_by_all(shr.NoHiddenWork)
    story.looks(told, EXPORT)
    assert story.tested("SHR-2")
    assert not story.broken


def test_a_new_subscriber_may_have_come() -> None:
    story = released_by_all(shr.NoHiddenWork)
    story.call(Subscribe, EXPORT, interest_id="c", subscriber=REFUND)
    story.looks(exported("a", "b"), EXPORT)
    assert not story.tested("SHR-2")
    assert not story.broken


@pytest.mark.parametrize("reply", [Live(0), LastReleased(LastFate.STOPPING), Live(2)])
def test_a_repeated_release_is_not_counted_again(reply: Reply) -> None:
    story = shared(shr.CountedOnce)
    story.asks(Release, Live(1), EXPORT, interest_id="a")
    story.asks(Release, reply, EXPORT, interest_id="a")
    assert story.broken == ["SHR-3"]


@pytest.mark.parametrize("reply", [AlreadyReleased(), Live(1)])
def test_a_repeated_release_changes_nothing(reply: Reply) -> None:
    story = shared(shr.CountedOnce)
    story.asks(Release, Live(1), EXPORT, interest_id="a")
    story.asks(Release, reply, EXPORT, interest_id="a")
    assert story.tested("SHR-3")
    assert not story.broken


def test_a_stop_and_a_release_count_one_interest_once() -> None:
    story = shared(shr.CountedOnce)
    story.stop(Accepted(record(FIRST)), FIRST)
    story.asks(Release, AlreadyReleased(), EXPORT, interest_id="a")
    story.asks(Release, Live(0), EXPORT, interest_id="b")
    assert story.tested("SHR-3")
    assert not story.broken


@pytest.mark.parametrize("count", [1, 2])
def test_overlapping_releases_leave_room(count: int) -> None:
    story = shared(shr.CountedOnce)
    story.asks(Subscribe, Live(3), EXPORT, interest_id="c", subscriber=REFUND)
    other = story.call(Release, EXPORT, interest_id="b")
    story.asks(Release, Live(count), EXPORT, interest_id="a")
    story.ends(other, Live(1))
    assert not story.broken


def test_counts_of_subscriptions_are_true() -> None:
    story = shared(shr.CountedOnce, second=False)
    story.asks(Subscribe, Live(1), EXPORT, interest_id="a", subscriber=FIRST)
    assert not story.broken
    story.asks(Subscribe, Live(4), EXPORT, interest_id="b", subscriber=SECOND)
    assert story.broken == ["SHR-3"]


def test_a_gate_without_shared_work_is_not_judged() -> None:
    story = Story(shr.CountedOnce)
    story.task(EXPORT, shared=True)
    story.asks(Release, Unsupported(), EXPORT, interest_id="a")
    assert not story.tested("SHR-3")
    assert not story.broken
