"""Generated programs: small casts of actors that do everything an actor can do.

One idea: a program is plain data, so that Hypothesis can shrink it, and so that a *changed* program is easy to make.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple

from hypothesis import strategies as st

from stopcheck.kernel import (
    Bounds,
    Host,
    Kernel,
    Park,
    Point,
    blocked,
    branch,
    current_loop,
    perform,
    sleep_until,
    wait_or_timeout,
)

Verb = Literal["branch", "sleep", "fault", "add", "await", "call", "spawn", "lock"]


class Op(NamedTuple):
    """One thing that an actor does; what ``size`` means depends on it."""

    verb: Verb
    size: int


Program = tuple[tuple[Op, ...], ...]

_VERBS: tuple[Verb, ...] = ("branch", "sleep", "fault", "add", "await", "call", "spawn", "lock")
ops = st.builds(Op, st.sampled_from(_VERBS), st.integers(0, 3))
programs: st.SearchStrategy[Program] = st.lists(
    st.lists(ops, min_size=1, max_size=5).map(tuple), min_size=1, max_size=4
).map(tuple)


class _Shared:
    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.count = 0
        self.locked = False

    def reached(self, count: int) -> bool:
        return self.count >= count

    def say(self, what: str) -> None:
        kernel = self.kernel
        kernel.log.append((kernel.steps, kernel.now_ns, f"{kernel.current and kernel.current.name} {what}"))


class _Races:
    """Each timer may race twice."""

    def __init__(self) -> None:
        self.left = 2

    def options(self, timer: str, left_ns: int) -> tuple[str, ...]:
        return ("before", "at", "after") if self.left else ()

    def spend(self, timer: str, how: str) -> None:
        self.left -= 1


class _Reset:
    """A peril that may strike once and sets the count back."""

    def __init__(self, shared: _Shared) -> None:
        self._shared = shared
        self._left = 1

    def options(self) -> tuple[str, ...]:
        return ("count",) if self._left else ()

    def strike(self, option: str) -> None:
        self._left = 0
        self._shared.count = 0


async def _play(shared: _Shared, program: tuple[Op, ...]) -> None:
    for number, (verb, size) in enumerate(program):
        label = f"{verb}{number}"
        now = shared.kernel.now_ns
        if verb == "branch":
            await branch(label)
        elif verb == "sleep":
            await sleep_until(label, now + size)
        elif verb == "fault":
            shared.say(shared.kernel.fault(label, tuple(f"f{n}" for n in range(size + 1))))
        elif verb == "add":
            shared.count += size
            shared.say(f"count {shared.count}")
        elif verb == "await":
            await wait_or_timeout(label, partial(shared.reached, size), now + 5)
        elif verb == "call":
            shared.say(f"answer {await perform(partial(_call, shared, size, label))}")
        elif verb == "spawn":
            shared.kernel.spawn("child", _play(shared, (Op("branch", 0), Op("add", size))))
        else:
            while shared.locked:
                await blocked(label)
            shared.locked = True
            await branch(f"{label} held")
            shared.locked = False


async def _call(shared: _Shared, parks: int, label: str) -> int:
    for number in range(parks):
        loop = current_loop()
        inner = f"{label} inner{number}"
        await (branch(inner) if loop is None else loop.stand(Park(inner)))
    return shared.count


def run(program: Program, choose: Callable[[Point], int], host: Host | None = None) -> list[bytes]:
    """Run a program; its log as lines."""
    kernel = Kernel(choose, host=host, bounds=Bounds(steps=300))
    shared = _Shared(kernel)
    kernel.races = _Races()
    kernel.perils.append(_Reset(shared))
    for number, actor in enumerate(program):
        kernel.spawn(f"actor{number}", _play(shared, actor))
    try:
        ending: Any = kernel.run()
    finally:
        kernel.close()
    return [repr(entry).encode() for entry in (*kernel.log, ending)]
