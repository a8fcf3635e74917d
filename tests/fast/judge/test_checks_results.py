"""Checks of late results, on histories written by hand: RES-1, RES-2 and RES-3."""

from __future__ import annotations

from typing import Any

import pytest

from stopcheck.gate import (
    Accepted,
    BeginWork,
    CancellationClass,
    Complete,
    Done,
    FinishChild,
    HeldResult,
    Indefinite,
    LateResult,
    LeaseGranted,
    OfferResult,
    OwnedKind,
    Quarantined,
    Recall,
    Recalled,
    RegisterChild,
    Reply,
    RequestCancel,
    ResultPlace,
    Right,
    Scope,
    Stage,
    StaleLease,
    Stopped,
    Taken,
    Trigger,
    Won,
)
from stopcheck.judge.checks import _results as results
from tests.fast.judge.history import REFUND, Story, account, record, ref

OFFER: dict[str, Any] = {
    "target": "search",
    "place": ResultPlace.CACHE,
    "authority_version": 1,
    "result_digest": "found",
}
JOB = ref("job")


def story() -> Story:
    told = Story(results.LateResultsQuarantined, results.OldVersionRejected)
    told.begins()
    return told


def offers(told: Story, reply: Reply, **fields: Any) -> None:
    told.asks(OfferResult, reply, **{**OFFER, **fields})


def recalls(told: Story, *digests: str, operation: str = "search") -> None:
    held = tuple(HeldResult(REFUND, operation, digest) for digest in digests)
    told.asks(Recall, Recalled(held), place=ResultPlace.CACHE)


# -- RES-1 ------------------------------------------------------------------------------------------------


def test_a_result_is_not_taken_after_the_cutoff() -> None:
    told = story()
    told.stop(Accepted(record()))
    offers(told, Taken())
    assert told.broken == ["RES-1"]


def test_a_result_is_not_taken_after_completion() -> None:
    told = story()
    told.asks(Complete, Won(), epoch=1, result_digest="done")
    offers(told, Taken())
    assert told.broken == ["RES-1"]
    assert "complete (call" in told.message


@pytest.mark.parametrize("reply", [Quarantined(), StaleLease(1)])
def test_whichever_way_a_late_result_is_turned_away_is_right(reply: Reply) -> None:
    told = story()
    told.stop(Accepted(record()))
    offers(told, reply)
    recalls(told)
    assert told.tested("RES-1")
    assert not told.broken


def test_an_offer_that_overlaps_with_the_stop_may_count_and_stay() -> None:
    told = story()
    offer = told.call(OfferResult, **OFFER)
    told.stop(Accepted(record()))
    told.ends(offer, Taken())
    recalls(told, "found")
    assert not told.broken


def test_what_was_quarantined_is_in_no_place_whoever_reads() -> None:
    told = story()
    stop = told.call(RequestCancel, **told.pressing())
    offers(told, Quarantined())
    told.ends(stop, Accepted(record()))
    recalls(told, "found")
    assert told.broken == ["RES-1"]
    assert "was answered Quarantined" in told.message


def test_a_repeated_offer_of_what_was_taken_in_time_takes_nothing_back() -> None:
    told = story()
    offers(told, Taken())
    told.stop(Accepted(record()))
    offers(told, Quarantined())
    recalls(told, "found")
    assert not told.broken


def test_an_offer_under_which_the_gate_died_may_have_counted() -> None:
    told = story()
    offers(told, Indefinite())
    told.stop(Accepted(record()))
    offers(told, Quarantined())
    recalls(told, "found")
    assert not told.broken


def test_a_place_may_forget() -> None:
    told = story()
    offers(told, Taken())
    recalls(told)
    assert not told.broken


def test_a_stop_of_another_task_makes_nothing_late() -> None:
    told = story()
    other = told.task(ref("other"))
    told.stop(Accepted(record(other, Scope.SUBTREE)), other, scope=Scope.SUBTREE)
    offers(told, Taken())
    assert not told.broken
    assert not told.tested("RES-1")


def test_what_was_quarantined_is_kept_as_evidence() -> None:
    told = story()
    told.stop(Accepted(record()))
    offers(told, Quarantined())
    told.looks(account(shown=record()))
    assert told.broken == ["RES-1"]
    kept = story()
    kept.stop(Accepted(record()))
    offers(kept, Quarantined())
    kept.looks(account(shown=record(), late_results=(LateResult("search", "found", 0),)))
    assert not kept.broken


def test_strangers_put_nothing_to_the_test() -> None:
    told = story()
    told.stop(Accepted(record()))
    offers(told, Quarantined(), rights=(Right.INSPECT,))
    assert not told.tested("RES-1")


# -- RES-2 ------------------------------------------------------------------------------------------------


def replaced() -> Story:
    told = story()
    told.begins(LeaseGranted(2, 100), worker="second")
    return told


def test_a_result_under_a_superseded_version_is_not_taken() -> None:
    told = replaced()
    offers(told, Taken())
    assert told.broken == ["RES-2"]


def test_a_result_under_the_current_version_is_taken_also_when_its_lease_is_over() -> None:
    told = replaced()
    offers(told, Taken(), authority_version=2, now_ns=1000)
    assert not told.broken
    assert not told.tested("RES-2")


def test_an_offer_that_overlaps_with_the_replacement_may_count() -> None:
    told = story()
    offer = told.call(OfferResult, **OFFER)
    told.begins(LeaseGranted(2, 100), worker="second")
    told.ends(offer, Taken())
    recalls(told, "found")
    assert not told.broken


def test_what_was_rejected_is_in_no_place() -> None:
    told = replaced()
    offers(told, StaleLease(2))
    assert told.tested("RES-2")
    recalls(told, "found")
    assert told.broken == ["RES-2"]


# -- RES-3 ------------------------------------------------------------------------------------------------


def job(declared: CancellationClass | None) -> Story:
    """A job was begun, the task stopped, and the job has finished."""
    told = story()
    told.task(JOB, REFUND)
    told.asks(
        RegisterChild,
        Done(),
        epoch=1,
        child=JOB,
        kind=OwnedKind.REMOTE_JOB,
        owner="worker",
        cancellation_class=declared,
    )
    told.stop(Accepted(record(scope=Scope.SUBTREE)), scope=Scope.SUBTREE)
    told.asks(FinishChild, Done(), child=JOB, stage=Stage.COMPLETED)
    return told


def test_the_result_of_a_job_without_a_stop_is_not_taken() -> None:
    told = job(CancellationClass.IRREVERSIBLE)
    offers(told, Taken(), target="job")
    assert told.broken == ["RES-1", "RES-3"]


def test_the_end_of_such_a_job_starts_no_turn() -> None:
    told = job(CancellationClass.IRREVERSIBLE)
    told.begins(LeaseGranted(2, 100), trigger=Trigger.TOOL_RESULT)
    assert told.broken == ["RES-3"]
    stopped = job(CancellationClass.IRREVERSIBLE)
    stopped.asks(BeginWork, Stopped(record()), worker="w", delivery_id="d", trigger=Trigger.TOOL_RESULT)
    assert stopped.tested("RES-3")
    assert not stopped.broken


@pytest.mark.parametrize("declared", [None, CancellationClass.COOPERATIVE, CancellationClass.DISCARDABLE])
def test_other_operations_put_nothing_to_that_test(declared: CancellationClass | None) -> None:
    told = job(declared)
    offers(told, Quarantined(), target="job")
    assert told.tested("RES-1")
    assert not told.tested("RES-3")
