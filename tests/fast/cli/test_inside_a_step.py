"""Looking into a step: what the gate printed stands there, and the debugger stops there."""

from __future__ import annotations

import io
import re
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


RESUMED = """
import asyncio
from msgspec.structs import replace
from stopcheck.gate import HostKind
from stopcheck_fixtures.reference.memory import MemoryGate

class Gate(MemoryGate):
    contract = replace(MemoryGate.contract, host=HostKind.ASYNCIO, serialised_calls=False, fingerprint=True)

    def fingerprint(self):
        shown = super().fingerprint()
        return shown

    async def commit_effect(self, request):
        before = "before"
        await asyncio.sleep(0)
        after = request.effect_id
        return super().commit_effect(request)
"""


def test_it_stops_where_a_call_that_waited_runs_on_and_not_in_what_the_kit_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "resumed_gate.py"
    path.write_text(RESUMED)
    token = Schedule.of("before-admission", {"handles": "1", "granularity": "inner"}, []).token()
    run(monkeypatch, "replay", token, "--gate", f"{path}:Gate")
    steps = [line.split()[0] for line in capsys.readouterr().out.splitlines() if "commit_effect" in line]
    monkeypatch.setattr("sys.stdin", io.StringIO("p 'seen', before\nn\np 'then', after\nc\n"))
    run(monkeypatch, "replay", token, "--gate", f"{path}:Gate", "--break", str(int(steps[0]) + 1))
    out = capsys.readouterr().out
    assert f"step {int(steps[0]) + 1}: worker runs in Gate.commit_effect" in out
    assert "('seen', 'before')" in out
    assert "('then', 'refund-mail')" in out
    assert "fingerprint()" not in out


def test_quitting_the_debugger_is_no_fault_of_the_gate(
    loud: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    assert run(monkeypatch, "replay", TOKEN, "--gate", loud, "--break", "7") == 130
    out, err = capsys.readouterr()
    assert "ADAPTER FAULT" not in out + err
    assert "interrupted" in err


def test_a_step_without_code_of_the_gate_is_said(
    loud: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, "replay", TOKEN, "--gate", loud, "--break", "900")
    out = capsys.readouterr().out
    assert "none of the gate's code runs in step 900" in out
    assert re.search(r"next: --break with one of the steps (\d+(-\d+)?(, )?)+$", out, re.M)


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
