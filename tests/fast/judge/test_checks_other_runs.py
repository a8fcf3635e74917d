"""Checks of what a stop leaves alone, on histories written by hand: DLV-6, DLV-7 and DLV-8."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from stopcheck.gate import (
    Accepted,
    AckEntry,
    Acknowledge,
    AckStrength,
    Admitted,
    Busy,
    Cause,
    ChildEntry,
    ClaimDispatch,
    ClaimGranted,
    Complete,
    Done,
    Escalate,
    Execution,
    ExecutionFacet,
    FinishChild,
    Forced,
    LeaseEntry,
    LeaseGranted,
    LeaseState,
    Opened,
    OpenTask,
    OwnedKind,
    PreCancelled,
    ProbeResult,
    Recorded,
    RecordProbe,
    RecordSignal,
    RefusalReason,
    Refused,
    RegisterChild,
    Renewed,
    RenewLease,
    Reply,
    RequestCancel,
    RevokeLease,
    Right,
    SignalEntry,
    Snapshot,
    Stage,
    StaleLease,
    StartChild,
    Stopped,
    Won,
    WorkerFacet,
)
from stopcheck.gate import Disposition as D
from stopcheck.judge.checks import _other_runs as other_runs
from stopcheck.judge.checks._removal import RemovalIsNoProof
from tests.fast.judge.history import REFUND, Story, account, line, record, ref

E = Execution
JOB = ref("job")

# -- DLV-6 ------------------------------------------------------------------------------------------------


def removed(target: str) -> Story:
    """Everything is under way; the task is stopped; what stood for ``target`` is removed."""
    story = Story(RemovalIsNoProof)
    story.task(JOB, REFUND)
    story.effect()
    story.begins()
    story.asks(RegisterChild, Done(), epoch=1, child=JOB, kind=OwnedKind.REMOTE_JOB, owner="worker")
    story.asks(StartChild, Done(), child=JOB)
    story.commits(Admitted(1))
    story.asks(ClaimDispatch, ClaimGranted("permit", 1), effect_id="mail-1")
    story.stop(Accepted(record()))
    story.asks(RecordSignal, Recorded(), target=target, channel="queue", cause=Cause.USER, removal=True)
    return story


def shown(*, stopped: bool = False, disposition: D = D.PENDING, stage: Stage = Stage.ACCEPTED) -> Snapshot:
    return account(
        REFUND,
        record(),
        E.DRAINING,
        stopping=ExecutionFacet(E.DRAINING, (WorkerFacet("worker", stopped, False, "none"),)),
        effects=(line(claimed=True, disposition=disposition),),
        children=(ChildEntry(JOB, OwnedKind.REMOTE_JOB, "worker", True, stage, 1),),
    )


ENDED: list[tuple[str, dict[str, Any]]] = [
    ("worker", {"stopped": True}),
    ("mail-1", {"disposition": D.NOT_EXECUTED}),
    ("job", {"stage": Stage.CONFIRMED_CANCELLED}),
]


@pytest.mark.parametrize(("target", "as_ended"), ENDED)
def test_what_was_removed_is_not_shown_as_ended(target: str, as_ended: dict[str, Any]) -> None:
    story = removed(target)
    story.looks(shown())
    assert story.tested("DLV-6")
    assert not story.broken
    story.looks(shown(**as_ended))
    assert story.broken == ["DLV-6"]


@pytest.mark.parametrize(("target", "as_ended"), ENDED)
def test_what_was_not_removed_is_judged_elsewhere(target: str, as_ended: dict[str, Any]) -> None:
    story = removed("something else")
    story.looks(shown(**as_ended))
    assert not story.tested("DLV-6")
    assert not story.broken


@pytest.mark.parametrize(("target", "as_ended"), ENDED)
def test_a_plain_signal_is_no_removal(target: str, as_ended: dict[str, Any]) -> None:
    story = removed("something else")
    story.asks(RecordSignal, Recorded(), target=target, channel="bus", cause=Cause.USER)
    story.looks(shown(**as_ended))
    assert not story.broken


def prove(story: Story, target: str) -> None:
    """Tell more than that it was removed."""
    if target == "worker":
        story.asks(Acknowledge, Recorded(), epoch=1, strength=AckStrength.HANDLER_STOPPED, record_revision=5)
    else:
        story.asks(FinishChild, Done(), child=JOB, stage=Stage.CONFIRMED_CANCELLED)


@pytest.mark.parametrize(("target", "as_ended"), ENDED[::2])
def test_whatever_else_may_prove_it_counts(target: str, as_ended: dict[str, Any]) -> None:
    story = removed(target)
    prove(story, target)
    story.looks(shown(**as_ended))
    assert not story.broken


def test_a_removal_while_the_account_is_read_condemns_nothing() -> None:
    story = removed("something else")
    told = story.call(RecordSignal, target="worker", channel="queue", cause=Cause.USER, removal=True)
    story.looks(shown(stopped=True))
    story.ends(told, Recorded())
    assert not story.broken


# -- DLV-7 ------------------------------------------------------------------------------------------------

NEXT = ref(incarnation=2)


def stopped_once() -> Story:
    story = Story(other_runs.NextRunIsClean)
    story.task(NEXT)
    story.begins()
    story.stop(Accepted(record()))
    story.asks(OpenTask, Opened(2), NEXT)
    return story


@pytest.mark.parametrize("reply", [Stopped(record()), Refused(RefusalReason.UNRESOLVABLE)])
def test_the_next_run_begins_like_a_first_one(reply: Reply) -> None:
    story = stopped_once()
    story.begins(reply, NEXT)
    assert story.broken == ["DLV-7"]


def test_a_right_gate_lets_the_worker_begin_again() -> None:
    story = stopped_once()
    story.begins(LeaseGranted(1, 100), NEXT)
    story.looks(account(NEXT, leases=(LeaseEntry("worker", 1, 100, LeaseState.ACTIVE),)), NEXT)
    assert story.tested("DLV-7")
    assert not story.broken


def test_the_next_run_is_not_opened_as_cancelled() -> None:
    story = Story(other_runs.NextRunIsClean)
    story.task(NEXT)
    story.stop(Accepted(record()))
    story.asks(OpenTask, PreCancelled(record()), NEXT)
    assert story.broken == ["DLV-7"]


TRACES: list[dict[str, Any]] = [
    {"signals": (SignalEntry("worker", "bus", Cause.USER, 0),)},
    {"acknowledgements": (AckEntry("worker", 1, AckStrength.OBSERVED, 0),)},
    {"leases": (LeaseEntry("worker", 1, 100, LeaseState.ACTIVE),)},
    {"forced": ("worker",)},
    {"effects": (line(),)},
    {"shown": record()},
]


@pytest.mark.parametrize("trace", TRACES, ids=lambda trace: next(iter(trace)))
def test_its_account_shows_nothing_of_the_old_stop(trace: dict[str, Any]) -> None:
    story = stopped_once()
    story.effect()
    story.looks(account(NEXT, **trace), NEXT)
    assert story.broken == ["DLV-7"]


def test_what_was_done_to_the_next_run_itself_is_its_own() -> None:
    story = stopped_once()
    story.asks(RecordSignal, Recorded(), NEXT, target="worker", channel="bus", cause=Cause.USER)
    story.looks(account(NEXT, signals=(SignalEntry("worker", "bus", Cause.USER, 0),)), NEXT)
    assert not story.broken


def test_a_run_that_was_stopped_itself_is_not_judged() -> None:
    story = stopped_once()
    story.call(RequestCancel, NEXT, **story.pressing())
    story.begins(Stopped(record(NEXT)), NEXT)
    assert not story.broken
    assert not story.tested("DLV-7")


@pytest.mark.parametrize("later", ["another", "ended", "stranger", "unopened"])
def test_a_refusal_that_has_another_reason_is_right(later: str) -> None:
    story = stopped_once()
    refused = Refused(RefusalReason.UNRESOLVABLE)
    if later == "another":
        third = story.task(ref(incarnation=3))
        story.asks(OpenTask, Opened(3), third)
        story.begins(refused, NEXT)
    elif later == "ended":
        story.begins(LeaseGranted(1, 100), NEXT)
        story.asks(Complete, Won(), NEXT, epoch=1, result_digest="r")
        story.begins(refused, NEXT)
    elif later == "stranger":
        story.begins(refused, NEXT, rights=(Right.INSPECT,))
    else:
        third = story.task(ref(incarnation=3))
        story.begins(refused, third)
    assert not story.broken


def test_runs_of_one_task_may_wait_for_each_other() -> None:
    story = stopped_once()
    story.begins(Busy(), NEXT)
    assert not story.broken


# -- DLV-8 ------------------------------------------------------------------------------------------------

OTHER = ref("report")


def namesakes() -> Story:
    story = Story(other_runs.HandleIsNoTask)
    story.task(OTHER)
    story.begins()
    story.begins(LeaseGranted(1, 100), OTHER)
    return story


def by_stop(story: Story) -> None:
    story.stop(Accepted(record()))


def by_epoch(story: Story) -> None:
    story.asks(RevokeLease, Done(), epoch=1)


def by_name(story: Story) -> None:
    story.asks(RecordProbe, Recorded(), worker="worker", result=ProbeResult.GONE)


def by_force(story: Story) -> None:
    story.asks(Escalate, Forced(), worker="worker", level="kill")


HANDLES = pytest.mark.parametrize("do", [by_stop, by_epoch, by_name, by_force])


@HANDLES
@pytest.mark.parametrize("reply", [StaleLease(1), Stopped(record())])
def test_a_run_of_the_same_name_keeps_its_lease(do: Callable[[Story], None], reply: Reply) -> None:
    story = namesakes()
    do(story)
    story.asks(RenewLease, reply, OTHER, epoch=1)
    assert story.broken == ["DLV-8"]


@HANDLES
def test_a_run_of_the_same_name_goes_on(do: Callable[[Story], None]) -> None:
    story = namesakes()
    do(story)
    story.asks(RenewLease, Renewed(200), OTHER, epoch=1)
    story.looks(account(OTHER, leases=(LeaseEntry("worker", 1, 200, LeaseState.ACTIVE),)), OTHER)
    assert story.tested("DLV-8")
    assert not story.broken


@HANDLES
@pytest.mark.parametrize("state", [LeaseState.REVOKED, LeaseState.RELEASED])
def test_its_account_shows_its_lease_as_active(do: Callable[[Story], None], state: LeaseState) -> None:
    story = namesakes()
    do(story)
    story.looks(account(OTHER, leases=(LeaseEntry("worker", 1, 100, state),)), OTHER)
    assert story.broken == ["DLV-8"]


def test_its_account_does_not_show_its_worker_as_stopped() -> None:
    story = namesakes()
    by_name(story)
    facet = WorkerFacet("worker", True, False, "probe_gone")
    story.looks(account(OTHER, stopping=ExecutionFacet(E.RUNNING, (facet,))), OTHER)
    assert story.broken == ["DLV-8"]


def revoked(story: Story) -> None:
    story.asks(RevokeLease, Done(), OTHER, epoch=1)


def superseded(story: Story) -> None:
    story.begins(LeaseGranted(2, 100), OTHER)


def stopped(story: Story) -> None:
    story.call(RequestCancel, OTHER, **story.pressing())


@pytest.mark.parametrize("excuse", [revoked, superseded, stopped, Story.dies])
def test_a_lease_that_may_have_ended_by_itself_is_not_judged(excuse: Callable[[Story], None]) -> None:
    story = namesakes()
    by_stop(story)
    excuse(story)
    story.asks(RenewLease, StaleLease(1), OTHER, epoch=1)
    assert not story.broken


def test_runs_without_a_common_handle_put_nothing_to_the_test() -> None:
    story = Story(other_runs.HandleIsNoTask)
    story.task(OTHER)
    story.begins()
    story.begins(LeaseGranted(7, 100), OTHER, worker="other")
    for do in (by_stop, by_epoch, by_name, by_force):
        do(story)
    story.asks(RenewLease, Renewed(200), OTHER, epoch=7)
    assert not story.tested("DLV-8")
