"""Locks, sleep and clocks that know virtual time, for gates of blocking code.

One idea: a lock held by a call that is parked must block its waiters and not the kit. So these locks wait by parking:
a waiter is offered to the scheduler again when the lock was let go of, and its timeout passes in virtual time. A
non-blocking attempt stays one.

Taking a lock is a branch point (granularity ``inner``); letting go of one is not, since what follows is the next point.
"""

from __future__ import annotations

import itertools
import threading
import time  # noqa: TID251 (the originals that are stood in for; never called here)
from collections.abc import Callable
from typing import Any, cast

from stopcheck.world._inner_points import InnerPoints

_SECOND_NS = 1_000_000_000
_LOCK = type(threading.Lock())
_RLOCK = type(threading.RLock())


class _Waiting:
    """What all blocking substitutes share: a name, and waiting until a condition holds."""

    def __init__(self, points: InnerPoints, name: str) -> None:
        self._points = points
        self._life = points.life
        self._name = name

    def _until(self, what: str, ready: Callable[[], bool], blocking: bool, timeout: float | None) -> bool:
        """Park until ``ready()``, the timeout in virtual time, or at once if not ``blocking``."""
        points, label = self._points, f"{self._name} {what}"
        self._life.check()
        points.point(label, (self._name,))
        self._life.check()
        give_up_ns = None
        if timeout is not None and timeout >= 0:
            give_up_ns = points.now_ns() + round(timeout * _SECOND_NS)
        while not ready():
            if not blocking or (give_up_ns is not None and points.now_ns() >= give_up_ns):
                points.heard((label, False))
                return False
            if not points.wait(label, (self._name,), ready=ready, until_ns=give_up_ns):
                raise RuntimeError(
                    f"{label} would wait for ever: the gate is being opened, and no call can let go of it"
                )
            self._life.check()
        points.heard((label, True))
        return True


class SubstituteLock(_Waiting):
    """Stands in for ``threading.Lock``."""

    def __init__(self, points: InnerPoints, name: str) -> None:
        super().__init__(points, name)
        self._held = False

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take the lock."""
        if not self._until("acquire", lambda: not self._held, blocking, timeout):
            return False
        self._held = True
        return True

    def release(self) -> None:
        """Let go of the lock."""
        self._life.check()
        if not self._held:
            raise RuntimeError("release unlocked lock")
        self._held = False

    def locked(self) -> bool:
        """Whether somebody holds it."""
        self._points.heard((self._name, self._held))
        return self._held

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


class SubstituteRLock(_Waiting):
    """Stands in for ``threading.RLock``."""

    def __init__(self, points: InnerPoints, name: str) -> None:
        super().__init__(points, name)
        self._owner: int | None = None
        self._count = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take the lock, once more if this thread holds it."""
        me = threading.get_ident()
        if self._owner != me and not self._until("acquire", lambda: self._owner is None, blocking, timeout):
            return False
        self._owner = me
        self._count += 1
        return True

    def release(self) -> None:
        """Let go of it once."""
        self._life.check()
        if self._owner != threading.get_ident():
            raise RuntimeError("cannot release un-acquired lock")
        self._count -= 1
        if not self._count:
            self._owner = None

    def give_up(self) -> int:
        """Let go of it altogether (for a condition); the answer goes to ``take_back``."""
        count, self._count, self._owner = self._count, 0, None
        return count

    def take_back(self, count: int) -> None:
        """Hold it as before."""
        self.acquire()
        self._count = count

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


class SubstituteCondition(_Waiting):
    """Stands in for ``threading.Condition``. Waiters are woken in the order in which they came."""

    def __init__(self, points: InnerPoints, name: str, lock: Any = None) -> None:
        super().__init__(points, name)
        self._lock: Any = SubstituteRLock(points, f"{name}.lock") if lock is None else lock
        self._waiters: list[list[bool]] = []
        self.acquire = self._lock.acquire
        self.release = self._lock.release

    def wait(self, timeout: float | None = None) -> bool:
        """Let go of the lock until notified."""
        woken = [False]
        self._waiters.append(woken)
        reentrant = isinstance(self._lock, SubstituteRLock)
        count = self._lock.give_up() if reentrant else self._lock.release()
        notified = self._until("wait", lambda: woken[0], True, timeout)
        if not notified:
            self._waiters.remove(woken)
        if reentrant:
            self._lock.take_back(count)
        else:
            self._lock.acquire()
        return notified

    def wait_for(self, predicate: Callable[[], Any], timeout: float | None = None) -> Any:
        """Wait until ``predicate()`` holds."""
        give_up_ns = None if timeout is None else self._points.now_ns() + round(timeout * _SECOND_NS)
        while not (result := predicate()):
            left = None if give_up_ns is None else (give_up_ns - self._points.now_ns()) / _SECOND_NS
            if left is not None and left <= 0:
                return result
            self.wait(left)
        return result

    def notify(self, n: int = 1) -> None:
        """Wake ``n`` waiters."""
        woken, self._waiters = self._waiters[:n], self._waiters[n:]
        for waiter in woken:
            waiter[0] = True

    def notify_all(self) -> None:
        """Wake all waiters."""
        self.notify(len(self._waiters))

    def __enter__(self) -> Any:
        return self._lock.__enter__()

    def __exit__(self, *exception: object) -> None:
        self._lock.__exit__(*exception)


