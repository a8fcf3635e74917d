"""The gate in JavaScript is certified, its faulty twin is not, and each of their deaths is a real one."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import msgspec
import pytest

from stopcheck.campaign import ExitCode, Report, Verdict
from tests.fast.report.test_stored import stored_at_the_end
from tests.slow.cli.support import stopcheck
from tests.slow.remote.node import command, need_node

ONE = ("--jobs", "1", "--quiet")


@pytest.fixture(autouse=True)
def _node() -> None:
    need_node()


def certified(gate: str, folder: Path, *more: str) -> tuple[int, str, Report]:
    """Exit code, what was printed, and the report."""
    path = folder / "report.json"
    done = stopcheck("certify", "--command", command(gate), *ONE, "--json", str(path), *more)
    assert done.stderr == ""
    return done.returncode, done.stdout, msgspec.json.decode(path.read_bytes(), type=Report)


def test_what_its_storage_says_is_read_by_another_process() -> None:
    assert stored_at_the_end(f"command:{command('gate')}") == {"refund-mail": "completed"}


def test_nothing_is_wrong_with_the_right_gate_where_it_is_stopped(tmp_path: Path) -> None:
    inside = ("--scenario", "before-admission", "--strategy", "stop-sweep", "--budget", "40")
    code, printed, report = certified("gate", tmp_path, *inside)
    assert code == ExitCode.INCONCLUSIVE, printed  # a sweep alone proves nothing
    assert report.faults == ()
    assert not [row.clause for row in report.clauses if row.verdict is Verdict.FAIL]
    assert sum(sum(job.inner.values()) for job in report.jobs) > 0


def test_check_await_send_is_failed_and_replays(tmp_path: Path) -> None:
    inside = ("--scenario", "before-admission", "--strategy", "stop-sweep", "--granularity", "inner", "--budget", "40")
    code, printed, report = certified("flag_gate", tmp_path, *inside)
    assert code == ExitCode.VIOLATIONS
    row = next(row for row in report.clauses if row.clause == "ADM-3")
    assert row.verdict is Verdict.FAIL
    finding = row.findings[0]
    assert finding.shrunk
    assert re.search(r"gate\.js:\d+", finding.where)
    block = printed[printed.index("FAIL ADM-3") :]
    line = next(line.strip() for line in block.splitlines() if line.strip().startswith("stopcheck replay"))
    logs = [tmp_path / "first.jsonl", tmp_path / "second.jsonl"]
    for log in logs:
        again = stopcheck(*shlex.split(line)[1:], "--log", str(log))
        assert again.returncode == ExitCode.VIOLATIONS
        assert re.search(r"^!!! ADM-3 broken at step \d+", again.stdout, re.MULTILINE)
        assert "flag_gate.js:" in again.stdout
    assert logs[0].read_bytes() == logs[1].read_bytes() != b""
    named = stopcheck("replay", finding.token, "--command", command("flag_gate"))
    assert named.returncode == ExitCode.VIOLATIONS
