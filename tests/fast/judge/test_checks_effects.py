"""Checks of EFF: stories that break a clause, and right ones that must not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stopcheck import gate as g
from tests.fast.judge.account_story import (
    ABSENT,
    NOTHING,
    STALE,
    Story,
    ack,
    answered,
    effect,
    lease,
    record,
    sent,
)

UNKNOWN = effect("unknown", NOTHING)
RESEND = g.Resend("permit-2", 2)
FOUND: g.Evidence = g.LookupEvidence(g.LookupAnswer.FOUND, answered().receipt)  # type: ignore[union-attr]
FENCED: g.Evidence = g.LookupEvidence(g.LookupAnswer.FENCED, answered("fenced").receipt)  # type: ignore[union-attr]
NOTED = (g.Contradiction("mail", "two statements", 0),)
REFUSED = g.Refused(g.RefusalReason.FORBIDDEN)


def doubtful(**more: str) -> Story:
    """The mail was sent and its answer was lost."""
    return sent(**more).outcome(NOTHING)


def shown_unknown() -> Story:
    """And somebody has seen that."""
    return doubtful().look(effects=(UNKNOWN,))


def early() -> Story:
    """Evidence comes before the commitment."""
    return Story().begin().outcome(answered(), g.Parked())


BREAKS: dict[str, tuple[str, Callable[[], Story]]] = {
    "completed without a receipt": ("EFF-1", lambda: sent().outcome(answered()).look(effects=(effect("completed"),))),
    "suppressed without a transition": (
        "EFF-1",
        lambda: Story().begin().commit().look(effects=(effect("suppressed", claimed=False, resolved_revision=None),)),
    ),
    "a time-out is a refusal": ("EFF-2", lambda: doubtful().look(effects=(effect("rejected", NOTHING),))),
    "a time-out is a withdrawal": ("EFF-2", lambda: doubtful().look(effects=(effect("suppressed", NOTHING),))),
    "a time-out leaves it pending at rest": ("EFF-2", lambda: doubtful().rest(effects=(effect("pending", NOTHING),))),
    "unknown vanishes": ("EFF-3", lambda: shown_unknown().look(effects=())),
    "unknown becomes rejected at a restart": (
        "EFF-3",
        lambda: shown_unknown().died().look(effects=(effect("rejected"),)),
    ),
    "unknown becomes pending": ("EFF-3", lambda: shown_unknown().look(effects=(effect("pending"),))),
    "evidence changes nothing": ("EFF-4", lambda: doubtful().outcome(answered()).look(effects=(UNKNOWN,))),
    "evidence after the stop changes nothing": (
        "EFF-4",
        lambda: doubtful().stop().outcome(FOUND, g.Same()).look("draining", effects=(UNKNOWN,), record=record()),
    ),
    "evidence counts as its opposite": (
        "EFF-4",
        lambda: doubtful().outcome(FOUND).look(effects=(effect("not_executed", FOUND),)),
    ),
    "evidence is refused and nothing resolves": (
        "EFF-4",
        lambda: doubtful().outcome(answered(), REFUSED).rest(effects=(UNKNOWN,)),
    ),
    "nobody can say, and it is settled": (
        "EFF-5",
        lambda: (
            doubtful(lookup="stale")
            .stop()
            .outcome(STALE)
            .says("handler_stopped")
            .rest("cancelled_settled", effects=(UNKNOWN,), record=record(), acknowledgements=(ack("handler_stopped"),))
        ),
    ),
    "committed and not listed": ("EFF-6", lambda: sent().done().look(effects=())),
    "one receipt replaces the other": (
        "EFF-7",
        lambda: (
            sent()
            .outcome(answered("rejected"))
            .look(effects=(effect("rejected", answered("rejected")),))
            .outcome(answered())
            .look(effects=(effect("completed", answered("rejected"), answered()),))
        ),
    ),
    "receipts that contradict each other are both taken": (
        "EFF-7",
        lambda: (
            sent()
            .outcome(answered("rejected"))
            .outcome(answered())
            .look(effects=(effect("completed", answered("rejected"), answered()),))
        ),
    ),
    "a contradiction is answered and not recorded": (
        "EFF-7",
        lambda: (
            sent()
            .outcome(answered())
            .outcome(answered("rejected"), g.Contradicted())
            .look(effects=(effect("completed", answered()),))
        ),
    ),
    "absent is not executed": (
        "EFF-8",
        lambda: doubtful().outcome(ABSENT).look(effects=(effect("not_executed", NOTHING, ABSENT),)),
    ),
    "stale is rejected": ("EFF-8", lambda: doubtful().outcome(STALE).look(effects=(effect("rejected", STALE),))),
    "admission is forgotten at a restart": ("EFF-9", lambda: Story().begin().commit().died().look(effects=())),
    "a claim is forgotten at a restart": (
        "EFF-9",
        lambda: sent().died().look(effects=(effect("pending", claimed=False),)),
    ),
    "early evidence is refused": (
        "EFF-10",
        lambda: Story().begin().outcome(answered(), g.Refused(g.RefusalReason.UNKNOWN)),
    ),
    "early evidence is called known": ("EFF-10", lambda: Story().begin().outcome(answered(), g.Same())),
    "parked evidence is gone": ("EFF-10", lambda: early().look()),
    "parked evidence is not applied": ("EFF-10", lambda: early().commit().look(effects=(effect("pending"),))),
    "a forged receipt counts": (
        "EFF-14",
        lambda: sent().outcome(answered(forged=True)).look(effects=(effect("completed", answered(forged=True)),)),
    ),
    "a receipt for another payload counts": (
        "EFF-14",
        lambda: sent().outcome(answered(payload="q")).look(effects=(effect("completed", answered(payload="q")),)),
    ),
    "a forged receipt is taken and passed over": (
        "EFF-14",
        lambda: sent().outcome(answered(forged=True)).look(effects=(effect("pending"),)),
    ),
}


def overlapping_look() -> Story:
    """The evidence is told while somebody reads: both readings are right."""
    story = doubtful()
    reading = story.call(g.Inspect)
    story.outcome(answered())
    from tests.fast.judge.account_story import snapshot  # noqa: PLC0415

    return story.answer(reading, snapshot(effects=(UNKNOWN,)))


def open_outcome() -> Story:
    """The evidence is on its way to the gate, which may have it already."""
    story = shown_unknown()
    story.call(g.RecordOutcome, effect_id="mail", evidence=FENCED)
    return story.look(effects=(effect("not_executed", NOTHING, FENCED),))


FINE: dict[str, Callable[[], Story]] = {
    "silence leaves it unknown": lambda: doubtful().outcome(ABSENT).look(effects=(effect("unknown", NOTHING, ABSENT),)),
    "pending for a while": lambda: doubtful().look(effects=(effect("pending"),)),
    "a fence makes it not executed": lambda: (
        doubtful().outcome(ABSENT).outcome(FENCED).look(effects=(effect("not_executed", NOTHING, FENCED),))
    ),
    "sent again, and pending again": lambda: shown_unknown().claim(RESEND).look(effects=(effect("pending"),)),
    "a refusal with a receipt": lambda: (
        sent().outcome(answered("rejected")).look(effects=(effect("rejected", answered("rejected")),))
    ),
    "a receipt in place of a look-up": lambda: (
        doubtful().outcome(FOUND).look(effects=(effect("completed", answered()),))
    ),
    "withdrawn before a claim": lambda: (
        Story()
        .begin()
        .commit()
        .ask(g.Suppress, g.SuppressionDone(3), effect_id="mail")
        .look(effects=(effect("suppressed", claimed=False),))
    ),
    "withdrawn by the gate itself at the cutoff": lambda: (
        Story()
        .begin()
        .commit()
        .stop()
        .look("draining", effects=(effect("suppressed", claimed=False),), record=record())
    ),
    "nobody can say, and it is unresolved": lambda: (
        doubtful(lookup="none")
        .stop()
        .says("handler_stopped")
        .at(100)
        .rest(
            "stopped_unresolved",
            effects=(UNKNOWN,),
            record=record(),
            leases=(lease("revoked"),),
            acknowledgements=(ack("handler_stopped"),),
        )
    ),
    "the contradiction is recorded": lambda: (
        sent()
        .outcome(answered("rejected"))
        .look(effects=(effect("rejected", answered("rejected")),))
        .outcome(answered())
        .look(effects=(effect("completed", answered("rejected"), answered()),), contradictions=NOTED)
    ),
    "refused and fenced agree": lambda: (
        sent()
        .outcome(answered("rejected"))
        .outcome(FENCED, g.Same())
        .look(effects=(effect("rejected", answered("rejected")),))
    ),
    "early evidence is kept": lambda: early().look(parked=(g.ParkedEvidence("mail", answered()),)),
    "early evidence is applied": lambda: (
        early().commit().look(effects=(effect("completed", answered(), claimed=False),))
    ),
    "early evidence is told twice": lambda: early().outcome(answered(), g.Same()),
    "a forged receipt is turned away": lambda: (
        sent().outcome(answered(forged=True), g.BadEvidence()).look(effects=(effect("pending"),), contradictions=NOTED)
    ),
    "a forged receipt is recorded as a contradiction": lambda: (
        sent().outcome(answered(forged=True)).look(effects=(effect("pending"),), contradictions=NOTED)
    ),
    "a forgery, and then the truth": lambda: (
        sent()
        .outcome(answered(forged=True), g.BadEvidence())
        .outcome(answered())
        .look(effects=(effect("completed", answered()),), contradictions=NOTED)
    ),
    "an admission that nobody was told of": lambda: Story().begin().commit(g.Indefinite()).died().look(effects=()),
    "an outcome that may wait": lambda: doubtful().outcome(answered(), g.Retry()).look(effects=(UNKNOWN,)),
    "evidence told while somebody reads": overlapping_look,
    "evidence on its way": open_outcome,
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


def test_silence_of_both_kinds_is_reported_for_both_clauses() -> None:
    """One run cannot tell which of the two was misread."""
    story = doubtful().outcome(ABSENT).look(effects=(effect("rejected", NOTHING, ABSENT),))
    assert {"EFF-2", "EFF-8"} <= story.broken


def test_a_message_tells_what_was_told() -> None:
    """The sentence holds the values that prove it."""
    story = doubtful().look(effects=(effect("rejected", NOTHING),))
    assert "no answer (timeout)" in story.saying("EFF-2")
    assert "rejected" in story.saying("EFF-2")
