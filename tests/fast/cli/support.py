"""Calling the command in this process."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stopcheck.cli import _replay
from stopcheck.cli._contained import Pulse
from stopcheck.cli._guard import guarded
from stopcheck.cli._main import cli


def here(action: Callable[[Pulse], int], silence_s: float, *, debugging: bool = False) -> int:
    """Instead of a process of its own."""
    return action(Pulse())


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """The command's exit code."""
    monkeypatch.setattr(_replay, "contained", here)
    monkeypatch.setenv("COLUMNS", "80")
    return guarded(lambda: cli(list(arguments), prog_name="stopcheck", standalone_mode=False))
