"""Checks of LIVE: stories that break a clause, and right ones that must not."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from stopcheck import gate as g
from stopcheck.world import MAX_TICKS
from tests.fast.judge.account_story import (
    CONTRACT,
    NOTHING,
    SECOND,
    Story,
    ack,
    answered,
    effect,
    lease,
    record,
    sent,
)

RECORD = record()
REFUSED = g.Refused(g.RefusalReason.FORBIDDEN)
DONE = effect("completed", answered())
BUDGET_S = CONTRACT.reconciliation_budget_ns // SECOND
SAID = (ack("handler_stopped"),)


def told() -> Story:
    """The mail was sent, and its receipt told."""
    return sent().done().outcome(answered())


def stopped() -> Story:
    """A worker has begun, and the task was stopped."""
    return Story().begin().stop()


def obeyed() -> Story:
    """Everything about the stopped task is accounted for."""
    return told().stop().says("handler_stopped")


def impatient() -> Story:
    """A commitment is answered Retry until its caller gives up."""
    story = Story().begin()
    for _ in range(5):
        story.commit(g.Retry())
    return story


def put_off(times: int = 5) -> Story:
    """A stop is answered Retry, again and again."""
    story = Story().begin()
    for _ in range(times):
        story.stop(g.Retry())
    return story


def put_off_behind_another() -> Story:
    """A stop is answered Retry as long as somebody else's commitment is under way."""
    story = Story().begin()
    commitment = story.call_commit()
    for _ in range(5):
        story.stop(g.Retry())
    return story.answer(commitment, g.Admitted(2))


BREAKS: dict[str, tuple[str, Callable[[], Story]]] = {
    "it cannot be opened": ("LIVE-1", lambda: Story(opens=False).ask(g.OpenTask, REFUSED).rest("unstarted")),
    "nobody may begin": (
        "LIVE-1",
        lambda: Story().ask(g.BeginWork, g.Busy(), worker="worker", delivery_id="d").rest("unstarted"),
    ),
    "nothing is admitted": ("LIVE-1", lambda: Story().begin().commit(REFUSED).rest()),
    "it is always busy": ("LIVE-1", lambda: impatient().rest()),
    "nothing can be claimed": (
        "LIVE-1",
        lambda: Story().begin().commit().claim(g.AlreadyClaimed()).rest(effects=(effect("pending"),), commits=0),
    ),
    "what was claimed never arrives": ("LIVE-1", lambda: sent().rest(effects=(effect("pending"),), commits=0)),
    "no success is believed": (
        "LIVE-1",
        lambda: told().complete(g.Unverified(("mail",))).rest(effects=(DONE,), commits=1),
    ),
    "a stop is refused": ("LIVE-2", lambda: Story().begin().stop(REFUSED)),
    "a stop is not supported": ("LIVE-2", lambda: Story().begin().stop(g.Unsupported())),
    "a stop never gets through": ("LIVE-2", lambda: put_off().rest()),
    "accounted for and unresolved": (
        "LIVE-3",
        lambda: obeyed().rest("stopped_unresolved", effects=(DONE,), record=RECORD, acknowledgements=SAID),
    ),
    "evidence came after the budget": (
        "LIVE-3",
        lambda: (
            sent()
            .outcome(NOTHING)
            .stop()
            .says("handler_stopped")
            .at(BUDGET_S + 1)
            .tick()
            .outcome(answered())
            .rest(
                "stopped_unresolved",
                effects=(effect("completed", NOTHING, answered()),),
                record=RECORD,
                acknowledgements=SAID,
            )
        ),
    ),
    "at rest and draining": ("LIVE-4", lambda: stopped().rest("draining", record=RECORD, leases=(lease(),))),
    "late and draining": (
        "LIVE-4",
        lambda: stopped().at(BUDGET_S + 10).tick().look("draining", record=RECORD, leases=(lease(),)),
    ),
    "never at rest": (
        "LIVE-4",
        lambda: (
            stopped()
            .final()
            .tick(next_wake_ns=1, times=MAX_TICKS)
            .rest("stopped_unresolved", record=RECORD, leases=(lease(),))
        ),
    ),
}


def overlapping_replacement() -> Story:
    """The lease may have been superseded when the commitment came."""
    story = Story().begin()
    replacement = story.call(g.BeginWork, worker="other", delivery_id="d", trigger=g.Trigger.REPLACEMENT)
    return story.commit(g.StaleLease(2)).answer(replacement, g.LeaseGranted(2, 1000 * SECOND)).rest()


