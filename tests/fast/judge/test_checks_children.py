"""Checks of CHILD, on histories written by hand: what they fail, and what they leave to the gate."""

from __future__ import annotations

from typing import Any

import pytest

from stopcheck.gate import (
    Accepted,
    Admitted,
    ChildEntry,
    ClaimDispatch,
    ClaimGranted,
    CommitEffect,
    Done,
    Ended,
    Execution,
    ExistingChild,
    FinishChild,
    LeaseGranted,
    NoEvidence,
    Opened,
    OpenTask,
    OwnedKind,
    Recorded,
    RecordOutcome,
    RefusalReason,
    Refused,
    RegisterChild,
    Reply,
    Scope,
    Snapshot,
    Stage,
    StaleLease,
    StartChild,
    Stopped,
    TaskRef,
    Unsupported,
    Widened,
)
from stopcheck.judge._checks import Check
from stopcheck.judge.checks import _children as checks
from tests.fast.judge.history import REFUND, Story, account, cause, record, ref

CHILD, GRANDCHILD = ref("letter"), ref("translation")
WHOLE = record(scope=Scope.SUBTREE)
E = Execution


def family(check: type[Check], *, registered: bool = True) -> Story:
    story = Story(check)
    story.task(CHILD, REFUND)
    story.task(GRANDCHILD, CHILD)
    story.effect(task=CHILD)
    if registered:
        registers(story, Done())
    return story


def owning(child: TaskRef = CHILD) -> dict[str, Any]:
    return {"epoch": 1, "child": child, "kind": OwnedKind.CHILD_TASK, "owner": "w"}


def registers(story: Story, reply: Reply, parent: TaskRef = REFUND, child: TaskRef = CHILD) -> None:
    story.asks(RegisterChild, reply, parent, **owning(child))


def entry(stage: Stage = Stage.ACCEPTED, child: TaskRef = CHILD) -> ChildEntry:
    return ChildEntry(child, OwnedKind.CHILD_TASK, "w", True, stage, 1)


# -- CHILD-1 ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rejected", [True, False])
def test_a_child_that_is_not_in_the_inventory_does_not_run(rejected: bool) -> None:
    story = family(checks.OwnedBeforeItRuns, registered=False)
    if rejected:
        registers(story, Stopped(record()))
    story.asks(StartChild, Done(), child=CHILD)
    story.begins(LeaseGranted(1, 100), CHILD)
    assert story.broken == ["CHILD-1", "CHILD-1"]


@pytest.mark.parametrize("reply", [Stopped(record()), Refused(RefusalReason.UNKNOWN), Ended(E.FAILED)])
def test_a_child_that_is_not_in_the_inventory_is_turned_away(reply: Reply) -> None:
    story = family(checks.OwnedBeforeItRuns, registered=False)
    story.asks(StartChild, reply, child=CHILD)
    assert story.tested("CHILD-1")
    assert not story.broken


def test_a_registered_child_runs() -> None:
    story = family(checks.OwnedBeforeItRuns)
    story.asks(StartChild, Done(), child=CHILD)
    story.begins(LeaseGranted(1, 100), CHILD)
    assert story.tested("CHILD-1")
    assert not story.broken


@pytest.mark.parametrize("dies", [True, False])
def test_a_registration_that_nobody_was_told_of_may_have_counted(dies: bool) -> None:
    story = family(checks.OwnedBeforeItRuns, registered=False)
    story.call(RegisterChild, **owning())
    if dies:
        story.dies()
    story.asks(StartChild, Done(), child=CHILD)
    story.begins(LeaseGranted(1, 100), CHILD)
    assert not story.broken


def test_a_task_that_was_opened_by_itself_is_nobodys_child() -> None:
    story = family(checks.OwnedBeforeItRuns, registered=False)
    story.asks(OpenTask, Opened(1), CHILD)
    story.begins(LeaseGranted(1, 100), CHILD)
    assert not story.broken


# -- CHILD-2 ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scope", Scope)
def test_no_registration_after_the_cutoff(scope: Scope) -> None:
    story = family(checks.RejectedOrInventoried, registered=False)
    story.stop(Accepted(record(scope=scope)), scope=scope)
    registers(story, Done())
    assert story.broken == ["CHILD-2"]


