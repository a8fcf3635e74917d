"""Lifetimes that shrink, children without time, expiry as a cutoff: what breaks DDL, and what is near and does not."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stopcheck.gate import (
    Accepted,
    Admitted,
    Caller,
    CancellationRecord,
    Cause,
    Complete,
    Done,
    Execution,
    ExistingChild,
    NoTime,
    Opened,
    OpenTask,
    OwnedKind,
    RegisterChild,
    Renewed,
    RenewLease,
    Reply,
    Right,
    Snapshot,
    Stage,
    StartChild,
    Stopped,
    TaskRef,
    Won,
)
from stopcheck.judge.checks import _deadlines
from stopcheck.world import Called, Returned
from tests.fast.judge.history import CONTRACT, REFUND, Story, account, cause, record, ref

CHILD, GRANDCHILD = ref("letter"), ref("translation")
EXPIRED = (cause(cause=Cause.DEADLINE, at_ns=100),)


def lived(deadline_ns: int | None = 100, **declared: Any) -> Story:
    """A task with that deadline, and a worker that holds its lease."""
    contract = msgspec.structs.replace(CONTRACT, **declared) if declared else CONTRACT
    story = Story(*_deadlines.CHECKS, contract=contract)
    story.asks(OpenTask, Opened(1), deadline_ns=deadline_ns)
    story.begins()
    return story


def registers(story: Story, reply: Reply, child: TaskRef = CHILD, parent: TaskRef = REFUND, **times: Any) -> None:
    story.asks(RegisterChild, reply, parent, child=child, kind=OwnedKind.CHILD_TASK, owner="worker", epoch=1, **times)


def shows(story: Story, task: TaskRef, deadline_ns: int | None) -> None:
    story.looks(account(task, deadline_ns=deadline_ns), task)


def expired(task: TaskRef = REFUND, at_ns: int = 100) -> CancellationRecord:
    return record(task, causes=(cause(cause=Cause.DEADLINE, at_ns=at_ns),))


# -- DDL-1 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cap_ns", "shown_ns", "right"),
    [(None, 100, True), (None, 101, False), (None, None, False), (30, 40, True), (30, 41, False), (300, 100, True)],
)
def test_a_childs_deadline_is_the_earlier_of_its_parents_and_its_cap(
    cap_ns: int | None, shown_ns: int | None, right: bool
) -> None:
    story = lived()
    story.now_ns = 10
    registers(story, Done(), cap_ns=cap_ns)
    shows(story, CHILD, shown_ns)
    assert story.tested("DDL-1")
    assert story.broken == ([] if right else ["DDL-1"])


def test_a_gate_may_count_the_parents_deadline_without_the_reserve_or_keep_still_more() -> None:
    story = lived()
    registers(story, Done(), reserve_ns=20)
    shows(story, CHILD, 80)
    shows(story, CHILD, 50)
    assert not story.broken


def test_a_lifetime_shrinks_through_hops() -> None:
    story = lived()
    registers(story, Done(), cap_ns=30)
    registers(story, Done(), GRANDCHILD, CHILD, cap_ns=60)
    shows(story, GRANDCHILD, 30)
    assert not story.broken
    shows(story, GRANDCHILD, 60)
    assert story.broken == ["DDL-1"]
    assert "at 0.00000003s at the latest" in story.message


def test_a_repeat_does_not_move_it() -> None:
    story = lived()
    registers(story, Done(), cap_ns=30)
    story.now_ns = 20
    registers(story, ExistingChild(Stage.REQUESTED), cap_ns=30)
    shows(story, CHILD, 50)
    assert story.broken == ["DDL-1"]


def test_a_registration_whose_answer_was_lost_makes_only_the_parents_deadline_certain() -> None:
    story = lived()
    open_call = story.call(RegisterChild, child=CHILD, kind=OwnedKind.CHILD_TASK, owner="worker", epoch=1, cap_ns=30)
    story.dies()
    assert open_call
    story.now_ns = 20
    registers(story, ExistingChild(Stage.REQUESTED), cap_ns=30)
    shows(story, CHILD, 50)
    assert not story.broken
    shows(story, CHILD, 101)
    assert story.broken == ["DDL-1"]


def test_without_any_deadline_nothing_is_asked() -> None:
    story = lived(None)
    registers(story, Done())
    shows(story, CHILD, None)
    assert not story.tested("DDL-1")


def test_a_gate_without_deadlines_is_not_looked_at() -> None:
    story = lived(capabilities=frozenset())
    registers(story, Done(), minimum_ns=500)
    shows(story, CHILD, None)
    story.now_ns = 200
    story.commits(Admitted(2))
    assert not story.broken
    assert not story.docket.exercised


def test_a_number_that_the_gate_gave_tells_which_task_has_the_deadline() -> None:
    story = Story(*_deadlines.CHECKS)
    caller = Caller("ann", "acme", tuple(Right))
    request = OpenTask(call_id="open", caller=caller, now_ns=0, task=REFUND.key, deadline_ns=100)
    story.event(Called("open", "ann", 0, "open_task", request))
    story.event(Returned("open", "ann", "open_task", Opened(1)))
    story.begins()
    story.now_ns = 100
    story.commits(Admitted(2))
    assert story.broken == ["DDL-3"]


# -- DDL-2 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("now_ns", "right"), [(60, True), (70, True), (71, False)])
def test_a_child_without_time_before_the_reserve_is_rejected(now_ns: int, right: bool) -> None:
    story = lived()
    story.now_ns = now_ns
    registers(story, Done(), minimum_ns=10, reserve_ns=20)
    assert story.broken == ([] if right else ["DDL-2"])


@pytest.mark.parametrize(("now_ns", "right"), [(69, False), (70, True), (71, True)])
def test_a_child_that_fits_is_not_turned_away(now_ns: int, right: bool) -> None:
    story = lived()
    story.now_ns = now_ns
    registers(story, NoTime(), minimum_ns=10, reserve_ns=20)
    assert story.tested("DDL-2")
    assert story.broken == ([] if right else ["DDL-2"])


def test_a_cap_that_is_shorter_than_the_minimum_may_be_taken_either_way() -> None:
    for reply in (Done(), NoTime()):
        story = lived(None)
        registers(story, reply, cap_ns=5, minimum_ns=10)
        assert not story.broken


def test_a_parent_without_a_deadline_has_time() -> None:
    story = lived(None)
    registers(story, NoTime(), minimum_ns=10)
    assert story.broken == ["DDL-2"]


def test_a_child_of_a_capped_child_has_only_that_long() -> None:
    story = lived()
    registers(story, Done(), cap_ns=30)
    story.now_ns = 25
    registers(story, Done(), GRANDCHILD, CHILD, minimum_ns=10)
    assert story.broken == ["DDL-2"]


def test_a_known_child_is_answered_as_before() -> None:
    story = lived()
    registers(story, Done(), minimum_ns=10)
    story.now_ns = 95
    registers(story, Done(), minimum_ns=10)
    assert not story.broken


# -- DDL-3 ------------------------------------------------------------------------------------------------


def works(story: Story) -> list[tuple[str, Any]]:
    """Ordinary work of every kind, each to be granted."""
    return [
        ("commit", lambda: story.commits(Admitted(2))),
        ("begin", story.begins),
        ("renew", lambda: story.asks(RenewLease, Renewed(200), epoch=1)),
        ("complete", lambda: story.asks(Complete, Won(), epoch=1, result_digest="r")),
        ("register", lambda: registers(story, Done())),
    ]


@pytest.mark.parametrize("which", range(5))
@pytest.mark.parametrize(("now_ns", "right"), [(99, True), (100, False), (101, False)])
def test_no_ordinary_work_goes_on_from_the_deadline_on(which: int, now_ns: int, right: bool) -> None:
    story = lived()
    story.now_ns = now_ns
    name, work = works(story)[which]
    work()
    assert ("DDL-3" in story.broken) is not right, name


def test_a_call_that_began_before_the_deadline_may_end_after_it() -> None:
    story = lived()
    story.now_ns = 99
    call = story.call(Complete, epoch=1, result_digest="r")
    story.now_ns = 101
    story.ends(call, Won())
    assert not story.broken


def test_a_child_does_not_start_after_its_cap() -> None:
    story = lived()
    registers(story, Done(), cap_ns=30)
    story.now_ns = 30
    story.asks(StartChild, Done(), child=CHILD)
    assert story.broken == ["DDL-3"]


def test_a_repeated_start_may_be_told_that_it_was_done() -> None:
    story = lived()
    registers(story, Done(), cap_ns=30)
    story.asks(StartChild, Done(), child=CHILD)
    story.now_ns = 30
    story.asks(StartChild, Done(), child=CHILD)
    assert not story.broken


def look(shown: CancellationRecord | None, execution: Execution) -> Snapshot:
    return account(REFUND, shown, execution, deadline_ns=100)


@pytest.mark.parametrize(
    ("shown", "execution", "right"),
    [
        (expired(), Execution.DRAINING, True),
        (expired(at_ns=130), Execution.CANCELLED_SETTLED, True),
        (None, Execution.RUNNING, False),
        (None, Execution.COMPLETED, True),
        (record(), Execution.DRAINING, False),
        (expired(at_ns=99), Execution.DRAINING, False),
    ],
)
def test_an_account_after_the_deadline_shows_the_expiry(
    shown: CancellationRecord | None, execution: Execution, right: bool
) -> None:
    story = lived()
    story.now_ns = 150
    story.looks(look(shown, execution))
    assert story.broken == ([] if right else ["DDL-3"])


def test_a_stop_before_the_deadline_is_the_first_cause() -> None:
    story = lived()
    story.now_ns = 50
    story.stop(Accepted(record()))
    story.now_ns = 150
    story.commits(Stopped(record()))
    assert not story.tested("DDL-3")
    story.looks(look(record(), Execution.DRAINING))
    assert story.tested("DDL-3")
    assert not story.broken


def test_a_stop_after_the_deadline_comes_second() -> None:
    story = lived()
    story.now_ns = 150
    story.stop(Accepted(record()))
    story.looks(look(record(), Execution.DRAINING))
    assert story.broken == ["DDL-3"]


def test_an_owners_stop_may_have_cut_the_child_off() -> None:
    story = lived()
    registers(story, Done())
    story.stop(Accepted(record()))
    story.now_ns = 150
    cut_off = record(CHILD, causes=(cause(cause=Cause.PARENT),))
    story.looks(account(CHILD, cut_off, Execution.DRAINING, deadline_ns=100), CHILD)
    assert not story.broken
