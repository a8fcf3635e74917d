"""Figures: what a benchmark prints, and where it is kept.

One idea: a figure that nobody can make again is worth nothing. So each file under ``figures/`` is what one benchmark
printed, with the command that makes it again and the conditions under which it was made; ``--keep-figures`` writes it.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from pathlib import Path

import pytest

#: Where figures are kept.
FOLDER = Path(__file__).parent / "figures"


def pytest_addoption(parser: pytest.Parser) -> None:
    """One option of ours."""
    parser.addoption(
        "--keep-figures", action="store_true", help=f"write what each benchmark that passes whole prints to {FOLDER}"
    )


class Figures:
    """The lines of one benchmark. They are printed as they come, since some take minutes."""

    def __init__(self, request: pytest.FixtureRequest, title: str) -> None:
        self._capture = request.config.pluginmanager.getplugin("capturemanager")
        self.lines: list[str] = [title]

    def print(self, *lines: str) -> None:
        """Show them, also where pytest keeps what is printed, and note them."""
        self.lines += lines
        with self._capture.global_and_fixture_disabled():
            print("", *lines, sep="\n", end="", flush=True)


@pytest.fixture(scope="module")
def figures(request: pytest.FixtureRequest) -> Iterator[Figures]:
    """What the benchmarks of one file print. It is kept if all of them passed."""
    module = request.path
    title = (
        f"Made by: make bench (tests/bench/{module.name}). Python {platform.python_version()}, one of {os.cpu_count()} "
        "cores, other programs running; times are CPU times of the process."
    )
    failed_before = request.session.testsfailed
    found = Figures(request, title)
    yield found
    if request.config.getoption("--keep-figures") and request.session.testsfailed == failed_before:
        FOLDER.mkdir(exist_ok=True)
        name = module.stem.removeprefix("bench_")
        (FOLDER / f"{name}.txt").write_text("\n".join(found.lines).strip() + "\n")