@pytest.mark.parametrize("reply", [Stopped(record()), StaleLease(1), Ended(E.FAILED)])
def test_a_registration_after_the_cutoff_is_rejected(reply: Reply) -> None:
    story = family(checks.RejectedOrInventoried, registered=False)
    story.stop(Accepted(record()))
    registers(story, reply)
    story.looks(account(REFUND, record()))
    assert story.tested("CHILD-2")
    assert not story.broken


def test_a_child_of_before_may_be_registered_again() -> None:
    story = family(checks.RejectedOrInventoried)
    story.stop(Accepted(record()))
    registers(story, ExistingChild(Stage.REQUESTED))
    registers(story, Done())
    assert not story.broken


def test_a_registered_child_stands_in_every_later_inventory() -> None:
    story = family(checks.RejectedOrInventoried)
    story.looks(account(children=(entry(),)))
    assert not story.broken
    story.looks(account())
    assert story.broken == ["CHILD-2"]


def test_a_rejected_child_stands_in_no_inventory() -> None:
    story = family(checks.RejectedOrInventoried, registered=False)
    registers(story, Stopped(record()))
    story.looks(account(REFUND, record(), children=(entry(),)))
    assert story.broken == ["CHILD-2"]


def test_a_registration_that_raced_may_show_or_not() -> None:
    story = family(checks.RejectedOrInventoried, registered=False)
    registration = story.call(RegisterChild, **owning())
    story.stop(Accepted(record()))
    story.looks(account(REFUND, record(), children=(entry(),)))
    story.looks(account(REFUND, record()))
    story.ends(registration, Done())
    assert not story.broken


def test_an_inventory_may_list_what_the_owned_own() -> None:
    story = family(checks.RejectedOrInventoried)
    registers(story, Done(), CHILD, GRANDCHILD)
    story.looks(account(children=(entry(), entry(child=GRANDCHILD))))
    assert not story.broken


# -- CHILD-3 ----------------------------------------------------------------------------------------------


def stopped_family(check: type[Check], scope: Scope = Scope.SUBTREE) -> Story:
    story = family(check)
    story.stop(Accepted(record(scope=scope)), scope=scope)
    return story


def test_no_commitment_in_a_descendant_of_the_stopped() -> None:
    story = stopped_family(checks.CommitUnderAncestor)
    story.commits(Admitted(1), CHILD)
    assert story.broken == ["CHILD-3"]


@pytest.mark.parametrize("reply", [Stopped(WHOLE), StaleLease(1), Ended(E.FAILED)])
def test_a_commitment_in_a_descendant_is_turned_away(reply: Reply) -> None:
    story = stopped_family(checks.CommitUnderAncestor)
    story.commits(reply, CHILD)
    assert story.tested("CHILD-3")
    assert not story.broken


def test_a_stop_of_the_owner_alone_does_not_bind_the_child() -> None:
    story = stopped_family(checks.CommitUnderAncestor, Scope.TASK)
    story.commits(Admitted(1), CHILD)
    assert not story.tested("CHILD-3")
    assert not story.broken


def test_the_widening_binds_the_child_from_then_on() -> None:
    story = stopped_family(checks.CommitUnderAncestor, Scope.TASK)
    causes = [cause(), cause(7, "stop-2", Scope.SUBTREE)]
    widened = record(scope=Scope.SUBTREE, causes=causes, subtree_revision=7)
    commit = story.call(CommitEffect, CHILD, **story.committing())
    story.stop(Widened(widened), scope=Scope.SUBTREE, request_id="stop-2")
    story.ends(commit, Admitted(1))
    assert not story.broken
    story.commits(Admitted(2), CHILD, effect_id="mail-2")
    assert story.broken == ["CHILD-3"]


def test_a_child_that_was_never_registered_is_not_owned() -> None:
    story = family(checks.CommitUnderAncestor, registered=False)
    story.stop(Accepted(WHOLE), scope=Scope.SUBTREE)
    story.commits(Admitted(1), CHILD)
    assert not story.broken


# -- CHILD-4 ----------------------------------------------------------------------------------------------


def test_no_grandchild_while_the_family_drains() -> None:
    story = stopped_family(checks.NoGrandchild)
    registers(story, Done(), CHILD, GRANDCHILD)
    assert story.broken == ["CHILD-4"]


