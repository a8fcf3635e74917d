"""Checks of SCOPE, on histories written by hand: what they fail, and what they leave to the gate."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stopcheck.gate import (
    OPERATIONS,
    RIGHTS,
    Accepted,
    Cause,
    EarlyStop,
    Ended,
    Execution,
    ExistingRecord,
    Exists,
    Fail,
    LeaseGranted,
    Lost,
    NotAdmitted,
    Opened,
    OpenTask,
    PreCancelled,
    RefusalReason,
    Refused,
    ReleaseLease,
    Reply,
    Request,
    RequestCancel,
    Retry,
    Right,
    Scope,
    Snapshot,
    StaleLease,
    Stopped,
    Tick,
    Ticked,
    Tombstoned,
    Unsupported,
    Widened,
)
from stopcheck.judge.checks._scope import (
    EarlyStopKept,
    OneRecord,
    OtherIncarnation,
    RefusedStop,
    RightIsAskedFor,
    Tenants,
)
from tests.fast.judge.history import CONTRACT, REFUND, Story, account, cause, line, record, ref

NO = Refused(RefusalReason.FORBIDDEN)
SECOND = ref(incarnation=2)


# -- SCOPE-2 ----------------------------------------------------------------------------------------------


def stopped_first_run() -> Story:
    story = Story(OtherIncarnation)
    story.task(SECOND)
    story.stop(Accepted(record()))
    return story


def test_a_record_on_the_next_incarnation_went_astray() -> None:
    story = stopped_first_run()
    story.looks(account(SECOND, record(SECOND)), SECOND)
    assert story.broken == ["SCOPE-2"]
    assert "refund/2" in story.message


def test_a_worker_of_the_next_incarnation_is_not_told_of_the_old_stop() -> None:
    story = stopped_first_run()
    story.begins(Stopped(record()), SECOND)
    assert story.broken == ["SCOPE-2"]


def test_a_stop_that_is_answered_with_another_incarnations_record_went_astray() -> None:
    story = Story(OtherIncarnation)
    story.task(SECOND)
    story.stop(Accepted(record(SECOND)))
    assert story.broken == ["SCOPE-2"]


@pytest.mark.parametrize("reply", [account(SECOND), account(SECOND, None, Execution.UNSTARTED)])
def test_the_next_incarnation_without_a_record_is_fine(reply: Snapshot) -> None:
    story = stopped_first_run()
    story.looks(reply, SECOND)
    assert story.tested("SCOPE-2")
    assert not story.broken


def test_a_record_that_was_asked_for_is_fine() -> None:
    story = stopped_first_run()
    open_stop = story.call(RequestCancel, SECOND, **story.pressing())
    story.looks(account(SECOND, record(SECOND)), SECOND)
    story.ends(open_stop, Accepted(record(SECOND)))
    assert not story.broken


def test_a_deadline_may_cancel_the_next_incarnation() -> None:
    story = stopped_first_run()
    story.asks(OpenTask, Opened(2), SECOND, deadline_ns=5)
    story.looks(account(SECOND, record(SECOND, causes=[cause(cause=Cause.DEADLINE)])), SECOND)
    assert not story.broken


# -- SCOPE-3 ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reply", [Accepted(record()), ExistingRecord(record()), Ended(Execution.COMPLETED)])
def test_a_foreign_stop_must_be_refused(reply: Reply) -> None:
    story = Story(RefusedStop)
    story.stop(reply, tenant="other")
    assert story.broken == ["SCOPE-3"]


@pytest.mark.parametrize("reply", [NO, Refused(RefusalReason.UNKNOWN)])
@pytest.mark.parametrize("caller", [{"tenant": "other"}, {"rights": (Right.WORK,)}, {"by": ""}])
def test_a_stop_without_authority_that_is_refused_is_fine(reply: Reply, caller: dict[str, Any]) -> None:
    story = Story(RefusedStop)
    story.stop(reply, **caller)
    story.looks(account())
    assert story.tested("SCOPE-3")
    assert not story.broken


@pytest.mark.parametrize("reply", [Retry(), Unsupported()])
def test_an_answer_that_says_nothing_tests_nothing(reply: Reply) -> None:
    story = Story(RefusedStop)
    story.stop(reply, tenant="other")
    assert not story.tested("SCOPE-3")
    assert not story.broken


def test_a_refused_stop_that_shows_in_the_record_was_not_refused() -> None:
    story = Story(RefusedStop)
    story.stop(NO, tenant="other", request_id="theirs")
    story.looks(account(REFUND, record(causes=[cause(request_id="theirs")])))
    assert story.broken == ["SCOPE-3"]


def test_a_record_of_an_authorised_stop_beside_a_refused_one_is_fine() -> None:
    story = Story(RefusedStop)
    story.stop(NO, tenant="other", request_id="theirs")
    story.stop(Accepted(record()))
    story.looks(account(REFUND, record()))
    assert not story.broken


# -- SCOPE-4 ----------------------------------------------------------------------------------------------

WIDE = record(scope=Scope.SUBTREE, causes=[cause(), cause(7, "stop-2", Scope.SUBTREE)], subtree_revision=7)


def stopped_once() -> Story:
    story = Story(OneRecord)
    story.stop(Accepted(record()))
    return story


@pytest.mark.parametrize(
    "reply",
    [
        Accepted(record()),
        ExistingRecord(record(id="c-2")),
        ExistingRecord(record(revision=6)),
        Widened(WIDE),
    ],
)
def test_a_repeat_that_tells_another_record_breaks_the_clause(reply: Reply) -> None:
    story = stopped_once()
    story.stop(reply)
    assert "SCOPE-4" in story.broken


@pytest.mark.parametrize("causes", [[cause()], [cause(), cause(6, "stop-2")]])
def test_a_repeat_that_tells_the_same_record_is_fine(causes: list[object]) -> None:
    story = stopped_once()
    story.stop(ExistingRecord(record(causes=causes)), request_id="stop-2")  # type: ignore[arg-type]
    assert story.tested("SCOPE-4")
    assert not story.broken


def test_two_overlapping_stops_are_not_both_accepted() -> None:
    story = Story(OneRecord)
    first, second = (story.call(RequestCancel, **story.pressing(request_id=i)) for i in ("stop-1", "stop-2"))
    story.ends(first, Accepted(record()))
    story.ends(second, Accepted(record()))
    assert story.broken == ["SCOPE-4"]


def widening(reply: Reply) -> Story:
    story = stopped_once()
    story.stop(reply, scope=Scope.SUBTREE, request_id="stop-2")
    return story


def test_a_wider_scope_widens_the_record_once() -> None:
    story = widening(Widened(WIDE))
    assert story.tested("SCOPE-4")
    assert not story.broken
    story.stop(Widened(WIDE), scope=Scope.SUBTREE, request_id="stop-3")
    assert story.broken == ["SCOPE-4"]


@pytest.mark.parametrize(
    "reply",
    [
        ExistingRecord(record()),
        Widened(msgspec.structs.replace(WIDE, subtree_revision=5)),
        Widened(record()),
    ],
)
def test_a_wider_scope_that_does_not_widen_is_lost(reply: Reply) -> None:
    assert "SCOPE-4" in widening(reply).broken


def test_a_gate_without_the_wider_scope_need_not_widen() -> None:
    story = Story(OneRecord, contract=msgspec.structs.replace(CONTRACT, scopes=frozenset((Scope.TASK,))))
    story.stop(Accepted(record()))
    story.stop(ExistingRecord(record()), scope=Scope.SUBTREE)
    assert not story.broken


# -- SCOPE-6 ----------------------------------------------------------------------------------------------

KEEPS = msgspec.structs.replace(CONTRACT, early_stop=EarlyStop.TOMBSTONE)


@pytest.mark.parametrize(
    ("contract", "reply", "right"),
    [
        (CONTRACT, Refused(RefusalReason.UNKNOWN), True),
        (CONTRACT, Tombstoned(record()), False),
        (KEEPS, Tombstoned(record()), True),
        (KEEPS, ExistingRecord(record()), True),
        (KEEPS, Refused(RefusalReason.UNKNOWN), False),
        (KEEPS, Ended(Execution.FAILED), False),
    ],
)
def test_an_early_stop_is_answered_as_declared(contract: object, reply: Reply, right: bool) -> None:
    story = Story(EarlyStopKept, contract=contract)  # type: ignore[arg-type]
    story.stop(reply)
    assert story.tested("SCOPE-6")
    assert story.broken == ([] if right else ["SCOPE-6"])


def test_a_stop_that_races_with_the_opening_may_be_answered_either_way() -> None:
    story = Story(EarlyStopKept)
    opening = story.call(OpenTask)
    story.stop(Accepted(record()))
    story.ends(opening, Opened(1))
    assert not story.tested("SCOPE-6")
    assert not story.broken


def kept_early() -> Story:
    story = Story(EarlyStopKept, contract=KEEPS)
    story.stop(Tombstoned(record()))
    story.asks(OpenTask, PreCancelled(record()))
    return story


def test_after_a_tombstone_no_worker_begins() -> None:
    story = kept_early()
    story.begins(Stopped(record()))
    assert not story.broken
    story.begins(LeaseGranted(1, 100))
    assert story.broken == ["SCOPE-6"]


def test_a_tombstone_is_not_lost() -> None:
    story = kept_early()
    story.looks(account(REFUND, None, Execution.UNSTARTED))
    assert story.broken == ["SCOPE-6"]


@pytest.mark.parametrize(
    "reply", [Refused(RefusalReason.UNKNOWN), account(REFUND, record(), Execution.CANCELLED_SETTLED)]
)
def test_a_tombstone_may_be_shown_as_unknown_or_settled(reply: Reply | Snapshot) -> None:
    story = kept_early()
    story.looks(reply)
    assert not story.broken


# -- SCOPE-9 ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reply", [account(), account(REFUND, record())])
def test_another_tenant_sees_nothing(reply: Snapshot) -> None:
    story = Story(Tenants)
    story.looks(reply, tenant="other")
    assert story.broken == ["SCOPE-9"]


@pytest.mark.parametrize("reply", [NO, Refused(RefusalReason.UNKNOWN)])
def test_another_tenant_is_refused(reply: Reply) -> None:
    story = Story(Tenants)
    story.looks(reply, tenant="other")
    assert story.tested("SCOPE-9")
    assert not story.broken


def test_an_answer_that_knows_nothing_gives_nothing_away() -> None:
    story = Story(Tenants)
    story.effect()
    story.commits(NotAdmitted(), tenant="other")
    assert not story.broken


def test_the_same_tenant_is_not_looked_at() -> None:
    story = Story(Tenants)
    story.looks(account(effects=(line(),)))
    assert not story.tested("SCOPE-9")


def test_a_task_does_not_show_another_tenants_account() -> None:
    story = Story(Tenants)
    namesake = story.task(ref("fund", tenant="acme-re"))
    story.looks(account(), namesake)
    assert story.broken == ["SCOPE-9"]


@pytest.mark.parametrize("rights", [(), (Right.INSPECT,)])
@pytest.mark.parametrize(
    ("kind", "fields", "reply"),
    [
        (Fail, {"epoch": 1, "result_digest": "gave up"}, Lost(record())),
        (ReleaseLease, {"epoch": 1}, StaleLease(2)),
        (OpenTask, {}, Exists(Execution.RUNNING)),
        (Tick, {}, Ticked((), None)),
    ],
)
def test_who_has_no_right_in_the_tenant_is_refused(
    kind: type[Request], fields: dict[str, Any], reply: Reply, rights: tuple[Right, ...]
) -> None:
    for answer, broken in ((NO, []), (Retry(), []), (reply, ["SCOPE-9"])):
        story = Story(RightIsAskedFor)
        story.asks(kind, answer, rights=rights, **fields)
        assert story.broken == broken
        assert story.tested("SCOPE-9") is not isinstance(answer, Retry)


def test_who_has_the_right_or_another_tenant_or_stops_is_looked_at_elsewhere() -> None:
    story = Story(RightIsAskedFor)
    story.asks(Tick, Ticked((), None), rights=(Right.TICK,))
    story.asks(Tick, Ticked((), None), rights=(), tenant="other")
    story.stop(Accepted(record()), rights=())
    assert not story.tested("SCOPE-9")
    assert not story.broken


def test_every_operation_takes_a_right() -> None:
    assert set(RIGHTS) == set(OPERATIONS)
