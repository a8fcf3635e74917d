"""Runs scenarios on a gate without the explorer: plain, at random, and every way with a state cache."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import msgspec

from stopcheck.gate import Durability, Environment, GateFactory, TaskRef
from stopcheck.kernel import Cut, DefaultChooser, Point
from stopcheck.world import PlainInterior, Record, Scenario, StorageArea, Variant, run
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_fixtures.reference.memory._state import Task


class NoStorage(StorageArea):
    """A storage area of names only: the gates here write nothing to the disk."""

    def __init__(self) -> None:
        self._made = 0

    def fresh(self) -> Path:
        """A name that no other run has."""
        self._made += 1
        return Path(f"run-{self._made}")

    def crash_copy(self, path: Path) -> Path:
        """What was there is there."""
        return path

    def discard(self, path: Path) -> None:
        """Nothing was made."""


class SurvivingGate(MemoryGate):
    """The gate in memory, whose memory outlives it and is shared by all handles: durable between whole calls."""

    contract = msgspec.structs.replace(MemoryGate.contract, name="surviving", durability=Durability.PROCESS_DEATH)
    memories: ClassVar[dict[Path, dict[TaskRef, Task]]] = {}

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._tasks = self.memories.setdefault(environment.storage, {})


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
    SurvivingGate.memories.clear()
    return run(scenario, factory, choose, variant=Variant(handles), interior=PlainInterior(NoStorage()))


class MoodChooser:
    """Prefers some actors and some faults over others, and now and then changes its mind: what a walk rarely does, such
    as leaving one actor out for long, this does often. Reproducible by its seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._mood: dict[str, float] = {}

    def choose(self, point: Point) -> int:
        """The option whose actor is liked best at the moment."""
        if self._random.random() < 0.2:
            self._mood.clear()
        liking = [self._liking(option) for option in point.options]
        return liking.index(max(liking))

    def _liking(self, option: str) -> float:
        return self._mood.setdefault(option.partition("@")[0], self._random.random())


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
                if state in self._seen:
                    raise Cut
                self._seen.add(state)
            index = 0
        self._taken.append(index)
        self._widths.append(len(point.options))
        return index

    def explore(self, execute: Callable[[Callable[[Point], int]], Record], limit: int) -> list[Record]:
        """The records of all executions; at most ``limit``."""
        records: list[Record] = []
        for _ in range(limit):
            self._taken, self._widths = [], []
            records.append(execute(self.choose))
            self.executions += 1
            if not self._turn_to_next():
                break
        return records

    def _turn_to_next(self) -> bool:
        taken, widths = self._taken, self._widths
        for last in range(len(taken) - 1, -1, -1):
            if taken[last] + 1 < widths[last]:
                self._prefix = [*taken[:last], taken[last] + 1]
                return True
        return False