class SubstituteEvent(_Waiting):
    """Stands in for ``threading.Event``."""

    def __init__(self, points: InnerPoints, name: str) -> None:
        super().__init__(points, name)
        self._flag = False

    def is_set(self) -> bool:
        """Whether it is set."""
        self._points.heard((self._name, self._flag))
        return self._flag

    def set(self) -> None:
        """Set it."""
        self._life.check()
        self._flag = True

    def clear(self) -> None:
        """Clear it."""
        self._life.check()
        self._flag = False

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is set."""
        return self._until("wait", lambda: self._flag, True, timeout)


class SubstituteSemaphore(_Waiting):
    """Stands in for ``threading.Semaphore``, and with ``bound`` for ``BoundedSemaphore``."""

    def __init__(self, points: InnerPoints, name: str, value: int = 1, bound: int | None = None) -> None:
        if value < 0:
            raise ValueError("semaphore initial value must be >= 0")
        super().__init__(points, name)
        self._value = value
        self._bound = bound

    def acquire(self, blocking: bool = True, timeout: float | None = None) -> bool:
        """Take one."""
        if not self._until("acquire", lambda: self._value > 0, blocking, timeout):
            return False
        self._value -= 1
        return True

    def release(self, n: int = 1) -> None:
        """Give ``n`` back."""
        self._life.check()
        if self._bound is not None and self._value + n > self._bound:
            raise ValueError("Semaphore released too many times")
        self._value += n

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


class BlockingSubstitutes:
    """What ``threading`` and ``time`` offer to a gate in a run."""

    def __init__(self, points: InnerPoints) -> None:
        self.points = points
        self._numbers = itertools.count(1)

    def begin(self) -> None:
        """A new run: names start again."""
        self._numbers = itertools.count(1)

    def _named(self, kind: str) -> str:
        return f"{kind}:{next(self._numbers)}"

    def lock(self) -> SubstituteLock:
        """``threading.Lock()``."""
        return SubstituteLock(self.points, self._named("lock"))

    def rlock(self) -> SubstituteRLock:
        """``threading.RLock()``."""
        return SubstituteRLock(self.points, self._named("rlock"))

    def condition(self, lock: Any = None) -> SubstituteCondition:
        """``threading.Condition()``."""
        return SubstituteCondition(self.points, self._named("condition"), lock)

    def event(self) -> SubstituteEvent:
        """``threading.Event()``."""
        return SubstituteEvent(self.points, self._named("event"))

    def semaphore(self, value: int = 1) -> SubstituteSemaphore:
        """``threading.Semaphore()``."""
        return SubstituteSemaphore(self.points, self._named("semaphore"), value)

    def bounded_semaphore(self, value: int = 1) -> SubstituteSemaphore:
        """``threading.BoundedSemaphore()``."""
        return SubstituteSemaphore(self.points, self._named("semaphore"), value, value)

    def sleep(self, seconds: float, /) -> None:
        """``time.sleep``, in virtual time."""
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        self.points.life.check()
        self.points.sleep("sleep", self.points.now_ns() + round(seconds * _SECOND_NS))

    def clock_ns(self) -> int:
        """Any of the clocks, in nanoseconds: all show virtual time, which starts at 0."""
        now = self.points.now_ns()
        self.points.heard(now)
        return now

    def clock(self) -> float:
        """Any of the clocks, in seconds."""
        return self.clock_ns() / _SECOND_NS

    def by_original(self) -> dict[tuple[str, str], tuple[object, Callable[..., Any]]]:
        """Module and name of all that is stood in for: the original, and what stands in for it."""
        locks: dict[str, Callable[..., Any]] = {
            "Lock": self.lock,
            "RLock": self.rlock,
            "Condition": self.condition,
            "Event": self.event,
            "Semaphore": self.semaphore,
            "BoundedSemaphore": self.bounded_semaphore,
        }
        clocks: dict[str, Callable[..., Any]] = {"sleep": self.sleep}
        for name in ("time", "monotonic", "perf_counter"):
            clocks[name] = self.clock
            clocks[f"{name}_ns"] = self.clock_ns
        found: dict[tuple[str, str], tuple[object, Callable[..., Any]]] = {}
        for name, stand_in in locks.items():
            found["threading", name] = (getattr(threading, name), stand_in)
        for name, stand_in in clocks.items():
            found["time", name] = (getattr(time, name), stand_in)
        return found

    def in_place_of(self, original: object, made: dict[int, object]) -> object | None:
        """For a lock that was made at import time: a substitute in its initial state, else ``None``. ``made`` keeps
        those that were made already, so that a lock which several modules or a condition share stays one."""
        key = id(original)
        if key not in made:
            stand_in = self._stand_in_for(original, made)
            if stand_in is None:
                return None
            made[key] = stand_in
        return made[key]

    def _stand_in_for(self, original: Any, made: dict[int, object]) -> object | None:
        kind: object = type(cast(object, original))
        if kind is _LOCK:
            return self.lock()
        if kind is _RLOCK:
            return self.rlock()
        if kind is threading.Condition:
            return self.condition(self.in_place_of(original._lock, made))
        if kind is threading.Event:
            return self.event()
        if kind is threading.BoundedSemaphore:
            return self.bounded_semaphore(original._initial_value)
        if kind is threading.Semaphore:
            return self.semaphore(original._value)
        return None
