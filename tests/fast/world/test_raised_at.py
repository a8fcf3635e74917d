"""Where an error was raised, as people are told: their own line, in whichever of their files it stands."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from stopcheck.world import raised_at

RULES = """
def decide(store):
    try:
        return store.save()
    finally:
        store.busy = False
"""
GATE = """
import json

class Store:
    def save(self):
        return self.no_such_thing

class Reader:
    def save(self):
        return json.loads("{")
"""


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], ModuleType]:
    """Files beside each other that are no package, as ``stopcheck init`` writes them."""

    def made(name: str, source: str) -> ModuleType:
        path = tmp_path / f"{name}.py"
        path.write_text(source)
        spec = importlib.util.spec_from_file_location(f"files_of_a_gate_{name}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, module)
        spec.loader.exec_module(module)
        return module

    return made


@pytest.mark.parametrize(("store", "line"), [("Store", 6), ("Reader", 10)])
def test_the_innermost_line_of_the_gates_files_is_named(
    store: str, line: int, load: Callable[[str, str], ModuleType], tmp_path: Path
) -> None:
    rules, gate = load("rules", RULES), load("gate", GATE)
    with pytest.raises((AttributeError, ValueError)) as raised:
        rules.decide(getattr(gate, store)())
    inner = raised.value.with_traceback(raised.tb.tb_next)
    assert raised_at(inner) == f"{tmp_path / 'gate.py'}:{line} in save"


def test_the_line_is_that_which_raised_and_not_that_which_cleaned_up(
    load: Callable[[str, str], ModuleType], tmp_path: Path
) -> None:
    rules = load("rules", RULES)
    with pytest.raises(AttributeError) as raised:
        rules.decide(load("gate", "busy = 1"))
    inner = raised.value.with_traceback(raised.tb.tb_next)
    assert raised_at(inner) == f"{tmp_path / 'rules.py'}:4 in decide"
