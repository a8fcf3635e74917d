"""A seed makes a random campaign again, to the byte; another one makes others."""

from __future__ import annotations

import pytest

from stopcheck.campaign import LoadedGate, Options, load_faults
from stopcheck.campaign._loading import as_loaded
from stopcheck.explore import STRATEGIES, Completes
from stopcheck.report import json_report
from tests.fast.campaign.support import campaign

SAMPLERS = [name for name, strategy in STRATEGIES.items() if strategy.completes is Completes.NOTHING]


def wrong_gate() -> LoadedGate:
    """One that samples find, so that there are tokens to compare."""
    fault = next(fault for fault in load_faults() if fault.name == "claims-given-twice")
    return as_loaded(fault.name, fault.factory)


@pytest.mark.parametrize("name", [*SAMPLERS, "auto"])
def test_a_seed_makes_the_same_report_and_another_one_other_runs(name: str) -> None:
    def made(seed: int) -> bytes:
        options = Options(scenarios=("after-commitment",), strategy=name, budget=60, seed=seed)
        return json_report(campaign(wrong_gate(), options))

    first = made(3)
    assert b'"token": "sc1.after-commitment.' in first
    assert made(3) == first
    assert made(4) != first.replace(b'"seed": 3', b'"seed": 4')
