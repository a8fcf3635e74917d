"""The kernel: one loop that asks who moves, moves it, and writes down that it did.

One idea: the kernel is the only place where order is decided. At each turn it lists what could happen (an enabled
actor's step, a passage of time, a death), asks the strategy, and does that. It knows nothing of gates.

A step that ends in ``blocked`` is not progress: its actor is offered again only after another made some, so that
a lock which a parked actor holds blocks its waiters and never the kit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Coroutine
from enum import StrEnum
from typing import Any, Protocol

import msgspec

from stopcheck.kernel._actors import Actor, Park
from stopcheck.kernel._hosts import Finished, Host, InlineHost, step
from stopcheck.kernel._points import CRASH_PREFIX, FAULT, SCHEDULE, TIME_PREFIX, Point


class Ending(StrEnum):
    """How a run (or a phase of it) ended."""

    REST = "rest"
    DEADLOCK = "deadlock"
    STEP_BOUND = "step_bound"
    TIME_BOUND = "time_bound"
    CUT = "cut"


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of one run. ``steps`` usually runs out because two actors wait for each other by polling;
    ``virtual_ns`` because a gate names ever later wake-ups."""

    steps: int = 5_000
    virtual_ns: int = 24 * 3600 * 1_000_000_000
    real_s: float = 10.0


class Peril(Protocol):
    """Something that may strike at any scheduling point, such as a crash."""

    def options(self) -> tuple[str, ...]:
        """The names of what may happen now, without prefix; empty when nothing may."""
        ...

    def strike(self, option: str) -> None:
        """It happens."""
        ...


class TimeRaces(Protocol):
    """Which timers may fire while actors could still move, and how often."""

    def options(self, timer: str) -> tuple[str, ...]:
        """Of ``before``, ``at`` and ``after``: what may be chosen now for this timer."""
        ...

    def spend(self, timer: str, how: str) -> None:
        """One of them was chosen."""
        ...


