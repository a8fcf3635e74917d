"""What happens to processes and pipes around a campaign."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from stopcheck.campaign import ExitCode, Report
from stopcheck.cli._entry import INTERRUPTED
from stopcheck.cli._guard import BROKEN_PIPE
from tests.slow.cli.support import HASTY, PATIENCE_S, VENDOR, left_behind, start, stopcheck, until, write_gate

#: What it says last when it was interrupted with a plan, and left nothing to wait for.
GO_ON = "interrupted; to go on, give the same command, with: --resume stopcheck-resume.jsonl"


def test_ctrl_c_ends_the_campaign_and_its_children(tmp_path: Path) -> None:
    process = start("certify", "memory", "--quiet", cwd=tmp_path)
    until(lambda: len(left_behind(process.pid)) >= 2)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, err) == (ExitCode.INCONCLUSIVE, "")
    assert out.splitlines()[-1] == GO_ON
    assert "NOT certified: inconclusive (interrupted by SIGINT)" in out
    assert left_behind(process.pid) == []


def test_ctrl_c_ends_a_child_that_cannot_be_interrupted(tmp_path: Path) -> None:
    body = "def commit_effect(self, request):\n    open(__file__ + '.loops', 'w').close()\n    while True: pass"
    process = start("certify", write_gate(tmp_path, body), "--scenario", "before-admission", "--quiet", cwd=tmp_path)
    until((tmp_path / "bad.py.loops").exists)
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == ExitCode.INCONCLUSIVE
    assert left_behind(process.pid) == []


#: A wrong gate, whose runs hang when they are told again.
_HANGS_WHEN_TOLD = """
import os
from stopcheck_fixtures.faulty.admission import LeaseIsEnough

class Gate(LeaseIsEnough):
    def inspect(self, request):
        if "STOPCHECK_CONTAINED" in os.environ:
            open("tells", "w").close()
            while True: pass
        return super().inspect(request)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.campaign)])
def test_a_stop_while_failures_are_told_costs_no_report(number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "gate.py").write_text(_HANGS_WHEN_TOLD)
    flags = ("--scenario", "before-admission", "--fail-fast", "--quiet", "--json", "report.json", "--html", "page.html")
    process = start("certify", "gate.py:Gate", *flags, cwd=tmp_path)
    until((tmp_path / "tells").exists)
    os.kill(process.pid, number)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, err) == (
        ExitCode.VIOLATIONS,
        "the report is being written; once more ends without it\n",
    )
    report = msgspec.json.decode((tmp_path / "report.json").read_bytes(), type=Report)
    assert (report.exit_code, report.interleavings) == (ExitCode.VIOLATIONS, ())
    assert (tmp_path / "page.html").exists()
    assert left_behind(process.pid) == []


def test_ctrl_c_ends_the_process_that_kills_others_too(tmp_path: Path) -> None:
    gate = f"{VENDOR / 'two_connections.py'}:Gate"
    short = ("--scenario", "before-admission", "--budget", "10", "--jobs", "1", "--quiet")
    process = start("certify", gate, *short, cwd=tmp_path)
    until(lambda: any(_runs(pid, "_sigkill_zygote") for pid in left_behind(process.pid)))
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode in {ExitCode.INCONCLUSIVE, ExitCode.VIOLATIONS}
    until(lambda: left_behind(process.pid) == [])  # it ends by itself, as soon as its input does


@pytest.mark.parametrize("verb", [("certify", "--scenario", "before-admission", "--quiet"), ("smoke",)])
def test_a_gate_that_hangs_natively_ends_when_the_kit_is_killed(verb: tuple[str, ...], tmp_path: Path) -> None:
    body = """
        def commit_effect(self, request):
            open(__file__ + ".hangs", "w").close()
            sum(iter(int, 1))
    """
    gate = write_gate(tmp_path, body)
    process = start(verb[0], gate, *verb[1:], cwd=tmp_path)
    until((tmp_path / "bad.py.hangs").exists)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=PATIENCE_S)
    until(lambda: left_behind(process.pid) == [])


#: A gate's process that never says anything and pays no heed to the end of its input; nor does its child.
_DEAF = """
import subprocess, sys, time
subprocess.Popen(["sleep", "1000"], start_new_session=True)
open("deaf", "w").close()
time.sleep(1000)
"""


