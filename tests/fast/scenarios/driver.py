"""Runs scenarios on a gate without the explorer: plain, at random, and every way with a state cache."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from stopcheck.gate import GateFactory
from stopcheck.kernel import Cut, DefaultChooser, Point
from stopcheck.world import PlainInterior, Record, Scenario, Variant, run
from stopcheck_fixtures.reference.memory import MemoryGate


class NoStorage:
    """A storage area for gates that keep nothing."""

    def fresh(self) -> Path:
        """No directory is made: a volatile gate needs none."""
        return Path("no-storage")

    def crash_copy(self, path: Path) -> Path:
        """A volatile gate never comes back."""
        return path

    def discard(self, path: Path) -> None:
        """Nothing was made."""


class RandomChooser:
    """A random walk, reproducible by its seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def choose(self, point: Point) -> int:
        """Any option."""
        return self._random.randrange(len(point.options))


def one_run(
    scenario: Scenario,
    choose: Callable[[Point], int] | None = None,
    *,
    factory: GateFactory = MemoryGate,
    handles: int = 1,
) -> Record:
    """One run on a fresh gate."""
    choose = choose or DefaultChooser().choose
    return run(scenario, factory, choose, variant=Variant(handles), interior=PlainInterior(NoStorage()))


class DepthFirst:
    """Every list of choices, except those that pass through a state that was seen before."""

    def __init__(self) -> None:
        self._prefix: list[int] = []
        self._widths: list[int] = []
        self._taken: list[int] = []
        self._seen: set[bytes] = set()
        self.executions = 0

    def choose(self, point: Point) -> int:
        """Follow the prefix, then take the first option of each new state."""
        at = len(self._taken)
        if at < len(self._prefix):
            index = self._prefix[at]
        else:
            if point.state is not None:
                state = point.state()
                if state is not None and state in self._seen:
                    raise Cut
                self._seen.add(state)
            index = 0
        self._taken.append(index)
        self._widths.append(len(point.options))
        return index

    def explore(self, execute: Callable[[Callable[[Point], int]], Record], limit: int) -> list[Record]:
        """The records of all executions; at most ``limit``."""
        records: list[Record] = []
        while self.executions < limit:
            self._taken, self._widths = [], []
            records.append(execute(self.choose))
            self.executions += 1
            taken = self._taken
            while taken and taken[-1] + 1 >= self._widths[len(taken) - 1]:
                taken.pop()
            if not taken:
                break
            self._prefix = [*taken[:-1], taken[-1] + 1]
        return records
