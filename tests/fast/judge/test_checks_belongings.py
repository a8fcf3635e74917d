"""Checks of ESC-5, ESC-7 and ESC-9 on histories written by hand: stories that break a clause, and right ones."""

from __future__ import annotations

import msgspec
import pytest

from stopcheck import gate as g
from stopcheck.judge._checks import Check
from stopcheck.judge.checks import _capacity as capacity
from stopcheck.judge.checks import _cleanup as cleanup
from tests.fast.judge.history import CONTRACT, REFUND, Story, record, ref

SECOND = g.SECOND_NS
ENDS = CONTRACT.cleanup_ns
OTHER = ref("other")


# -- clean-up ---------------------------------------------------------------------------------------------


def making(check: type[Check] = cleanup.CleanupIsShielded, contract: g.GateContract = CONTRACT) -> Story:
    """The task has begun a draft and finished a report."""
    story = Story(check, contract=contract)
    story.asks(g.NoteArtefact, g.Done(), epoch=1, artefact="draft")
    story.asks(g.NoteArtefact, g.Done(), epoch=1, artefact="report", finished=True)
    return story


def cleaning(check: type[Check] = cleanup.CleanupIsShielded) -> Story:
    """It was stopped, and a clean-up has begun under epoch 7."""
    story = making(check)
    story.stop(g.Accepted(record()))
    story.asks(g.BeginCleanup, g.CleanupGranted(7, ENDS), cleaner="janitor")
    return story


def clears(story: Story, reply: g.Reply, artefact: str = "draft", epoch: int = 7) -> Story:
    """The cleaner asks."""
    story.asks(g.CleanUp, reply, epoch=epoch, artefact=artefact)
    return story


def test_a_clean_up_begins_after_the_stop() -> None:
    for reply in (g.Void(), g.Refused(g.RefusalReason.FORBIDDEN)):
        story = making()
        story.stop(g.Accepted(record()))
        story.asks(g.BeginCleanup, reply, cleaner="janitor")
        assert story.broken == ["ESC-5"]
        assert "must not take that away" in story.message


def test_a_clean_up_that_comes_too_late_or_before_the_stop_may_be_turned_away() -> None:
    story = making()
    story.asks(g.BeginCleanup, g.Refused(g.RefusalReason.UNRESOLVABLE), cleaner="janitor")
    story.stop(g.Accepted(record()))
    story.now_ns = ENDS
    story.asks(g.BeginCleanup, g.Void(), cleaner="janitor")
    assert not story.broken


def test_one_at_a_time_is_right() -> None:
    story = cleaning()
    story.asks(g.BeginCleanup, g.Busy(), cleaner="another")
    clears(story, g.Removable())
    assert story.tested("ESC-5")
    assert not story.broken


def test_its_deadline_counts_from_the_cutoff() -> None:
    story = making()
    story.stop(g.Accepted(record()))
    story.now_ns = SECOND
    story.asks(g.BeginCleanup, g.CleanupGranted(7, SECOND + ENDS), cleaner="janitor")
    assert story.broken == ["ESC-5"]
    assert "counts from the cutoff" in story.message


def test_its_deadline_is_stricter_than_the_budget() -> None:
    contract = msgspec.structs.replace(CONTRACT, cleanup_ns=CONTRACT.reconciliation_budget_ns)
    story = making(contract=contract)
    story.stop(g.Accepted(record()))
    story.asks(g.BeginCleanup, g.CleanupGranted(7, 1), cleaner="janitor")
    assert story.broken == ["ESC-5"]
    assert "no stricter" in story.message


def test_a_repeated_stop_leaves_it_alone() -> None:
    story = cleaning()
    story.stop(g.ExistingRecord(record()))
    clears(story, g.StaleLease(8))
    assert story.broken == ["ESC-5"]
    assert "shielded" in story.message


def test_what_may_have_been_finished_may_be_kept() -> None:
    story = making()
    story.call(g.NoteArtefact, epoch=1, artefact="draft", finished=True)  # nobody knows what became of it
    story.stop(g.Accepted(record()))
    story.asks(g.BeginCleanup, g.CleanupGranted(7, ENDS), cleaner="janitor")
    clears(story, g.Kept())
    assert not story.broken


