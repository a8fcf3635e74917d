"""Checks of batches and of what was done in part, on histories written by hand: EFF-11 and EFF-12."""

from __future__ import annotations

import msgspec
import pytest

from stopcheck.gate import (
    Admitted,
    BadEvidence,
    CancellationClass,
    Disposition,
    EffectEntry,
    EffectsFacet,
    Evidence,
    Finding,
    ItemEntry,
    NoEvidence,
    Receipt,
    ReceiptEvidence,
    Recorded,
    RecordOutcome,
    Reply,
    Snapshot,
)
from stopcheck.judge.checks._batches import ItemsAreAccounted, PartialIsMarked
from stopcheck.world import EffectDeclared
from stopcheck.world._receivers import _signature
from tests.fast.judge.history import REFUND, Story, account

COMPLETED, REJECTED, UNKNOWN, PENDING = (
    Disposition.COMPLETED,
    Disposition.REJECTED,
    Disposition.UNKNOWN,
    Disposition.PENDING,
)


def told(finding: Finding, item: str = "", **other: str) -> Evidence:
    unsigned = Receipt("mail", "mail-1", "p", finding, f"r-{item}-{finding}", "", item)
    signed = msgspec.structs.replace(unsigned, signature=_signature(unsigned))
    return ReceiptEvidence(msgspec.structs.replace(signed, **other))


def batch(*items: str) -> Story:
    story = Story(ItemsAreAccounted, PartialIsMarked)
    story.event(EffectDeclared(REFUND, "mail-1", "p", "mail", True, "authoritative", True, items))
    story.commits(Admitted(1), items=items)
    return story


def hears(story: Story, evidence: Evidence, item: str | None = None, reply: Reply | None = None) -> None:
    story.asks(RecordOutcome, reply or Recorded(), effect_id="mail-1", evidence=evidence, item=item)


def shows(
    disposition: Disposition, *items: Disposition, partial: bool = False, short: str = "", names: str = "abc"
) -> Snapshot:
    entries = tuple(ItemEntry(name, shown) for name, shown in zip(names, items, strict=False))
    entry = EffectEntry(
        "mail-1",
        "p",
        "mail",
        CancellationClass.IRREVERSIBLE,
        1,
        True,
        1,
        disposition,
        items=entries,
        partial=partial,
    )
    place = short or ("partial" if partial else "completed" if disposition is COMPLETED else "unknown")
    return msgspec.structs.replace(account(effects=(entry,)), ledger=EffectsFacet(**{place: ("mail-1",)}))


def mixed() -> Story:
    story = batch("a", "b")
    hears(story, told(Finding.EXECUTED, "a"), "a")
    hears(story, told(Finding.REJECTED, "b"), "b")
    return story


def test_items_that_come_to_different_ends_are_accounted_for() -> None:
    story = mixed()
    story.looks(shows(COMPLETED, COMPLETED, REJECTED, partial=True))
    assert story.tested("EFF-11")
    assert story.tested("EFF-12")
    assert not story.broken


@pytest.mark.parametrize("whole", [COMPLETED, REJECTED, UNKNOWN])
def test_a_gate_may_sum_up_a_batch_in_its_own_way(whole: Disposition) -> None:
    story = mixed()
    story.looks(shows(whole, COMPLETED, REJECTED, partial=whole is COMPLETED))
    assert not story.broken


def test_a_whole_that_lacks_an_item_does_not_look_complete() -> None:
    story = mixed()
    story.looks(shows(COMPLETED, COMPLETED, REJECTED))
    assert story.broken == ["EFF-12", "EFF-12"]
    story = mixed()
    story.looks(shows(COMPLETED, COMPLETED, REJECTED, partial=True, short="completed"))
    assert story.broken == ["EFF-12"]


def test_what_was_told_of_one_item_says_nothing_of_another() -> None:
    story = batch("a", "b")
    hears(story, told(Finding.EXECUTED, "a"), "a")
    story.looks(shows(COMPLETED, COMPLETED, COMPLETED))
    assert "EFF-11" in story.broken
    assert "item b" in story.message


def test_a_receipt_that_was_told_for_another_item_counts_for_neither() -> None:
    story = batch("a", "b")
    hears(story, told(Finding.EXECUTED, "a"), "b", BadEvidence())
    story.looks(shows(UNKNOWN, UNKNOWN, UNKNOWN))
    assert not story.broken
    story.looks(shows(UNKNOWN, UNKNOWN, COMPLETED))
    assert story.broken == ["EFF-11"]


def test_what_was_recorded_of_an_item_shows() -> None:
    story = mixed()
    story.looks(shows(UNKNOWN, COMPLETED, PENDING))
    assert story.broken == ["EFF-11"]


def test_a_batch_is_open_as_long_as_an_item_is() -> None:
    story = batch("a", "b")
    hears(story, told(Finding.EXECUTED, "a"), "a")
    hears(story, NoEvidence("timeout"), "b")
    story.looks(shows(UNKNOWN, COMPLETED, UNKNOWN))
    assert not story.broken
    story.looks(shows(COMPLETED, COMPLETED, UNKNOWN))
    assert "EFF-11" in story.broken
    assert "nothing definitive is known" in story.message


def test_every_item_is_listed() -> None:
    story = mixed()
    story.looks(shows(COMPLETED, COMPLETED, partial=True))
    assert story.broken == ["EFF-11"]


def test_a_receipt_for_the_whole_counts_for_each_item() -> None:
    story = batch("a", "b")
    hears(story, told(Finding.EXECUTED))
    story.looks(shows(COMPLETED, COMPLETED, COMPLETED))
    assert not story.broken


# -- what was done in part --------------------------------------------------------------------------------


def cut_short() -> Story:
    story = batch()
    hears(story, told(Finding.PARTIAL))
    return story


def test_what_was_cut_short_is_marked_or_absent() -> None:
    story = cut_short()
    story.looks(shows(COMPLETED, partial=True))
    story.looks(shows(UNKNOWN))
    assert story.tested("EFF-12")
    assert not story.broken


def test_what_was_cut_short_does_not_look_complete() -> None:
    story = cut_short()
    story.looks(shows(COMPLETED))
    assert set(story.broken) == {"EFF-12"}
    story = cut_short()
    story.looks(shows(COMPLETED, partial=True, short="completed"))
    assert story.broken == ["EFF-12"]


def test_who_was_also_told_that_it_is_whole_may_believe_that() -> None:
    story = cut_short()
    hears(story, told(Finding.EXECUTED))
    story.looks(shows(COMPLETED))
    assert not story.broken


def test_a_forged_word_marks_nothing() -> None:
    story = batch()
    hears(story, told(Finding.PARTIAL, signature="forged"), reply=BadEvidence())
    story.looks(shows(COMPLETED))
    assert not story.tested("EFF-12")
