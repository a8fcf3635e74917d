"""Statement-level branch points for a gate's own blocking code, by substitution.

One idea: the gate's code is not changed; the *names* that its modules hold are, for as long as the kit runs it. Where a
module (or a class in it) holds ``sqlite3``, ``threading`` or ``time``, one of their functions that block or tell the
time, or a lock made at import, it holds a substitute instead that parks in the ``thread`` host. Of ``psycopg`` it is
three methods that are replaced (``_psycopg_substitutes``), so that what is built on it parks too.

    modules = gate_modules(factory)                  # once
    with substituted(modules) as substitutes:        # for as many runs as liked
        interior = SubstitutedInterior(area, substitutes)
        interior.begin(now_ns, inner=True)           # at the start of each run, before a gate is opened
        ...                                          # open gates, make calls
        interior.end()                               # at its end, after the kernel was closed

What a run needs of it::

    gate_modules(*sources: object) -> tuple[ModuleType, ...]
    substituted(modules: Iterable[ModuleType]) -> ContextManager[Substitutes]
    Substitutes.begin(now_ns: Callable[[], int], *, inner: bool) -> None
    Substitutes.inner: bool                          # plain points wanted? may be switched within a run
    Substitutes.reached: int                         # points reached in this run; 0: granularity ``calls`` was all
    Substitutes.kill() -> None                       # process death; see ``ProcessDied``
    Substitutes.end() -> None                        # close the connections that are left
    Substitutes.heard(value) -> None                 # the current call learned something from elsewhere
    Substitutes.open_call_digest(call) -> bytes      # ``call``: the ``NestedCall`` that the host opened
    Substitutes.last_place(call) -> str              # "pkg/file.py:12 function | SQL"; "" if it never parked
"""

from __future__ import annotations

import inspect
import sqlite3
import sys
import threading
import time  # noqa: TID251 (the original that is stood in for)
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

from stopcheck.world._blocking_substitutes import BlockingSubstitutes
from stopcheck.world._inner_points import InnerPoints
from stopcheck.world._interior import OnStorage, StorageArea
from stopcheck.world._psycopg_substitutes import PsycopgSubstitutes
from stopcheck.world._sqlite_substitutes import SqliteSubstitutes

#: Packages whose modules hold no gate code.
_OWN = "stopcheck"


def gate_modules(*sources: object) -> tuple[ModuleType, ...]:
    """The loaded modules that hold the code of a gate, given its factory, its class or itself: those of the classes it
    derives from, and of the factory; each with the other modules of its top-level package. In order of name."""
    names: set[str] = set()
    for source in sources:
        kind = source if isinstance(source, type) or inspect.isroutine(source) else type(source)
        owners: tuple[object, ...] = kind.__mro__ if isinstance(kind, type) else (kind,)
        for owner in owners:
            name = getattr(owner, "__module__", None) or "builtins"
            top = name.partition(".")[0]
            if top == _OWN or top in sys.stdlib_module_names:
                continue
            names.add(name)
            names.update(other for other in sys.modules if other.startswith(f"{top}."))
            names.add(top)
    return tuple(sys.modules[name] for name in sorted(names) if name in sys.modules)


class _StandIn:
    """Called in place of a function. Not a function itself: in a class body it must not become a method."""

    __slots__ = ("_act",)

    def __init__(self, act: Callable[..., Any]) -> None:
        self._act = act

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self._act(*args, **keywords)


