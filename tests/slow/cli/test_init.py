"""A scaffold whose blanks are filled is certified for the profile core."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from stopcheck.campaign import ExitCode
from tests.fast.cli.blanks import NODE, PYTHON, fill
from tests.slow.cli.support import stopcheck
from tests.slow.remote.node import need_node

CORE = ("--profile", "core", "--quiet")


def written(folder: Path, language: str) -> Path:
    """The directory of a new gate."""
    assert stopcheck("init", str(folder), "--lang", language).returncode == ExitCode.CERTIFIED
    return folder


@pytest.mark.campaign
def test_in_python(tmp_path: Path) -> None:
    folder = written(tmp_path / "own", "python")
    fill(folder / "gate.py", PYTHON)
    done = stopcheck("certify", "gate.py:Gate", *CORE, cwd=folder)
    assert (done.returncode, done.stderr) == (ExitCode.CERTIFIED, ""), done.stdout


def test_in_javascript_the_gate_can_be_tried_and_its_store_is(tmp_path: Path) -> None:
    need_node(packages=False)
    folder = written(tmp_path / "own", "node")
    only_the_store = ["node", "--test", "--test-name-pattern", "the store"]
    assert subprocess.run(only_the_store, cwd=folder, capture_output=True, check=False).returncode == 1
    fill(folder / "store.js", NODE)
    tried = subprocess.run(only_the_store, cwd=folder, capture_output=True, text=True, check=False)
    assert tried.returncode == 0, tried.stdout
    done = stopcheck("smoke", "--command", "node gate.js", cwd=folder)
    assert (done.returncode, done.stderr) == (ExitCode.CERTIFIED, ""), done.stdout
    assert "places inside of it where others could move" in done.stdout


@pytest.mark.campaign
def test_in_javascript(tmp_path: Path) -> None:
    need_node(packages=False)
    folder = written(tmp_path / "own", "node")
    fill(folder / "store.js", NODE)
    done = stopcheck("certify", "--command", "node gate.js", *CORE, cwd=folder)
    assert (done.returncode, done.stderr) == (ExitCode.CERTIFIED, ""), done.stdout