@pytest.mark.parametrize("reply", [Stopped(WHOLE), StaleLease(1)])
def test_a_grandchild_is_turned_away(reply: Reply) -> None:
    story = stopped_family(checks.NoGrandchild)
    registers(story, reply, CHILD, GRANDCHILD)
    assert story.tested("CHILD-4")
    assert not story.broken


def test_a_child_out_of_scope_may_have_children() -> None:
    story = stopped_family(checks.NoGrandchild, Scope.TASK)
    registers(story, Done(), CHILD, GRANDCHILD)
    assert not story.tested("CHILD-4")
    assert not story.broken


# -- CHILD-5 ----------------------------------------------------------------------------------------------


def settled(stage: Stage, state: Execution = E.CANCELLED_SETTLED) -> Snapshot:
    return account(REFUND, WHOLE, state, children=(entry(stage),))


@pytest.mark.parametrize("stage", [Stage.REQUESTED, Stage.OBSERVED, Stage.ACCEPTED, Stage.UNKNOWN])
def test_a_parent_does_not_settle_above_a_child_that_has_not_ended(stage: Stage) -> None:
    story = stopped_family(checks.SettledAfterChildren)
    story.looks(settled(stage))
    assert story.broken == ["CHILD-5"]


@pytest.mark.parametrize(
    ("stage", "state"),
    [
        (Stage.CONFIRMED_CANCELLED, E.CANCELLED_SETTLED),
        (Stage.COMPLETED_AFTER_CANCEL, E.CANCELLED_SETTLED),
        (Stage.UNKNOWN, E.STOPPED_UNRESOLVED),
        (Stage.ACCEPTED, E.DRAINING),
    ],
)
def test_a_parent_settles_after_its_children(stage: Stage, state: Execution) -> None:
    story = stopped_family(checks.SettledAfterChildren)
    story.looks(settled(stage, state))
    assert story.tested("CHILD-5")
    assert not story.broken


def test_a_task_that_was_stopped_alone_may_settle_and_be_widened_later() -> None:
    story = stopped_family(checks.SettledAfterChildren, Scope.TASK)
    widened = record(scope=Scope.SUBTREE, causes=[cause(), cause(7, "s", Scope.SUBTREE)], subtree_revision=7)
    for shown in (record(), widened):
        story.looks(account(REFUND, shown, E.CANCELLED_SETTLED, children=(entry(),)))
    assert not story.broken


def in_doubt() -> Story:
    story = stopped_family(checks.SettledAfterChildren)
    story.asks(ClaimDispatch, ClaimGranted("p", 1), CHILD, effect_id="mail-1", idempotent_receiver=True)
    story.asks(RecordOutcome, Recorded(), CHILD, effect_id="mail-1", evidence=NoEvidence("timeout"))
    return story


def test_a_child_with_an_effect_in_doubt_has_not_ended_whatever_the_inventory_says() -> None:
    story = in_doubt()
    story.looks(settled(Stage.CONFIRMED_CANCELLED))
    assert story.broken == ["CHILD-5"]


def test_somebody_said_that_it_ended() -> None:
    story = in_doubt()
    story.asks(FinishChild, Done(), child=CHILD, stage=Stage.CONFIRMED_CANCELLED)
    story.looks(settled(Stage.CONFIRMED_CANCELLED))
    assert not story.broken


@pytest.mark.parametrize("state", [E.RUNNING, E.DRAINING, E.STOPPED_UNRESOLVED])
def test_at_rest_no_settled_parent_above_a_live_child(state: Execution) -> None:
    story = stopped_family(checks.SettledAfterChildren)
    story.rests(settled(Stage.CONFIRMED_CANCELLED), account(CHILD, WHOLE, state))
    assert story.broken == ["CHILD-5"]


@pytest.mark.parametrize("state", [E.CANCELLED_SETTLED, E.COMPLETED, E.UNSTARTED])
def test_at_rest_a_child_has_ended_or_never_began(state: Execution) -> None:
    story = stopped_family(checks.SettledAfterChildren)
    story.rests(settled(Stage.CONFIRMED_CANCELLED), account(CHILD, WHOLE, state))
    assert not story.broken


def test_operations_that_a_gate_lacks_test_nothing() -> None:
    story = stopped_family(checks.NoGrandchild)
    registers(story, Unsupported(), CHILD, GRANDCHILD)
    assert not story.tested("CHILD-4")
    assert not story.broken
