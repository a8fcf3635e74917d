"""What a vendor gets installed: three packages, typed, and no generic name in their site-packages."""

import subprocess
import sys
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {"stopcheck", "stopcheck_scenarios", "stopcheck_fixtures"}


@pytest.fixture(scope="module")
def wheel_names(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    target = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", str(target), str(ROOT)], check=True, timeout=120)
    (wheel,) = target.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_top_level_is_exactly_the_three_packages(wheel_names: list[str]) -> None:
    top_level = {name.split("/", 1)[0] for name in wheel_names}
    assert {name for name in top_level if not name.endswith(".dist-info")} == PACKAGES


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_each_package_is_typed(wheel_names: list[str], package: str) -> None:
    assert f"{package}/__init__.py" in wheel_names
    assert f"{package}/py.typed" in wheel_names


def test_licence_is_shipped(wheel_names: list[str]) -> None:
    assert any(name.endswith("/LICENSE") for name in wheel_names)


def test_entry_points_are_declared() -> None:
    assert {"memory", "sqlite"} <= entry_points(group="stopcheck.gates").names
    assert "acceptance" in entry_points(group="stopcheck.scenarios").names
    assert "stopcheck" in entry_points(group="console_scripts").names
