"""Checks of inventories, on histories written by hand: CHILD-7, and what CHILD-5 and CHILD-8 want at rest."""

from __future__ import annotations

import pytest

from stopcheck.gate import (
    Accepted,
    ChildEntry,
    Complete,
    Done,
    Execution,
    FinishChild,
    Inspect,
    OwnedKind,
    RefusalReason,
    Refused,
    RegisterChild,
    Reply,
    Scope,
    Snapshot,
    Stage,
    TaskRef,
    Ticked,
    Unverified,
    Won,
)
from stopcheck.judge._checks import Check
from stopcheck.judge.checks._inventory import EveryChildEnds, EveryKindIsListed, NobodyWaitsInVain
from stopcheck.world import PhaseBegan
from tests.fast.judge.history import REFUND, Story, account, record, ref

JOB = ref("job")
WHOLE = record(scope=Scope.SUBTREE)
E = Execution


def owning(check: type[Check], reply: Reply | None = None) -> Story:
    """A task that has asked to own a remote job."""
    story = Story(check)
    story.task(JOB, REFUND)
    story.begins()
    reply = Done() if reply is None else reply
    story.asks(RegisterChild, reply, epoch=1, child=JOB, kind=OwnedKind.REMOTE_JOB, owner="w")
    return story


def entry(stage: Stage = Stage.ACCEPTED, kind: OwnedKind = OwnedKind.REMOTE_JOB) -> ChildEntry:
    return ChildEntry(JOB, kind, "w", True, stage, 1)


def comes_to_rest(story: Story, *accounts: Snapshot, next_wake_ns: int | None = None) -> None:
    """The last tick, and the final account."""
    story.facts.ticked = Ticked((), next_wake_ns)
    story.event(PhaseBegan("account"))
    for told in accounts:
        story.asks(Inspect, told, told.task)
    story.rests(*accounts)


# -- CHILD-7 ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("children", [(), (entry(kind=OwnedKind.CHILD_TASK),)])
def test_an_inventory_lists_what_was_registered_as_what_it_is(children: tuple[ChildEntry, ...]) -> None:
    story = owning(EveryKindIsListed)
    story.looks(account(children=children))
    assert story.broken == ["CHILD-7"]


def test_a_listed_job_is_fine() -> None:
    story = owning(EveryKindIsListed)
    story.looks(account(children=(entry(),)))
    assert story.tested("CHILD-7")
    assert not story.broken


def test_what_was_refused_or_is_being_registered_need_not_be_listed() -> None:
    story = owning(EveryKindIsListed, Refused(RefusalReason.UNRESOLVABLE))
    story.call(RegisterChild, epoch=1, child=JOB, kind=OwnedKind.REMOTE_JOB, owner="w")
    story.looks(account())
    assert not story.tested("CHILD-7")


# -- CHILD-5 ----------------------------------------------------------------------------------------------


def given_up(*children: ChildEntry, state: Execution = E.STOPPED_UNRESOLVED, **more: int) -> Story:
    story = owning(EveryChildEnds)
    story.stop(Accepted(WHOLE), scope=Scope.SUBTREE)
    comes_to_rest(story, account(REFUND, WHOLE, state, children=children), **more)
    return story


@pytest.mark.parametrize("stage", [Stage.REQUESTED, Stage.OBSERVED, Stage.ACCEPTED])
@pytest.mark.parametrize("state", [E.STOPPED_UNRESOLVED, E.CANCELLED_SETTLED])
def test_at_rest_no_child_goes_on(stage: Stage, state: Execution) -> None:
    assert given_up(entry(stage), state=state).broken == ["CHILD-5"]


@pytest.mark.parametrize("stage", [Stage.UNKNOWN, Stage.FORCE_STOPPED, Stage.COMPLETED_AFTER_CANCEL])
def test_a_known_end_and_an_explicit_unknown_are_fine(stage: Stage) -> None:
    story = given_up(entry(stage))
    assert story.tested("CHILD-5")
    assert not story.broken


def test_while_something_is_due_a_child_may_go_on() -> None:
    assert not given_up(entry(), next_wake_ns=9).broken


# -- CHILD-8 ----------------------------------------------------------------------------------------------


def completes(story: Story, reply: Reply) -> None:
    story.asks(Complete, reply, epoch=1, result_digest="r")


@pytest.mark.parametrize("stage", [Stage.FAILED, Stage.COMPLETED, Stage.CONFIRMED_CANCELLED])
def test_a_child_that_finished_blocks_nothing(stage: Stage) -> None:
    story = owning(NobodyWaitsInVain)
    story.asks(FinishChild, Done(), child=JOB, stage=stage)
    completes(story, Unverified(("job",)))
    assert story.broken == ["CHILD-8"]


def test_a_child_that_never_came_to_be_blocks_nothing() -> None:
    story = owning(NobodyWaitsInVain, Refused(RefusalReason.FORBIDDEN))
    completes(story, Unverified(("job",)))
    assert story.broken == ["CHILD-8"]


@pytest.mark.parametrize("reply", [Won(), Unverified(("mail-1",))])
def test_a_completion_that_does_not_wait_for_it_is_fine(reply: Reply) -> None:
    story = owning(NobodyWaitsInVain)
    story.asks(FinishChild, Done(), child=JOB, stage=Stage.FAILED)
    completes(story, reply)
    assert story.tested("CHILD-8")
    assert not story.broken


def test_a_child_that_is_unknown_or_goes_on_may_be_waited_for() -> None:
    story = owning(NobodyWaitsInVain)
    completes(story, Unverified(("job",)))
    story.asks(FinishChild, Done(), child=JOB, stage=Stage.UNKNOWN)
    completes(story, Unverified(("job",)))
    assert not story.broken


@pytest.mark.parametrize("state", [E.CANCELLED_SETTLED, E.COMPLETED, E.FAILED])
@pytest.mark.parametrize(("stage", "broken"), [(Stage.ACCEPTED, ["CHILD-8"]), (Stage.CONFIRMED_CANCELLED, [])])
def test_at_rest_an_owner_is_released(state: Execution, stage: Stage, broken: list[str]) -> None:
    story = owning(NobodyWaitsInVain)
    comes_to_rest(story, account(children=(entry(stage),)), account(JOB, None, state))
    assert story.tested("CHILD-8")
    assert story.broken == broken


def above(child: TaskRef, state: Execution, *, dies: bool = True) -> Story:
    """After a death, a task that was given up, above a child in that state."""
    story = owning(NobodyWaitsInVain)
    story.stop(Accepted(WHOLE), scope=Scope.SUBTREE)
    if dies:
        story.dies()
    given_up = account(REFUND, WHOLE, E.STOPPED_UNRESOLVED, children=(entry(Stage.UNKNOWN),))
    comes_to_rest(story, given_up, account(child, None, state))
    return story


def test_a_crash_leaves_no_living_child_below_an_owner_that_is_over() -> None:
    assert above(JOB, E.RUNNING).broken == ["CHILD-8"]


def test_a_child_that_was_given_up_with_its_owner_is_fine() -> None:
    story = above(JOB, E.STOPPED_UNRESOLVED)
    assert story.tested("CHILD-8")
    assert not story.broken


def test_without_a_crash_the_cascade_is_judged_elsewhere() -> None:
    assert not above(JOB, E.RUNNING, dies=False).broken
