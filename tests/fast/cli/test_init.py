"""``stopcheck init``: what it writes says what is missing, and nothing that is there is touched."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from stopcheck.campaign import ExitCode, load_scaffolds
from stopcheck.remote import WIRE_JS
from tests.fast.cli.blanks import PYTHON, fill
from tests.fast.cli.support import run


@pytest.mark.parametrize(("language", "named"), [("python", "gate.py:Gate"), ("node", "--command 'node gate.js'")])
def test_a_gate_is_written_under_its_own_name_with_a_test_and_a_ci_file(
    language: str, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "deep" / "mail-gate"
    assert run(monkeypatch, "init", str(folder), "--lang", language) == ExitCode.CERTIFIED
    said = capsys.readouterr().out.replace("\n", " ")
    assert f"stopcheck smoke {named}" in " ".join(said.split())
    assert f"stopcheck certify {named} --profile core" in " ".join(said.split())
    written = sorted(path for path in folder.rglob("*") if path.is_file())
    names = [str(path.relative_to(folder)) for path in written]
    assert ".github/workflows/stopcheck.yml" in names
    assert any("test" in name for name in names)
    texts = [path.read_text() for path in written]
    assert any('"mail-gate"' in text for text in texts)
    assert not [text for text in texts if "my-gate" in text or "node-sqlite" in text]
    assert [text for text in texts if "BLANK 1" in text]


def test_the_kits_end_of_the_wire_is_written_beside_a_gate_in_javascript(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(monkeypatch, "init", str(tmp_path / "gate"), "--lang", "node") == ExitCode.CERTIFIED
    assert (tmp_path / "gate" / "stopcheck.js").read_bytes() == WIRE_JS.read_bytes()


def test_nothing_that_is_there_is_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "README.md").write_text("mine")
    assert run(monkeypatch, "init", str(tmp_path), "--lang", "node") == ExitCode.USAGE
    said = " ".join(capsys.readouterr().err.split())
    assert "is not empty: it has 'README.md' already" in said
    assert "next: name a new directory" in said
    assert said.endswith("-2 --lang node")
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]
    assert (tmp_path / "README.md").read_text() == "mine"


def test_no_gate_is_written_into_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gate = tmp_path / "mail-gate"
    gate.mkdir()
    (gate / ".git").mkdir()
    assert run(monkeypatch, "init", str(gate)) == ExitCode.CERTIFIED
    written = sorted(gate.rglob("*"))
    assert run(monkeypatch, "init", str(gate / "mail-gate")) == ExitCode.USAGE  # the same command again, after cd
    said = " ".join(capsys.readouterr().err.split())
    assert "where init has written a gate already" in said
    assert "next: fill that one: cd " in said
    assert run(monkeypatch, "init", str(gate)) == ExitCode.USAGE
    assert "is not empty: it has '.github' and 4 more already" in " ".join(capsys.readouterr().err.split())
    assert sorted(gate.rglob("*")) == written


def test_a_language_that_there_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "init", str(tmp_path / "gate"), "--lang", "pyton") == ExitCode.USAGE
    assert "no scaffold in 'pyton'" in (said := capsys.readouterr().err)
    assert "python" in said.partition("next:")[2]
    assert sorted(load_scaffolds()) == ["node", "python"]


def smoke(folder: Path) -> subprocess.CompletedProcess[str]:
    """In a process of its own: two directories hold a module named ``rules``."""
    command = [sys.executable, "-m", "stopcheck", "smoke", "gate.py:Gate"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_blanks_that_are_not_filled_say_so_and_those_that_are_let_the_gate_be_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "gate"
    run(monkeypatch, "init", str(folder))
    done = smoke(folder)
    assert done.returncode == ExitCode.ADAPTER_FAULT
    assert "BLANK 1 of gate.py: open the store" in done.stdout
    fill(folder / "gate.py", PYTHON)
    done = smoke(folder)
    assert (done.returncode, done.stderr) == (ExitCode.CERTIFIED, "")
    assert "the gate can be tried" in done.stdout


@pytest.mark.parametrize(
    ("kept", "says"),
    [
        (PYTHON[3], "1 passed"),
        ("self._rows.setdefault(task.ref, msgspec.json.encode(task))", "revision=2"),
        ("self._rows.pop(task.ref, None); " + PYTHON[3], "task_id='z'"),
    ],
)
def test_a_store_that_does_not_keep_what_it_is_given_fails_the_test_that_came_with_it(
    kept: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "gate"
    run(monkeypatch, "init", str(folder))
    fill(folder / "gate.py", {**PYTHON, 3: kept})
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "the_store"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (kept == PYTHON[3]), done.stdout
    assert says in done.stdout
