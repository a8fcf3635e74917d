"""What is asked for and does not exist, or cannot be done: exit 2, what, the offending value, and what to do next."""

from __future__ import annotations

from pathlib import Path

import pytest

from stopcheck.campaign import ExitCode, LoadedGate, load_gate
from stopcheck.gate import AdapterFault
from stopcheck.kernel import Choice, Schedule
from tests.fast.cli.support import run
from tests.fast.report.samples import REPORT

VARIANT = {"handles": "1", "granularity": "calls"}
TOKEN = Schedule.of("before-admission", VARIANT, []).token()
CORRUPTED = TOKEN[:-1] + ("1" if TOKEN.endswith("0") else "0")
STRANGE = Schedule.of("before-admission", VARIANT, [Choice("schedule", "dog@barks", 1)]).token()
ELSEWHERE = Schedule.of("before-admision", VARIANT, []).token()
CHILDREN = Schedule.of("child-creation-race", VARIANT, []).token()
HANDLES = Schedule.of("before-admission", {"handles": "2", "granularity": "calls"}, []).token()
VENDOR = "stopcheck_fixtures.vendor.flag_gate:Gate"

WRONG = {
    "no such command": (("xyzzy",), "xyzzy", "--help"),
    "no gate": (("certify",), "Missing argument", "stopcheck certify --help"),
    "no budget": (("certify", "memory", "--budget", "0"), "0 is not in the range", "stopcheck certify --help"),
    "no such granularity": (("certify", "memory", "--granularity", "atoms"), "atoms", "--help"),
    "no such strategy": (
        ("certify", "memory", "--strategy", "depth-first"),
        "'depth-first'",
        "strategies: auto, exhaustive, bounded, stop-sweep, mixed, random-walk, uniform-walk, pct, stop-position, ",
    ),
    "misspelt strategy": (
        ("certify", "memory", "--strategy", "uniform-wlk"),
        "'uniform-wlk'",
        "did you mean uniform-walk",
    ),
    "no such list": (("list", "foo"), "foo", "stopcheck list --help"),
    "a list in the singular": (("list", "scenario"), "'scenario'", "did you mean scenarios?"),
    "misspelt command": (("certfy",), "'certfy'", "did you mean certify"),
    "misspelt operation": (("explain", "comit_effect"), "'comit_effect'", "did you mean commit_effect"),
    "an option of another list": (
        ("list", "gates", "--uncovered"),
        "--uncovered says nothing about gates",
        "stopcheck list requirements --uncovered",
    ),
    "no such clause": (("explain", "ADM-33"), "'ADM-33'", "did you mean ADM-3"),
    "no such scenario to explain": (("explain", "before-admision"), "'before-admision'", "before-admission?"),
    "nothing like it": (("explain", "xyzzy"), "'xyzzy'", "stopcheck list requirements"),
    "no such bundled gate": (("selftest", "--only", "sqlit"), "'sqlit'", "did you mean sqlite"),
    "empty token": (("replay", "", "--gate", VENDOR), "''", "copy the whole token"),
    "foreign token": (("replay", "hello", "--gate", VENDOR), "'hello'", "copy the whole token"),
    "scenario in the place of a token": (
        ("replay", "before-admission"),
        "'before-admission' is a scenario",
        "stopcheck replay before-admission --gate GATE",
    ),
    "misspelt scenario in its place": (
        ("replay", "before-admision", "--gate", VENDOR),
        "neither a token nor a file nor a scenario",
        "did you mean before-admission",
    ),
    "truncated token": (("replay", TOKEN[:-12], "--gate", VENDOR), "truncated", "copy the whole token"),
    "corrupted token": (("replay", CORRUPTED, "--gate", VENDOR), "checksum", "copy the whole token"),
    "token of another version": (
        ("replay", TOKEN.replace("sc1.", "sc9."), "--gate", VENDOR),
        "version is unknown: it is 9",
        "copy the whole token",
    ),
    "token of an unknown scenario": (
        ("replay", ELSEWHERE, "--gate", VENDOR),
        "'before-admision'",
        "did you mean before-admission?",
    ),
    "token that needs what the gate lacks": (("replay", CHILDREN, "--gate", VENDOR), "[children]", "another gate's"),
    "token of two handles": (("replay", HANDLES, "--gate", VENDOR), "is volatile", "another gate's"),
    "token of a death": (("replay", "kill.a.b", "--gate", VENDOR), "'kill.a.b'", "copy the whole token"),
    "no gate for a token": (("replay", TOKEN), "no gate was named", "--gate GATE"),
    "unknown gate": (("replay", TOKEN, "--gate", "sqlit"), "'sqlit'", "did you mean sqlite"),
    "file without a factory": (("certify", "my_gate.py"), "'my_gate.py'", "name the class in it: my_gate.py:Gate"),
    "no such module": (("replay", TOKEN, "--gate", "nomodule.x:Gate"), "'nomodule.x'", "spelt right"),
    "no such file": (("replay", TOKEN, "--gate", "/no/file.py:Gate"), "'/no/file.py'", "check the path"),
    "no such attribute": (("replay", TOKEN, "--gate", f"{VENDOR}s"), "'Gates'", "did you mean Gate?"),
    "no report": (("replay", "/no/report.json"), "'/no/report.json'", "report file"),
    "log that cannot be written": (
        ("replay", TOKEN, "--gate", VENDOR, "--log", "/no/log.jsonl"),
        "'/no/log.jsonl'",
        "may be written",
    ),
    "a shard of which nothing is kept": (("certify", "memory", "--shard", "1/3"), "shard 1/3", "add --resume FILE"),
    "a key without a certificate": (("certify", "memory", "--sign-key", "key.pem"), "go together", "give both"),
    "no such waivers": (("certify", "memory", "--waivers", "/no/waivers.toml"), "'/no/waivers.toml'", "[[waiver]]"),
    "no such requirement set": (("certify", "memory", "--requirement-set", "1999-01"), "'1999-01'", "2026-11"),
    "no such clause to try": (("certify", "memory", "--clause", "ADM-33"), "'ADM-33'", "did you mean ADM-3"),
    "no journal to merge": (("merge", "/no/shard.jsonl"), "'/no/shard.jsonl'", "--resume"),
    "no certificate": (("verify", "/no/cert.json", "--key", "/no/pub.pem"), "'/no/pub.pem'", "check the path"),
    "failures that cannot be written": (
        ("certify", "memory", "--failures", "/dev/null/x"),
        "'/dev/null/x'",
        "path of a folder",
    ),
    "report that cannot be written": (("certify", "memory", "--json", "/no/x.json"), "'/no/x.json'", "may be written"),
}


