"""The digest of a gate's files: a change of the gate changes it; where it would not cover the gate there is none."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import trio

from stopcheck.campaign import LoadedGate, UsageFault
from stopcheck.campaign._content import content_digest
from stopcheck.campaign._executor import _Crew
from stopcheck.campaign._messages import Open
from stopcheck.campaign._outcome import Manner, Outcome
from tests.fast.campaign.test_merge import head


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the gate lies, and the current directory."""
    for name in ("gate.js", "store.js", "setup.cjs", "config.json", "gate.db", "gate", "run.py", "python3.11"):
        (tmp_path / name).write_text(name)
    for name in ("bin/python", "bin/gate", "dist/index.js"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def digest(reference: str, factory: Any = None) -> str:
    return content_digest(LoadedGate(reference, factory))


def changing(command: str, folder: Path) -> set[str]:
    """The files of which a change is seen."""
    before, seen = digest(f"command:{command}"), set[str]()
    for path in _all(folder):
        kept = path.read_bytes()
        path.write_bytes(kept + b" and more")
        if digest(f"command:{command}") != before:
            seen.add(path.relative_to(folder).as_posix())
        path.write_bytes(kept)
    return seen


def _all(folder: Path) -> Iterable[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


COVERED = {
    "node gate.js": {"gate.js", "store.js"},
    "node ./gate.js": {"gate.js", "store.js"},
    "node --require=./setup.cjs gate.js": {"gate.js", "store.js", "setup.cjs"},
    "node gate.js --config config.json": {"gate.js", "store.js", "config.json"},
    "node gate.js --state gate.db": {"gate.js", "store.js"},
    "node dist/index.js": {"dist/index.js"},
    "bin/python run.py": {"run.py"},
    "{folder}/python3.11 run.py": {"run.py"},
    "env {folder}/python3.11 run.py": {"run.py"},
    "./gate": {"gate"},
    "./gate --port 80 config.json": {"gate", "config.json"},
    "{folder}/bin/gate": {"bin/gate"},
    "env ./gate": {"gate"},
    "sh gate": {"gate"},
    "./run.py": {"run.py"},
}


@pytest.mark.parametrize("command", COVERED)
def test_a_change_of_what_a_command_names_is_seen(command: str, folder: Path) -> None:
    assert changing(command.format(folder=folder), folder) == COVERED[command]


NOTHING = (
    "python -m gate",
    "{folder}/bin/python -m gate",
    "bin/python -m gate config.json",
    "{folder}/python3.11 -m gate",
    "node dist",
    "node dist config.json",
    "gate",  # not in this directory: a command is looked for in the path
    "node nothing.js",
    f"{sys.executable} -c pass",
)


@pytest.mark.parametrize("command", NOTHING)
def test_of_a_command_that_names_no_file_of_the_gate_there_is_no_digest(command: str, folder: Path) -> None:
    assert digest(f"command:{command.format(folder=folder)}") == ""


def test_it_is_the_same_wherever_the_gate_lies(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = [digest("command:node gate.js"), digest(f"command:node {folder}/gate.js"), digest("run.py:Gate")]
    other = folder / "elsewhere"
    other.mkdir()
    for name in ("gate.js", "store.js", "run.py"):
        (other / name).write_text(name)
    monkeypatch.chdir(other)
    assert [digest("command:node gate.js"), digest(f"command:node {other}/gate.js"), digest("run.py:Gate")] == here
    assert here[0] == here[1]


def test_each_part_of_a_namespace_package_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [tmp_path / "one" / "acme_spread", tmp_path / "two" / "acme_spread"]
    for part in parts:
        part.mkdir(parents=True)
        (part / f"of_{part.parent.name}.py").write_text("")
        monkeypatch.syspath_prepend(str(part.parent))
    before = digest("acme_spread.of_two:Gate")
    assert before
    for part in parts:
        changed = part / f"of_{part.parent.name}.py"
        changed.write_text("x = 1")
        assert digest("acme_spread.of_two:Gate") != before
        changed.write_text("")


def test_a_module_without_a_file_has_none() -> None:
    assert digest("sys:Gate") == ""


def test_a_file_beside_the_gate_that_cannot_be_read_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(UsageFault, match=r"cannot read '.*gate\.js'.*Permission denied"):
        digest("command:node gate.js")


def test_without_a_digest_there_is_no_going_on(tmp_path: Path) -> None:
    """Of a gate that may have changed since, what was found says nothing."""
    opened = head(content="").opened
    path = tmp_path / "run.jsonl"

    async def begin(manner: Manner) -> _Crew:
        crew = _Crew(Open("command:python -m gate", (), 0, None, None), Outcome(opened), tmp_path, print, manner)
        crew._begin_journal(opened)
        return crew

    with pytest.raises(UsageFault, match=r"'command:python -m gate' has changed: its command names no file") as raised:
        trio.run(begin, Manner(journal=path))
    assert "--resume" in raised.value.hint
    assert not path.exists()
    crew = trio.run(begin, Manner(leave=path))
    crew.leave()
    crew.close()
    assert not path.exists()
    assert crew._outcome.left is None
