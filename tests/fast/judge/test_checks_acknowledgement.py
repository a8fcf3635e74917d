"""Checks of ACK: stories that break a clause, and right ones that must not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stopcheck import gate as g
from tests.fast.judge.account_story import NOTHING, Story, ack, effect, lease, record, sent

RECORD = record()
NOTED = (g.Contradiction("worker", "stopped, and acts", 0),)


def stopped() -> Story:
    """A worker has begun, and the task was stopped."""
    return Story().begin().stop()


def superseded() -> Story:
    """The worker was replaced before the stop, and says that it has stopped."""
    return Story().begin().begin("other", 2).stop().says("handler_stopped", g.StaleLease(2))


def liar(reply: g.Reply) -> Story:
    """The worker says that it has stopped, and asks to commit."""
    return stopped().says("handler_stopped").commit(reply)


def facet(
    worker: str = "worker", proof: str = "none", *, halted: bool = False, fenced: bool = False
) -> g.ExecutionFacet:
    """One worker as the execution facet shows it."""
    return g.ExecutionFacet(g.Execution.DRAINING, (g.WorkerFacet(worker, halted, fenced, proof),))


BREAKS: dict[str, tuple[str, Callable[[], Story]]] = {
    "the word is not kept": ("ACK-1", lambda: stopped().says("observed").look("draining", record=RECORD)),
    "the word is kept weaker": (
        "ACK-1",
        lambda: stopped().says("handler_stopped").look("draining", record=RECORD, acknowledgements=(ack("observed"),)),
    ),
    "the word resolves an effect": (
        "ACK-1",
        lambda: (
            sent()
            .stop()
            .says("handler_stopped")
            .look(
                "draining", record=RECORD, effects=(effect("not_executed"),), acknowledgements=(ack("handler_stopped"),)
            )
        ),
    ),
    "the word is kept stronger": (
        "ACK-2",
        lambda: stopped().says("observed").look("draining", record=RECORD, acknowledgements=(ack("handler_stopped"),)),
    ),
    "a word that nobody said": (
        "ACK-2",
        lambda: stopped().look("draining", record=RECORD, acknowledgements=(ack("observed"),)),
    ),
    "a weak word means stopped": (
        "ACK-2",
        lambda: (
            stopped()
            .says("observed")
            .look("draining", record=RECORD, acknowledgements=(ack("observed"),), stopping=facet(halted=True))
        ),
    ),
    "a weak word is a strong proof": (
        "ACK-2",
        lambda: (
            stopped()
            .says("observed")
            .look(
                "draining",
                record=RECORD,
                acknowledgements=(ack("observed"),),
                stopping=facet(proof="process_terminated"),
            )
        ),
    ),
    "silence means stopped": ("ACK-3", lambda: stopped().look("draining", record=RECORD, stopping=facet(halted=True))),
    "silence settles": ("ACK-3", lambda: stopped().look("cancelled_settled", record=RECORD, leases=(lease(),))),
    "a superseded word is counted": (
        "ACK-4",
        lambda: superseded().look("draining", record=RECORD, acknowledgements=(ack("handler_stopped"),)),
    ),
    "a superseded word means stopped": (
        "ACK-4",
        lambda: superseded().look("draining", record=RECORD, stopping=facet(halted=True, fenced=True)),
    ),
    "a word of an epoch that was never granted is counted": (
        "ACK-4",
        lambda: (
            stopped()
            .says("handler_stopped", g.StaleLease(1), epoch=7)
            .look("draining", record=RECORD, acknowledgements=(ack("handler_stopped", epoch=7),))
        ),
    ),
    "a liar is admitted": ("ACK-5", lambda: liar(g.Admitted(6))),
    "a lie is not recorded": (
        "ACK-5",
        lambda: liar(g.Stopped(RECORD)).look("draining", record=RECORD, acknowledgements=(ack("handler_stopped"),)),
    ),
}


def word_on_its_way() -> Story:
    """The worker's word may have arrived already."""
    story = stopped()
    story.call(g.Acknowledge, epoch=1, strength=g.AckStrength.HANDLER_STOPPED, record_revision=5)
    return story.look(
        "cancelled_settled", record=RECORD, leases=(lease("released"),), acknowledgements=(ack("handler_stopped"),)
    )


def replaced_while_speaking() -> Story:
    """The replacement is granted while the word is on its way: it may count."""
    story = stopped()
    word = story.call(g.Acknowledge, epoch=1, strength=g.AckStrength.HANDLER_STOPPED, record_revision=5)
    return (
        story.begin("other", 2)
        .answer(word, g.Recorded())
        .look("draining", record=RECORD, acknowledgements=(ack("handler_stopped"),))
    )


FINE: dict[str, Callable[[], Story]] = {
    "the word is kept as it is": lambda: (
        stopped().says("observed").look("draining", record=RECORD, acknowledgements=(ack("observed"),))
    ),
    "only the strongest word is kept": lambda: (
        stopped()
        .says("observed")
        .says("handler_stopped")
        .look("draining", record=RECORD, acknowledgements=(ack("handler_stopped"),))
    ),
    "a stopped worker settles": lambda: (
        stopped()
        .says("process_terminated")
        .look("cancelled_settled", record=RECORD, acknowledgements=(ack("process_terminated"),))
    ),
    "a silent worker is fenced by the gate": lambda: stopped().look(
        "cancelled_settled", record=RECORD, leases=(lease("revoked"),)
    ),
    "a silent worker's lease has run out": lambda: (
        Story().begin(expires_s=30).stop().at(30).look("cancelled_settled", record=RECORD, leases=(lease("expired"),))
    ),
    "a probe found it gone": lambda: (
        stopped()
        .probe("gone")
        .look(
            "cancelled_settled",
            record=RECORD,
            stopping=g.ExecutionFacet(
                g.Execution.CANCELLED_SETTLED, (g.WorkerFacet("worker", True, False, "probe_gone"),)
            ),
        )
    ),
    "a superseded word is kept as history": lambda: superseded().look(
        "draining", record=RECORD, acknowledgements=(ack("handler_stopped", counted=False),)
    ),
    "a superseded word is not kept": lambda: superseded().look("draining", record=RECORD),
    "a lie is contained and recorded": lambda: liar(g.StaleLease(1)).look(
        "draining", record=RECORD, acknowledgements=(ack("handler_stopped"),), contradictions=NOTED
    ),
    "the effect was admitted before the word": lambda: liar(g.ExistingEffect(g.Disposition.PENDING)),
    "an effect in doubt stays so": lambda: (
        sent()
        .outcome(NOTHING)
        .stop()
        .says("handler_stopped")
        .look(
            "draining", record=RECORD, effects=(effect("unknown", NOTHING),), acknowledgements=(ack("handler_stopped"),)
        )
    ),
    "a word on its way": word_on_its_way,
    "replaced while speaking": replaced_while_speaking,
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
