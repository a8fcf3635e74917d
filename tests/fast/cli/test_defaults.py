"""Defaults from pyproject.toml: taken, overruled by the command line, and refused when misspelt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stopcheck.campaign import Campaign, ExitCode, Options, Shard
from stopcheck.cli import _certify, _smoke
from tests.fast.cli.support import here, run
from tests.fast.report.samples import REPORT


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, Options]]:
    """What campaigns were asked for, in an empty directory; none is run."""
    found: list[tuple[str, Options]] = []

    def run_campaign(reference: str, options: Options, on_event: Any) -> Campaign:
        found.append((reference, options))
        return Campaign(REPORT, options)

    monkeypatch.setattr(_certify, "run_campaign", run_campaign)
    monkeypatch.chdir(tmp_path)
    return found


def write(text: str) -> None:
    """The file of the current directory."""
    Path("pyproject.toml").write_text(text)


def test_flags_and_the_gate_stand_in_the_file(
    asked: list[tuple[str, Options]], monkeypatch: pytest.MonkeyPatch
) -> None:
    write('[tool.stopcheck]\ngate = "memory"\nprofile = "core"\njobs = 3\nscenario = ["before-admission"]\n')
    run(monkeypatch, "certify")
    run(monkeypatch, "certify", "sqlite", "--jobs", "1", "--clause", "adm-3", "--shard", "2/3", "--resume", "two.jsonl")
    run(monkeypatch, "certify", "--command", "node gate.js")
    (first, options), (second, other), (third, _) = asked
    assert (first, second, third) == ("memory", "sqlite", "command:node gate.js")
    assert (options.profile, options.children, options.scenarios) == ("core", 3, ("before-admission",))
    assert (other.profile, other.children, other.clauses, other.shard) == ("core", 1, ("ADM-3",), Shard(2, 3))


def test_other_verbs_take_the_gate_from_it_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_smoke, "contained", here)
    write('[tool.stopcheck]\ngate = "memory"\nclause = ["ADM-3"]\n')
    assert run(monkeypatch, "smoke") == ExitCode.CERTIFIED
    assert "next: stopcheck certify memory" in capsys.readouterr().out
    assert run(monkeypatch, "replay", "before-admission") == ExitCode.CERTIFIED
    assert "memory" in capsys.readouterr().out.splitlines()[0]


def test_without_a_file_or_a_table_nothing_changes(
    asked: list[tuple[str, Options]], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(monkeypatch, "certify", "memory")
    write("[tool.other]\n")
    run(monkeypatch, "certify", "memory")
    assert asked[0] == asked[1]
    assert asked[0][1].profile is None


@pytest.mark.parametrize(
    ("text", "offending", "hint"),
    [
        ('[tool.stopcheck]\nprofil = "core"', "'profil'", "did you mean profile"),
        ('[tool.stopcheck]\njobs = "many"', "'many'", "stopcheck certify --help"),
        ("[tool.stopcheck", "pyproject.toml", "mend it"),
        (
            '[tool]\nstopcheck = "memory"',
            "'stopcheck' in 'pyproject.toml' is 'memory', and not a table",
            "write [tool.",
        ),
        ("tool = 1", "'tool' in 'pyproject.toml' is 1, and not a table", "write [tool."),
        ("[[tool.stopcheck]]", "'stopcheck' in 'pyproject.toml' is [{}]", "write [tool."),
    ],
)
def test_what_stands_there_and_cannot_be_meant_is_refused(
    text: str,
    offending: str,
    hint: str,
    asked: list[tuple[str, Options]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(text)
    assert run(monkeypatch, "certify", "memory") == ExitCode.USAGE
    err = capsys.readouterr().err
    assert offending in err
    assert hint in err
    assert not asked


@pytest.mark.parametrize("shard", ["0/3", "4/3", "1", "a/b", "1/0"])
def test_a_shard_that_is_no_part(
    shard: str, asked: list[tuple[str, Options]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "certify", "memory", "--shard", shard) == ExitCode.USAGE
    assert repr(shard) in capsys.readouterr().err
    assert not asked