@pytest.mark.parametrize("verb", [("certify", "--quiet"), ("smoke",)])
def test_a_gate_that_does_not_heed_its_input_ends_when_the_kit_is_killed(verb: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "deaf.py").write_text(_DEAF)
    process = start(*verb, "--command", f"{sys.executable} deaf.py", cwd=tmp_path)
    until((tmp_path / "deaf").exists)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=PATIENCE_S)
    until(lambda: left_behind(process.pid) == [])


#: The command, in a process to which somebody sends SIGINT while it imports the module that is named.
_INTERRUPTED_IMPORT = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Finder())
from stopcheck.cli import main
main()
"""


@pytest.mark.parametrize("module", ["stopcheck.cli._main", "click", "msgspec", "stopcheck.campaign", "rich"])
def test_ctrl_c_while_it_starts_says_one_line(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED_IMPORT, module, "list", "gates"],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert (done.returncode, done.stdout, done.stderr) == (INTERRUPTED, "", "interrupted\n")


@pytest.mark.parametrize("arguments", [("list", "requirements"), ("explain", "ADM-3"), ("--help",)])
def test_a_reader_that_goes_away_ends_it_quietly(arguments: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)
    process = subprocess.Popen(
        [sys.executable, "-m", "stopcheck", *arguments], stdout=write, stderr=subprocess.PIPE, text=True
    )
    os.close(write)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == BROKEN_PIPE
    assert err == ""


def ended(*arguments: str, streams: str) -> tuple[int, str]:
    """How the command ends when a shell redirects its streams so, and what it says on standard error."""
    line = shlex.join([sys.executable, "-m", "stopcheck", *arguments])
    done = subprocess.run(
        ["sh", "-c", f"{line} {streams}"], stderr=subprocess.PIPE, text=True, check=False, timeout=PATIENCE_S
    )
    return done.returncode, done.stderr


FULL = "error: cannot write to standard output: No space left on device\n  next: "


@pytest.mark.parametrize("arguments", [("list", "gates"), ("explain", "ADM-3"), ("--help",)])
def test_what_finds_no_room_is_no_verdict_and_no_fault_of_the_kit(arguments: tuple[str, ...]) -> None:
    code, err = ended(*arguments, streams=">/dev/full")
    assert (code, err.startswith(FULL), len(err.splitlines())) == (ExitCode.USAGE, True, 2)
    assert ended(*arguments, streams=">/dev/full 2>&1")[0] == ExitCode.USAGE
    assert ended("certify", "nothing", streams="2>/dev/full")[0] == ExitCode.USAGE


def test_a_stream_that_is_closed_is_no_verdict(tmp_path: Path) -> None:
    gate, path = f"{VENDOR / 'simple_gate.py'}:Gate", tmp_path / "report.json"
    certify = ("certify", gate, *HASTY, "--strategy", "bounded", "--json", str(path))
    assert ended(*certify, streams=">&-") == (ExitCode.INCONCLUSIVE, "")
    report = path.read_bytes()
    assert ended(*certify, streams="<&- >&- 2>&-") == (ExitCode.INCONCLUSIVE, "")
    assert path.read_bytes() == report
    assert ended("list", "gates", streams=">&-") == (0, "")


def test_a_reader_of_a_report_that_goes_away_costs_nobody_the_file(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    read, write = os.pipe()
    os.close(read)
    gate = f"{VENDOR / 'flag_gate.py'}:Gate"
    command = [sys.executable, "-m", "stopcheck", "certify", gate, *HASTY, "--json", str(path)]
    process = subprocess.Popen(command, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, err) == (BROKEN_PIPE, "")
    assert path.stat().st_size > 0


def test_the_report_is_the_same_whatever_the_number_of_children_and_the_hash_seed(tmp_path: Path) -> None:
    gate = f"{VENDOR / 'flag_gate.py'}:Gate"
    reports: list[bytes] = []
    for seed, children in (("1", "1"), ("77", "3")):
        path = tmp_path / f"report-{seed}.json"
        arguments = ("--scenario", "before-admission", "--budget", "12", "--quiet", "--jobs", children)
        stopcheck("certify", gate, *arguments, "--json", str(path), hash_seed=seed)
        reports.append(path.read_bytes())
    assert reports[0] == reports[1]


def _runs(pid: int, module: str) -> bool:
    try:
        return module.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
