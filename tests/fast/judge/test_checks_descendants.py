"""The check of SCOPE-5, on histories written by hand: which descendants a stop reaches."""

from __future__ import annotations

import pytest

from stopcheck.gate import (
    Accepted,
    Admitted,
    ChildEntry,
    CommitEffect,
    Done,
    Execution,
    ExecutionFacet,
    LeaseGranted,
    OwnedKind,
    RegisterChild,
    Scope,
    Stage,
    Stopped,
    TaskRef,
    Tick,
    Ticked,
    WorkerFacet,
)
from stopcheck.judge.checks._scope import Reach
from tests.fast.judge.history import REFUND, Story, account, record, ref

CHILD, GRANDCHILD, OTHER = ref("letter"), ref("translation"), ref("invoice")


def family(scope: Scope) -> Story:
    story = Story(Reach)
    story.task(CHILD, REFUND)
    story.task(GRANDCHILD, CHILD)
    story.task(OTHER)
    for parent, child in ((REFUND, CHILD), (CHILD, GRANDCHILD)):
        story.asks(RegisterChild, Done(), parent, epoch=1, child=child, kind=OwnedKind.CHILD_TASK, owner="w")
    story.stop(Accepted(record(scope=scope)), scope=scope)
    return story


@pytest.mark.parametrize("task", [CHILD, GRANDCHILD])
def test_a_stop_of_the_task_alone_shows_on_no_descendant(task: TaskRef) -> None:
    story = family(Scope.TASK)
    story.effect(task=task)
    story.commits(Stopped(record()), task)
    assert story.broken == ["SCOPE-5"]


@pytest.mark.parametrize("task", [CHILD, GRANDCHILD])
def test_a_stop_of_the_task_alone_lets_descendants_work(task: TaskRef) -> None:
    story = family(Scope.TASK)
    story.effect(task=task)
    story.commits(Admitted(1), task)
    assert story.tested("SCOPE-5")
    assert not story.broken


@pytest.mark.parametrize("task", [CHILD, GRANDCHILD])
@pytest.mark.parametrize("lease", [True, False])
def test_a_stop_of_the_subtree_reaches_every_depth(task: TaskRef, lease: bool) -> None:
    story = family(Scope.SUBTREE)
    story.effect(task=task)
    if lease:
        story.begins(LeaseGranted(1, 100), task)
    else:
        story.commits(Admitted(1), task)
    assert story.broken == ["SCOPE-5"]


@pytest.mark.parametrize("task", [CHILD, GRANDCHILD])
@pytest.mark.parametrize("shown", [None, record(scope=Scope.SUBTREE)])
def test_a_cascade_may_lag_in_what_is_shown(task: TaskRef, shown: object) -> None:
    story = family(Scope.SUBTREE)
    story.looks(account(task, shown), task)  # type: ignore[arg-type]
    story.begins(Stopped(record(scope=Scope.SUBTREE)), task)
    assert story.tested("SCOPE-5")
    assert not story.broken


def test_a_call_that_began_before_the_stop_was_answered_may_still_win() -> None:
    story = Story(Reach)
    story.task(CHILD, REFUND)
    story.effect(task=CHILD)
    story.asks(RegisterChild, Done(), epoch=1, child=CHILD, kind=OwnedKind.CHILD_TASK, owner="w")
    commit = story.call(CommitEffect, CHILD, **story.committing())
    story.stop(Accepted(record(scope=Scope.SUBTREE)), scope=Scope.SUBTREE)
    story.ends(commit, Admitted(1))
    assert not story.broken


def test_a_stop_shows_on_no_neighbour() -> None:
    story = family(Scope.SUBTREE)
    story.looks(account(OTHER, record(scope=Scope.SUBTREE)), OTHER)
    assert story.broken == ["SCOPE-5"]


def settled_but_for_a_child(state: Execution, *, fenced: bool, stage: Stage = Stage.ACCEPTED) -> Story:
    story = family(Scope.TASK)
    story.asks(Tick, Ticked((), None))
    child = ChildEntry(CHILD, OwnedKind.CHILD_TASK, "w", True, stage, 2)
    stopping = ExecutionFacet(state, (WorkerFacet("worker", False, fenced, "none"),))
    story.rests(account(REFUND, record(), state, children=(child,), stopping=stopping))
    return story


def test_a_child_out_of_scope_must_not_hold_up_settling() -> None:
    assert settled_but_for_a_child(Execution.DRAINING, fenced=True).broken == ["SCOPE-5"]


@pytest.mark.parametrize(
    ("state", "fenced", "stage"),
    [
        (Execution.CANCELLED_SETTLED, True, Stage.ACCEPTED),
        (Execution.STOPPED_UNRESOLVED, False, Stage.ACCEPTED),
        (Execution.STOPPED_UNRESOLVED, True, Stage.COMPLETED),
    ],
)
def test_what_else_holds_up_settling_is_not_the_childs_doing(state: Execution, fenced: bool, stage: Stage) -> None:
    assert not settled_but_for_a_child(state, fenced=fenced, stage=stage).broken
