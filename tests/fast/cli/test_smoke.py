"""``stopcheck smoke``: whether a gate can be tried at all, before any campaign."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from stopcheck.campaign import ExitCode
from stopcheck.cli import _smoke
from stopcheck.cli._contained import Pulse
from tests.fast.cli.support import run
from tests.fast.remote.support import command, left_behind


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    def here(action: Callable[[Pulse], int], silence_s: float, *, debugging: bool = False) -> int:
        return action(Pulse())

    monkeypatch.setattr(_smoke, "contained", here)


@pytest.mark.parametrize(
    ("gate", "says"),
    [
        ("memory", "the gate can be tried; next: stopcheck certify memory"),
        (
            "stopcheck_fixtures.vendor.flag_gate:Gate",
            "commit_effect: 1; places inside of it where others could move: 1",
        ),
    ],
)
def test_a_gate_that_can_be_tried(
    gate: str, says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "smoke", gate) == ExitCode.CERTIFIED
    out, err = capsys.readouterr()
    assert says in out
    assert "UNKNOWN" not in out
    assert err == ""


def test_a_misspelt_method_beside_an_inherited_one_is_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "misspelt.py"
    path.write_text(
        "from stopcheck_fixtures.reference.memory import MemoryGate\n\n\n"
        "class Gate(MemoryGate):\n    def commit_efect(self, request):\n        return None\n"
    )
    assert run(monkeypatch, "smoke", f"{path}:Gate") == ExitCode.CERTIFIED
    out = capsys.readouterr().out
    assert out.count("is no operation of the protocol") == 1
    assert "'commit_efect' is no operation of the protocol, and is never called: is it 'commit_effect'?" in out


def test_one_without_inner_points_is_told_what_that_costs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "plain.py"
    path.write_text(
        "from msgspec.structs import replace\n"
        "from stopcheck_fixtures.reference.memory import MemoryGate\n\n\n"
        "class Gate(MemoryGate):\n    contract = replace(MemoryGate.contract, serialised_calls=False)\n"
    )
    assert run(monkeypatch, "smoke", f"{path}:Gate") == ExitCode.CERTIFIED
    assert "what must be atomic stays UNKNOWN" in capsys.readouterr().out


def test_what_the_default_order_breaks_is_told_with_the_call_the_step_and_how_to_see_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "late.py"
    path.write_text(
        "from msgspec.structs import replace\n"
        "from stopcheck_fixtures.reference.memory import MemoryGate\n\n\n"
        "class Gate(MemoryGate):\n"
        "    def inspect(self, request):\n"
        "        print('looked at')\n"
        "        return replace(super().inspect(request), effects=())\n"
    )
    gate = f"{path}:Gate"
    assert run(monkeypatch, "smoke", gate) == ExitCode.VIOLATIONS
    lines = capsys.readouterr().out.splitlines()
    broken = [line for line in lines if " is broken at step " in line]
    named = next(line for line in lines if line.startswith("clauses broken in the default order already: "))
    assert named.partition(": ")[2].split(", ") == [line.split()[0] for line in broken]
    shown = [line for line in lines if line.startswith("  step ") and "inspect(" in line]
    assert "no effects" in shown[0]
    assert any(re.match(r"the gate printed \d lines; to see them", line) for line in lines)
    command = lines[-1].split()
    assert command[:2] == ["stopcheck", "replay"]
    assert run(monkeypatch, *command[1:]) == ExitCode.VIOLATIONS
    out = capsys.readouterr().out
    assert out.splitlines()[-1].startswith(f"clauses broken: {broken[0].split()[0]} (step ")
    assert "prints: looked at" in out


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("exits at once", "GateDied: the gate's process ended by itself with exit status 0"),
        ("reads one line at a time", "HandshakeFault: the gate does not serve a call while another stands"),
        ("", "MissingOperation: open_task"),
    ],
)
def test_a_process_that_cannot_be_tried_is_an_adapter_fault(
    wrong: str, says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "smoke", "--command", shlex.join(command(wrong))) == ExitCode.ADAPTER_FAULT
    said = capsys.readouterr()
    assert f"ADAPTER FAULT {says}" in said.out + said.err
    assert left_behind() == []


def test_a_gate_is_named_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "smoke") == ExitCode.USAGE
    assert "name a gate, or give --command" in capsys.readouterr().err
    assert run(monkeypatch, "smoke", "memory", "--command", "node gate.js") == ExitCode.USAGE
    assert "two gates are named: 'memory' and --command 'node gate.js'" in capsys.readouterr().err
    assert run(monkeypatch, "smoke", "--command", "no-such-program gate.js") == ExitCode.USAGE
    assert "there is no program 'no-such-program'" in capsys.readouterr().err
