"""Checks of what was kept for later, on histories written by hand: ADM-8 and DLV-4."""

from __future__ import annotations

import msgspec
import pytest

from stopcheck.gate import (
    Accepted,
    Capability,
    Done,
    FireRetry,
    GateContract,
    Grant,
    Indefinite,
    LeaseGranted,
    Opened,
    OpenTask,
    RefusalReason,
    Refused,
    Reply,
    RequestCancel,
    RetryFired,
    Right,
    Scheduled,
    ScheduleRetry,
    Scope,
    UseGrant,
    Void,
)
from stopcheck.judge._checks import Check
from stopcheck.judge.checks import _admission as adm
from stopcheck.judge.checks import _later as later
from tests.fast.judge.history import CONTRACT, REFUND, Story, record, ref

UNKNOWN = Refused(RefusalReason.UNKNOWN)


def granted(check: type[Check] = later.GrantsDie) -> Story:
    story = Story(check)
    story.asks(Grant, Done(), grant_id="g")
    return story


# -- ADM-8 ------------------------------------------------------------------------------------------------


def test_a_grant_is_not_used_after_the_cutoff() -> None:
    story = granted()
    story.stop(Accepted(record()))
    story.asks(UseGrant, Done(), grant_id="g")
    assert story.broken == ["ADM-8"]
    assert "which had been granted before the cutoff" in story.message


@pytest.mark.parametrize("reply", [Void(), UNKNOWN])
def test_whichever_way_a_use_is_turned_away_is_right(reply: Reply) -> None:
    story = granted()
    story.stop(Accepted(record()))
    story.asks(UseGrant, reply, grant_id="g")
    assert story.tested("ADM-8")
    assert not story.broken


@pytest.mark.parametrize("kept", [Done(), Void()])
def test_a_late_approval_may_be_kept_and_fires_nothing(kept: Reply) -> None:
    story = Story(later.GrantsDie)
    story.stop(Accepted(record()))
    story.asks(Grant, kept, grant_id="g")
    story.asks(UseGrant, Void(), grant_id="g")
    assert story.tested("ADM-8")
    assert not story.broken
    story.asks(UseGrant, Done(), grant_id="g")
    assert story.broken == ["ADM-8"]
    assert "which nobody had granted before the cutoff" in story.message


def test_a_use_that_overlaps_with_the_stop_may_win() -> None:
    story = granted()
    stop = story.call(RequestCancel, **story.pressing())
    story.asks(UseGrant, Done(), grant_id="g")
    story.ends(stop, Accepted(record()))
    assert not story.broken
    assert not story.tested("ADM-8")


def test_a_stop_of_the_owner_reaches_a_childs_grants_and_one_of_another_task_does_not() -> None:
    story = Story(later.GrantsDie)
    other = story.task(ref("other"))
    story.stop(Accepted(record(other, Scope.SUBTREE)), other, scope=Scope.SUBTREE)
    story.asks(Grant, Done(), grant_id="g")
    story.asks(UseGrant, Done(), grant_id="g")
    assert not story.broken


def test_strangers_and_unknown_grants_put_nothing_to_the_test() -> None:
    story = granted()
    story.stop(Accepted(record()))
    story.asks(UseGrant, UNKNOWN, grant_id="never granted")
    story.asks(UseGrant, Refused(RefusalReason.FORBIDDEN), grant_id="g", rights=(Right.INSPECT,))
    story.asks(UseGrant, Refused(RefusalReason.FORBIDDEN), grant_id="g", tenant="rival")
    assert not story.tested("ADM-8")


# -- DLV-4 ------------------------------------------------------------------------------------------------


def armed() -> Story:
    story = Story(later.RetriesDie)
    story.asks(ScheduleRetry, Scheduled(), retry_id="r", at_ns=5)
    return story


def test_no_retry_fires_after_the_cutoff() -> None:
    story = armed()
    story.stop(Accepted(record()))
    story.asks(FireRetry, RetryFired(2), retry_id="r", worker="w")
    assert story.broken == ["DLV-4"]


@pytest.mark.parametrize("kept", [Scheduled(), Void()])
def test_a_late_retry_may_be_kept_and_never_fires(kept: Reply) -> None:
    story = Story(later.RetriesDie)
    story.stop(Accepted(record()))
    story.asks(ScheduleRetry, kept, retry_id="r", at_ns=5)
    story.asks(FireRetry, Void(), retry_id="r", worker="w")
    assert story.tested("DLV-4")
    assert not story.broken
    story.asks(FireRetry, RetryFired(2), retry_id="r", worker="w")
    assert story.broken == ["DLV-4"]


