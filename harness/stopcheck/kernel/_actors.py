"""Actors and what they may do: park at a branch point, sleep, wait, perform a nested call.

One idea: an actor is a coroutine that runs alone until it parks, and where it parks it says why. Everything
between two parks is one atomic step. ``touches`` names what the next step reads or writes.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Coroutine, Generator
from typing import Any, NamedTuple

import msgspec

Touches = tuple[str, ...]
#: What a step touches that concerns its actor alone: nobody else sees it, and nothing that others do or that happens
#: decides what it does, or takes from it that it can be made.
OWN: Touches = ("own",)
Ready = Callable[[], bool]


class Park(msgspec.Struct, eq=False):
    """Why an actor does not move: ``ready`` (a predicate), ``wake_ns`` (a timer) or ``blocked`` (another holds what
    it needs; it may look again when another moved and ``ready``, if given, holds, or at ``wake_ns``). With none of them
    it can move at once. ``timer`` names the timer in schedules, else ``label`` does. ``moved``: it ended blocked,
    and yet changed what others may wait for. Not changed once made."""

    label: str
    touches: Touches = ()
    ready: Ready | None = None
    wake_ns: int | None = None
    timer: str = ""
    blocked: bool = False
    moved: bool = False


class Perform(msgspec.Struct, eq=False):
    """A nested call for the host to drive on the actor's behalf."""

    call: Callable[[], Any]


@types.coroutine
def branch(label: str, touches: Touches = ()) -> Generator[Park, Any, None]:
    """A branch point: others may move here."""
    yield Park(label, touches)


@types.coroutine
def wait_until(label: str, ready: Ready, touches: Touches = ()) -> Generator[Park, Any, None]:
    """Do not move before ``ready()`` holds."""
    yield Park(label, touches, ready=ready)


@types.coroutine
def sleep_until(label: str, wake_ns: int, timer: str = "", touches: Touches = ()) -> Generator[Park, Any, None]:
    """Do not move before virtual time ``wake_ns``."""
    yield Park(label, touches, wake_ns=wake_ns, timer=timer)


@types.coroutine
def wait_or_timeout(
    label: str, ready: Ready, wake_ns: int, timer: str = "", touches: Touches = ()
) -> Generator[Park, Any, None]:
    """Do not move before ``ready()`` holds or virtual time ``wake_ns``, whichever is first."""
    yield Park(label, touches, ready, wake_ns, timer)


@types.coroutine
def blocked(
    label: str, wake_ns: int | None = None, timer: str = "", touches: Touches = ()
) -> Generator[Park, Any, None]:
    """Another actor holds what this one needs: do not move before another made progress, or virtual time ``wake_ns``.
    Then look again."""
    yield Park(label, touches, wake_ns=wake_ns, timer=timer, blocked=True)


@types.coroutine
def perform(call: Callable[[], Any]) -> Generator[Perform, Any, Any]:
    """Let the host run ``call`` (plain or returning an awaitable) and hand back its value. Branch points inside it
    park this actor. :meth:`Kernel.abandon` may answer in its stead."""
    return (yield Perform(call))


_START = Park("start")  # shared by all actors that start there: a run makes many


class Memory(NamedTuple):
    """What an actor's next steps may depend on: what it heard (``history`` digests what came before), and how many
    steps it has made since it last said what it keeps."""

    history: bytes
    heard: tuple[Any, ...]
    age: int


class Actor:
    """One named unit of the simulated world. ``option`` is what its next step is called in schedules.

    ``free``: it can move whatever others do. ``call`` is the nested call that it is in. ``heard`` is what it was told
    since ``history`` was digested. ``stamp`` is the kernel's progress when it parked.

    What it was told is part of the state of the world, since its next steps may depend on it. Where they do not any
    more, it may say so (``remember``, ``recall``), so that two states which differ in nothing else are one.
    """

    __slots__ = (
        "age",
        "call",
        "coroutine",
        "done",
        "failure",
        "free",
        "heard",
        "history",
        "name",
        "option",
        "park",
        "result",
        "spawned",
        "stamp",
        "steps",
    )

    def __init__(self, name: str, coroutine: Coroutine[Any, Any, Any], start: str = "start") -> None:
        self.name = name
        self.coroutine = coroutine
        self.park = _START if start == "start" else Park(start)
        self.option = f"{name}@{start}"
        self.free = True
        self.done = False
        self.call: Any = None
        self.result: Any = None
        self.failure: BaseException | None = None
        self.heard: list[Any] = []
        self.age = 0
        self.history = b""
        self.spawned = 0
        self.stamp = 0
        self.steps = 0

    def hear(self, value: Any) -> None:
        """Note a value that the actor received: what it does next may depend on it, so it is part of its state."""
        self.heard.append(value)

    def remember(self, *kept: Any) -> None:
        """Of all that it has heard and done, only ``kept`` decides what it does next."""
        self.history, self.heard, self.age = b"", list(kept), 0

    def memory(self) -> Memory:
        """What it remembers now, for :meth:`recall`."""
        return Memory(self.history, tuple(self.heard), self.age)

    def recall(self, memory: Memory, *kept: Any) -> None:
        """Of all that it has heard and done since ``memory``, only ``kept`` decides what it does next, as if it had
        taken one step."""
        self.history, self.heard, self.age = memory.history, [*memory.heard, *kept], memory.age + 1

    def __repr__(self) -> str:
        return f"<Actor {self.option}{' done' if self.done else ''}>"