class _ModuleStandIn(ModuleType):
    """A module with some names replaced; all others are the real one's."""

    def __init__(self, real: ModuleType, replaced: dict[str, object]) -> None:
        super().__init__(real.__name__)
        self.__dict__.update(replaced)
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class Substitutes:
    """The substitutes of one gate, in place or not. See the module's text for its use."""

    def __init__(self, modules: Iterable[ModuleType]) -> None:
        self._modules = tuple(modules)
        self._points = InnerPoints(self._modules)
        self._sqlite = SqliteSubstitutes(self._points)
        self._psycopg = PsycopgSubstitutes(self._points)
        self._blocking = BlockingSubstitutes(self._points)
        self._undo: list[tuple[Any, str, object]] = []
        self._locks: list[tuple[Any, str, object]] = []
        self.heard = self._points.heard
        self.open_call_digest = self._points.open_call_digest
        self.last_place = self._points.last_place
        self.left_open = self._psycopg.left_open

    @property
    def inner(self) -> bool:
        """Whether plain points park. Waiting for locks and for time does in any case."""
        return self._points.inner

    @inner.setter
    def inner(self, wanted: bool) -> None:
        self._points.inner = wanted

    @property
    def every_statement(self) -> bool:
        """Whether statements that SQLite isolates anyway park too. Not needed to find anything; slower."""
        return self._points.every_statement

    @every_statement.setter
    def every_statement(self, wanted: bool) -> None:
        self._points.every_statement = wanted

    @property
    def reached(self) -> int:
        """How many points were reached in this run."""
        return self._points.reached

    @property
    def can_be_out_of_turn(self) -> bool:
        """Whether statements of several calls can wait for each other in a server."""
        return self._psycopg.in_place

    @property
    def out_of_turn(self) -> bool:
        """Whether in this run somebody was served before one who had waited longer."""
        return self._points.out_of_turn

    # -- a run --------------------------------------------------------------------------------------------

    def begin(self, now_ns: Callable[[], int], *, inner: bool) -> None:
        """A new run, with its clock."""
        self.end()
        self._points.begin(now_ns, inner=inner)
        self._psycopg.begin()
        self._blocking.begin()
        self._renew_locks()

    def kill(self) -> None:
        """The process died: its connections and locks raise ``ProcessDied`` from now on. A new process has new locks,
        also those that its modules make when they are imported; other globals survive, unlike in reality."""
        self._points.kill()
        self._sqlite.kill()
        self._psycopg.kill()
        self._renew_locks()

    def over(self) -> None:
        """The run is over, and its gates are about to be closed."""
        self._psycopg.over()

    def end(self) -> None:
        """The run is over: close the connections that are left. Call it after the kernel was closed."""
        self._sqlite.close()
        self._psycopg.close()

    # -- putting substitutes in place ---------------------------------------------------------------------

    def put_in_place(self) -> None:
        """Replace the names."""
        stand_ins = self._stand_ins()
        for module in self._modules:
            for owner in (module, *_classes_of(module)):
                for name, value in list(vars(owner).items()):
                    found = stand_ins.get(id(value))
                    if found is not None and found[0] is value:
                        self._undo.append((owner, name, value))
                        setattr(owner, name, found[1])
                    elif self._blocking.in_place_of(value, {}) is not None:
                        self._undo.append((owner, name, value))
                        self._locks.append((owner, name, value))
        self._renew_locks()

    def take_away(self) -> None:
        """Put the originals back."""
        while self._undo:
            owner, name, value = self._undo.pop()
            setattr(owner, name, value)
        self._locks.clear()
        self._psycopg.take_away()

    def _stand_ins(self) -> dict[int, tuple[object, object]]:
        """By identity: each original, and what stands in for it."""
        pairs: list[tuple[object, object]] = [(sqlite3.connect, _StandIn(self._sqlite.connect))]
        pairs += self._psycopg.put_in_place()
        for real in (sqlite3, threading, time):
            replaced: dict[str, object] = {}
            if real is sqlite3:
                replaced["connect"] = pairs[0][1]
            for (owner, name), (original, act) in self._blocking.by_original().items():
                if owner == real.__name__:
                    replaced[name] = _StandIn(act)
                    pairs.append((original, replaced[name]))
            proxy = _ModuleStandIn(real, replaced)
            pairs.append((real, proxy))
            if real is sqlite3:
                proxy.__dict__["dbapi2"] = proxy
                pairs.append((sys.modules["sqlite3.dbapi2"], proxy))
        return {id(original): (original, stand_in) for original, stand_in in pairs}

    def _renew_locks(self) -> None:
        """Locks that were made at import: one substitute for each, also where several modules hold the same."""
        made: dict[int, object] = {}
        for owner, name, original in self._locks:
            setattr(owner, name, self._blocking.in_place_of(original, made))


def _classes_of(module: ModuleType) -> list[type]:
    return [v for v in vars(module).values() if isinstance(v, type) and v.__module__ == module.__name__]


@contextmanager
def substituted(modules: Iterable[ModuleType]) -> Generator[Substitutes]:
    """Hold substitutes in place in ``modules``."""
    substitutes = Substitutes(modules)
    try:
        substitutes.put_in_place()
        yield substitutes
    finally:
        substitutes.end()
        substitutes.take_away()


class SubstitutedInterior(OnStorage):
    """The inside of a gate whose blocking code parks. Implements ``Interior``; ``begin`` comes first in each run."""

    watches_reads = True

    def __init__(self, area: StorageArea, substitutes: Substitutes) -> None:
        self._area = area
        self._substitutes = substitutes
        self._inner = False

    def begin(self, now_ns: Callable[[], int], *, inner: bool) -> None:
        """A new run, with its clock."""
        self._inner = inner
        self._substitutes.begin(now_ns, inner=inner)

    @property
    def can_be_out_of_turn(self) -> bool:
        """Whether it has connections to a server."""
        return self._substitutes.can_be_out_of_turn

    @property
    def out_of_turn(self) -> bool:
        """As its server says."""
        return self._substitutes.out_of_turn

    def pause(self, *, paused: bool) -> None:
        """Park at plain points only where something is a choice."""
        self._substitutes.inner = self._inner and not paused

    def heard(self, value: object) -> None:
        """The current call learned something from its environment."""
        self._substitutes.heard(value)

    def fresh_storage(self) -> Path:
        """A directory of the run's own."""
        return self._area.fresh()

    def opening(self) -> AbstractContextManager[None]:
        """The substitutes are in place already, and park only in calls."""
        return nullcontext()

    def kill(self) -> None:
        """The process died."""
        self._substitutes.kill()

    def held(self) -> bytes:
        """Transactions that a call left open, and the like."""
        return self._substitutes.left_open()

    def reads(self, key: object) -> bytes:
        """A digest of what the open call has learned."""
        return self._substitutes.open_call_digest(key)

    def place(self, key: object) -> str:
        """Where in the gate's own code the call is."""
        return self._substitutes.last_place(key)

    def over(self) -> None:
        """What the gates close from now on may serve another run."""
        self._substitutes.over()

    def end(self) -> None:
        """Close the connections that are left."""
        self._substitutes.end()

    def discard(self, storage: Path) -> None:
        """Delete it."""
        self._area.discard(storage)
