"""Checks of ADM, on histories written by hand: what they fail, and what they leave to the gate."""

from __future__ import annotations

import pytest

from stopcheck.gate import (
    Accepted,
    Admitted,
    AlreadyClaimed,
    BeginWork,
    ClaimDispatch,
    ClaimGranted,
    CommitEffect,
    Complete,
    Disposition,
    Done,
    Ended,
    Execution,
    ExistingEffect,
    FireRetry,
    Indefinite,
    Inspect,
    LeaseGranted,
    NotAdmitted,
    PayloadMismatch,
    ReleaseLease,
    Renewed,
    RenewLease,
    Reply,
    Resend,
    Resolved,
    Retry,
    RetryFired,
    RevokeLease,
    StaleLease,
    Stopped,
    Trigger,
    Unverified,
    Won,
)
from stopcheck.judge.checks import _admission as adm
from tests.fast.judge.history import REFUND, Story, account, line, record, ref, with_effect

GRANTED = ClaimGranted("permit", 1)
PENDING = ExistingEffect(Disposition.PENDING)
STOPPED = Stopped(record())


# -- ADM-1 ------------------------------------------------------------------------------------------------


def test_a_commitment_that_began_after_the_cutoff_was_known_is_not_admitted() -> None:
    story = with_effect(adm.CommitAfterCutoff)
    story.stop(Accepted(record()))
    story.commits(Admitted(6))
    assert story.broken == ["ADM-1"]
    assert "mail-1" in story.message
    assert "c-1" in story.message


@pytest.mark.parametrize("reply", [STOPPED, StaleLease(1), PENDING, PayloadMismatch(), Ended(Execution.FAILED)])
def test_any_other_answer_after_the_cutoff_is_fine(reply: Reply) -> None:
    story = with_effect(adm.CommitAfterCutoff)
    story.stop(Accepted(record()))
    story.commits(reply)
    assert story.tested("ADM-1")
    assert not story.broken


def test_a_commitment_that_overlapped_with_the_stop_may_be_admitted() -> None:
    story = with_effect(adm.CommitAfterCutoff)
    commit = story.call(CommitEffect, **story.committing())
    story.stop(Accepted(record()))
    story.ends(commit, Admitted(1))
    assert not story.tested("ADM-1")
    assert not story.broken


def test_an_ancestors_record_is_looked_at_elsewhere() -> None:
    story = with_effect(adm.CommitAfterCutoff)
    story.stop(Accepted(record(ref("invoice"))), ref("invoice"))
    story.commits(Admitted(1))
    assert not story.broken


# -- ADM-2 ------------------------------------------------------------------------------------------------


def test_nothing_arrives_that_was_never_admitted() -> None:
    story = with_effect(adm.NothingUnadmitted)
    story.commits(STOPPED)
    story.arrives()
    assert story.broken == ["ADM-2"]


def test_an_effect_that_nobody_declared_was_not_admitted() -> None:
    story = Story(adm.NothingUnadmitted)
    story.arrives("mail-9")
    assert story.broken == ["ADM-2"]


def test_no_permit_for_what_was_never_admitted() -> None:
    story = with_effect(adm.NothingUnadmitted)
    story.claims(GRANTED)
    assert story.broken == ["ADM-2"]


def test_what_was_admitted_may_arrive() -> None:
    story = with_effect(adm.NothingUnadmitted)
    story.claims(NotAdmitted())
    story.commits(Admitted(1))
    story.claims(GRANTED)
    story.arrives()
    assert story.tested("ADM-2")
    assert not story.broken


def test_an_open_or_interrupted_commitment_may_have_admitted() -> None:
    story = with_effect(adm.NothingUnadmitted)
    story.call(CommitEffect, **story.committing())
    story.arrives()
    story.dies()
    story.arrives()
    assert not story.broken


# -- ADM-4 ------------------------------------------------------------------------------------------------


def admitted_and_stopped(revision: int = 1) -> Story:
    story = with_effect(adm.AdmittedBeforeCutoff)
    story.commits(Admitted(revision))
    story.stop(Accepted(record()))
    return story


@pytest.mark.parametrize("effects", [(), (line(revision=5),), (line(revision=6),)])
def test_an_effect_that_won_is_reported_as_admitted_before(effects: tuple[object, ...]) -> None:
    story = admitted_and_stopped()
    story.looks(account(REFUND, record(), effects=effects))
    assert story.broken == ["ADM-4"]


def test_an_admission_told_with_a_later_revision_than_the_cutoff() -> None:
    story = admitted_and_stopped(revision=6)
    story.looks(account(REFUND, record(), effects=(line(),)))
    assert story.broken == ["ADM-4"]


