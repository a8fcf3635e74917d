"""A pytest project outside of the repository certifies its own gate, with nothing of ours but the wheel."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: A gate that is right, as a vendor's would be.
GATE = "from stopcheck_fixtures.vendor.simple_gate import Gate as SimpleGate\n\n\nclass Gate(SimpleGate):\n    pass\n"
TEST = "import stopcheck\n\n\ndef test_it_is_the_wheel():\n    assert {folder!r} in stopcheck.__file__\n"


def test_a_project_with_the_wheel_only(tmp_path: Path) -> None:
    wheels, site, project = tmp_path / "wheels", tmp_path / "site", tmp_path / "project"
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels), str(ROOT)],
        check=True,
        timeout=120,
    )
    (wheel,) = wheels.glob("*.whl")
    # What it depends on is installed here already; it is found first.
    subprocess.run([*pip, "install", "--no-deps", "--target", str(site), str(wheel)], check=True, timeout=120)
    project.mkdir()
    (project / "my_gate.py").write_text(GATE)
    (project / "test_mine.py").write_text(TEST.format(folder=str(site)))
    gate = ("--stopcheck-gate", "my_gate.py:Gate", "--stopcheck-scenario", "before-admission")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", *gate, "-k", "wheel or REC"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "PASSED test_mine.py::test_it_is_the_wheel" in done.stdout, done.stdout
    assert "PASSED stopcheck:my_gate.py:Gate::before-admission[REC]" in done.stdout, done.stdout
    assert done.returncode == 0
