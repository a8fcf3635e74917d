"""Gates that take something from elsewhere than the environment: exit 3, with the event that shows it and causes."""

from __future__ import annotations

from pathlib import Path

import pytest

from stopcheck.campaign import ExitCode
from tests.slow.cli.support import stopcheck, write_gate

RANDOM = """
async def inspect(self, request):
    reply = await super().inspect(request)
    return sg.Retry() if __import__("random").random() < 0.3 else reply
"""
# What a real gate would do to tell its services of a stop: each by a branch, in the order of a set.
SET_ORDER = """
async def request_cancel(self, request):
    reply = await super().request_cancel(request)
    if isinstance(reply, sg.Accepted):
        for service in {"mail", "queue", "bus", "export"}:
            await self._environment.branch(f"notify {service}")
    return reply
"""
ADDRESS = """
async def claim_dispatch(self, request):
    reply = await super().claim_dispatch(request)
    if isinstance(reply, sg.ClaimGranted):
        return __import__("msgspec").structs.replace(reply, permit=f"{reply.permit} of {id(type(self))}")
    return reply
"""
CLOCK = """
async def claim_dispatch(self, request):
    reply = await super().claim_dispatch(request)
    if isinstance(reply, sg.ClaimGranted):
        return __import__("msgspec").structs.replace(reply, permit=f"{reply.permit} at {time.time_ns()}")
    return reply
"""
GATES = {
    "random numbers": (RANDOM, "two runs in one process", "'s inspect: its reply.type is"),
    "the order of a set": (SET_ORDER, "two runs in processes with different hash seeds", 'its label is "notify '),
    "the address of an object": (
        ADDRESS,
        "two runs in processes with different hash seeds",
        "dispatcher's claim_dispatch: its reply.permit is",
    ),
    "a clock of its own": (CLOCK, "two runs in one process", "dispatcher's claim_dispatch: its reply.permit is"),
}
#: Like another of them: `make campaign` tries these.
ALIKE = {"the address of an object", "a clock of its own"}
ARGUMENTS = ("--scenario", "before-admission", "--budget", "60", "--jobs", "2", "--quiet")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.campaign if name in ALIKE else ()) for name in GATES]
)
def test_each_is_unknown_and_says_where_it_differs(name: str, tmp_path: Path) -> None:
    body, between, event = GATES[name]
    done = stopcheck("certify", write_gate(tmp_path, body), *ARGUMENTS)
    assert done.returncode == ExitCode.INCONCLUSIVE, done.stdout
    lines = done.stdout.splitlines()
    said = [line for line in lines if line.startswith("not deterministic: before-admission")]
    assert len(said) == 1
    assert f"of {between}, made by the same choices" in said[0]
    if name != "random numbers" or "a repeated run went another way: choice " not in said[0]:
        # Of random runs one pair in 25 parts otherwise: the one had ended where the other goes on.
        for words in (event, "in the first run", "bad.py:"):
            assert words in said[0]
    for cause in ("the order of a set", "a clock other than the environment's", "ids or id()", "threads"):
        assert cause in said[0]
    assert "NOT certified: inconclusive: 0 PASS, 0 FAIL" in lines[-1]
    assert not [line for line in lines if line.startswith("PASS")]


def test_the_order_of_a_set_is_found_whatever_the_hash_seed_of_the_command(tmp_path: Path) -> None:
    gate = write_gate(tmp_path, SET_ORDER)
    reports = [stopcheck("certify", gate, *ARGUMENTS, hash_seed=seed).stdout for seed in ("0", "77")]
    assert reports[0] == reports[1]
    assert "different hash seeds" in " ".join(reports[0].split())
