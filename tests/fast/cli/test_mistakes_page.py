"""The page about adapters' mistakes: each example on it is tried, and breaks as it says."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import stopcheck.gate as sg
from stopcheck.campaign import smoke
from stopcheck.campaign._loading import as_loaded
from stopcheck.gate import AdapterFault, Admitted
from stopcheck_fixtures.reference.memory import MemoryGate

PAGE = Path(__file__).parents[3] / "docs" / "my-gate-or-my-adapter.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


class Right(MemoryGate):
    """What the examples change."""

    contract = replace(MemoryGate.contract, fingerprint=False, serialised_calls=False)

    def __init__(self, environment: sg.Environment) -> None:
        super().__init__(environment)
        self.environment = environment


def test_there_are_examples_and_what_they_change_is_right() -> None:
    assert len(EXAMPLES) == PAGE.read_text().count("```python") == 8
    found = smoke(as_loaded("right", Right))
    assert (found.fault, found.broken) == (None, {})


@pytest.mark.parametrize(("code", "printed"), EXAMPLES, ids=[printed.partition(" ")[0] for _, printed in EXAMPLES])
def test_the_mistake_is_told_as_the_page_says(code: str, printed: str) -> None:
    names: dict[str, Any] = {"Right": Right, "Admitted": Admitted, "asyncio": asyncio, "replace": replace, "sg": sg}
    exec(code, names)
    try:
        fault = smoke(as_loaded("example", names["Gate"])).fault
    except AdapterFault as error:
        fault = error
    assert fault is not None
    told = f"{type(fault).__name__}: {fault.what}"
    assert told.startswith(printed.strip()), told
    assert fault.cause
    assert fault.hint
