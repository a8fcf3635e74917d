"""Checks of SUP, on histories written by hand: what they fail, and what they leave to the gate."""

from __future__ import annotations

import msgspec
import pytest

from stopcheck.gate import (
    Accepted,
    Admitted,
    AlreadyClaimed,
    Capability,
    ClaimDispatch,
    ClaimGranted,
    Disposition,
    NoEvidence,
    NotAdmitted,
    Recorded,
    RecordOutcome,
    RefusalReason,
    Refused,
    Reply,
    Resolved,
    Sender,
    Snapshot,
    Suppress,
    SuppressedAlready,
    SuppressionDone,
    TooLate,
)
from stopcheck.judge.checks import _suppression as sup
from tests.fast.judge.history import CONTRACT, REFUND, Story, account, line, record, with_effect

GRANTED = ClaimGranted("permit", 1)


def suppressed(story: Story, reply: Reply) -> None:
    story.asks(Suppress, reply, effect_id="mail-1")


def test_a_suppressed_effect_never_arrives() -> None:
    story = with_effect(sup.SuppressedNeverArrives)
    suppressed(story, SuppressionDone(3))
    story.arrives()
    assert story.broken == ["SUP-2"]


def test_what_has_arrived_was_not_suppressed() -> None:
    story = with_effect(sup.SuppressedNeverArrives)
    story.arrives()
    suppressed(story, SuppressionDone(3))
    assert story.broken == ["SUP-2"]


@pytest.mark.parametrize(("reply", "tested"), [(SuppressionDone(3), True), (TooLate(), False)])
def test_the_receivers_truth_puts_a_suppression_to_the_test(reply: Reply, tested: bool) -> None:
    story = with_effect(sup.SuppressedNeverArrives)
    suppressed(story, reply)
    story.rests(mail_1=0)
    assert story.tested("SUP-2") is tested
    assert not story.broken


def test_a_claimed_effect_is_not_suppressed() -> None:
    story = with_effect(sup.TooLateAfterClaim)
    story.claims(GRANTED)
    suppressed(story, SuppressionDone(3))
    story.looks(account(effects=(line(disposition=Disposition.SUPPRESSED),)))
    assert story.broken == ["SUP-3", "SUP-3"]


@pytest.mark.parametrize("reply", [TooLate(), Resolved(Disposition.COMPLETED)])
def test_too_late_is_the_answer_after_a_claim(reply: Reply) -> None:
    story = with_effect(sup.TooLateAfterClaim)
    story.claims(GRANTED)
    suppressed(story, reply)
    assert story.tested("SUP-3")
    assert not story.broken


def test_suppression_and_claim_that_overlap_are_ordered_elsewhere() -> None:
    story = with_effect(sup.TooLateAfterClaim)
    suppression = story.call(Suppress, effect_id="mail-1")
    story.claims(GRANTED)
    story.ends(suppression, SuppressionDone(3))
    assert not story.tested("SUP-3")
    assert not story.broken


WITHOUT = msgspec.structs.replace(CONTRACT, capabilities=frozenset())


def admitted_then_stopped(**changes: object) -> Story:
    story = Story(sup.DeliveredWithoutSuppression, contract=msgspec.structs.replace(WITHOUT, **changes))
    story.effect()
    story.commits(Admitted(1))
    story.stop(Accepted(record()))
    return story


@pytest.mark.parametrize(
    "reply", [NotAdmitted(), SuppressedAlready(), AlreadyClaimed(), Refused(RefusalReason.UNKNOWN)]
)
def test_without_suppression_what_was_admitted_is_handed_out(reply: Reply) -> None:
    story = admitted_then_stopped()
    story.claims(reply)
    assert story.broken == ["SUP-4"]


@pytest.mark.parametrize(
    "entry",
    [line(claimed=True), line(disposition=Disposition.COMPLETED), line(claimed=True, disposition=Disposition.UNKNOWN)],
)
def test_a_delivery_after_the_cutoff_is_shown(entry: object) -> None:
    story = admitted_then_stopped()
    story.claims(GRANTED)
    story.looks(account(REFUND, record(), effects=(entry,)))
    assert story.tested("SUP-4")
    assert not story.broken


@pytest.mark.parametrize("effects", [(), (line(),), (line(claimed=True, disposition=Disposition.SUPPRESSED),)])
def test_a_delivery_after_the_cutoff_is_not_hidden(effects: tuple[object, ...]) -> None:
    story = admitted_then_stopped()
    story.claims(GRANTED)
    story.looks(account(REFUND, record(), effects=effects))
    assert story.broken == ["SUP-4"]


def test_somebody_elses_claim_explains_another_answer() -> None:
    story = admitted_then_stopped()
    story.call(ClaimDispatch, effect_id="mail-1", idempotent_receiver=True)
    story.claims(AlreadyClaimed())
    assert not story.tested("SUP-4")
    assert not story.broken


def test_evidence_explains_that_it_is_resolved() -> None:
    story = admitted_then_stopped()
    story.asks(RecordOutcome, Recorded(), effect_id="mail-1", evidence=NoEvidence("fenced, somebody says"))
    story.claims(Resolved(Disposition.NOT_EXECUTED))
    assert not story.broken


@pytest.mark.parametrize("changes", [{"capabilities": frozenset((Capability.SUPPRESSION,))}, {"sender": Sender.GATE}])
def test_gates_of_another_kind_are_not_put_to_this_test(changes: dict[str, object]) -> None:
    story = admitted_then_stopped(**changes)
    story.claims(NotAdmitted())
    assert not story.tested("SUP-4")
    assert not story.broken


def test_snapshots_are_only_about_what_was_claimed() -> None:
    story = admitted_then_stopped()
    told: Snapshot = account(REFUND, record())
    story.looks(told)
    assert not story.broken
