"""Checks of ESC: stories that break a clause, and right ones that must not."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from stopcheck import gate as g
from tests.fast.judge.account_story import CONTRACT, NOTHING, SECOND, Story, ack, answered, effect, lease, record, sent

GRACE_S = CONTRACT.grace_ns // SECOND
BUDGET_S = CONTRACT.reconciliation_budget_ns // SECOND
RECORD = record()
UNKNOWN = effect("unknown", NOTHING)


def stopped_at(seconds: float) -> Story:
    """A worker has begun at 0; the task was stopped later."""
    return Story().begin().at(seconds).stop()


def killed() -> Story:
    """The mail is in doubt; the worker was killed, and a probe found it gone."""
    story = sent().outcome(NOTHING).stop().at(GRACE_S).force(g.Forced())
    return story.acted("killed").probe("gone")


def late(seconds: float) -> Story:
    """A tick long after the cutoff."""
    return Story().begin().stop().at(seconds).tick()


GONE = g.ExecutionFacet(g.Execution.DRAINING, (g.WorkerFacet("worker", True, False, "probe_gone"),))

BREAKS: dict[str, tuple[str, Callable[[], Story]]] = {
    "force at once": ("ESC-1", lambda: stopped_at(0).force(g.Forced())),
    "force a moment too early": ("ESC-1", lambda: stopped_at(7).at(7 + GRACE_S - 0.001).force(g.Forced())),
    "grace counted from the beginning": ("ESC-1", lambda: stopped_at(2 * GRACE_S).force(g.Forced())),
    "force had been allowed before, too early": ("ESC-1", lambda: stopped_at(0).force(g.AlreadyForced())),
    "the ledger is gone": ("ESC-2", lambda: killed().look("draining", record=RECORD, stopping=GONE)),
    "the receipt is gone": (
        "ESC-2",
        lambda: (
            sent()
            .outcome(answered())
            .stop()
            .acted("died")
            .look("draining", record=RECORD, effects=(effect("completed"),))
        ),
    ),
    "a kill means not done": (
        "ESC-3",
        lambda: killed().look("draining", record=RECORD, effects=(effect("not_executed", NOTHING),), stopping=GONE),
    ),
    "draining for ever": ("ESC-4", lambda: late(BUDGET_S).look("draining", record=RECORD)),
    "cancelled above a free worker": (
        "ESC-6",
        lambda: late(1).look("cancelled_settled", record=RECORD, leases=(lease(),)),
    ),
    "unresolved, and the status does not say so": (
        "ESC-6",
        lambda: late(BUDGET_S).look(
            "stopped_unresolved", record=RECORD, leases=(lease(),), status=g.Status.CANCELLATION_PENDING
        ),
    ),
}


def stop_answered_late() -> Story:
    """The cutoff may have been when the request came."""
    story = Story().begin()
    stop = story.call_stop()
    return story.at(GRACE_S).answer(stop, g.Accepted(RECORD)).force(g.Forced())


def stop_that_died() -> Story:
    """The first request may have made the record."""
    story = Story().begin()
    story.answer(story.call_stop(), g.Indefinite()).died().at(GRACE_S)
    return story.stop(g.ExistingRecord(RECORD)).force(g.Forced())


def slow_gate() -> Story:
    """A gate with a longer grace period than most."""
    contract = msgspec.structs.replace(CONTRACT, grace_ns=100 * SECOND)
    return Story(contract).begin().stop().at(99).force(g.TooEarly(100 * SECOND)).at(100).force(g.Forced())


FINE: dict[str, Callable[[], Story]] = {
    "too early, then in time": lambda: (
        stopped_at(3).at(4).force(g.TooEarly((3 + GRACE_S) * SECOND)).at(3 + GRACE_S).force(g.Forced())
    ),
    "repeated": lambda: stopped_at(0).at(GRACE_S).force(g.Forced()).force(g.AlreadyForced()),
    "impossible": lambda: stopped_at(0).force(g.Impossible()),
    "the stop was answered late": stop_answered_late,
    "the gate died under the stop": stop_that_died,
    "a long grace": slow_gate,
    "the ledger is kept": lambda: killed().look("draining", record=RECORD, effects=(UNKNOWN,), stopping=GONE),
    "evidence comes after the kill": lambda: (
        killed()
        .outcome(answered())
        .look("draining", record=RECORD, effects=(effect("completed", NOTHING, answered()),), stopping=GONE)
    ),
    "unresolved at the end of the budget": lambda: late(BUDGET_S).look(
        "stopped_unresolved", record=RECORD, leases=(lease(),)
    ),
    "draining until a tick": lambda: Story().begin().stop().at(BUDGET_S + 1).look("draining", record=RECORD),
    "draining before the end": lambda: late(BUDGET_S - 1).look("draining", record=RECORD, leases=(lease(),)),
    "a worker that said it stopped": lambda: (
        stopped_at(0)
        .says("handler_stopped")
        .look("cancelled_settled", record=RECORD, acknowledgements=(ack("handler_stopped"),))
    ),
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