class Kernel:
    """Runs actors under a strategy. ``log`` receives one entry for each step and whatever the world adds."""

    def __init__(
        self,
        choose: Callable[[Point], int],
        *,
        host: Host | None = None,
        bounds: Bounds | None = None,
        state: Callable[[], bytes] | None = None,
    ) -> None:
        self.now_ns = 0
        self.steps = 0
        self.actors: list[Actor] = []
        self.last: Actor | None = None
        self.current: Actor | None = None
        self.log: list[Any] = []
        self.perils: list[Peril] = []
        self.races: TimeRaces | None = None
        self.bounds = bounds or Bounds()
        self.progress = 0
        self.quiet = False
        self._ask = choose
        self._host = host or InlineHost()
        self._state = state
        self._graveyard: list[Any] = []
        self._by_option: dict[str, Actor] = {}

    # -- making actors ------------------------------------------------------------------------------------

    def spawn(self, name: str, coroutine: Coroutine[Any, Any, Any], start: str = "start") -> Actor:
        """Add an actor. One that an actor starts is named after it and an ordinal, never by a global counter."""
        parent = self.current
        if parent is not None:
            parent.spawned += 1
            name = f"{parent.name}.{name}{parent.spawned}"
        if any(actor.name == name for actor in self.actors):
            raise ValueError(f"two actors are named {name!r}")
        actor = Actor(name, coroutine, start)
        self.actors.append(actor)
        return actor

    def fault(self, label: str, options: tuple[str, ...]) -> str:
        """Ask what a fault does here; ``options[0]`` is no fault. Called within a step."""
        if len(options) == 1 or self.quiet:
            return options[0]
        actor = self.current.name if self.current else ""
        chosen = options[self._ask(Point(FAULT, actor, label, options, self.steps))]
        if self.current is not None:
            self.current.hear(chosen)
        return chosen

    def abandon(self, actor: Actor, value: Any) -> None:
        """The process that ran the actor's nested call died: keep the call unfinalised, answer ``value``."""
        if actor.call is None:
            raise ValueError(f"{actor.name} has no call open")
        self._graveyard.append(actor.call)
        actor.call = _Answered(value)
        self._park(actor, Park("indefinite"))

    # -- the loop -----------------------------------------------------------------------------------------

    def run(self) -> Ending:
        """Move actors until nothing can happen any more, or a bound is reached."""
        while True:
            if self.steps >= self.bounds.steps:
                return Ending.STEP_BOUND
            enabled = self._enabled()
            options = [actor.option for actor in enabled]
            timer = self._next_timer()
            if timer is not None:
                options.extend(self._time_options(timer, idle=not enabled))
            if not enabled and timer is None:
                options.append("rest")
            if self.perils and not self.quiet:
                options.extend(CRASH_PREFIX + o for peril in self.perils for o in peril.options())
            chosen = self._choose_schedule(options, enabled)
            if chosen == "rest":
                return self._rest_or_deadlock()
            if chosen.startswith(TIME_PREFIX):
                if not self._pass_time(chosen):
                    return Ending.TIME_BOUND
            elif chosen.startswith(CRASH_PREFIX):
                self._strike(chosen[len(CRASH_PREFIX) :])
            else:
                self._move(self._by_option[chosen])

    def _choose_schedule(self, options: list[str], enabled: list[Actor]) -> str:
        if len(options) == 1 or self.quiet:
            return options[0]
        point = Point(
            SCHEDULE,
            self.last.name if self.last else "",
            "",
            tuple(options),
            self.steps,
            self._state,
            tuple(actor.park.touches for actor in enabled),
        )
        return options[self._ask(point)]

    def _enabled(self) -> list[Actor]:
        found: list[Actor] = []
        by_option = self._by_option
        by_option.clear()
        last = self.last
        for actor in self.actors:
            if actor.done:
                continue
            park = actor.park
            if park.blocked:
                if self.progress <= actor.stamp:
                    continue
            elif park.ready is not None or park.wake_ns is not None:
                due = park.wake_ns is not None and park.wake_ns <= self.now_ns
                if not due and not (park.ready is not None and park.ready()):
                    continue
            by_option[actor.option] = actor
            if actor is last:
                found.insert(0, actor)
            else:
                found.append(actor)
        return found

    def _next_timer(self) -> Actor | None:
        best: Actor | None = None
        best_ns = 0
        for actor in self.actors:
            wake = actor.park.wake_ns
            if actor.done or wake is None or wake <= self.now_ns:
                continue
            if best is None or wake < best_ns:
                best, best_ns = actor, wake
        return best

    def _time_options(self, timer: Actor, *, idle: bool) -> list[str]:
        name = timer.park.timer
        if idle:
            return [f"{TIME_PREFIX}at:{name}"]
        if self.races is None or self.quiet:
            return []
        return [f"{TIME_PREFIX}{how}:{name}" for how in self.races.options(name)]

    def _pass_time(self, chosen: str) -> bool:
        how, name = chosen[len(TIME_PREFIX) :].split(":", 1)
        timer = self._next_timer()
        assert timer is not None
        wake = timer.park.wake_ns
        assert wake is not None
        if self._by_option and self.races is not None:
            self.races.spend(name, how)
        target = max(self.now_ns, wake + {"before": -1, "at": 0, "after": 1}[how])
        self.now_ns = target
        self.steps += 1
        self.progress += 1
        self.log.append((self.steps, self.now_ns, chosen))
        return target <= self.bounds.virtual_ns

    def _strike(self, option: str) -> None:
        self.steps += 1
        self.progress += 1
        self.log.append((self.steps, self.now_ns, CRASH_PREFIX + option))
        for peril in self.perils:
            if option in peril.options():
                peril.strike(option)
                return

    def _move(self, actor: Actor) -> None:
        self.steps += 1
        actor.steps += 1
        self.log.append((self.steps, self.now_ns, actor.option))
        self.current = self.last = actor
        try:
            outcome = step(actor, self._host, self._graveyard)
        finally:
            self.current = None
        if isinstance(outcome, Finished):
            actor.done = True
            actor.result = outcome.value
            self.progress += 1
        else:
            if not outcome.blocked:
                self.progress += 1
            self._park(actor, outcome)

    def _park(self, actor: Actor, park: Park) -> None:
        actor.park = park
        actor.stamp = self.progress
        actor.option = f"{actor.name}@{park.label}"

    def _rest_or_deadlock(self) -> Ending:
        stuck = any(not actor.done and actor.park.blocked for actor in self.actors)
        return Ending.DEADLOCK if stuck else Ending.REST

    # -- state --------------------------------------------------------------------------------------------

    def positions(self, encode: Callable[[Any], bytes]) -> bytes:
        """A digest of where every actor stands and of all it has heard, with timers relative to now."""
        digest = hashlib.blake2b(digest_size=16)
        for actor in self.actors:
            while actor.folded < len(actor.heard):
                heard = encode(actor.heard[actor.folded])
                actor.history = hashlib.blake2b(actor.history + heard, digest_size=16).digest()
                actor.folded += 1
            wake = actor.park.wake_ns
            timer = "" if wake is None else str(max(0, wake - self.now_ns))
            blocked = actor.park.blocked and self.progress <= actor.stamp
            where = "done" if actor.done else f"{actor.park.label}|{actor.steps}|{timer}|{blocked}"
            digest.update(f"{actor.name}|{where}|".encode())
            digest.update(actor.history)
        return digest.digest()

    def close(self) -> None:
        """The run is over: finalise what was kept unfinalised."""
        for actor in self.actors:
            if actor.call is not None:
                actor.call.close()
                actor.call = None
            actor.coroutine.close()
        for call in self._graveyard:
            call.close()
        self._graveyard.clear()


class _Answered:
    """Stands in for a nested call that was abandoned: it ends at once with a given value."""

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = value

    def advance(self) -> Park | Finished:
        return Finished(self._value)

    def close(self) -> None:
        return