def completion_in_between() -> Story:
    """The task may have ended when the stop came."""
    story = told()
    completion = story.call(g.Complete, epoch=1, result_digest="r")
    story.stop(g.Ended(g.Execution.COMPLETED))
    story.answer(completion, g.Won())
    return story.rest("completed", effects=(DONE,), commits=1, stop_after_end=RECORD.causes)


def no_ticks() -> Story:
    """A gate without ticks has no wake-up times of its own."""
    story = stopped().final()
    story.ask(g.Tick, g.Unsupported())
    return story.rest("draining", record=RECORD, leases=(lease(),))


FINE: dict[str, Callable[[], Story]] = {
    "the work is done": lambda: told().complete().rest("completed", effects=(DONE,), commits=1),
    "the work is done at the second attempt": lambda: (
        Story()
        .begin()
        .commit(g.Retry())
        .commit()
        .claim()
        .complete(g.Unverified(("mail",)))
        .done()
        .outcome(answered())
        .complete()
        .rest("completed", effects=(DONE,), commits=1)
    ),
    "a second worker finds it busy": lambda: (
        told()
        .ask(g.BeginWork, g.Busy(), worker="other", delivery_id="d")
        .complete()
        .rest("completed", effects=(DONE,), commits=1)
    ),
    "a fault came in between": lambda: Story().begin().fault().commit(REFUSED).rest(),
    "the gate died": lambda: Story().begin().died().commit(g.Retry()).rest(),
    "somebody pressed Stop": lambda: (
        stopped().commit(g.Stopped(RECORD)).rest("stopped_unresolved", record=RECORD, leases=(lease(),))
    ),
    "the caller has no right": lambda: (
        Story().begin().ask(g.ClaimDispatch, REFUSED, effect_id="mail", rights=(g.Right.WORK,))
    ),
    "the lease had run out": lambda: Story().begin(expires_s=1).at(1).commit(g.StaleLease(1)).rest(),
    "the lease may be superseded": overlapping_replacement,
    "another payload": lambda: told().commit(g.PayloadMismatch(), payload="q").rest(effects=(DONE,), commits=1),
    "a stop comes through at last": lambda: (
        Story().begin().stop(g.Retry()).stop().rest("stopped_unresolved", record=RECORD, leases=(lease(),))
    ),
    "a stop that gives up behind another call": lambda: put_off_behind_another().rest(effects=(effect("pending"),)),
    "a stop that nobody repeats": lambda: put_off(1).rest(),
    "a claim that nobody repeats": lambda: Story().begin().commit().claim(g.Retry()).rest(effects=(effect("pending"),)),
    "a stop without the right": lambda: Story().begin().stop(REFUSED, rights=(g.Right.INSPECT,)).rest(),
    "a stop before anybody began": lambda: Story().stop(g.Refused(g.RefusalReason.UNKNOWN)).rest("unstarted"),
    "a scope that the gate does not have": lambda: (
        Story(msgspec.structs.replace(CONTRACT, scopes=frozenset((g.Scope.TASK,))))
        .begin()
        .stop(g.Unsupported(), scope="subtree")
        .rest()
    ),
    "a scope that the gate does not have, and calls malformed": lambda: (
        Story(msgspec.structs.replace(CONTRACT, scopes=frozenset((g.Scope.TASK,))))
        .begin()
        .stop(g.Refused(g.RefusalReason.MALFORMED), scope="subtree")
        .rest()
    ),
    "the end may have come first": completion_in_between,
    "settled": lambda: obeyed().rest("cancelled_settled", effects=(DONE,), record=RECORD, acknowledgements=SAID),
    "in doubt and unresolved": lambda: (
        sent()
        .outcome(NOTHING)
        .stop()
        .says("handler_stopped")
        .rest("stopped_unresolved", effects=(effect("unknown", NOTHING),), record=RECORD, acknowledgements=SAID)
    ),
    "a free worker and unresolved": lambda: stopped().rest("stopped_unresolved", record=RECORD, leases=(lease(),)),
    "a gate without ticks": no_ticks,
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


def test_use_is_tried_only_where_something_was_asked_for() -> None:
    """A run without any work proves nothing."""
    assert "LIVE-1" not in Story().rest("unstarted").tried
    assert "LIVE-1" in told().complete().rest("completed", effects=(DONE,), commits=1).tried
