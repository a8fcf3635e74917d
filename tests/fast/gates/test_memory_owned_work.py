"""The memory gate: the rules of owned and shared work, and of what is kept for later, which no single reply shows."""

from __future__ import annotations

import pytest

from stopcheck.gate import (
    Admitted,
    AlreadyReleased,
    Caller,
    Cause,
    ClaimDispatch,
    Done,
    Execution,
    ExistingChild,
    FireRetry,
    Grant,
    GrantKind,
    NoEvidence,
    OwnedKind,
    Refused,
    RetryFired,
    Right,
    ScheduleRetry,
    Scope,
    Stage,
    StaleLease,
    Status,
    Stopped,
    UseGrant,
    Void,
    Won,
)
from tests.fast.gates.gate_bench import (
    BUDGET,
    CHILD,
    DUE,
    GRANDCHILD,
    LEASE,
    SHARED,
    Bench,
)
from tests.fast.gates.gate_starts import (
    FOUND,
    armed,
    owning,
    running,
    subtree_cancelled,
    wanted,
    wanted_once,
)

# --- owned work ---------------------------------------------------------------------------------------


def family() -> Bench:
    """A task with a started child, which owns a grandchild that has not started."""
    bench = owning()
    bench.start()
    bench.begin("w2", CHILD)
    bench.register(GRANDCHILD, CHILD)
    return bench


def test_a_subtree_cutoff_reaches_every_depth_and_waits_for_what_runs() -> None:
    bench = family()
    record = bench.cancel(Scope.SUBTREE).record
    bench.acknowledge()
    assert bench.look(GRANDCHILD).record == record
    assert bench.look(CHILD).children[0].stage is Stage.CONFIRMED_CANCELLED
    assert isinstance(bench.start(GRANDCHILD, CHILD), Stopped)
    assert isinstance(bench.commit("late", task=CHILD), Stopped)
    assert bench.look().execution is Execution.DRAINING
    bench.acknowledge(task=CHILD)
    assert bench.look(CHILD).execution is Execution.CANCELLED_SETTLED
    bench.tick()
    assert bench.look().children[0].stage is Stage.CONFIRMED_CANCELLED
    assert bench.look().execution is Execution.CANCELLED_SETTLED


def test_scope_task_leaves_children_alone_and_does_not_wait_for_them() -> None:
    bench = family()
    bench.cancel()
    bench.acknowledge()
    assert bench.look().execution is Execution.CANCELLED_SETTLED
    assert isinstance(bench.commit("mail", task=CHILD), Admitted)


def test_a_child_that_completes_after_the_cutoff_is_kept_as_such() -> None:
    bench = family()
    bench.cancel(Scope.SUBTREE)
    assert isinstance(bench.finish(), Done)
    assert bench.finish() == ExistingChild(Stage.COMPLETED_AFTER_CANCEL)


def test_a_child_in_doubt_leaves_its_owner_unresolved_until_evidence() -> None:
    bench = family()
    bench.commit("mail", task=CHILD)
    bench.ask(ClaimDispatch, CHILD, effect_id="mail")
    bench.cancel(Scope.SUBTREE)
    bench.outcome(NoEvidence("timeout"), task=CHILD)
    bench.at(LEASE).tick()
    bench.at(BUDGET).tick()
    assert bench.look().children[0].stage is Stage.UNKNOWN
    assert bench.look().execution is Execution.STOPPED_UNRESOLVED
    assert bench.look().status is Status.OUTCOME_UNKNOWN
    bench.outcome(FOUND, task=CHILD)
    assert bench.look(CHILD).execution is Execution.CANCELLED_SETTLED
    assert bench.look().execution is Execution.CANCELLED_SETTLED


def test_a_running_tool_call_is_not_taken_for_stopped() -> None:
    bench = running()
    bench.register(kind=OwnedKind.TOOL_CALL)
    bench.start()
    bench.cancel(Scope.SUBTREE)
    bench.acknowledge()
    bench.tick()
    assert bench.look().execution is Execution.DRAINING
    bench.finish(Stage.FORCE_STOPPED)
    assert bench.look().execution is Execution.CANCELLED_SETTLED


def test_a_child_that_completed_holds_up_nobody() -> None:
    bench = family()
    bench.finish(child=GRANDCHILD, parent=CHILD)
    assert isinstance(bench.complete(task=CHILD), Won)
    bench.tick()
    assert bench.look().children[0].stage is Stage.COMPLETED
    assert isinstance(bench.complete(), Won)


# --- shared work --------------------------------------------------------------------------------------


def test_a_cancelled_subscriber_gives_up_its_interest_only() -> None:
    bench = wanted()
    bench.cancel()
    assert [interest.released_revision is None for interest in bench.look(SHARED).interests] == [False, True]
    assert bench.look(SHARED).record is None
    assert isinstance(bench.release(), AlreadyReleased)


def test_the_last_cancelled_subscriber_stops_the_shared_work() -> None:
    bench = wanted_once()
    bench.cancel()
    record = bench.look(SHARED).record
    assert record is not None
    assert (record.task, record.causes[0].cause) == (SHARED, Cause.POLICY)


def test_a_subtree_cutoff_releases_the_interests_of_descendants() -> None:
    bench = wanted()
    bench.register()
    bench.subscribe(CHILD, "i3")
    bench.cancel(Scope.SUBTREE)
    live = [i.interest_id for i in bench.look(SHARED).interests if i.released_revision is None]
    assert live == ["i2"]


# --- the fingerprint ----------------------------------------------------------------------------------


def test_equal_histories_have_equal_fingerprints_and_reading_changes_none() -> None:
    first, second = subtree_cancelled(), subtree_cancelled()
    first.look()
    assert first.gate.fingerprint() == second.gate.fingerprint()
    second.signal()
    assert first.gate.fingerprint() != second.gate.fingerprint()


# --- what is kept for later ------------------------------------------------------------------------------


def test_a_fired_retry_supersedes_older_epochs() -> None:
    bench = armed()
    assert bench.at(DUE).fire() == RetryFired(2)
    assert isinstance(bench.commit(epoch=1), StaleLease)
    assert isinstance(bench.commit(epoch=2), Admitted)


def test_a_stop_of_the_owners_subtree_voids_what_its_children_kept_for_later() -> None:
    bench = owning()
    bench.ask(ScheduleRetry, CHILD, retry_id="t1", at_ns=0)
    bench.ask(Grant, CHILD, grant_id="g1")
    bench.cancel(Scope.SUBTREE)
    assert isinstance(bench.ask(FireRetry, CHILD, retry_id="t1", worker="w2"), Void)
    assert isinstance(bench.ask(UseGrant, CHILD, grant_id="g1"), Void)


@pytest.mark.parametrize(("kind", "right"), [(GrantKind.APPROVAL, Right.STOP), (GrantKind.PREPARED_WRITE, Right.WORK)])
def test_a_person_approves_and_a_worker_prepares(kind: GrantKind, right: Right) -> None:
    bench = running()
    others = tuple(other for other in Right if other is not right)
    assert isinstance(bench.allow(kind, caller=Caller("ann", "acme", others)), Refused)
    assert isinstance(bench.allow(kind, caller=Caller("ann", "acme", (right,))), Done)
