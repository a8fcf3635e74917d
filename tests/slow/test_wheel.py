"""Outside of the repository, with nothing of ours but the wheel: a pytest project certifies its own gate, and a
certificate comes to the same digests in another environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import pytest

from stopcheck.campaign import Options, read_private_key, run_campaign, signed, statement_of
from tests.fast.campaign.keys import write_keys
from tests.slow.conftest import PIP

#: A gate that is right, as a vendor's would be.
GATE = "from stopcheck_fixtures.vendor.simple_gate import Gate as SimpleGate\n\n\nclass Gate(SimpleGate):\n    pass\n"
TEST = "import stopcheck\n\n\ndef test_it_is_the_wheel():\n    assert {folder!r} in stopcheck.__file__\n"
#: Other than here in all that must not matter: no locale to speak of, another time zone, other hashes, a home that is
#: not there.
ELSEWHERE = {
    "LC_ALL": "C",
    "PYTHONCOERCECLOCALE": "0",
    "PYTHONUTF8": "0",
    "TZ": "Pacific/Chatham",
    "PYTHONHASHSEED": "12345",
    "HOME": "/nonexistent",
    "USER": "somebody",
    "COLUMNS": "50",
}


def test_a_project_with_the_wheel_only(site: Path, tmp_path: Path) -> None:
    (tmp_path / "my_gate.py").write_text(GATE)
    (tmp_path / "test_mine.py").write_text(TEST.format(folder=str(site)))
    gate = ("--stopcheck-gate", "my_gate.py:Gate", "--stopcheck-scenario", "before-admission")
    workers = ("-n", "2", "--dist", "loadgroup", "-x", "-p", "no:cacheprovider")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rA", *workers, *gate, "-k", "wheel or REC"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "PASSED test_mine.py::test_it_is_the_wheel" in done.stdout, done.stdout
    assert "PASSED stopcheck:my_gate.py:Gate::before-admission[REC]" in done.stdout, done.stdout
    assert done.returncode == 0
    assert not (tmp_path / ".pytest_cache").exists()


def certificate(gate: str, folder: Path, **options: object) -> tuple[Path, Path]:
    """One on a campaign that is too small for that, and its public key."""
    private, public = write_keys(folder)
    asked = msgspec.convert({"scenarios": ["before-admission"], "strategy": "bounded", **options}, Options)
    done = run_campaign(gate, asked, lambda _: None)
    assert done.report.faults == ()
    as_certified = msgspec.structs.replace(done, report=msgspec.structs.replace(done.report, exit_code=0))
    path = folder / "certificate.json"
    path.write_bytes(signed(statement_of(as_certified), read_private_key(private)))
    return path, public


def verified(python: Sequence[str], given: tuple[Path, Path], folder: Path, environment: Mapping[str, str]) -> str:
    """What ``verify --rerun`` says of it in another folder, with one process where here there were two."""
    cwd, scratch = folder / "elsewhere", folder / ("a-long-name-of-a-folder-" * 4) / "below"
    cwd.mkdir()
    scratch.mkdir(parents=True)
    path, public = (Path(shutil.copy(each, cwd)).relative_to(cwd) for each in given)
    again = ("--key", str(public), "--rerun", "--sample", "99", "--jobs", "1", "--quiet")
    done = subprocess.run(
        [*python, "-m", "stopcheck", "verify", str(path), *again],
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "TMPDIR": str(scratch), **ELSEWHERE, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return " ".join(done.stdout.split())


def test_a_certificate_holds_in_another_environment(site: Path, tmp_path: Path) -> None:
    given = certificate("sqlite", tmp_path, budget=10)
    said = verified([sys.executable], given, tmp_path, {"PYTHONPATH": str(site)})
    assert "4 jobs made again, 40 executions: all digests are the same" in said


def _other_python(version: str) -> str | None:
    """One of that version: on the path, or where pyenv puts them."""
    on_path = shutil.which(f"python{version}")
    of_pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    for each in (on_path, *map(str, of_pyenv)):
        if each is not None and subprocess.run([each, "-c", ""], capture_output=True, check=False).returncode == 0:
            return each
    return None


@pytest.mark.campaign
@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_a_certificate_holds_in_another_python(version: str, wheel: Path, tmp_path: Path) -> None:
    other = _other_python(version)
    if other is None:
        pytest.skip(f"there is no Python {version} on this machine; put one on the path")
    subprocess.run([other, "-m", "venv", str(tmp_path / "venv")], check=True, timeout=120)
    python = str(tmp_path / "venv" / "bin" / "python")
    subprocess.run([python, *PIP, "install", f"{wheel}[sign]"], check=True, timeout=600)
    given = certificate("sqlite", tmp_path, budget=60, strategy=None)
    said = verified([python], given, tmp_path, {})
    assert "all digests are the same" in said
