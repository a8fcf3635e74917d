"""Toy programs: kernel only, with a few shared variables, so that every outcome can be known by other means."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import msgspec

from stopcheck.explore._trial import Result, Watch, unwatched
from stopcheck.judge import Violation
from stopcheck.kernel import Chooser, Cut, Ending, Kernel, Recorder, branch


class Toy:
    """The shared state of a program, and what it broke."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.shared: dict[str, int] = {}
        self.broken: list[Violation] = []

    def get(self, name: str) -> int:
        value = self.shared.get(name, 0)
        assert self.kernel.current is not None
        self.kernel.current.hear(value)
        return value

    def put(self, name: str, value: int) -> None:
        self.shared[name] = value

    def breaks(self, clause: str) -> None:
        self.broken.append(Violation(clause, "toy", self.kernel.steps, 0, f"{clause} at {self.kernel.steps}"))


Body = Callable[[Toy], Coroutine[Any, Any, None]]
Build = Callable[[Toy], dict[str, Body]]


class ToyTrial:
    """A trial of a toy program. ``blind`` leaves the shared state out of the digest: a wrong fingerprint."""

    def __init__(
        self,
        build: Build,
        *,
        at_end: Callable[[Toy], None] = lambda _: None,
        blind: bool = False,
        cached: bool = True,
    ) -> None:
        self.scenario = "toy"
        self.variant: dict[str, str] = {}
        self.runs = 0
        self._build = build
        self._at_end = at_end
        self._blind = blind
        self._cached = cached

    def __call__(self, chooser: Chooser, watch: Watch = unwatched, /) -> Result:
        self.runs += 1
        recorder = Recorder(chooser)

        def state() -> bytes:
            shared = "" if self._blind else repr(sorted(toy.shared.items()))
            broken = [v.clause for v in toy.broken]
            return kernel.positions(lambda v: repr(v).encode()) + hashlib.md5(f"{shared}{broken}".encode()).digest()

        kernel = Kernel(recorder.choose, state=state if self._cached else None)
        toy = Toy(kernel)
        watch(toy.broken)
        for name, body in self._build(toy).items():
            kernel.spawn(name, body(toy))
        try:
            ending = kernel.run()
            self._at_end(toy)
        except Cut:
            ending = Ending.CUT
        finally:
            kernel.close()
        return Result(
            scenario=self.scenario,
            variant=self.variant,
            choices=recorder.choices,
            violations=toy.broken,
            exercised={"TOY": 1},
            witnesses=frozenset(name for name, value in toy.shared.items() if value),
            ending=ending,
            rested=True,
            fault=None,
            steps=kernel.steps,
            called={},
            inner={},
            log=lambda: b"\n".join(msgspec.json.encode(entry) for entry in kernel.log),
            outcome=lambda: repr((ending, sorted(toy.shared.items()), [v.clause for v in toy.broken])).encode(),
            turns=lambda: [(step, name) for step, _, name in kernel.log],
            first_calls=lambda: {a.name: "request_cancel" for a in kernel.actors if a.name.startswith("stop")},
        )


def generated(seed: int) -> Build:
    """A small random program: two or three actors."""
    return of_ops(seed, ((3, 3), (2, 4), (4, 1), (2, 1, 1)))


def of_ops(seed: int, shapes: Sequence[Sequence[int]]) -> Build:
    """A random program of one of these shapes: its actors read, add, write, guard and suffer faults."""

    def build(toy: Toy) -> dict[str, Body]:
        rng = random.Random(seed)
        programs: dict[str, Body] = {}
        lengths = rng.choice(shapes)
        for number in range(len(lengths)):
            ops = [(rng.choice("rwwgf"), rng.choice("xy"), rng.randint(1, 3)) for _ in range(lengths[number])]
            programs[f"actor{number}"] = _program(ops)
        return programs

    return build


def _program(ops: list[tuple[str, str, int]]) -> Body:
    async def body(toy: Toy) -> None:
        local = 0
        for op, name, number in ops:
            await branch(f"{op}{name}")
            if op == "r":
                local = toy.get(name)
            elif op == "w":
                toy.put(name, (local + number) % 4)
            elif op == "g" and toy.get(name) == number:
                return
            elif op == "f" and toy.kernel.fault(f"fault {name}", ("none", "lost")) == "lost":
                local = number
        if local == 2:
            toy.breaks("TOY-2")

    return body


async def check_then_act(toy: Toy) -> None:
    """A worker that looks at the flag, and acts a step later."""
    await branch("prepare")
    await branch("check")
    stopped = toy.get("stopped")
    await branch("act")
    if not stopped:
        if toy.shared.get("stopped"):
            toy.breaks("TOY-1")
        toy.put("acted", 1)


async def idle(toy: Toy) -> None:
    """Moves a lot and touches nothing."""
    for number in range(2):
        await branch(f"idle {number}")


async def press_stop(toy: Toy) -> None:
    """Stops."""
    await branch("request_cancel")
    toy.put("stopped", 1)
    await branch("inspect")


def race(toy: Toy) -> dict[str, Body]:
    """A worker that checks and then acts, one that does not matter, and a stop: one deviation reaches the race
    (let the worker go on to ``act`` by default, but start the stop before)."""
    return {"worker": check_then_act, "idle": idle, "stop": press_stop}
