"""Real deaths of a process whose state is in PostgreSQL."""

from __future__ import annotations

import pytest

from stopcheck.campaign import load_gate
from stopcheck.campaign._sigkill import sigkill_pass

pytestmark = pytest.mark.usefixtures("server")


def test_sigkill_after_each_answer_loses_nothing() -> None:
    outcome = sigkill_pass(load_gate("postgres"), ("lost-response",))
    assert (outcome.trouble, outcome.findings) == ("", ())
    assert outcome.promises > 0
    assert all(planned == killed > 0 for planned, killed in outcome.points.values())
