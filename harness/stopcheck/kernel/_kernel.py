"""The kernel: one loop that asks who moves, moves it, and writes down that it did.

One idea: the kernel is the only place where order is decided. At each turn it lists what could happen (an enabled
actor's step, a passage of time, a death), asks the strategy, and does that. It knows nothing of gates.

A step that ends in ``blocked`` is not progress: its actor is offered again only after another made some, so that
a lock which a parked actor holds blocks its waiters and never the kit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Coroutine
from typing import Any

from stopcheck.kernel._actors import Actor, Park
from stopcheck.kernel._hosts import Answered, Host, InlineHost, NestedCall, quietly_close, step
from stopcheck.kernel._points import CRASH_PREFIX, FAULT, SCHEDULE, TIME_PREFIX, Point
from stopcheck.kernel._turns import Bounds, Ending, Peril, TimeRaces

# Shared by all kernels: neither holds anything of a run.
_USUAL_BOUNDS = Bounds()
_INLINE = InlineHost()

_REST = "rest"
_OFFSET_NS = {"before": -1, "at": 0, "after": 1}


class Kernel:
    """Runs actors under a strategy. ``log`` receives one entry for each step and whatever the world adds.

    The host is not the kernel's: whoever made it closes it, after :meth:`close`.
    """

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
        self.bounds = bounds or _USUAL_BOUNDS
        self.progress = 0
        self.quiet = False
        self._choose = choose
        self._host = host or _INLINE
        self._state = state
        self._graveyard: list[NestedCall] = []
        self._names: set[str] = set()
        self._refusal: BaseException | None = None

    # -- making actors ------------------------------------------------------------------------------------

    def spawn(self, name: str, coroutine: Coroutine[Any, Any, Any], start: str = "start") -> Actor:
        """Add an actor. One that an actor starts is named after it and an ordinal, never by a global counter."""
        parent = self.current
        if parent is not None:
            parent.spawned += 1
            name = f"{parent.name}.{name}{parent.spawned}"
        if name in self._names or "@" in name:
            coroutine.close()
            raise ValueError(f"two actors are named {name!r}" if name in self._names else f"'@' in a name: {name!r}")
        self._names.add(name)
        actor = Actor(name, coroutine, start)
        self.actors.append(actor)
        return actor

    def prime(self) -> None:
        """Move every new actor to its first branch point, in order of declaration. Actors do nothing before it that
        another could see, so this order is no choice."""
        for actor in list(self.actors):
            if not actor.steps and not actor.done:
                self._move(actor)
        self.last = None

    def fault(self, label: str, options: tuple[str, ...]) -> str:
        """Ask what a fault does here; ``options[0]`` is no fault. Called within a step."""
        if len(options) == 1 or self.quiet:
            return options[0]
        actor = self.current
        try:
            chosen = options[self._ask(Point(FAULT, actor.name if actor else "", label, options, self.steps))]
        except BaseException as error:
            # The code that asked may be the gate's, which may swallow it: a cut or a divergence ends the run anyway.
            self._refusal = error
            raise
        if actor is not None:
            actor.hear(chosen)
        return chosen

    def abandon(self, actor: Actor, value: Any) -> None:
        """The process that ran the actor's nested call died: keep the call unfinalised, answer ``value``."""
        if actor.call is None:
            raise ValueError(f"{actor.name} has no call open")
        if actor is self.current:
            raise ValueError(f"{actor.name} cannot abandon the call that it is in")
        self._graveyard.append(actor.call)
        actor.call = Answered(value)
        self._park(actor, Park("indefinite"))

    # -- the loop -----------------------------------------------------------------------------------------

    def run(self) -> Ending:
        """Move actors until nothing can happen any more, or a bound is reached."""
        limit = self.bounds.steps
        while True:
            last = self.last
            enabled: list[Actor] = []
            options: list[str] = []
            touches: list[tuple[str, ...]] = []
            timed = False
            for actor in self.actors:
                if not actor.free:
                    if actor.done:
                        continue
                    timed = timed or actor.park.wake_ns is not None
                    if not self._holds(actor, actor.park):
                        continue
                if actor is last:  # the default is to go on with it
                    enabled.insert(0, actor)
                    options.insert(0, actor.option)
                    touches.insert(0, actor.park.touches)
                else:
                    enabled.append(actor)
                    options.append(actor.option)
                    touches.append(actor.park.touches)
            movable = len(enabled)
            if timed or not movable or self.perils:
                options += self._others(idle=not movable)
            if self.steps >= limit and options[0] != _REST:
                return Ending.STEP_BOUND
            which = 0
            if len(options) > 1 and not self.quiet:
                name = "" if last is None else last.name
                point = Point(SCHEDULE, name, "", tuple(options), self.steps, self._state, tuple(touches))
                which = self._ask(point)
            if which < movable:
                self._move(enabled[which])
                continue
            ending = self._happen(options[which], race=movable > 0)
            if ending is not None:
                return ending

    def _ask(self, point: Point) -> int:
        index = self._choose(point)
        if 0 <= index < len(point.options):
            return index
        raise IndexError(f"the strategy answered {index} at {point.name!r}, which has {len(point.options)} options")

    def _next_timer(self) -> Actor | None:
        """Whose timer is due next; of two at one time, the first declared."""
        best: Actor | None = None
        soonest = 0
        for actor in self.actors:
            wake = actor.park.wake_ns
            if wake is not None and wake > self.now_ns and not actor.done and (best is None or wake < soonest):
                best, soonest = actor, wake
        return best

    def _holds(self, actor: Actor, park: Park) -> bool:
        """Whether what a waiting actor waits for has come."""
        if park.wake_ns is not None and park.wake_ns <= self.now_ns:
            return True
        if park.blocked and self.progress <= actor.stamp:
            return False
        return park.blocked if park.ready is None else park.ready()

    def _others(self, *, idle: bool) -> list[str]:
        """What may happen beside an actor's step: time (the default when nobody can move), else rest; and a death."""
        others: list[str] = []
        timer = self._next_timer()
        if timer is not None:
            others += self._time_options(timer, idle=idle)
        elif idle:
            others.append(_REST)
        if not self.quiet:
            for peril in self.perils:
                others += [CRASH_PREFIX + option for option in peril.options()]
        return others

    def _time_options(self, timer: Actor, *, idle: bool) -> list[str]:
        name = timer.park.timer or timer.park.label
        if idle:
            return [f"{TIME_PREFIX}at:{name}"]
        if self.races is None or self.quiet:
            return []
        left_ns = (timer.park.wake_ns or 0) - self.now_ns
        # Just before a timer is no other time than now when it is due in a nanosecond.
        ways = [how for how in self.races.options(name, left_ns) if not (left_ns == 1 and how == "before")]
        return [f"{TIME_PREFIX}{how}:{name}" for how in ways]

    def _happen(self, chosen: str, *, race: bool) -> Ending | None:
        """Do what was chosen instead of a step."""
        if chosen == _REST:
            stuck = any(not actor.done and actor.park.blocked for actor in self.actors)
            return Ending.DEADLOCK if stuck else Ending.REST
        if chosen.startswith(CRASH_PREFIX):
            option = chosen[len(CRASH_PREFIX) :]
            peril = next(peril for peril in self.perils if option in peril.options())
            self._note(chosen)
            peril.strike(option)
            return None
        timer = self._next_timer()
        assert timer is not None
        how, name = chosen[len(TIME_PREFIX) :].split(":", 1)
        if race and self.races is not None:
            self.races.spend(name, how)
        self.now_ns = max(self.now_ns, (timer.park.wake_ns or 0) + _OFFSET_NS[how])
        self._note(chosen)
        return Ending.TIME_BOUND if self.now_ns > self.bounds.virtual_ns else None

    def _note(self, what: str) -> None:
        """Count and log a turn that no actor made. Whoever is blocked may look again: things have changed."""
        self.steps += 1
        self.progress += 1
        self.log.append((self.steps, self.now_ns, what))

    def _move(self, actor: Actor) -> None:
        self.steps = at = self.steps + 1
        self.log.append((at, self.now_ns, actor.option))
        self.current = self.last = actor
        actor.steps += 1
        actor.age += 1
        try:
            outcome = step(actor, self._host)
        except BaseException as error:
            if self._refusal is None or self._refusal is error:
                raise
            raise self._refusal from None
        finally:
            self.current = None
        if self._refusal is not None:
            raise self._refusal
        if outcome is None:
            self.progress += 1
            return
        if not outcome.blocked or outcome.moved:
            self.progress += 1
        self._park(actor, outcome)

    def _park(self, actor: Actor, park: Park) -> None:
        actor.park = park
        actor.stamp = self.progress
        actor.option = f"{actor.name}@{park.label}"
        actor.free = park.wake_ns is None and park.ready is None and not park.blocked

    # -- state --------------------------------------------------------------------------------------------

    def positions(self, encode: Callable[[Any], bytes]) -> bytes:
        """A digest of where every actor stands and of what it remembers, with timers relative to now. Of one that is
        done, nothing but that."""
        digest = hashlib.blake2b(digest_size=16)
        for actor in self.actors:
            if actor.done:
                digest.update(f"{actor.name}|done|".encode())
                continue
            for heard in actor.heard:
                actor.history = hashlib.blake2b(actor.history + encode(heard), digest_size=16).digest()
            actor.heard.clear()
            wake = actor.park.wake_ns
            timer = "" if wake is None else str(max(0, wake - self.now_ns))
            blocked = actor.park.blocked and not self._holds(actor, actor.park)
            digest.update(f"{actor.name}|{actor.park.label}|{actor.age}|{timer}|{blocked}|".encode())
            digest.update(actor.history)
        return digest.digest()

    def close(self) -> None:
        """The run is over: finalise what was kept unfinalised. What clean-up raises concerns nobody any more."""
        for actor in self.actors:
            if not actor.done:
                if actor.call is not None:
                    actor.call.close()
                    actor.call = None
                quietly_close(actor.coroutine)
        for call in self._graveyard:
            call.close()
        self._graveyard.clear()
