"""No strategy depends on the order of a set: the same seed makes the same runs under every hash seed."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from stopcheck.explore import STRATEGIES, Aim, Budget, Result
from stopcheck_scenarios.acceptance import before_admission
from tests.fast.explore.test_scenarios import trial_of


def digests() -> list[str]:
    """Of the logs of each strategy's runs; also what the other processes print."""
    made: list[str] = []
    for name, strategy in STRATEGIES.items():
        logs = hashlib.blake2b(digest_size=8)

        def note(result: Result, into: hashlib.blake2b = logs) -> None:
            into.update(result.log())

        strategy(trial_of(before_admission.SCENARIO), Budget(40), 3, Aim(observe=note))
        made.append(f"{name} {logs.hexdigest()}")
    return made


def test_hash_seeds_change_no_strategys_runs() -> None:
    code = "from tests.fast.explore.test_hash_seeds import digests; print(*digests(), sep='\\n')"
    root = Path(__file__).parents[3]
    here = digests()
    assert len({line.split()[1] for line in here}) > len(here) // 2
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        other = subprocess.run(
            [sys.executable, "-c", code], cwd=root, env=environment, capture_output=True, text=True, check=True
        )
        assert other.stdout.split("\n")[:-1] == here
