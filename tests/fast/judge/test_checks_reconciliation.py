"""Checks of RCN: stories that break a clause, and right ones that must not."""

from __future__ import annotations

import msgspec

from stopcheck import gate as g
from tests.fast.judge.account_story import ABSENT, CONTRACT, NOTHING, Story, answered, record, sent

RECONCILER = (g.Right.RECONCILE,)
FORBIDDEN = g.Refused(g.RefusalReason.FORBIDDEN)


def doubtful(contract: g.GateContract = CONTRACT) -> Story:
    """The mail is in doubt, and the task is stopped."""
    return sent(contract=contract).outcome(NOTHING).stop()


def test_a_reconciler_that_is_refused_after_the_cutoff() -> None:
    """It has an authority of its own."""
    story = doubtful().outcome(answered(), FORBIDDEN, rights=RECONCILER)
    assert "RCN-1" in story.broken
    assert "forbidden" in story.saying("RCN-1")


def test_a_reconciler_that_is_heard() -> None:
    """Whatever it tells."""
    story = doubtful().outcome(ABSENT, rights=RECONCILER).outcome(answered(), rights=RECONCILER)
    assert story.broken == set()
    assert "RCN-1" in story.tried


def test_a_stranger_is_no_reconciler() -> None:
    """Another tenant's is refused, and so is one whose effect nobody knows."""
    story = doubtful().outcome(answered(), FORBIDDEN, rights=RECONCILER, tenant="other")
    story.outcome(ABSENT, g.Refused(g.RefusalReason.UNKNOWN), effect_id="second", rights=RECONCILER)
    assert "RCN-1" not in story.broken


def test_a_gate_without_reconciliation() -> None:
    """It owes nothing here."""
    contract = msgspec.structs.replace(CONTRACT, capabilities=frozenset())
    story = doubtful(contract).outcome(answered(), FORBIDDEN, rights=RECONCILER)
    assert "RCN-1" not in story.broken | story.tried


def test_admission_after_reconciliation() -> None:
    """It opens no door."""
    story = doubtful().outcome(answered(), rights=RECONCILER).commit(g.Admitted(8), "second")
    assert "RCN-2" in story.broken


def test_refusal_after_reconciliation() -> None:
    """The door stays shut."""
    story = doubtful().outcome(answered(), rights=RECONCILER).commit(g.Stopped(record()), "second")
    assert story.broken == set()
    assert "RCN-2" in story.tried
