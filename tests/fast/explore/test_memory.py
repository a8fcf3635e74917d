"""What many executions in one process keep: a random walk keeps nothing of a run that is over."""

from __future__ import annotations

import gc
import resource
import sys

from stopcheck.explore import Budget, Result, random_walk
from tests.fast.explore.programs import ProgramTrial, race

EXECUTIONS = 20_000
#: After so many, whatever is made once (caches, interned names, the shortest failure) is there.
WARM = 4_000
#: One object kept for each tenth execution comes to as many.
MORE_BLOCKS = (EXECUTIONS - WARM) // 10
MORE_KIB = 8 * 1024


def test_a_random_walk_is_flat() -> None:
    held: dict[int, tuple[int, int]] = {}
    done = 0

    def note(_: Result) -> None:
        nonlocal done
        done += 1
        if done in (WARM, EXECUTIONS):
            gc.collect()
            held[done] = sys.getallocatedblocks(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    found = random_walk(ProgramTrial(race(3, fixed=False)), Budget(EXECUTIONS), 1, observe=note)
    assert found.executions == EXECUTIONS
    assert set(found.failures) == {"SENT-LATE"}
    blocks, peak = (after - before for before, after in zip(held[WARM], held[EXECUTIONS], strict=True))
    assert blocks < MORE_BLOCKS
    assert peak < MORE_KIB
