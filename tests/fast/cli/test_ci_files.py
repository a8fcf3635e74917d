"""The CI configurations: written where nothing is, and made of flags that there are."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from stopcheck.campaign import ExitCode
from stopcheck.cli import _init
from stopcheck.cli._main import cli
from tests.fast.cli.support import run

FOLDER = Path(_init.__file__).parent / "ci"


@pytest.mark.parametrize("ci", _init.CI_FILES)
def test_it_is_written_once(
    ci: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / _init.CI_FILES[ci][0]
    assert run(monkeypatch, "init", str(tmp_path), "--ci", ci) == 0
    assert target.read_bytes() == (FOLDER / f"{ci}.yml").read_bytes()
    assert "[tool.stopcheck]" in capsys.readouterr().out
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [target]
    target.write_text("mine")
    assert run(monkeypatch, "init", str(tmp_path), "--ci", ci) == ExitCode.USAGE
    assert target.read_text() == "mine"
    assert "nothing that is there is overwritten" in capsys.readouterr().err


@pytest.mark.parametrize("ci", _init.CI_FILES)
def test_its_commands_have_the_flags_that_it_uses(ci: str) -> None:
    text = re.sub(r"\\\n|\n +--", " --", (FOLDER / f"{ci}.yml").read_text())
    used = re.findall(r"stopcheck (certify|merge)( .*)", text)
    assert [verb for verb, _ in used] == ["certify", "merge"]
    for verb, rest in used:
        command = cli.commands[verb]
        known = {flag for option in command.params if isinstance(option, click.Option) for flag in option.opts}
        assert set(re.findall(r"--[a-z-]+", rest)) <= known
    assert "case $code in 1|3|5)" in text  # no other end of a shard is let pass
