"""Which names of a gate's modules are substituted, that they come back, and that they are plain outside of calls."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

from stopcheck.world._substitutes import gate_modules, substituted
from tests.fast.world import wrong_gates
from tests.fast.world.wrong_gates import CheckThenAct, Immediate

NAMES: Any = wrong_gates  # looked up as the gate looks them up
MODULE = (sys.modules[wrong_gates.__name__],)


def test_names_come_back() -> None:
    with substituted(MODULE) as substitutes:
        assert NAMES.sqlite3 is not sqlite3
        assert NAMES.sqlite3.Row is sqlite3.Row
        substitutes.take_away()
        assert NAMES.sqlite3 is sqlite3
        assert type(NAMES.LOCK).__module__ == "_thread"


def test_gate_modules_are_the_factory_its_package_and_its_bases() -> None:
    names = [module.__name__ for module in gate_modules(Immediate)]
    assert wrong_gates.__name__ in names
    assert "tests" in names
    assert not [name for name in names if name.startswith("stopcheck.")]
    assert gate_modules(Immediate.cancel) == gate_modules(Immediate)


def test_outside_a_call_the_substitutes_are_plain(tmp_path: Path) -> None:
    with substituted(MODULE) as substitutes:
        substitutes.begin(lambda: 7_000_000_000, inner=True)
        gate = CheckThenAct(tmp_path / "gate.db")
        assert (gate.commit_effect("e"), gate.cancel()) == ("admitted", 1)
        assert NAMES.clock() == 7.0
        assert substitutes.reached == 0
        with NAMES.sqlite3.connect(tmp_path / "gate.db") as connection:
            connection.executemany("INSERT INTO effect VALUES (?)", ((name,) for name in "xyz"))
            assert [row[0] for row in connection.execute("SELECT id FROM effect ORDER BY id")] == ["e", "x", "y", "z"]
        substitutes.end()
        with pytest.raises(sqlite3.ProgrammingError):
            connection.execute("SELECT 1")
