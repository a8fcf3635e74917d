"""Checks of CMP: stories that break a clause, and right ones that must not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stopcheck import gate as g
from tests.fast.judge.account_story import NOTHING, Story, answered, effect, record, sent

DONE = effect("completed", answered())
ENDED = g.Ended(g.Execution.COMPLETED)


def told() -> Story:
    """The mail was sent, and its receipt told."""
    return sent().outcome(answered())


def completed() -> Story:
    """A verified completion was told that it won."""
    return told().complete()


def lost() -> Story:
    """A verified completion lost against the stop."""
    return told().stop().complete(g.Lost(record()))


BREAKS: dict[str, tuple[str, Callable[[], Story]]] = {
    "both won": ("CMP-1", lambda: completed().stop()),
    "both won, the other way round": ("CMP-1", lambda: told().stop().complete()),
    "shown running after completion": ("CMP-1", lambda: completed().look("running", effects=(DONE,))),
    "shown completed after the stop": ("CMP-1", lambda: told().stop().look("completed", effects=(DONE,))),
    "a stop after the end is refused": ("CMP-2", lambda: completed().stop(g.Refused(g.RefusalReason.UNRESOLVABLE))),
    "a stop after the end is told of failure": ("CMP-2", lambda: completed().stop(g.Ended(g.Execution.FAILED))),
    "a record on a completed task": (
        "CMP-2",
        lambda: completed().stop(ENDED).look("completed", effects=(DONE,), record=record()),
    ),
    "a late success wins": ("CMP-3", lambda: told().stop().complete()),
    "a late success brings the task back": ("CMP-3", lambda: lost().look("running", effects=(DONE,), record=record())),
    "a late success leaves no trace": ("CMP-3", lambda: lost().look("draining", effects=(DONE,), record=record())),
    "evidence is gone after the stop": (
        "CMP-4",
        lambda: told().stop().look("draining", effects=(effect("completed"),), record=record()),
    ),
    "evidence is gone after completion": (
        "CMP-4",
        lambda: completed().look("completed", effects=(effect("completed"),)),
    ),
    "nothing was told of the mail": ("CMP-5", lambda: sent().complete()),
    "the mail's answer was lost": ("CMP-5", lambda: sent().outcome(NOTHING).complete()),
    "a forged receipt was told": ("CMP-5", lambda: sent().outcome(answered(forged=True), g.BadEvidence()).complete()),
    "two stops are told of different winners": (
        "CMP-6",
        lambda: completed().stop(ENDED).stop(g.ExistingRecord(record())),
    ),
    "one stop is told of completion, the worker of the stop": (
        "CMP-6",
        lambda: told().complete(g.Lost(record())).stop(ENDED),
    ),
    "a completion that nobody asked for": ("CMP-6", lambda: Story().begin().stop(ENDED)),
}


def racing(first: g.Reply, second: g.Reply) -> Story:
    """A completion and a stop overlap."""
    story = told()
    stop = story.call_stop()
    completion = story.call(g.Complete, epoch=1, result_digest="r")
    return story.answer(stop, first).answer(completion, second)


LATE = g.LateResult("refund", "r", 0)


def overtaken_commit() -> Story:
    """The commitment may have come after the completion."""
    story = Story().begin()
    commit = story.call_commit()
    return story.complete().answer(commit, g.Admitted(2))


def overtaken_outcome() -> Story:
    """The evidence may have come before the completion."""
    story = sent()
    outcome = story.call(g.RecordOutcome, effect_id="mail", evidence=answered())
    return story.complete().answer(outcome, g.Recorded())


FINE: dict[str, Callable[[], Story]] = {
    "completion wins the race": lambda: racing(ENDED, g.Won()).look(
        "completed", effects=(DONE,), stop_after_end=record().causes
    ),
    "the stop wins the race": lambda: racing(g.Accepted(record()), g.Lost(record())).look(
        "draining", effects=(DONE,), record=record(), late_results=(LATE,)
    ),
    "the stop wins, and the lease was revoked with it": lambda: racing(g.Accepted(record()), g.StaleLease(1)),
    "a late success stands in the lifecycle": lambda: lost().look(
        "draining",
        effects=(DONE,),
        record=record(),
        lifecycle=(g.LifecycleEntry("refund", g.Stage.COMPLETED_AFTER_CANCEL, "told late", 0, "worker", "", "mail"),),
    ),
    "a stop after the end, in vain": lambda: completed().stop(ENDED).stop(ENDED),
    "a stop after the end by somebody who may not": lambda: completed().stop(
        g.Refused(g.RefusalReason.FORBIDDEN), rights=(g.Right.INSPECT,)
    ),
    "the receipt is shown inside a look-up": lambda: (
        told().stop().look("draining", effects=(effect("completed", answered()),), record=record())
    ),
    "an effect admitted while the completion was open": overtaken_commit,
    "evidence told while the completion was open": overtaken_outcome,
}


@pytest.mark.parametrize("name", BREAKS)
def test_broken(name: str) -> None:
    """The clause is violated, and was exercised."""
    clause, make = BREAKS[name]
    story = make()
    assert clause in story.broken
    assert clause in story.tried


@pytest.mark.parametrize("name", FINE)
def test_fine(name: str) -> None:
    """No right gate fails."""
    assert FINE[name]().broken == set()


def test_a_message_names_calls_and_winners() -> None:
    """The sentence holds the values that prove it."""
    message = completed().stop().saying("CMP-1")
    assert "refund/1" in message
    assert "Won" in message
    assert "Accepted" in message


def test_time_is_no_matter() -> None:
    """A completion long before a stop is still the winner."""
    assert completed().at(60).stop(ENDED).broken == set()
