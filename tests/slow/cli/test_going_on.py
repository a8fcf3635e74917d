"""A campaign that is interrupted, killed or cut into shards ends in the report of one that nobody disturbed."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from stopcheck.campaign import ExitCode
from stopcheck.campaign._journal import End, Entry, read_journal
from stopcheck.campaign._messages import Finished
from tests.slow.cli.support import VENDOR, left_behind, start, stopcheck, until

GATE = f"{VENDOR / 'simple_gate.py'}:Gate"
#: Two jobs, which find nothing: shrinking would take most of the time.
SHORT = ("--scenario", "before-admission", "--strategy", "bounded", "--budget", "60", "--jobs", "1", "--quiet")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "report.json"
    done = stopcheck("certify", GATE, *SHORT, "--json", str(path), cwd=path.parent)
    assert done.returncode == ExitCode.INCONCLUSIVE, done.stderr
    assert not (path.parent / "stopcheck-resume.jsonl").exists()
    return path.read_bytes()


def known(path: Path) -> Sequence[Entry]:
    """What a journal holds by now."""
    found = read_journal(path)
    return found[1] if found is not None else []


def ended(path: Path) -> bool:
    """Whether a journal is whole."""
    return any(isinstance(entry, End) for entry in known(path))


def test_kill_9_then_sigterm_and_each_time_the_same_command_again(tmp_path: Path, undisturbed: bytes) -> None:
    journal, report = tmp_path / "run.jsonl", tmp_path / "report.json"
    command = ("certify", GATE, *SHORT, "--resume", str(journal), "--json", str(report))
    process = start(*command)
    until(lambda: any(isinstance(entry, Finished) for entry in known(journal)))
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    until(lambda: left_behind(process.pid) == [])
    assert not ended(journal)
    with journal.open("ab") as file:
        file.write(b'{"type":"Finished","index":1,"resu')  # a record of which the death left a part
    process = start(*command)
    until(lambda: len(left_behind(process.pid)) >= 1)
    until(lambda: not journal.read_bytes().endswith(b"resu"))  # it has a plan and has taken up what is known
    os.kill(process.pid, signal.SIGTERM)
    out, err = process.communicate()
    assert (process.returncode, err) == (ExitCode.INCONCLUSIVE, "")
    assert "(interrupted by SIGTERM)" in out
    assert b"interrupted by SIGTERM" in report.read_bytes()
    assert left_behind(process.pid) == []
    assert not ended(journal)
    assert stopcheck(*command).returncode == ExitCode.INCONCLUSIVE
    assert report.read_bytes() == undisturbed
    assert ended(journal)


def test_shards_merged_are_the_whole_byte_for_byte(tmp_path: Path, undisturbed: bytes) -> None:
    journals = [str(tmp_path / f"{number}.jsonl") for number in (1, 2)]
    for number, journal in enumerate(journals, 1):
        done = stopcheck("certify", GATE, *SHORT, "--shard", f"{number}/2", "--resume", journal)
        assert done.returncode == ExitCode.INCONCLUSIVE
        assert f"(only shard {number}/2 of the plan was done)" in done.stdout
    report = tmp_path / "report.json"
    assert stopcheck("merge", *journals, "--json", str(report)).returncode == ExitCode.INCONCLUSIVE
    assert report.read_bytes() == undisturbed