def test_an_admission_that_overtook_the_stops_answer_is_before_it() -> None:
    story = with_effect(adm.AdmittedBeforeCutoff)
    commit = story.call(CommitEffect, **story.committing())
    story.stop(Accepted(record()))
    story.ends(commit, Admitted(7))
    assert story.broken == ["ADM-4"]


@pytest.mark.parametrize("claimed", [True, False])
def test_an_effect_shown_with_an_earlier_revision_is_fine(claimed: bool) -> None:
    story = admitted_and_stopped()
    story.looks(account(REFUND, record(), effects=(line(claimed=claimed),)))
    assert story.tested("ADM-4")
    assert not story.broken


def test_a_reading_that_began_before_the_admission_need_not_show_it() -> None:
    story = with_effect(adm.AdmittedBeforeCutoff)
    reader = story.call(Inspect)
    story.commits(Admitted(1))
    story.stop(Accepted(record()))
    story.ends(reader, account(REFUND, record()))
    assert not story.broken


def test_revisions_of_an_owner_and_a_child_are_not_compared() -> None:
    story = with_effect(adm.AdmittedBeforeCutoff)
    story.commits(Admitted(8))
    story.looks(account(REFUND, record(ref("claim")), effects=(line(revision=8),)))
    assert not story.broken


# -- ADM-5 ------------------------------------------------------------------------------------------------


def bound() -> Story:
    story = with_effect(adm.OnePayload)
    story.commits(Admitted(1))
    return story


@pytest.mark.parametrize(("payload", "reply"), [("q", PENDING), ("q", Admitted(2)), ("p", Admitted(2))])
def test_an_id_is_bound_to_its_payload(payload: str, reply: Reply) -> None:
    story = bound()
    story.commits(reply, payload_digest=payload)
    assert story.broken == ["ADM-5"]


def test_the_same_effect_is_not_a_mismatch() -> None:
    story = bound()
    story.commits(PayloadMismatch())
    assert story.broken == ["ADM-5"]


@pytest.mark.parametrize(
    ("payload", "reply"), [("p", PENDING), ("q", PayloadMismatch()), ("q", STOPPED), ("p", StaleLease(2))]
)
def test_the_same_effect_exists_another_payload_is_refused(payload: str, reply: Reply) -> None:
    story = bound()
    story.commits(reply, payload_digest=payload)
    assert not story.broken


def test_two_overlapping_commitments_are_not_both_admitted() -> None:
    story = with_effect(adm.OnePayload)
    first, second = (story.call(CommitEffect, **story.committing(payload_digest=p)) for p in "pq")
    story.ends(first, Admitted(1))
    story.ends(second, Admitted(2))
    assert story.broken == ["ADM-5"]


def test_the_same_id_of_another_task_is_not_the_same_effect() -> None:
    story = bound()
    other = story.task(ref("invoice"))
    story.commits(PayloadMismatch(), other)
    assert not story.broken


# -- ADM-6 ------------------------------------------------------------------------------------------------


def stale(how: str) -> Story:
    story = with_effect(adm.StaleLease)
    story.begins(LeaseGranted(1, 100))
    if how == "superseded":
        story.begins(LeaseGranted(2, 200), worker="other")
    elif how == "released":
        story.asks(ReleaseLease, Done(), epoch=1)
    elif how == "revoked":
        story.asks(RevokeLease, Done(), epoch=1)
    return story


LATE = {"superseded": 50, "released": 50, "revoked": 50, "expired": 100}


@pytest.mark.parametrize("how", LATE)
def test_a_stale_lease_commits_completes_and_renews_nothing(how: str) -> None:
    story = stale(how)
    now = LATE[how]
    story.commits(Admitted(1), now_ns=now)
    story.asks(Complete, Won(), epoch=1, result_digest="r", now_ns=now)
    story.asks(RenewLease, Renewed(300), epoch=1, now_ns=now)
    assert story.broken == ["ADM-6"] * 3
    assert how in story.message


@pytest.mark.parametrize("how", LATE)
@pytest.mark.parametrize("reply", [StaleLease(2), STOPPED, PENDING, Ended(Execution.COMPLETED)])
def test_any_refusal_of_a_stale_lease_is_fine(how: str, reply: Reply) -> None:
    story = stale(how)
    story.commits(reply, now_ns=LATE[how])
    story.asks(Complete, Unverified(("mail-1",)), epoch=1, result_digest="r", now_ns=LATE[how])
    assert story.tested("ADM-6")
    assert not story.broken


@pytest.mark.parametrize(("how", "now"), [("expired", 99), ("none", 0)])
def test_a_lease_that_may_be_current_is_not_judged(how: str, now: int) -> None:
    story = stale(how)
    story.commits(Admitted(1), now_ns=now)
    assert not story.tested("ADM-6")
    assert not story.broken


