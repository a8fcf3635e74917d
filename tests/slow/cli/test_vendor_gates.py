"""Gates as vendors write them: wrong ones are failed with an interleaving that anybody can replay, right ones pass."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import msgspec
import pytest

from stopcheck.campaign import ClauseVerdict, ExitCode, Report, Verdict
from tests.slow.cli.support import SHORT, VENDOR, stopcheck

#: More than a vendor's eye follows is not a proof to him.
MOST_DEVIATIONS = 8


def certified(gate: str, folder: Path, *more: str) -> tuple[int, str, Report]:
    """Certify one of the vendor gates in one scenario: exit code, what was printed, and the report."""
    path = folder / "report.json"
    done = stopcheck("certify", f"{VENDOR / gate}.py:Gate", *SHORT, "--json", str(path), *more)
    assert done.stderr == ""
    return done.returncode, done.stdout, msgspec.json.decode(path.read_bytes(), type=Report)


def verdict(report: Report, clause: str) -> ClauseVerdict:
    return next(row for row in report.clauses if row.clause == clause)


@pytest.mark.parametrize("gate", ["flag_gate", pytest.param("two_connections", marks=pytest.mark.campaign)])
def test_check_then_act_is_failed_with_a_short_interleaving_that_replays_to_the_same_bytes(
    gate: str, tmp_path: Path
) -> None:
    code, printed, report = certified(gate, tmp_path, "--budget", "60")
    assert code == report.exit_code == ExitCode.VIOLATIONS
    failed = verdict(report, "ADM-3")
    assert failed.verdict is Verdict.FAIL
    finding = failed.findings[0]
    assert finding.shrunk
    assert 0 < finding.deviations <= MOST_DEVIATIONS
    assert finding.granularity == "inner"
    assert f"{gate}.py:" in finding.where

    assert [choice.chosen for choice in finding.named if choice.instead_of] == ["person@request_cancel"]
    assert len(finding.named) == finding.choices
    nearest = finding.nearest
    assert nearest is not None
    assert (nearest.changed, nearest.failing, nearest.breaks) == (1, "person@request_cancel", ())
    assert nearest.passing.startswith("worker@")
    passing = stopcheck("replay", nearest.token, "--gate", f"{VENDOR / gate}.py:Gate")
    assert passing.returncode == ExitCode.CERTIFIED
    assert "what decides" not in passing.stdout

    block = printed[printed.index("FAIL ADM-3") :]
    decides = f"{nearest.failing!r} after step {nearest.step} (choice {nearest.position})"
    assert f"  decides: {decides}" in block
    line = next(line.strip() for line in block.splitlines() if line.strip().startswith("stopcheck replay"))
    command = shlex.split(line)[1:]
    logs = [tmp_path / "first.jsonl", tmp_path / "second.jsonl"]
    for seed, log in zip(("1", "4242"), logs, strict=True):
        again = stopcheck(*command, "--log", str(log), hash_seed=seed)
        assert again.returncode == ExitCode.VIOLATIONS
        assert re.search(r"^!!! ADM-3 broken at step \d+", again.stdout, re.MULTILINE)
        assert again.stdout.count("<- not the default") + again.stdout.count("* ") >= finding.deviations
        assert f"[{gate}.py:" in again.stdout
        assert f"--- what decides: {decides}" in again.stdout
        assert gate == "flag_gate" or "| SELECT revision, document FROM tasks" in again.stdout
    assert logs[0].read_bytes() == logs[1].read_bytes() != b""


def test_a_failure_file_is_all_that_somebody_else_needs(tmp_path: Path) -> None:
    folder = tmp_path / "failures" / "new"
    code, _, report = certified("flag_gate", tmp_path, "--budget", "60", "--failures", str(folder))
    assert code == ExitCode.VIOLATIONS
    failed = [row.clause for row in report.clauses if row.verdict is Verdict.FAIL]
    assert sorted(path.name for path in folder.iterdir()) == sorted(f"{clause}.json" for clause in failed)
    text = (folder / "ADM-3.json").read_text()
    for name in ("person@request_cancel", "worker@await", "before-admission", "flag_gate.py:Gate"):
        assert name in text
    finding = verdict(report, "ADM-3").findings[0]
    logs = [tmp_path / "file.jsonl", tmp_path / "token.jsonl"]
    gate = f"{VENDOR / 'flag_gate'}.py:Gate"
    for given, log in zip(([str(folder / "ADM-3.json")], [finding.token, "--gate", gate]), logs, strict=True):
        done = stopcheck("replay", *given, "--log", str(log))
        assert done.returncode == ExitCode.VIOLATIONS
        assert "!!! ADM-3 broken" in done.stdout
        assert "--- what decides: 'person@request_cancel'" in done.stdout
    assert logs[0].read_bytes() == logs[1].read_bytes() != b""


@pytest.mark.campaign  # the tests of fast/postgres hold the same of gates whose fault stands between statements
def test_whole_calls_alone_certify_no_atomicity(tmp_path: Path) -> None:
    code, printed, report = certified("two_connections", tmp_path, "--granularity", "calls", "--budget", "200")
    row = verdict(report, "ADM-3")
    assert row.verdict in (Verdict.UNKNOWN, Verdict.FAIL)
    assert code in (ExitCode.INCONCLUSIVE, ExitCode.VIOLATIONS)
    assert "no branch point inside" in row.why
    assert "NOT certified" in printed.splitlines()[-1]


def test_a_false_claim_of_serialised_calls_is_refuted(tmp_path: Path) -> None:
    code, printed, report = certified("claims_serialised", tmp_path)
    assert code == ExitCode.ADAPTER_FAULT
    assert {fault.kind for fault in report.faults} == {"SerialisationRefuted"}
    assert "ADAPTER FAULT SerialisationRefuted: commit_effect" in printed
    assert "claims_serialised.py:" in printed
    assert verdict(report, "ADM-3").verdict is not Verdict.PASS


@pytest.mark.campaign  # a minute; the test of fast/scenarios holds that each clause is exercised on such a gate
def test_a_small_right_gate_is_certified_for_what_it_supports(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    done = stopcheck("certify", f"{VENDOR / 'simple_gate.py'}:Gate", "--json", str(path))
    report = msgspec.json.decode(path.read_bytes(), type=Report)
    counts = report.counts()
    assert (done.returncode, counts["FAIL"], counts["UNKNOWN"]) == (ExitCode.CERTIFIED, 0, 0), done.stdout
    passed = {row.clause for row in report.clauses if row.verdict is Verdict.PASS}
    assert {"SCOPE-2", "REC-3", "ADM-1", "ADM-3", "ADM-5", "ADM-7", "CMP-1", "EFF-14", "ACK-5", "LIVE-1"} <= passed
    assert done.stdout.splitlines()[-1].startswith("simple is certified for the clauses that passed")
