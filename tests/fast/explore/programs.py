"""Programs with footprints: actors over shared variables, their real-time judge, and races of workers against a stop.

One idea: a step's footprint is declared where it parks, and its code is what follows up to the next park; so a program
is a list of operations, and what each touches is known.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from stopcheck.explore import Result, Watch, unwatched
from stopcheck.judge import Violation
from stopcheck.kernel import OWN, Chooser, Cut, Ending, HappensBefore, Kernel, Recorder, branch

JUDGE = "judge"
Body = Coroutine[Any, Any, None]


class Shared:
    """Variables, what is over (for the judge of real time), what was broken, and what happened in which order."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.order = HappensBefore()
        self.values: dict[str, int] = {}
        self.over: list[int] = []
        self.broken: list[Violation] = []

    def get(self, name: str) -> int:
        """Read; the reader has heard it."""
        value = self.values.get(name, 0)
        assert self.kernel.current is not None
        self.kernel.current.hear(value)
        return value

    def happened(self, what: str, touches: tuple[str, ...]) -> None:
        """The moving actor makes a step; what is its own, nobody else touches."""
        actor = self.kernel.current
        assert actor is not None
        self.order.happened(
            actor.name, what.encode(), tuple(f"{t} {actor.name}" if (t,) == OWN else t for t in touches)
        )

    def breaks(self, clause: str) -> None:
        """A clause is broken; each counts once."""
        if all(known.clause != clause for known in self.broken):
            self.broken.append(Violation(clause, "program", self.kernel.steps, 0, clause))


Build = Callable[[Shared], dict[str, Body]]


class ProgramTrial:
    """A trial of a program. All actors stand at their first park when the first choice is made. ``cached``: its states
    have digests, the judge's own state in them. ``opaque``: they have none but the order of what happened."""

    def __init__(self, build: Build, *, cached: bool = True, opaque: bool = False) -> None:
        self.scenario = "program"
        self.variant: dict[str, str] = {}
        self._build = build
        self._cached = cached
        self._opaque = opaque

    def __call__(self, chooser: Chooser, watch: Watch = unwatched, /) -> Result:
        recorder = Recorder(chooser)

        def state() -> bytes:
            if self._opaque:
                return shared.order.digest()
            judged = f"{sorted(shared.values.items())}{sorted(shared.over)}{clauses()}"
            return kernel.positions(lambda v: repr(v).encode()) + hashlib.md5(judged.encode()).digest()

        def clauses() -> list[str]:
            return sorted(violation.clause for violation in shared.broken)

        kernel = Kernel(recorder.choose, state=state if self._cached else None)
        shared = Shared(kernel)
        watch(shared.broken)
        for name, body in self._build(shared).items():
            kernel.spawn(name, body)
        kernel.prime()
        try:
            ending = kernel.run()
        except Cut:
            ending = Ending.CUT
        finally:
            kernel.close()
        return Result(
            scenario=self.scenario,
            variant=self.variant,
            choices=recorder.choices,
            violations=shared.broken,
            exercised={"PROGRAM": 1},
            witnesses=frozenset(name for name, value in shared.values.items() if value),
            ending=ending,
            rested=True,
            fault=None,
            steps=kernel.steps,
            called={},
            inner={},
            log=lambda: repr(kernel.log).encode(),
            outcome=lambda: repr((ending, sorted(shared.values.items()), clauses())).encode(),
            turns=lambda: [(step, name) for step, _, name in kernel.log],
            first_calls=dict,
        )


# -- small random programs --------------------------------------------------------------------------------

#: Operation, variable, number.
Op = tuple[str, str, int]

_LENGTHS = ((3, 3), (2, 4), (4, 1), (2, 2, 1), (2, 1, 1))
_NAMES = "xyz"


def generated(seed: int, *, judged: bool = True) -> Build:
    """Two or three actors that read, add, write, guard, suffer faults, or call a gate whose second handle may be stale.
    ``judged=False`` leaves the judge out of the footprints: what the judge sees is then declared independent."""
    rng = random.Random(seed)
    lengths = rng.choice(_LENGTHS)
    kinds = "wrgfp" if seed % 2 else "wrWRSp"
    programs = [[(rng.choice(kinds), rng.choice(_NAMES), rng.randint(1, 2)) for _ in range(n)] for n in lengths]

    def build(shared: Shared) -> dict[str, Body]:
        return {f"actor{n}": _body(shared, ops, judged=judged) for n, ops in enumerate(programs)}

    return build


