"""The wheel, as a vendor gets it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    build = ("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT))
    subprocess.run([sys.executable, *PIP, *build], check=True, timeout=120)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the wheel is installed, with its commands in ``bin``. What it depends on is installed here already; this is
    found first."""
    folder = tmp_path_factory.mktemp("site")
    install = ("install", "--no-deps", "--target", str(folder), str(wheel))
    subprocess.run([sys.executable, *PIP, *install], check=True, timeout=120)
    return folder
