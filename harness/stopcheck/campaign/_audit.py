"""The determinism audit of a job: a few of its runs are made again, here and in another process.

One idea: whatever a run takes from its own process shows when the same choices are answered again: what an earlier run
left, real time and real chance in the same process already; the order of sets and the addresses of objects only in a
process with another hash seed. So every process that does jobs has one hash seed, and their runs are made again under
others.
"""

from __future__ import annotations

import hashlib
import zlib

import msgspec

from stopcheck.explore import USUAL_CAUSES, Result, Trial, made_again
from stopcheck.kernel import Schedule

#: The hash seed (``PYTHONHASHSEED``) of the processes that do jobs, and those of the processes that make runs again.
#: Several, since two orders of a small set are often the same.
JOB_HASH_SEED = "0"
OTHER_HASH_SEEDS = ("1", "2", "3", "4")

HERE = "two runs in one process"
ELSEWHERE = "two runs in processes with different hash seeds"
#: Runs number 1, 4, 16 and so on are sampled: early ones and late ones, and more in longer jobs.
_EACH = 4


class Sampled(msgspec.Struct, frozen=True):
    """A run: its schedule's token and its log, compressed."""

    token: str
    log: bytes


class Differs(msgspec.Struct, frozen=True):
    """The same choices made two different runs. ``what`` names the first event that differs, ``between`` where the two
    runs were made; ``token`` makes one of them."""

    what: str
    between: str
    token: str

    def __str__(self) -> str:
        return (
            f"the gate is not deterministic: of {self.between}, made by the same choices, the first event that differs "
            f"is {self.what}; {USUAL_CAUSES}"
        )


class Sample:
    """Takes in a job's runs and keeps some. A run that its strategy cut short is none: made again, it would go on.
    The digest is over the choices of all of them, and the logs of those that are kept."""

    def __init__(self) -> None:
        self.kept: list[Sampled] = []
        self._made = 0
        self._next = 1
        self._digest = hashlib.sha256()

    def digest(self) -> str:
        """Equal where the same runs were made in the same order, as far as it was looked at."""
        return self._digest.hexdigest()

    def note(self, result: Result) -> None:
        """A run was made."""
        self._made += 1
        self._digest.update("\0".join([choice.option for choice in result.choices]).encode() + b"\n")
        if self._made >= self._next and not result.cut and result.fault is None:
            log = result.log()
            self._digest.update(hashlib.sha256(log).digest())
            self.kept.append(Sampled(result.schedule().token(), zlib.compress(log, 1)))
            while self._next <= self._made:
                self._next *= _EACH


def differing(trial: Trial, sampled: list[Sampled] | tuple[Sampled, ...], between: str) -> Differs | None:
    """Make the runs again; the first that differs."""
    for one in sampled:
        what = made_again(trial, Schedule.from_token(one.token), zlib.decompress(one.log))
        if what:
            return Differs(what, between, one.token)
    return None
