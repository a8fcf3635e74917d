"""Checks of RPT, and of CHILD-5 at depth: stories that break a clause, and right ones that must not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from stopcheck import gate as g
from tests.fast.judge.account_story import (
    CHILD,
    GRANDCHILD,
    NOTHING,
    Story,
    ack,
    answered,
    effect,
    lease,
    record,
    sent,
    snapshot,
)

RECORD = record()
DONE = effect("completed", answered())
PENDING = effect("pending")
SAID = (ack("handler_stopped"),)
SUBTREE = record(scope="subtree")


def stopped() -> Story:
    """The mail is on its way, and the task is stopped."""
    return sent().stop()


def obeyed() -> Story:
    """The mail was sent, the task stopped, and the worker obeyed."""
    return sent().outcome(answered()).stop().says("handler_stopped")


def settled(**shown: Any) -> Story:
    """All that was told is shown, except what the test replaces."""
    account: dict[str, Any] = {"effects": (DONE,), "record": RECORD, "acknowledgements": SAID, **shown}
    return obeyed().rest("cancelled_settled", **account)


def facet(**places: tuple[str, ...]) -> g.EffectsFacet:
    """The ledger in short."""
    return g.EffectsFacet(**places)


def family() -> Story:
    """Parent, child and grandchild run; the subtree is stopped, and parent and child obey."""
    story = Story().begin().registers(CHILD).begin("child worker", task=CHILD)
    story.registers(GRANDCHILD, CHILD).begin("grandchild worker", task=GRANDCHILD)
    story.stop(scope="subtree").says("handler_stopped")
    story.ask(
        g.Acknowledge, g.Recorded(), task=CHILD, epoch=1, strength=g.AckStrength.HANDLER_STOPPED, record_revision=5
    )
    return story.ask(g.FinishChild, g.Done(), child=CHILD, stage=g.Stage.CONFIRMED_CANCELLED)


def parent_settled() -> Story:
    """The parent is shown settled."""
    return family().look("cancelled_settled", record=SUBTREE, acknowledgements=SAID)


def lives(story: Story, execution: str = "running", state: str = "active") -> Story:
    """The grandchild is read."""
    return story.look(execution, task=GRANDCHILD, record=SUBTREE, leases=(lease(state, "grandchild worker"),))


BREAKS: dict[str, tuple[str, Callable[[], Story]]] = {
    "cancelled with a mail on its way": (
        "RPT-1",
        lambda: stopped().look("draining", record=RECORD, effects=(PENDING,), status=g.Status.CANCELLED),
    ),
    "settled with a mail in doubt": (
        "RPT-1",
        lambda: (
            sent()
            .outcome(NOTHING)
            .stop()
            .says("handler_stopped")
            .look("cancelled_settled", record=RECORD, effects=(effect("unknown", NOTHING),), acknowledgements=SAID)
        ),
    ),
    "settled, and the mail not even listed": ("RPT-1", lambda: stopped().look("cancelled_settled", record=RECORD)),
    "settled above a free worker": (
        "RPT-1",
        lambda: Story().begin().stop().look("cancelled_settled", record=RECORD, leases=(lease(),)),
    ),
    "cancelled but not settled": (
        "RPT-1",
        lambda: obeyed().look(
            "draining", record=RECORD, effects=(DONE,), acknowledgements=SAID, status=g.Status.CANCELLED
        ),
    ),
    "a completed mail is hidden": ("RPT-2", lambda: settled(ledger=facet())),
    "a completed mail is not done": ("RPT-2", lambda: settled(ledger=facet(not_done=("mail",)))),
    "no intent beside a record": ("RPT-5", lambda: settled(intent=g.IntentFacet(False))),
    "an intent without a record": ("RPT-5", lambda: Story().look(intent=g.IntentFacet(True, g.Scope.TASK))),
    "an intent of another scope": ("RPT-5", lambda: settled(intent=g.IntentFacet(True, g.Scope.SUBTREE))),
    "execution in two minds": ("RPT-5", lambda: settled(stopping=g.ExecutionFacet(g.Execution.RUNNING))),
    "an effect in two places": ("RPT-5", lambda: settled(ledger=facet(completed=("mail",), unknown=("mail",)))),
    "an effect that is not listed": ("RPT-5", lambda: settled(ledger=facet(completed=("mail", "other")))),
    "running beside a record": ("RPT-5", lambda: settled(status=g.Status.RUNNING)),
    "settled and pending": ("RPT-5", lambda: settled(status=g.Status.CANCELLATION_PENDING)),
    "doubt without any": ("RPT-5", lambda: settled(status=g.Status.OUTCOME_UNKNOWN)),
    "requested only, after signals": (
        "RPT-5",
        lambda: stopped().look(
            "draining",
            record=RECORD,
            effects=(PENDING,),
            status=g.Status.STOP_REQUESTED,
            signals=(g.SignalEntry("worker", "bus", g.Cause.USER, 0),),
        ),
    ),
    "unresolved and pending": (
        "RPT-5",
        lambda: (
            sent()
            .outcome(NOTHING)
            .stop()
            .look(
                "stopped_unresolved",
                record=RECORD,
                effects=(effect("unknown", NOTHING),),
                status=g.Status.CANCELLATION_PENDING,
            )
        ),
    ),
    "completed, and the stop that came after is not shown": (
        "RPT-5",
        lambda: Story().look("completed", stop_after_end=RECORD.causes),
    ),
    "the closed account lacks the word": ("RPT-6", lambda: settled(acknowledgements=())),
    "the closed account lacks the receipt": ("RPT-6", lambda: settled(effects=(effect("completed"),))),
    "the closed account lacks the commitment": ("RPT-6", lambda: settled(effects=())),
    "the closed account has another cutoff": ("RPT-6", lambda: settled(record=record(revision=6))),
    "a grandchild lives below": ("CHILD-5", lambda: lives(parent_settled())),
}


def evidence_while_reading() -> Story:
    """The receipt and the word come while somebody reads."""
    story = stopped()
    reading = story.call(g.Inspect)
    story.outcome(answered()).says("handler_stopped")
    return story.answer(
        reading, snapshot(execution="cancelled_settled", record=RECORD, effects=(DONE,), acknowledgements=SAID)
    )


def reported_finished() -> Story:
    """Its owner said that the grandchild has finished."""
    story = family()
    story.ask(g.FinishChild, g.Done(), task=CHILD, child=GRANDCHILD, stage=g.Stage.CONFIRMED_CANCELLED)
    return story.look("cancelled_settled", record=SUBTREE, acknowledgements=SAID)


FINE: dict[str, Callable[[], Story]] = {
    "settled": settled,
    "pending, whatever is known": lambda: obeyed().look(
        "draining", record=RECORD, effects=(DONE,), acknowledgements=SAID, status=g.Status.STOP_REQUESTED
    ),
    "no operation of its own can be stopped": lambda: stopped().look(
        "draining", record=RECORD, effects=(PENDING,), status=g.Status.CANCELLATION_UNSUPPORTED
    ),
    "doubt before the end": lambda: (
        sent()
        .outcome(NOTHING)
        .stop()
        .says("handler_stopped")
        .look(
            "draining",
            record=RECORD,
            effects=(effect("unknown", NOTHING),),
            acknowledgements=SAID,
            status=g.Status.OUTCOME_UNKNOWN,
        )
    ),
    "evidence while reading": evidence_while_reading,
    "settled by fencing": lambda: (
        sent()
        .outcome(answered())
        .stop()
        .look("cancelled_settled", record=RECORD, effects=(DONE,), leases=(lease("revoked"),))
    ),
    "completed before cancellation": lambda: Story().look(
        "completed", stop_after_end=RECORD.causes, status=g.Status.COMPLETED_BEFORE_CANCELLATION
    ),
    "failed": lambda: Story().look("failed"),
    "an owner's record may cover": lambda: Story().look(
        "draining", task=CHILD, status=g.Status.CANCELLATION_PENDING, intent=g.IntentFacet(True, g.Scope.SUBTREE)
    ),
    "the strongest word stands for all": lambda: (
        sent()
        .outcome(answered())
        .stop()
        .says("observed")
        .says("handler_stopped")
        .rest("cancelled_settled", effects=(DONE,), record=RECORD, acknowledgements=SAID)
    ),
    "the grandchild's lease was revoked": lambda: lives(parent_settled(), state="revoked"),
    "the grandchild is settled": lambda: lives(parent_settled(), "cancelled_settled", "revoked"),
    "the grandchild is read before": lambda: lives(family()).look(
        "cancelled_settled", record=SUBTREE, acknowledgements=SAID
    ),
    "the grandchild was reported finished": lambda: lives(reported_finished()),
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


def test_messages_hold_the_values() -> None:
    """Names, states and what speaks against them."""
    message = stopped().look("draining", record=RECORD, effects=(PENDING,), status=g.Status.CANCELLED).saying("RPT-1")
    assert "refund/1" in message
    assert "cancelled" in message
    assert "mail" in message
    assert lives(parent_settled()).saying("CHILD-5").startswith("refund/1 was shown settled")
