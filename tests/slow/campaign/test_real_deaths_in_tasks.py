"""Gates on asyncio die for real too: their drivers are played in the process that is killed."""

from __future__ import annotations

import pytest

from stopcheck.campaign import load_gate
from stopcheck.campaign._sigkill import sigkill_pass
from tests.fast.postgres.support import server

__all__ = ["server"]

ON_POSTGRES = ("InTasks", "OnAsyncpg")


def died(reference: str) -> None:
    outcome = sigkill_pass(load_gate(reference), ("worker-restart",))
    assert (outcome.trouble, outcome.findings) == ("", ())
    assert outcome.kills > 3
    assert outcome.promises > 0


def test_on_aiosqlite() -> None:
    died("tests.fast.world.aiosqlite_gates:InOneTransaction")


@pytest.mark.parametrize("gate", ON_POSTGRES)
@pytest.mark.usefixtures("server")
def test_on_postgres(gate: str) -> None:
    died(f"tests.fast.postgres.async_reference:{gate}")


def test_a_recorded_run_that_ends_in_a_fault_is_no_pass() -> None:
    outcome = sigkill_pass(load_gate("tests.fast.world.aiosqlite_gates:Raises"), ("worker-restart",))
    assert outcome.kills == 0
    assert "recorded run of worker-restart" in outcome.trouble