@pytest.mark.parametrize("name", WRONG)
def test_one_clear_line_and_a_next_step(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, offending, hint = WRONG[name]
    assert run(monkeypatch, *arguments) == ExitCode.USAGE
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert len(lines) == 2, lines
    assert lines[0].startswith("error: ")
    assert offending in lines[0]
    assert lines[1].startswith("  next: ")
    assert hint in lines[1]


def test_a_file_that_is_no_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for content in (b"", b"not json", b"[1, 2]", b'{"kit_version": "0.1"}'):
        path = tmp_path / "report.json"
        path.write_bytes(content)
        assert run(monkeypatch, "replay", str(path)) == ExitCode.USAGE
        assert "is neither a report nor a failure file of this kit" in capsys.readouterr().err


def test_a_folder_is_said_to_be_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("failures", "failures.json"):
        (tmp_path / name).mkdir()
        assert run(monkeypatch, "replay", str(tmp_path / name)) == ExitCode.USAGE
        err = " ".join(capsys.readouterr().err.split())
        assert "is a folder, not a token" in err
        assert "give a file in it: ls" in err


def test_a_report_without_that_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from stopcheck.report import json_report  # noqa: PLC0415

    path = tmp_path / "report.json"
    path.write_bytes(json_report(REPORT))
    assert run(monkeypatch, "replay", str(path), "--clause", "ADM-9") == ExitCode.USAGE
    assert "clauses with findings there: ADM-3" in capsys.readouterr().err


BROKEN = {
    "raises at import": ("raise RuntimeError('at import')", "raised RuntimeError: at import"),
    "exits at import": ("import sys; sys.exit(0)", "raised SystemExit: 0"),
    "is no Python": ("def (", "raised SyntaxError"),
    "imports what is not there": ("import no_such_thing", "raised ModuleNotFoundError"),
    "is not callable": ("Gate = 3", "is the int 3, which cannot be called"),
    "has no contract": ("def Gate(environment): ...", "has no readable contract (found None)"),
    "has another contract": ("class Gate: contract = 'mine'", "has no readable contract (found 'mine')"),
    "has a contract that raises": (
        "class Made:\n    @property\n    def contract(self): raise OSError('no')\n"
        "    def __call__(self, e): ...\nGate = Made()",
        "raised OSError: no",
    ),
    "has a string for an enum": (
        "import stopcheck.gate as sg\nclass Gate(sg.Gate):\n"
        "    contract = sg.GateContract(name='g', version='1', host='inline')",
        "has host='inline'",
    ),
    "has a contract of wrong types": (
        "import stopcheck.gate as sg\nclass Gate(sg.Gate):\n    contract = sg.GateContract(name='g', version=1)",
        "is not valid",
    ),
    "has a contract that lasts less than nothing": (
        "import stopcheck.gate as sg\nclass Gate(sg.Gate):\n"
        "    contract = sg.GateContract(name='g', version='1', grace_ns=-5)",
        "has grace_ns=-5, and no time lasts less than nothing",
    ),
    "has no name": (
        "import stopcheck.gate as sg\nclass Gate(sg.Gate):\n    contract = sg.GateContract(name='', version='1')",
        "has name='', which is blank",
    ),
    "has a blank version": (
        "import stopcheck.gate as sg\nclass Gate(sg.Gate):\n    contract = sg.GateContract(name='g', version='  ')",
        "has version='  ', which is blank",
    ),
    "has a name of two lines": (
        "import stopcheck.gate as sg\nclass Gate(sg.Gate):\n    contract = sg.GateContract(name='g\\n1', version='1')",
        r"has name='g\n1', which has a character that cannot be printed",
    ),
    "has a version that paints the screen": (
        "import stopcheck.gate as sg\nclass Gate(sg.Gate):\n"
        "    contract = sg.GateContract(name='g', version='\\x1b[31m1')",
        r"has version='\x1b[31m1', which has a character that cannot be printed",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_an_adapter_that_cannot_be_loaded_is_its_own_fault(name: str, tmp_path: Path) -> None:
    source, words = BROKEN[name]
    path = tmp_path / "broken_adapter.py"
    path.write_text(source)
    with pytest.raises(AdapterFault) as raised:
        load_gate(f"{path}:Gate")
    fault = raised.value
    assert words in fault.what
    assert fault.cause
    assert fault.hint


def test_a_broken_adapter_is_exit_4_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken_adapter.py"
    path.write_text("raise RuntimeError('at import')")
    assert run(monkeypatch, "replay", TOKEN, "--gate", f"{path}:Gate") == ExitCode.ADAPTER_FAULT
    err = capsys.readouterr().err
    assert err.count("ADAPTER FAULT") == 1
    assert f"raised at {path}:1 while it was imported" in err


def test_something_that_makes_something_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "making_adapter.py"
    path.write_text(
        "import stopcheck.gate as sg\ndef make(environment): return {}\n"
        "make.contract = sg.GateContract(name='m', version='1')\n"
    )
    assert isinstance(load_gate(f"{path}:make"), LoadedGate)
    assert run(monkeypatch, "replay", TOKEN, "--gate", f"{path}:make") == ExitCode.ADAPTER_FAULT
    assert "the factory made {}, which is not a stopcheck.gate.Gate" in capsys.readouterr().out
