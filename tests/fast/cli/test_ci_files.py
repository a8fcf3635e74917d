"""The CI configurations: written where nothing is, and made of flags that there are."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import stopcheck_fixtures.scaffold
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


#: The schemas that GitHub and GitLab publish, as check-jsonschema carries them.
SCHEMAS = {"github": ("vendor.github-workflows",), "gitlab": ("vendor.gitlab-ci", "--data-transform", "gitlab-ci")}
SCAFFOLDS = Path(stopcheck_fixtures.scaffold.__file__).parent


def _refused_by_its_schema(path: Path, ci: str) -> str:
    """What the schema has against it; empty when it is valid."""
    main = importlib.import_module("check_jsonschema").main  # it has no types
    done = CliRunner().invoke(main, ["--builtin-schema", *SCHEMAS[ci], str(path)])
    return "" if done.exit_code == 0 else done.output


@pytest.mark.parametrize(
    ("path", "ci"),
    [
        (FOLDER / "github.yml", "github"),
        (FOLDER / "gitlab.yml", "gitlab"),
        (SCAFFOLDS / "python" / "stopcheck.yml", "github"),
        (SCAFFOLDS / "node" / "stopcheck.yml", "github"),
    ],
)
def test_it_is_valid_by_the_schema_that_its_service_publishes(path: Path, ci: str, tmp_path: Path) -> None:
    assert _refused_by_its_schema(path, ci) == ""
    wrong = tmp_path / path.name
    wrong.write_text(re.sub(r"\b(runs-on|script):", r"\1-no-such-key:", path.read_text()))
    assert "Schema validation errors were encountered" in _refused_by_its_schema(wrong, ci)


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


@pytest.mark.parametrize("ci", _init.CI_FILES)
def test_it_says_what_to_install_where_the_project_is_no_package(ci: str) -> None:
    text = (FOLDER / f"{ci}.yml").read_text()
    before, install, _ = text.partition("pip install stopcheck .\n")
    assert install
    told = re.sub(r"\n *# ", " ", "\n".join(before.splitlines()[-3:]))
    assert "leave `.` out" in told
    assert 'gate = "my_gate.py:Gate"' in told
