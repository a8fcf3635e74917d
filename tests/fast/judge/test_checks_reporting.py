"""Checks of RPT, and of CHILD-5 at depth: stories that break a clause, and right ones that must not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
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


UNKNOWN = effect("unknown", NOTHING)


def signalled() -> Story:
    """The mail is on its way, the task is stopped, and the worker was told."""
    return stopped().ask(g.RecordSignal, g.Recorded(), target="worker", channel="bus", cause=g.Cause.USER)


def doubtful() -> Story:
    """The mail is in doubt, the task stopped, and the worker obeyed."""
    return sent().outcome(NOTHING).stop().says("handler_stopped")


def step(stage: g.Stage) -> g.LifecycleEntry:
    """A step of the child."""
    return g.LifecycleEntry("letter", stage, "so it went", 0, "worker", "refund", "none")


REQUESTED, ACCEPTED, ENDED = step(g.Stage.REQUESTED), step(g.Stage.ACCEPTED), step(g.Stage.COMPLETED)
OBSERVED, DOUBTED = step(g.Stage.OBSERVED), step(g.Stage.UNKNOWN)
INVENTORY = (g.ChildEntry(CHILD, g.OwnedKind.CHILD_TASK, "worker", True, g.Stage.ACCEPTED, 2),)


def owner(*steps: g.LifecycleEntry, **shown: Any) -> Story:
    """A task with a child, whose history is read."""
    return Story().begin().registers(CHILD).look(lifecycle=steps, **shown)


def signal_on_its_way() -> Story:
    """The signal may have been recorded or not."""
    story = stopped()
    story.call(g.RecordSignal, target="worker", channel="bus", cause=g.Cause.USER)
    for status in (g.Status.STOP_REQUESTED, g.Status.CANCELLATION_PENDING):
        story.look("draining", record=RECORD, effects=(PENDING,), status=status)
    return story


def overlapping() -> Story:
    """A reading that began before the longer history was shown may show the shorter one."""
    story = owner(REQUESTED)
    older = story.call(g.Inspect)
    story.look(lifecycle=(REQUESTED, ACCEPTED))
    return story.answer(older, snapshot(lifecycle=(REQUESTED,)))


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
    "pending, and nobody was told": (
        "RPT-5",
        lambda: stopped().look("draining", record=RECORD, effects=(PENDING,), status=g.Status.CANCELLATION_PENDING),
    ),
    "requested only, though a signal had been recorded": (
        "RPT-5",
        lambda: signalled().look("draining", record=RECORD, effects=(PENDING,), status=g.Status.STOP_REQUESTED),
    ),
    "in doubt and nobody works": (
        "RPT-5",
        lambda: doubtful().look(
            "draining", record=RECORD, effects=(UNKNOWN,), acknowledgements=SAID, status=g.Status.STOP_REQUESTED
        ),
    ),
    "doubt is told while the worker may go on": (
        "RPT-5",
        lambda: (
            sent()
            .outcome(NOTHING)
            .stop()
            .look("draining", record=RECORD, effects=(UNKNOWN,), leases=(lease(),), status=g.Status.OUTCOME_UNKNOWN)
        ),
    ),
    "unsupported, and nothing goes on": (
        "RPT-5",
        lambda: (
            sent()
            .outcome(answered())
            .stop()
            .look(
                "draining", record=RECORD, effects=(DONE,), leases=(lease(),), status=g.Status.CANCELLATION_UNSUPPORTED
            )
        ),
    ),
    "running though a record had been told": (
        "RPT-5",
        lambda: stopped().look("running", effects=(PENDING,), status=g.Status.RUNNING),
    ),
    "completed, and the stop that was told so is not shown": (
        "RPT-5",
        lambda: Story().begin().complete().stop(g.Ended(g.Execution.COMPLETED)).look("completed"),
    ),
    "completed before a stop that nobody asked for": (
        "RPT-5",
        lambda: (
            Story()
            .begin()
            .complete()
            .look("completed", stop_after_end=RECORD.causes, status=g.Status.COMPLETED_BEFORE_CANCELLATION)
        ),
    ),
    "a child is stopping, and nobody stopped anything": (
        "RPT-5",
        lambda: Story().begin().registers(CHILD).look("running", task=CHILD, status=g.Status.STOP_REQUESTED),
    ),
    "a history that was rewritten": (
        "RPT-6",
        lambda: owner(REQUESTED, ACCEPTED).look(lifecycle=(ACCEPTED,), children=INVENTORY),
    ),
    "a history that has become shorter": (
        "RPT-6",
        lambda: owner(REQUESTED, ACCEPTED).look(lifecycle=(REQUESTED,)),
    ),
    "a history that goes back": ("RPT-6", lambda: owner(ACCEPTED, REQUESTED)),
    "a second end": ("RPT-6", lambda: owner(REQUESTED, ENDED, ENDED)),
    "nobody saw it": ("RPT-6", lambda: owner(msgspec.structs.replace(REQUESTED, observer=""))),
    "no reason": ("RPT-6", lambda: owner(msgspec.structs.replace(REQUESTED, reason=""))),
    "an inventory that says otherwise": ("RPT-6", lambda: owner(REQUESTED, ENDED, children=INVENTORY)),
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
    "a history": lambda: owner(REQUESTED, OBSERVED, ACCEPTED).look(
        lifecycle=(REQUESTED, OBSERVED, ACCEPTED, DOUBTED, ENDED)
    ),
    "a history with steps left out": lambda: owner(REQUESTED, ENDED),
    "two saw it": lambda: owner(REQUESTED, OBSERVED, OBSERVED),
    "an inventory that agrees": lambda: owner(REQUESTED, ACCEPTED, children=INVENTORY),
    "a history that is read twice at once": overlapping,
    "requested, and a signal is on its way": signal_on_its_way,
    "pending after a signal": lambda: signalled().look(
        "draining",
        record=RECORD,
        effects=(PENDING,),
        signals=(g.SignalEntry("worker", "bus", g.Cause.USER, 0),),
        status=g.Status.CANCELLATION_PENDING,
    ),
    "unsupported while the mail is on its way": lambda: stopped().look(
        "draining", record=RECORD, effects=(PENDING,), status=g.Status.CANCELLATION_UNSUPPORTED
    ),
    "in doubt, and the worker may go on": lambda: (
        sent().outcome(NOTHING).stop().look("draining", record=RECORD, effects=(UNKNOWN,), leases=(lease(),))
    ),
    "in doubt, and nobody works any more": lambda: doubtful().look(
        "draining", record=RECORD, effects=(UNKNOWN,), acknowledgements=SAID, status=g.Status.OUTCOME_UNKNOWN
    ),
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
    "completed before cancellation": lambda: (
        Story()
        .begin()
        .complete()
        .stop(g.Ended(g.Execution.COMPLETED))
        .look("completed", stop_after_end=RECORD.causes, status=g.Status.COMPLETED_BEFORE_CANCELLATION)
    ),
    "failed": lambda: Story().look("failed"),
    "an owner's record may cover": lambda: (
        Story()
        .begin()
        .registers(CHILD)
        .stop(scope="subtree")
        .look(
            "draining",
            task=CHILD,
            status=g.Status.CANCELLATION_PENDING,
            intent=g.IntentFacet(True, g.Scope.SUBTREE),
        )
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
