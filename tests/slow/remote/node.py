"""The gates in JavaScript, where there is a node to run them."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

import pytest

import stopcheck_fixtures

FOLDER = Path(next(iter(stopcheck_fixtures.__path__))) / "node"


def missing(*, packages: bool = True) -> str:
    """What is missing to run them; empty where nothing is."""
    if shutil.which("node") is None:
        return "there is no node on the PATH"
    if packages and not (FOLDER / "node_modules" / "libsql").is_dir():
        return "their packages are not installed: make node"
    return ""


def need_node(*, packages: bool = True) -> None:
    """Skip where it is missing; where all tests must run, fail."""
    why = missing(packages=packages)
    if why and os.environ.get("CI"):
        pytest.fail(f"not skipped in CI: {why}")
    if why:
        pytest.skip(why)


def command(gate: str) -> str:
    """How a gate is started."""
    return f"node {shlex.quote(str(FOLDER / f'{gate}.js'))}"
