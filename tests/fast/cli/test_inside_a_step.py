"""Looking into a step: what the gate printed stands there, and the debugger stops there."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from stopcheck.campaign import ExitCode
from stopcheck.kernel import Schedule
from tests.fast.cli.support import run

TOKEN = Schedule.of("before-admission", {"handles": "1", "granularity": "calls"}, []).token()
LOUD = """
import sys
from stopcheck_fixtures.vendor.flag_gate import Gate as FlagGate

class Gate(FlagGate):
    def begin_work(self, request):
        print("here", "and\\nthere", end="")
        sys.stderr.write("\\x1b[2J")
        return super().begin_work(request)
"""


@pytest.fixture
def loud(tmp_path: Path) -> str:
    path = tmp_path / "loud_gate.py"
    path.write_text(LOUD)
    return f"{path}:Gate"


def test_what_the_gate_prints_stands_at_its_step(
    loud: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "replay", TOKEN, "--gate", loud) in {ExitCode.CERTIFIED, ExitCode.VIOLATIONS}
    out, err = capsys.readouterr()
    lines = out.splitlines()
    at = next(number for number, line in enumerate(lines) if "begin_work(" in line)
    assert [line.split() for line in lines[at + 1 : at + 3]] == [["prints:", "here", "and"], ["prints:", "there?[2J"]]
    assert out.count("prints: here and") == 1
    assert err == ""


def test_the_debugger_stops_where_the_gates_code_runs_in_that_step(
    loud: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("p 'seen', type(request).__name__\nc\n"))
    run(monkeypatch, "replay", TOKEN, "--gate", loud, "--break", "7")
    out = capsys.readouterr().out
    assert out.count("(Pdb)") == 2
    assert "('seen', 'CommitEffect')" in out
    assert "commit_effect()" in out.split("(Pdb)")[0]
    assert "7       0s  worker        commit_effect(" in out  # the run went on to its end


def test_a_step_without_code_of_the_gate_is_said(
    loud: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, "replay", TOKEN, "--gate", loud, "--break", "900")
    assert "none of the gate's code runs in step 900" in capsys.readouterr().out


def test_a_gate_in_another_process_has_no_step_to_stop_in(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = f"python {Path(__file__).parents[1] / 'remote' / 'wire_gate.py'}"
    assert run(monkeypatch, "replay", TOKEN, "--command", command, "--break", "7") == ExitCode.USAGE
    assert "process of its own" in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_what_completes(
    shell: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "completion", shell) == 0
    assert "_STOPCHECK_COMPLETE" in capsys.readouterr().out


def test_no_color_is_heeded(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    run(monkeypatch, "explain", "nowhere-at-all")
    assert "\x1b[1;31m" in capsys.readouterr().err
    monkeypatch.setenv("NO_COLOR", "1")
    run(monkeypatch, "explain", "nowhere-at-all")
    assert "31m" not in capsys.readouterr().err
