"""What a long random walk holds on to: a million executions in one process.

One idea: an exploration adds up counts and keeps the shortest failure of each clause, and nothing else of a run that is
over. Peak memory is the process's own, so the walk has a process to itself, and asks the kernel for its high-water mark
(``VmHWM``: what ``getrusage`` says counts what the process was before it became this program).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.bench.conftest import Figures

EXECUTIONS = 1_000_000
#: The bar: the most that the process may ever have held, in MiB, the interpreter and the kit included.
MIB = 200

WALK = f"""
from pathlib import Path
from stopcheck.explore import Budget, random_walk
from tests.fast.explore.programs import ProgramTrial, race
found = random_walk(ProgramTrial(race(3, fixed=False)), Budget({EXECUTIONS}), 1)
assert found.executions == {EXECUTIONS} and set(found.failures) == {{"SENT-LATE"}}
status = Path("/proc/self/status").read_text().splitlines()
print(next(line.split()[1] for line in status if line.startswith("VmHWM:")))
"""


def test_a_million_executions_are_flat(figures: Figures) -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", WALK], cwd=root, capture_output=True, text=True, check=True)
    peak = int(done.stdout) // 1024
    figures.print(f"random walk over the race of 3 workers, {EXECUTIONS:,} executions in one process: peak {peak} MiB")
    assert peak <= MIB
