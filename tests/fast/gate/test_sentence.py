"""What a person is told: as much as the facets prove, and no more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stopcheck.gate import (
    CancellationClass,
    CancellationRecord,
    Cause,
    CauseEntry,
    Disposition,
    EffectEntry,
    EffectsFacet,
    Execution,
    ExecutionFacet,
    Halt,
    IntentFacet,
    Scope,
    Snapshot,
    Status,
    TaskKey,
    TaskRef,
    WorkerFacet,
    sentence_for,
)

TASK = TaskRef(TaskKey("acme", "refund"), 1)
CUTOFF = 5


def effect(name: str, disposition: Disposition, *, claimed: bool = True, resolved: int | None = None) -> EffectEntry:
    kind = CancellationClass.IRREVERSIBLE
    return EffectEntry(name, "p", "mail", kind, 1, claimed, 1, disposition, resolved_revision=resolved)


def facet(effects: Iterable[EffectEntry]) -> EffectsFacet:
    places: dict[str, list[str]] = {"completed": [], "not_done": [], "pending": [], "unknown": []}
    for entry in effects:
        place = entry.disposition.value
        places[place if place in places else "not_done"].append(entry.effect_id)
    return EffectsFacet(**{name: tuple(ids) for name, ids in places.items()})


def shown(
    status: Status,
    *effects: EffectEntry,
    cause: Cause | None = None,
    workers: tuple[WorkerFacet, ...] = (),
    **more: Any,
) -> Snapshot:
    """A snapshot with that status; with ``cause`` it has a record."""
    record = None
    if cause is not None:
        entry = CauseEntry(CUTOFF, cause, "ann", "stop-1", "Stop pressed", Scope.TASK, 0)
        record = CancellationRecord("c-1", TASK, CUTOFF, Scope.TASK, (entry,))
    state = Execution.DRAINING if cause is not None else Execution.RUNNING
    return Snapshot(
        task=TASK,
        revision=9,
        execution=state,
        record=record,
        status=status,
        intent=IntentFacet(cause is not None, Scope.TASK if cause is not None else None),
        stopping=ExecutionFacet(state, workers),
        ledger=facet(effects),
        effects=effects,
        **more,
    )


D = Disposition
SENTENCES: list[tuple[Snapshot, str]] = [
    (shown(Status.CANCELLED, cause=Cause.USER), "Stopped; nothing had gone out."),
    (
        shown(Status.CANCELLED, effect("the mail", D.COMPLETED, resolved=4), cause=Cause.USER),
        "Stopped; the mail had already gone out.",
    ),
    (
        shown(Status.CANCELLED, effect("the mail", D.COMPLETED, resolved=6), cause=Cause.USER),
        "Stopped; the mail went out all the same.",
    ),
    (
        shown(
            Status.CANCELLED,
            effect("the mail", D.SUPPRESSED, claimed=False, resolved=6),
            effect("the file", D.REJECTED),
            effect("the note", D.NOT_EXECUTED),
            cause=Cause.DEADLINE,
        ),
        "Stopped when its time was over; the mail was withdrawn; the file and the note did not go out.",
    ),
    (shown(Status.CANCELLED, cause=Cause.PARENT), "Stopped with its owner; nothing had gone out."),
    (shown(Status.CANCELLED, cause=Cause.POLICY), "Stopped by a rule; nothing had gone out."),
    (
        shown(
            Status.STOP_REQUESTED,
            effect("the mail", D.PENDING, claimed=False),
            cause=Cause.USER,
            workers=(WorkerFacet("ada", stopped=False, fenced=False, proof="none"),),
        ),
        "A stop was requested; the mail waits to be sent; whether ada has stopped is not known.",
    ),
    (
        shown(
            Status.CANCELLATION_PENDING,
            effect("the mail", D.PENDING),
            cause=Cause.USER,
            workers=(WorkerFacet("ada", stopped=False, fenced=True, proof="lease_revoked"),),
        ),
        "Stopping; the mail is on its way.",
    ),
    (
        shown(Status.CANCELLATION_UNSUPPORTED, effect("the mail", D.PENDING), cause=Cause.USER),
        "A stop was requested, and what is under way has none; the mail is on its way.",
    ),
    (
        shown(Status.OUTCOME_UNKNOWN, effect("the mail", D.UNKNOWN), effect("the file", D.UNKNOWN), cause=Cause.USER),
        "A stop was requested, and how it ended is not known; whether the mail and the file went out is not known.",
    ),
    (shown(Status.RUNNING, effect("the mail", D.COMPLETED, resolved=4)), "Running; the mail went out."),
    (shown(Status.RUNNING, suspended=Halt.PAUSE), "Halted for a pause, and to go on."),
    (shown(Status.UNSTARTED), "Not started yet."),
    (shown(Status.COMPLETED, effect("the mail", D.COMPLETED)), "Completed; the mail went out."),
    (shown(Status.FAILED, effect("the mail", D.UNKNOWN)), "Given up; whether the mail went out is not known."),
    (shown(Status.COMPLETED_BEFORE_CANCELLATION), "Completed before the stop came."),
]


@pytest.mark.parametrize(("snapshot", "sentence"), SENTENCES, ids=[sentence for _, sentence in SENTENCES])
def test_a_sentence_for_a_person(snapshot: Snapshot, sentence: str) -> None:
    assert sentence_for(snapshot) == sentence


def test_every_status_has_a_sentence() -> None:
    assert all(sentence_for(shown(status)).endswith(".") for status in Status)


@settings(deadline=None, max_examples=200)
@given(
    st.sampled_from(list(Status)),
    st.sampled_from([None, *Cause]),
    st.lists(st.tuples(st.sampled_from(list(D)), st.booleans(), st.sampled_from([None, 4, 6])), max_size=5),
)
def test_each_effect_is_told_of_once_and_nothing_is_claimed_without_the_status(
    status: Status, cause: Cause | None, drawn: list[tuple[D, bool, int | None]]
) -> None:
    effects = [effect(f"<{i}>", d, claimed=claimed, resolved=at) for i, (d, claimed, at) in enumerate(drawn)]
    sentence = sentence_for(shown(status, *effects, cause=cause))
    assert all(sentence.count(entry.effect_id) == 1 for entry in effects)
    assert sentence.startswith("Stopped") == (status is Status.CANCELLED)
    assert ("not known" in sentence) >= any(entry.disposition is D.UNKNOWN for entry in effects)
    done = any(entry.disposition is D.COMPLETED for entry in effects)
    assert ("had already gone out" in sentence or "went out all the same" in sentence) <= done