def test_after_its_time_nothing_is_removed() -> None:
    story = cleaning()
    story.now_ns = ENDS
    clears(story, g.StaleLease(7))
    assert not story.broken
    clears(story, g.Removable())
    assert story.broken == ["ESC-5"]
    assert "deadline of its own" in story.message


def test_a_superseded_clean_up_may_be_told_so() -> None:
    story = cleaning()
    story.asks(g.BeginCleanup, g.CleanupGranted(8, ENDS), cleaner="another")
    clears(story, g.StaleLease(8), epoch=7)
    assert not story.broken


def test_under_its_epoch_there_is_no_new_work() -> None:
    story = cleaning()
    story.asks(g.NoteArtefact, g.Done(), epoch=7, artefact="another")
    assert story.broken == ["ESC-5"]
    assert "no authority for new work" in story.message
    story = cleaning()
    story.asks(g.NoteArtefact, g.Stopped(record()), epoch=7, artefact="another")
    assert not story.broken


def test_a_finished_deliverable_is_kept() -> None:
    story = clears(cleaning(cleanup.CleanupTouchesItsOwn), g.Kept(), "report")
    assert story.tested("ESC-7")
    assert not story.broken
    clears(story, g.Removable(), "report")
    assert story.broken == ["ESC-7"]


def test_only_what_the_task_made_is_removed() -> None:
    story = cleaning(cleanup.CleanupTouchesItsOwn)
    story.asks(g.NoteArtefact, g.Done(), task=story.task(OTHER), epoch=1, artefact="others")
    clears(story, g.NotOwned(), "others")
    assert not story.broken
    clears(story, g.Removable(), "others")
    assert story.broken == ["ESC-7"]
    assert "never made it" in story.message


def test_what_a_descendant_made_goes_with_a_cancelled_subtree() -> None:
    story = making(cleanup.CleanupTouchesItsOwn)
    child = story.task(ref("child"), REFUND)
    story.asks(g.RegisterChild, g.Done(), epoch=1, child=child, kind=g.OwnedKind.CHILD_TASK, owner="w")
    story.asks(g.NoteArtefact, g.Done(), task=child, epoch=1, artefact="childs")
    story.stop(g.Accepted(record(scope=g.Scope.SUBTREE)), scope=g.Scope.SUBTREE)
    clears(story, g.Removable(), "childs")
    assert not story.broken


# -- capacity ---------------------------------------------------------------------------------------------


def held() -> Story:
    """The task's worker holds the only slot, under epoch 1."""
    story = Story(capacity.ReleasedOnce)
    begins(story)
    holds(story, g.SlotHeld())
    return story


def begins(story: Story, on: g.TaskRef = REFUND, epoch: int = 1) -> None:
    """A worker has a lease that lasts."""
    reply = g.LeaseGranted(epoch, 1000 * SECOND)
    story.asks(g.BeginWork, reply, on, worker=f"worker {epoch}", delivery_id="d", trigger=g.Trigger.REPLACEMENT)


def holds(story: Story, reply: g.Reply, on: g.TaskRef = REFUND, epoch: int = 1, limit: int = 1) -> None:
    """Somebody wants a slot."""
    story.asks(g.HoldSlot, reply, on, epoch=epoch, pool="licence", limit=limit)


def gives_back(story: Story, reply: g.Reply, on: g.TaskRef = REFUND, epoch: int = 1) -> None:
    """Somebody returns one."""
    story.asks(g.ReturnSlot, reply, on, epoch=epoch, pool="licence")


def rival(story: Story) -> g.TaskRef:
    """Another task with a worker under the same epoch."""
    other = story.task(OTHER)
    begins(story, other)
    return other


def test_no_pool_has_one_holder_too_many() -> None:
    story = held()
    other = rival(story)
    holds(story, g.PoolFull(), other)
    assert story.tested("ESC-9")
    assert not story.broken
    holds(story, g.SlotHeld(), other, limit=2)
    assert not story.broken
    holds(story, g.SlotHeld(), other)
    assert story.broken == ["ESC-9"]