@pytest.mark.parametrize("reply", [Void(), UNKNOWN])
def test_whichever_way_a_retry_is_turned_away_is_right(reply: Reply) -> None:
    story = armed()
    story.stop(Accepted(record()))
    story.asks(FireRetry, reply, retry_id="r", worker="w")
    assert story.tested("DLV-4")
    assert not story.broken


def test_a_retry_that_overlaps_with_the_stop_may_fire() -> None:
    story = armed()
    fire = story.call(FireRetry, retry_id="r", worker="w")
    story.stop(Accepted(record()))
    story.ends(fire, RetryFired(2))
    assert not story.broken


def test_before_the_stop_retries_fire() -> None:
    story = armed()
    story.asks(FireRetry, RetryFired(2), retry_id="r", worker="w")
    assert not story.broken
    assert not story.tested("DLV-4")


def test_a_retry_that_nobody_armed_puts_nothing_to_the_test() -> None:
    story = Story(later.RetriesDie)
    story.stop(Accepted(record()))
    story.asks(FireRetry, UNKNOWN, retry_id="r", worker="w")
    assert not story.tested("DLV-4")


def expiring(now_ns: int, contract: GateContract = CONTRACT) -> Story:
    story = Story(later.RetriesDie, contract=contract)
    story.asks(OpenTask, Opened(1), deadline_ns=50)
    story.asks(ScheduleRetry, Scheduled(), retry_id="r", at_ns=5)
    story.asks(FireRetry, RetryFired(2), retry_id="r", worker="w", now_ns=now_ns)
    return story


def test_no_retry_fires_from_the_deadline_on_whether_or_not_it_was_noticed() -> None:
    assert expiring(50).broken == ["DLV-4"]
    assert "deadline" in expiring(50).message
    assert not expiring(49).broken


def test_a_gate_that_knows_no_deadlines_is_not_held_to_one() -> None:
    plain = msgspec.structs.replace(CONTRACT, capabilities=CONTRACT.capabilities - {Capability.DEADLINES})
    assert not expiring(50, plain).broken


# -- a fired retry is a lease -----------------------------------------------------------------------------


def test_a_fired_retry_supersedes_older_epochs() -> None:
    story = Story(adm.StaleLease)
    story.begins(LeaseGranted(1, 100))
    story.asks(FireRetry, RetryFired(2), retry_id="r", worker="w")
    lease = story.facts.lease(REFUND, 1)
    assert lease is not None
    assert lease.superseded
    newest = story.facts.lease(REFUND, 2)
    assert newest is not None
    assert newest.stale(10**18) == ""
    assert not newest.active(0)


def test_a_fired_retry_that_nobody_heard_of_may_have_given_a_lease() -> None:
    story = Story(later.RetriesDie)
    fire = story.call(FireRetry, retry_id="r", worker="w")
    assert story.facts.known(story.facts.open[fire].request).leased
    story.ends(fire, Indefinite())
    assert story.facts.tasks[REFUND].leased


# -- two at the same time ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("second", "broken"), [(Done(), ["ADM-8"]), (Void(), [])], ids=["both", "one"])
def test_of_two_uses_at_the_same_time_one_goes_ahead(second: Reply, broken: list[str]) -> None:
    story = granted()
    one, other = (story.call(UseGrant, grant_id="g") for _ in range(2))
    story.ends(one, Done())
    story.ends(other, second)
    assert story.tested("ADM-8")
    assert story.broken == broken


@pytest.mark.parametrize(("second", "broken"), [(RetryFired(2), ["DLV-4"]), (Void(), [])], ids=["both", "one"])
def test_a_retry_fires_for_one_of_two_at_the_same_time(second: Reply, broken: list[str]) -> None:
    story = armed()
    one, other = (story.call(FireRetry, retry_id="r", worker=worker) for worker in ("anna", "ben"))
    story.ends(one, RetryFired(1))
    story.ends(other, second)
    assert story.tested("DLV-4")
    assert story.broken == broken


def test_a_retry_that_was_armed_again_meanwhile_may_fire_for_both() -> None:
    story = armed()
    early = story.call(FireRetry, retry_id="r", worker="anna")
    story.asks(ScheduleRetry, Scheduled(), retry_id="r", at_ns=0)
    story.asks(FireRetry, RetryFired(2), retry_id="r", worker="ben")
    story.ends(early, RetryFired(1))
    assert not story.broken
