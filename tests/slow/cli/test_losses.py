"""A gate that takes its process with it again and again: the report is the same whatever --jobs, shards or deaths."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from stopcheck.campaign import ExitCode
from stopcheck.campaign._messages import Finished
from stopcheck.campaign._outcome import GIVEN_UP
from tests.slow.cli.support import left_behind, start, stopcheck, until, write_gate
from tests.slow.cli.test_going_on import ended, known

#: Ends its process where an effect is admitted, which two people who stop a task do not come to.
BODY = """
def commit_effect(self, request):
    os.write(2, b"it ends in commit_effect\\n")
    os._exit(3)

def request_cancel(self, request):
    os.write(2, b"it goes on after request_cancel\\n")
    return super().request_cancel(request)
"""
SCENARIOS = ("two-people", "before-admission", "plain-completion", "late-completion")


@pytest.mark.campaign
def test_it_is_given_up_at_one_place_of_the_plan(tmp_path: Path) -> None:
    gate = write_gate(tmp_path, BODY)
    command = ["certify", gate, "--budget", "6", "--quiet"]
    for scenario in SCENARIOS:
        command += ["--scenario", scenario]

    def report(name: str, *more: str) -> bytes:
        path = tmp_path / name
        done = stopcheck(*command, *more, "--json", str(path))
        assert done.returncode == ExitCode.ADAPTER_FAULT, done.stderr
        assert GIVEN_UP in " ".join(done.stdout.split())
        return path.read_bytes()

    whole = report("one.json", "--jobs", "1")
    assert whole.count(b"exit status 3") == 2 * 3  # of the job, and of the campaign
    assert report("three.json", "--jobs", "3") == whole

    journal = tmp_path / "run.jsonl"
    process = start(*command, "--jobs", "3", "--resume", str(journal))
    until(lambda: sum(isinstance(entry, Finished) for entry in known(journal)) >= 2)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    until(lambda: left_behind(process.pid) == [])
    assert report("resumed.json", "--resume", str(journal)) == whole
    assert ended(journal)

    shards = [str(tmp_path / f"{number}.jsonl") for number in (1, 2)]
    for number, shard in enumerate(shards, 1):
        stopcheck(*command, "--shard", f"{number}/2", "--resume", shard)
    merged = tmp_path / "merged.json"
    assert stopcheck("merge", *shards, "--json", str(merged)).returncode == ExitCode.ADAPTER_FAULT
    assert merged.read_bytes() == whole