@pytest.mark.parametrize(("second", "broken"), [(g.SlotHeld(), ["ESC-9"]), (g.PoolFull(), [])], ids=["both", "one"])
def test_of_two_who_come_at_the_same_time_one_gets_the_slot(second: g.Reply, broken: list[str]) -> None:
    story = Story(capacity.ReleasedOnce)
    begins(story)
    other = rival(story)
    one, two = (story.call(g.HoldSlot, on, epoch=1, pool="licence", limit=1) for on in (REFUND, other))
    story.ends(one, g.SlotHeld())
    story.ends(two, second)
    assert story.broken == broken


def test_a_slot_that_was_given_back_meanwhile_may_be_anothers() -> None:
    story = Story(capacity.ReleasedOnce)
    begins(story)
    other = rival(story)
    late = story.call(g.HoldSlot, other, epoch=1, pool="licence", limit=1)
    holds(story, g.SlotHeld())
    gives_back(story, g.SlotReturned())
    story.ends(late, g.SlotHeld())
    assert not story.broken


def test_a_return_by_an_old_epoch_frees_nothing() -> None:
    story = held()
    begins(story, epoch=2)
    holds(story, g.SlotHeld(), epoch=2)
    gives_back(story, g.AlreadyReturned(), epoch=1)
    other = rival(story)
    holds(story, g.SlotHeld(), other)
    assert story.broken == ["ESC-9"]
    assert "by its own epoch" in story.message


def test_a_stop_may_free_the_slot_at_once() -> None:
    story = held()
    other = rival(story)
    story.stop(g.Accepted(record()))
    holds(story, g.SlotHeld(), other)
    assert not story.broken


def test_what_was_given_back_or_proved_stopped_is_to_be_had() -> None:
    for proof in ("return", "word", "probe", "lease"):
        story = held()
        other = rival(story)
        story.stop(g.Accepted(record()))
        holds(story, g.PoolFull(), other)
        assert not story.broken, proof
        if proof == "return":
            gives_back(story, g.SlotReturned())
        elif proof == "word":
            word = g.AckStrength.HANDLER_STOPPED
            story.asks(g.Acknowledge, g.Recorded(), epoch=1, strength=word, record_revision=1)
        elif proof == "probe":
            story.asks(g.RecordProbe, g.Recorded(), worker="worker 1", result=g.ProbeResult.GONE)
        else:
            story.asks(g.ReleaseLease, g.Done(), epoch=1)
        holds(story, g.PoolFull(), other)
        assert story.broken == ["ESC-9"], proof


def test_a_weaker_word_frees_nothing_for_certain() -> None:
    story = held()
    other = rival(story)
    story.stop(g.Accepted(record()))
    story.asks(g.Acknowledge, g.Recorded(), epoch=1, strength=g.AckStrength.OBSERVED, record_revision=1)
    story.asks(g.RecordProbe, g.Recorded(), worker="worker 1", result=g.ProbeResult.DESCENDANTS_LIVE)
    holds(story, g.PoolFull(), other)
    assert not story.broken


def test_a_slot_is_given_back_once() -> None:
    story = held()
    gives_back(story, g.SlotReturned())
    gives_back(story, g.AlreadyReturned())
    assert story.tested("ESC-9")
    assert not story.broken
    gives_back(story, g.SlotReturned())
    assert story.broken == ["ESC-9"]


def test_a_slot_that_was_taken_again_is_given_back_again() -> None:
    story = held()
    gives_back(story, g.SlotReturned())
    holds(story, g.SlotHeld())
    gives_back(story, g.SlotReturned())
    assert not story.broken


def test_a_slot_that_was_taken_again_is_not_to_be_had() -> None:
    story = held()
    other = rival(story)
    gives_back(story, g.SlotReturned())
    holds(story, g.SlotHeld())
    holds(story, g.PoolFull(), other)
    assert not story.broken