@pytest.mark.parametrize("renewal", [Renewed(300), None, Indefinite()])
def test_a_lease_that_may_have_been_renewed_has_not_expired(renewal: Reply | None) -> None:
    story = stale("expired")
    call = story.call(RenewLease, epoch=1, now_ns=50)
    if renewal is not None:
        story.ends(call, renewal)
    story.commits(Admitted(1), now_ns=150)
    assert not story.broken


def test_a_commitment_that_overlapped_with_the_new_lease_may_be_admitted() -> None:
    story = stale("none")
    commit = story.call(CommitEffect, **story.committing())
    story.begins(LeaseGranted(2, 200))
    story.ends(commit, Admitted(1))
    assert not story.broken


@pytest.mark.parametrize(("reply", "right"), [(Renewed(300), False), (STOPPED, True), (StaleLease(1), True)])
def test_after_the_cutoff_no_lease_is_renewed(reply: Reply, right: bool) -> None:
    story = stale("none")
    story.stop(Accepted(record()))
    story.asks(RenewLease, reply, epoch=1)
    assert story.tested("ADM-6")
    assert story.broken == ([] if right else ["ADM-6"])


def two_begin(story: Story, *epochs: int, workers: tuple[str, str] = ("anna", "ben")) -> None:
    """Two ask for a lease at the same time."""
    calls = [story.call(BeginWork, worker=worker, delivery_id="d", trigger=Trigger.FIRST) for worker in workers]
    for call_id, epoch in zip(calls, epochs, strict=True):
        story.ends(call_id, LeaseGranted(epoch, 100))


def test_an_epoch_has_one_holder() -> None:
    story = Story(adm.OneHolderPerEpoch)
    two_begin(story, 1, 2)
    assert story.tested("ADM-6")
    assert not story.broken
    story.asks(FireRetry, RetryFired(2), retry_id="r", worker="clara")
    assert story.broken == ["ADM-6"]
    assert "clara under epoch 2" in story.message


def test_a_worker_that_begins_again_may_have_the_epoch_that_it_had() -> None:
    story = Story(adm.OneHolderPerEpoch)
    two_begin(story, 1, 1, workers=("anna", "anna"))
    assert not story.broken


def test_after_a_death_epochs_are_not_compared() -> None:
    story = Story(adm.OneHolderPerEpoch)
    story.begins(worker="anna")
    story.dies()
    story.begins(worker="ben")
    assert not story.broken


# -- ADM-7 ------------------------------------------------------------------------------------------------


def test_a_receiver_commits_an_id_once() -> None:
    story = with_effect(adm.AtMostOnce)
    story.arrives()
    assert not story.broken
    story.arrives()
    assert story.broken == ["ADM-7"]


def claimed(*, stopped: bool, idempotent: bool = True) -> Story:
    story = with_effect(adm.AtMostOnce, idempotent=idempotent)
    story.commits(Admitted(1))
    story.claims(GRANTED, idempotent=idempotent)
    if stopped:
        story.stop(Accepted(record()))
    return story


@pytest.mark.parametrize("reply", [Resend("permit-2", 2), ClaimGranted("permit-2", 2)])
@pytest.mark.parametrize(("stopped", "idempotent"), [(True, True), (False, False)])
def test_no_second_permit_after_the_cutoff_or_without_idempotence(
    reply: Reply, stopped: bool, idempotent: bool
) -> None:
    story = claimed(stopped=stopped, idempotent=idempotent)
    story.claims(reply, idempotent=idempotent)
    assert story.broken == ["ADM-7"]


@pytest.mark.parametrize("reply", [Resend("permit-2", 2), ClaimGranted("permit-2", 2), AlreadyClaimed()])
def test_an_idempotent_receiver_may_be_asked_again_before_the_cutoff(reply: Reply) -> None:
    story = claimed(stopped=False)
    story.claims(reply)
    assert story.tested("ADM-7")
    assert not story.broken


@pytest.mark.parametrize("reply", [AlreadyClaimed(), Resolved(Disposition.COMPLETED), Retry()])
def test_look_ups_are_left_after_the_cutoff(reply: Reply) -> None:
    story = claimed(stopped=True)
    story.claims(reply)
    assert not story.broken


def test_the_first_claim_may_come_after_the_cutoff() -> None:
    story = with_effect(adm.AtMostOnce)
    story.commits(Admitted(1))
    story.stop(Accepted(record()))
    story.claims(GRANTED)
    assert not story.broken


def test_a_claim_whose_answer_a_death_swallowed_was_perhaps_not_given() -> None:
    story = with_effect(adm.AtMostOnce, idempotent=False)
    story.commits(Admitted(1))
    story.call(ClaimDispatch, effect_id="mail-1", idempotent_receiver=False)
    story.dies()
    story.stop(Accepted(record()))
    story.claims(GRANTED, idempotent=False)
    assert not story.broken
