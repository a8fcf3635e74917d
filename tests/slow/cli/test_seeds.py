"""A seed makes a random campaign again, whatever the number of processes and their hash seed."""

from __future__ import annotations

from pathlib import Path

import pytest

from stopcheck.campaign import ExitCode
from tests.slow.cli.support import stopcheck

ARGUMENTS = ("--scenario", "before-admission", "--strategy", "mixed", "--budget", "12", "--quiet")


def made(folder: Path, *arguments: str, hash_seed: str = "0") -> tuple[bytes, str]:
    path = folder / "report.json"
    done = stopcheck("certify", "memory", *ARGUMENTS, *arguments, "--json", str(path), hash_seed=hash_seed)
    assert done.returncode == ExitCode.INCONCLUSIVE
    assert ": 0 PASS, 0 FAIL" in done.stdout.splitlines()[-1]
    return path.read_bytes(), done.stdout


@pytest.mark.campaign  # fast/campaign/test_seeds.py holds the same of a campaign without the command
def test_a_seed_makes_the_same_report_again_and_another_seed_another(tmp_path: Path) -> None:
    first, printed = made(tmp_path, "--seed", "5", "--jobs", "1")
    assert b'"seed": 5' in first
    assert "restricted to the strategy mixed; the same samples again: --seed 5" in printed
    assert "seed 5, exit 3" in printed
    assert made(tmp_path, "--seed", "5", "--jobs", "2", hash_seed="9")[0] == first
    assert made(tmp_path, "--seed", "6")[0].replace(b'"seed": 6', b'"seed": 5') != first
    unasked, printed = made(tmp_path)
    assert b'"seed": 0' in unasked
    assert "seed 0, exit 3" in printed
