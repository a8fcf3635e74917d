"""What a long random walk holds on to: a million executions in one process.

One idea: an exploration adds up counts and keeps the shortest failure of each clause, and nothing else of a run that is
over. Peak memory is the process's own, so the walk has a process to itself.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXECUTIONS = 1_000_000
#: The bar: the most that the process may ever have held, in MiB, the interpreter and the kit included.
MIB = 200

WALK = f"""
import resource
from stopcheck.explore import Budget, random_walk
from tests.fast.explore.programs import ProgramTrial, race
found = random_walk(ProgramTrial(race(3, fixed=False)), Budget({EXECUTIONS}), 1)
assert found.executions == {EXECUTIONS} and set(found.failures) == {{"SENT-LATE"}}
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def test_a_million_executions_are_flat(capsys: pytest.CaptureFixture[str]) -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", WALK], cwd=root, capture_output=True, text=True, check=True)
    peak = int(done.stdout)
    with capsys.disabled():
        print(f"\nrandom walk over the race of 3 workers, {EXECUTIONS:,} executions in one process: peak {peak} MiB")
    assert peak <= MIB
