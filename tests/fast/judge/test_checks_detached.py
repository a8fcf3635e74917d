"""Checks of CHILD-6, on histories written by hand: what is owned stays so, and what is detached is left alone."""

from __future__ import annotations

from typing import Any

import pytest

from stopcheck.gate import (
    Accepted,
    ChildEntry,
    Done,
    Execution,
    Exists,
    LeaseGranted,
    Opened,
    OpenTask,
    OwnedKind,
    RefusalReason,
    Refused,
    RegisterChild,
    Reply,
    Scope,
    Snapshot,
    Stage,
    Stopped,
)
from stopcheck.judge._checks import Check
from stopcheck.judge.checks._detached import DetachedStandsAlone, OwnedStaysOwned
from tests.fast.judge.history import REFUND, Story, account, record, ref

LETTER, ARCHIVING = ref("letter"), ref("archiving")
WHOLE = record(scope=Scope.SUBTREE)


def claim(check: type[Check], reply: Reply | None = None) -> Story:
    """A task with a child, and detached work beside it."""
    story = Story(check)
    story.task(LETTER, REFUND)
    story.task(ARCHIVING)
    reply = Done() if reply is None else reply
    story.asks(RegisterChild, reply, epoch=1, child=LETTER, kind=OwnedKind.CHILD_TASK, owner="w")
    story.asks(OpenTask, Opened(1), ARCHIVING, owner="archive", deadline_ns=90)
    return story


def stopped(check: type[Check], **fields: Any) -> Story:
    story = claim(check, **fields)
    story.stop(Accepted(WHOLE), scope=Scope.SUBTREE)
    return story


def entry(owner: str = "w") -> ChildEntry:
    return ChildEntry(LETTER, OwnedKind.CHILD_TASK, owner, True, Stage.ACCEPTED, 1)


# -- owned stays owned ------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [claim, stopped])
def test_a_child_is_not_opened_as_detached(make: Any) -> None:
    story = make(OwnedStaysOwned)
    story.asks(OpenTask, Opened(1), LETTER, owner="archive")
    assert story.broken == ["CHILD-6"]


@pytest.mark.parametrize("reply", [Exists(Execution.RUNNING), Refused(RefusalReason.UNRESOLVABLE), Opened(2)])
def test_another_answer_and_another_incarnation_are_fine(reply: Reply) -> None:
    story = stopped(OwnedStaysOwned)
    story.asks(OpenTask, reply, LETTER, owner="archive")
    assert not story.broken


def test_what_was_refused_as_a_child_may_be_opened() -> None:
    story = claim(OwnedStaysOwned, Refused(RefusalReason.UNRESOLVABLE))
    story.asks(OpenTask, Opened(1), LETTER, owner="archive")
    assert not story.tested("CHILD-6")


@pytest.mark.parametrize("children", [(), (entry("nobody"),)])
def test_a_stop_lets_go_of_no_child(children: tuple[ChildEntry, ...]) -> None:
    story = stopped(OwnedStaysOwned)
    story.looks(account(REFUND, WHOLE, children=children))
    assert story.broken == ["CHILD-6"]


@pytest.mark.parametrize("owner", ["w", "acme/w"])
def test_a_child_that_is_still_listed_is_fine(owner: str) -> None:
    story = stopped(OwnedStaysOwned)
    story.looks(account(REFUND, WHOLE, children=(entry(owner),)))
    assert story.tested("CHILD-6")
    assert not story.broken


# -- detached stands alone --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "shown",
    [
        account(ARCHIVING, WHOLE),
        account(ARCHIVING, owner="w", deadline_ns=90),
        account(ARCHIVING, owner="archive", deadline_ns=50),
        account(REFUND, WHOLE, children=(ChildEntry(ARCHIVING, OwnedKind.CHILD_TASK, "w", True, Stage.ACCEPTED, 1),)),
    ],
)
def test_detached_work_shows_nothing_of_others(shown: Snapshot) -> None:
    story = stopped(DetachedStandsAlone)
    story.looks(shown, shown.task)
    assert story.broken == ["CHILD-6"]


def test_detached_work_is_not_told_of_a_stop() -> None:
    story = stopped(DetachedStandsAlone)
    story.begins(Stopped(WHOLE), ARCHIVING)
    assert story.broken == ["CHILD-6"]


@pytest.mark.parametrize("shown", [account(ARCHIVING), account(ARCHIVING, owner="archive", deadline_ns=90)])
def test_detached_work_that_goes_on_is_fine(shown: Snapshot) -> None:
    story = stopped(DetachedStandsAlone)
    story.begins(LeaseGranted(1, 100), ARCHIVING)
    story.looks(shown, ARCHIVING)
    assert story.tested("CHILD-6")
    assert not story.broken


def test_detached_work_that_was_stopped_itself_is_told_so() -> None:
    story = stopped(DetachedStandsAlone)
    story.stop(Accepted(record(ARCHIVING)), ARCHIVING)
    story.begins(Stopped(record(ARCHIVING)), ARCHIVING)
    assert not story.broken
