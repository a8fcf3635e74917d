"""The two races for frontrun, which traces threads and wants a process of its own:
``frontrun python -m tests.bench.traced_race``. Prints one line of JSON."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Callable
from typing import Any

#: Random executions of the race of three workers, and executions and real seconds that the deep race may take.
RACES, DEEP, DEEP_S = 200, 6_000, 60.0


class Place:
    """What only one of the threads touches."""

    def __init__(self) -> None:
        self.prepared = 0
        self.late = 0


class Shared:
    """The flag, and a place for each thread."""

    def __init__(self) -> None:
        self.stopped = False
        self.places = tuple(Place() for _ in range(4))


def worker(number: int, steps: int, *, fixed: bool) -> Callable[[Shared], None]:
    """Prepares in its own place, checks, and sends."""

    def work(shared: Shared) -> None:
        place = shared.places[number]
        for _ in range(steps):
            place.prepared += 1
        if not shared.stopped and not (fixed and shared.stopped):
            place.late = int(shared.stopped)

    return work


def stopper(steps: int) -> Callable[[Shared], None]:
    """Prepares, and presses Stop."""

    def stop(shared: Shared) -> None:
        place = shared.places[3]
        for _ in range(steps):
            place.prepared += 1
        shared.stopped = True

    return stop


def measured(explore: Callable[..., Any], workers: list[Any], holds: Callable[[Shared], bool], **how: Any) -> Any:
    """What it explored, whether the invariant held, and seconds of CPU time."""
    begin = time.process_time()
    found = explore(Shared, workers, holds, reproduce_on_failure=0, **how)
    return {"explored": found.num_explored, "holds": found.property_holds, "seconds": time.process_time() - begin}


def main() -> None:
    """Measure both races."""
    explore = importlib.import_module("frontrun").explore
    small = [*(worker(number, 0, fixed=True) for number in range(3)), stopper(0)]
    deep = [*(worker(number, 3, fixed=False) for number in range(3)), stopper(4)]
    race = measured(explore, small, lambda _: True, strategy="random", max_attempts=RACES, seed=1)
    found = measured(
        explore,
        deep,
        lambda shared: sum(place.late for place in shared.places) < 3,
        preemption_bound=None,
        max_executions=DEEP,
        total_timeout=DEEP_S,
    )
    print(json.dumps({"race": race, "deep": found}))


if __name__ == "__main__":
    main()
