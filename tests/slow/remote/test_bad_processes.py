"""Processes that cannot be worked with: exit 4, one clear fault, and nothing left behind."""

from __future__ import annotations

import shlex

import pytest

from stopcheck.campaign import ExitCode
from tests.fast.remote.support import command
from tests.slow.cli.support import SHORT, lines, stopcheck

BAD = {
    "exits at once": "GateDied: the gate's process ended by itself with exit status 0",
    "greets on standard output": "WireFault: line 1 of the gate: it is not JSON: 'Server listening on port 8080'",
    "reads one line at a time": "HandshakeFault: the gate does not serve a call while another stands",
    "leaves a process behind": "ProcessLeftBehind: the gate's process ended and left 1 running: 'sleep 1000'",
    "": "MissingOperation: open_task",
}


@pytest.mark.parametrize("wrong", BAD)
def test_a_process_that_cannot_be_worked_with(wrong: str) -> None:
    done = stopcheck(
        "certify", "--command", shlex.join(command(wrong)), *SHORT, "--budget", "10"
    )  # asserts that nothing is left
    assert done.returncode == ExitCode.ADAPTER_FAULT
    assert done.stderr == ""
    faults = [line for line in lines(done.stdout) if line.startswith("ADAPTER FAULT")]
    assert len(faults) == 1
    assert faults[0].startswith(f"ADAPTER FAULT {BAD[wrong]}")
    assert "Traceback" not in done.stdout
