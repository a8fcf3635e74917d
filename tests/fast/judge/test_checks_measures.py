"""The check of a gate's own figures, on histories written by hand: MET-1."""

from __future__ import annotations

from typing import Any

import pytest

from stopcheck.gate import (
    Accepted,
    Acknowledge,
    AckStrength,
    Admitted,
    Cause,
    ClaimDispatch,
    ClaimGranted,
    ExistingRecord,
    Indefinite,
    Measures,
    MeasuresReport,
    NoEvidence,
    OperationFigures,
    Recorded,
    RecordOutcome,
    RequestCancel,
)
from stopcheck.judge._measuring import percentile
from stopcheck.judge.checks._measures import MeasuresAgree
from tests.fast.judge.history import Story, cause, record


def stopped(observed_ns: int = 7) -> Story:
    """A task that is stopped at 5 and observed at 7; its mail is claimed after the cutoff, and nobody knows of it."""
    story = Story(MeasuresAgree)
    story.effect()
    story.begins()
    story.commits(Admitted(1))
    story.now_ns = 5
    story.stop(Accepted(record(causes=(cause(at_ns=5),))))
    story.now_ns = observed_ns
    story.asks(Acknowledge, Recorded(), epoch=1, strength=AckStrength.OBSERVED, record_revision=5)
    story.asks(ClaimDispatch, ClaimGranted("permit", 1), effect_id="mail-1")
    story.asks(RecordOutcome, Recorded(), effect_id="mail-1", evidence=NoEvidence("timeout"))
    return story


RIGHT: dict[str, dict[str, Any]] = {
    "task": {
        "requests": {Cause.USER: 1},
        "stopped": 1,
        "request_to_observation_p50_ns": 2,
        "request_to_observation_p95_ns": 2,
    },
    "mail": {"after_cutoff": 1, "unknown": 1},
}


def tells(story: Story, wrong: dict[str, Any] | None = None, adapter: str = "told") -> None:
    wrong = wrong or {}
    named = {name: {**RIGHT.get(name, {}), **wrong.get(name, {})} for name in dict.fromkeys((*RIGHT, *wrong))}
    rows = tuple(OperationFigures(operation=name, **fields) for name, fields in named.items())
    story.asks(Measures, MeasuresReport(adapter, rows))


def test_right_figures_are_right() -> None:
    story = stopped()
    tells(story)
    assert story.tested("MET-1")
    assert not story.broken


@pytest.mark.parametrize(
    "wrong",
    [
        {"task": {"requests": {}}},
        {"task": {"requests": {Cause.USER: 1, Cause.POLICY: 1}}},
        {"task": {"stopped": 0}},
        {"task": {"forced": 1}},
        {"task": {"orphans": 1}},
        {"task": {"late_results": 1}},
        {"task": {"request_to_observation_p50_ns": 7}},
        {"task": {"request_to_observation_p95_ns": None}},
        {"task": {"observation_to_terminal_p95_ns": 3}},
        {"mail": {"after_cutoff": 0}},
        {"mail": {"after_deadline": 1}},
        {"mail": {"completed_after_cancel": 1}},
        {"mail": {"unknown": 0}},
        {"fax": {"unknown": 1}},
    ],
)
def test_a_wrong_figure_is_wrong(wrong: dict[str, dict[str, Any]]) -> None:
    story = stopped()
    tells(story, wrong)
    assert story.broken == ["MET-1"]


def test_the_figures_are_those_of_the_gate_that_tells_them() -> None:
    story = stopped()
    tells(story, adapter="another")
    assert story.broken == ["MET-1"]


def test_where_an_answer_was_lost_either_figure_is_right() -> None:
    for requests in ({Cause.USER: 1}, {Cause.USER: 1, Cause.POLICY: 1}):
        story = stopped()
        asked = story.call(RequestCancel, **story.pressing(request_id="stop-2", cause=Cause.POLICY))
        story.ends(asked, Indefinite())
        tells(story, {"task": {"requests": requests}})
        assert not story.broken


def test_what_is_claimed_may_be_called_unknown_from_then_on() -> None:
    for unknown in (0, 1):
        story = Story(MeasuresAgree)
        story.effect()
        story.begins()
        story.commits(Admitted(1))
        story.asks(ClaimDispatch, ClaimGranted("permit", 1), effect_id="mail-1")
        story.asks(Measures, MeasuresReport("told", (OperationFigures(operation="mail", unknown=unknown),)))
        assert not story.broken


def test_a_repeated_request_is_one() -> None:
    story = stopped()
    story.stop(ExistingRecord(record(causes=(cause(at_ns=5),))))
    tells(story)
    assert not story.broken


@pytest.mark.parametrize(("values", "per_cent", "rank"), [([], 50, None), ([3], 95, 3), ([4, 1, 2, 3], 50, 2)])
def test_a_percentile_is_the_nearest_rank(values: list[int], per_cent: int, rank: int | None) -> None:
    assert percentile(values, per_cent) == rank
