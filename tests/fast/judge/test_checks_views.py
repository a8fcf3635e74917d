"""People who look no longer: what breaks RPT-4, and what is near and does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from stopcheck.gate import (
    Background,
    Cause,
    CloseView,
    Done,
    Execution,
    Inspect,
    Recorded,
    RecordSignal,
    Snapshot,
    Status,
    ViewEnd,
)
from stopcheck.judge.checks import _views
from tests.fast.judge.history import CONTRACT, REFUND, Story, account, record, ref

BEFORE = account()
AFTER = msgspec.structs.replace(account(REFUND, record(), Execution.DRAINING), status=Status.CANCELLED)


def watched(**declared: Any) -> Story:
    """Somebody has looked at another task, and no longer does."""
    story = Story(*_views.CHECKS, contract=msgspec.structs.replace(CONTRACT, **declared))
    story.task(ref("invoice"))
    closes(story, "invoice")
    return story


def closes(story: Story, name: str = "refund", how: ViewEnd = ViewEnd.STREAM_CLOSED) -> None:
    story.asks(CloseView, Done(), ref(name), view="tab", how=how)


@pytest.mark.parametrize("how", list(ViewEnd))
@pytest.mark.parametrize(("shown", "right"), [(BEFORE, True), (AFTER, False)])
def test_an_account_is_the_same_after_a_view_was_closed(how: ViewEnd, shown: Snapshot, right: bool) -> None:
    story = watched()
    story.looks(BEFORE)
    closes(story, how=how)
    story.looks(shown)
    assert story.tested("RPT-4")
    assert story.broken == ([] if right else ["RPT-4"])


def test_any_part_of_an_account_counts() -> None:
    story = watched()
    story.looks(BEFORE)
    closes(story)
    story.looks(msgspec.structs.replace(BEFORE, revision=10))
    assert story.broken == ["RPT-4"]
    assert "changed: revision" in story.message


def test_closing_a_view_of_another_task_counts_too() -> None:
    story = watched()
    story.looks(BEFORE)
    closes(story, "invoice")
    story.looks(AFTER)
    assert story.broken == ["RPT-4"]


def signal(story: Story) -> None:
    story.asks(RecordSignal, Recorded(), target="worker", channel="bus", cause=Cause.USER)


def time(story: Story) -> None:
    story.now_ns += 1


DISTURBANCES: tuple[Callable[[Story], None], ...] = (signal, time, Story.dies)


@pytest.mark.parametrize("disturbs", DISTURBANCES)
def test_what_else_happened_may_explain_it(disturbs: Callable[[Story], None]) -> None:
    story = watched()
    story.looks(BEFORE)
    closes(story)
    disturbs(story)
    story.looks(AFTER)
    assert not story.broken
    story.looks(BEFORE)
    assert not story.broken, "no view was closed since"


def test_a_call_that_is_open_may_explain_it() -> None:
    story = watched()
    story.looks(BEFORE)
    call = story.call(RecordSignal, target="worker", channel="bus", cause=Cause.USER)
    closes(story)
    story.looks(AFTER)
    story.ends(call, Recorded())
    assert not story.broken


def test_a_reading_that_a_call_overlapped_may_be_older_than_it() -> None:
    story = watched()
    looking = story.call(Inspect)
    signal(story)
    story.ends(looking, BEFORE)
    closes(story)
    story.looks(AFTER)
    assert not story.broken


def test_a_gate_that_works_by_itself_is_left_out() -> None:
    story = watched(background=Background.AUTONOMOUS)
    story.looks(BEFORE)
    closes(story)
    story.looks(AFTER)
    assert not story.broken
    assert not story.tested("RPT-4")


def test_only_a_run_with_views_is_remembered() -> None:
    story = Story(*_views.CHECKS)
    story.looks(BEFORE)
    assert story._checks[0].digest() == b""
    closes(story)
    story.looks(BEFORE)
    assert story._checks[0].digest()
