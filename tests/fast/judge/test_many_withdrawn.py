"""Of many effects that a gate may have withdrawn after a cutoff, which ones it has is taken from what it shows: the
same verdicts as with every subset tried, and not a subset more for each effect."""

from __future__ import annotations

import pytest

from stopcheck.judge.linearisability import HistoryVerdict, _model_reading
from tests.fast.judge.test_linearisability_gate import ALLOWED, FORBIDDEN, FULL, RUN, observe

MANY = 40
ADMITTED = RUN + "".join(f"commit:e{number}=admitted " for number in range(MANY)) + "cancel=accepted "


def reading(withdrawn: int) -> str:
    """An account in which so many of the effects are shown as suppressed."""
    shown = ",".join(f"e{number}={'suppressed' if number < withdrawn else 'unclaimed'}" for number in range(MANY))
    return f"inspect=snap:draining,rec=task,{shown} "


@pytest.mark.parametrize("name", ALLOWED)
def test_what_is_allowed_is_allowed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_model_reading, "FEW", 0)
    assert observe(ALLOWED[name], FULL).verdict is HistoryVerdict.OK


@pytest.mark.parametrize("name", FORBIDDEN)
def test_what_is_forbidden_is_forbidden(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_model_reading, "FEW", 0)
    text, clause = FORBIDDEN[name]
    monitor = observe(text, FULL)
    assert monitor.illegal is not None
    assert clause in monitor.illegal.clauses


@pytest.mark.parametrize(
    "text",
    [
        reading(0) + reading(MANY),
        reading(7) + reading(8) + "claim:e8=claimed",
        reading(7) + "claim:e6=resolved:suppressed",
        "inspect< claim:e8=claimed " + reading(8).replace("inspect=", "inspect>"),
    ],
)
def test_of_many_any_may_be_withdrawn_once(text: str) -> None:
    assert observe(ADMITTED + text, FULL).verdict is HistoryVerdict.OK


@pytest.mark.parametrize(
    "text",
    [
        reading(8) + reading(7),
        reading(7) + "claim:e6=claimed",
        "claim:e8=claimed " + reading(9),
        "inspect< claim:e8=claimed " + reading(9).replace("inspect=", "inspect>"),
    ],
)
def test_of_many_none_comes_back_or_is_claimed(text: str) -> None:
    assert observe(ADMITTED + text, FULL).verdict is HistoryVerdict.ILLEGAL
