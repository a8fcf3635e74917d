"""A command that a terminal shows can be given in any folder; what goes into files and pipes names no folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from stopcheck.cli._from_anywhere import from_anywhere, report_for
from tests.fast.report.samples import REPORT, pipe, terminal


def test_paths_are_made_whole_and_other_names_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gate.js").touch()
    assert from_anywhere("own/gate.py:Gate") == f"{tmp_path}/own/gate.py:Gate"
    assert from_anywhere("command:node --flag gate.js") == f"command:node --flag {tmp_path}/gate.js"
    assert [from_anywhere(name) for name in ("memory", "own.gate:Gate")] == ["memory", "own.gate:Gate"]


def test_only_a_terminal_shows_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert report_for(pipe()[0], REPORT) == REPORT
    shown = report_for(terminal()[0], REPORT).gate
    assert shown is not None
    assert shown.reference == f"{tmp_path}/my dir/gate.py:Gate"
