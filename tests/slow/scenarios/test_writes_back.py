"""Whichever operation reads the task's row, waits and writes it back, two busy hands show it, and nobody need stop."""

from __future__ import annotations

import pytest

from stopcheck.gate import OPERATIONS
from stopcheck_fixtures.faulty.overlapping import WritesBack
from tests.fast.scenarios.test_overlapping import PAGES, inside, made_by_hands


@pytest.mark.parametrize("operation", OPERATIONS)
def test_whichever_operation_writes_back_what_it_read_is_found(operation: str) -> None:
    gate = type("Gate", (WritesBack,), {"operation": operation})
    assert any(inside(scenario, gate).failures for scenario in PAGES if operation in made_by_hands(scenario))