def footprint(op: Op, *, last: bool, judged: bool) -> tuple[str, ...]:
    """What an operation touches; calls, and the end of an actor, are seen by the judge."""
    kind, name, _ = op
    touched = {"W": ("store",), "R": ("cache",), "S": ("store", "cache"), "p": OWN}.get(kind, (name,))
    return (*touched, JUDGE) if judged and (kind in "WR" or last) else touched


async def _body(shared: Shared, ops: Sequence[Op], *, judged: bool) -> None:
    local = 0
    for at, op in enumerate(ops):
        kind, name, number = op
        label, touches = f"{kind}{name}{at}", footprint(op, last=at == len(ops) - 1, judged=judged)
        await branch(label, touches)
        lost = kind == "f" and shared.kernel.fault(f"fault {name}", ("none", "lost")) == "lost"
        shared.happened(f"{label} {lost}", touches)
        if kind == "r":
            local = shared.get(name)
        elif kind == "w":
            shared.values[name] = (local + number) % 4
        elif kind == "g" and shared.get(name) == number:
            shared.values[f"left {name}"] = 1
            return
        elif lost or kind == "p":
            local = number
        elif kind in "WRS":
            _gate(shared, kind)
    if local == 2:
        shared.breaks("PROGRAM-LOCAL")


def _gate(shared: Shared, kind: str) -> None:
    """Write on one handle; read on another, from a cache that somebody has to synchronise. Each call is one step: what
    was written before a read began must be seen by it."""
    if kind == "W":
        shared.values["store"] = 1
        if 1 not in shared.over:
            shared.over.append(1)
    elif kind == "S":
        shared.values["cache"] = shared.values.get("store", 0)
    elif 1 in shared.over and not shared.get("cache"):
        shared.breaks("PROGRAM-STALE")


def stale_cache(*, judged: bool = True, bystanders: int = 0) -> Build:
    """A write on one handle, and a read on another from a cache that nobody synchronises: only the order of the two
    calls, which touch nothing in common, makes it a violation."""

    def build(shared: Shared) -> dict[str, Body]:
        programs: dict[str, Sequence[Op]] = {"reader": [("R", "x", 0)], "writer": [("W", "x", 0)]}
        programs |= {f"bystander{n}": [("w", name, 1)] for n, name in enumerate("yz"[:bystanders])}
        return {name: _body(shared, ops, judged=judged) for name, ops in programs.items()}

    return build


# -- workers against a stop -------------------------------------------------------------------------------


def race(
    workers: int, *, fixed: bool, steps: int = 3, stopper: int = 1, late_needed: int = 1, private: bool = True
) -> Build:
    """``workers`` check, pause and send (and before that prepare, in ``steps`` steps in all); a stopper sets the flag
    in its last step. A violation when ``late_needed`` sends follow the cutoff. ``fixed`` workers check again in the
    step in which they send. ``private``: what a worker does alone is declared its own, and not only as what it touches.
    """

    def build(shared: Shared) -> dict[str, Body]:
        late: list[int] = []

        async def worker(number: int) -> None:
            own = OWN if private else (f"worker{number}",)
            for step in range(steps - 3):
                await branch(f"prepare{step}", own)
            await branch("check", ("flag",))
            if shared.get("flag"):
                return
            await branch("pause", own)
            await branch("send", ("flag", JUDGE))
            if fixed and shared.get("flag"):
                return
            shared.values[f"sent {number}"] = 1 + shared.values.get("flag", 0)
            if shared.values.get("flag"):
                late.append(number)
            if len(late) >= late_needed:
                shared.breaks("SENT-LATE")

        async def stop() -> None:
            for step in range(stopper - 1):
                await branch(f"prepare{step}", OWN)
            await branch("stop", ("flag", JUDGE))
            shared.values["flag"] = 1

        return {**{f"worker{n}": worker(n) for n in range(workers)}, "stopper": stop()}

    return build


def deep_race(*, fixed: bool = False) -> Build:
    """Three workers of six steps against a stopper of five, 23!/(6!³ 5!) or about 5.8e11 interleavings; a violation
    only when all three sends follow the cutoff."""
    return race(3, fixed=fixed, steps=6, stopper=5, late_needed=3)
