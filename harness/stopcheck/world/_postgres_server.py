"""Who waits for whom in a PostgreSQL server, and what the kit does about it.

One idea: **a statement that waits stays in the server, as it would in production**; only its actor is parked. It keeps
its place in the lock's queue and the snapshot that it began with, and goes on, in the server, when the lock is let go
of. So that this happens at a known point of the run and not some time later, whoever did something that may let go of
a lock first waits until each statement in flight has been answered or waits again (:meth:`PostgresServer.settle`).

How it is known that a statement waits: its answer does not come, and ``pg_blocking_pids`` names a session of this run,
which does nothing meanwhile, since its actor is parked. Real time decides only how often that is asked.

Who is served first is known in the same way: if one that waits is found to stand behind a session that came after it
and was not in its way before, it was overtaken (``_in_turn``).

A circle of waiting statements is a deadlock. The server would look for it after ``deadlock_timeout`` of real time and
end whichever looked first; here it is seen at once, and ends the statement that closed the circle, with the error that
the server would give (``40P01``). What other databases' sessions and autovacuum hold is waited for in real time.
"""

from __future__ import annotations

import itertools
import select
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

#: The name under which the kit looks into a server; whoever ends a gate's sessions lets these live.
MONITOR = "stopcheck monitor"
_BRIEFLY_MS = 1
#: How often the end of a session is looked for, a millisecond apart, before the server counts as broken.
_PATIENCE = 10_000


class InFlight:
    """A statement that waits in the server for another session's lock. ``answered``: its answer has come. ``behind``:
    the sessions that were in its way when that was looked at last. ``error``: what is raised in place of the
    cancellation by which the kit ended it."""

    def __init__(self, pid: int, socket: int, on_answer: Callable[[], None]) -> None:
        self.pid = pid
        self.socket = socket
        self.on_answer = on_answer
        self.answered = False
        self.behind: frozenset[int] = frozenset()
        self.error: Callable[[], Exception] | None = None

    @property
    def unanswered(self) -> bool:
        """Whether its answer is still to come."""
        return not self.answered


class PostgresServer:
    """One server, seen through a connection of the kit's own. ``deadlock``: makes the error of a deadlock's victim."""

    def __init__(self, monitor: Connection, deadlock: Callable[[], Exception]) -> None:
        self._monitor = monitor
        self._deadlock = deadlock
        self.pids: set[int] = set()
        self.in_flight: list[InFlight] = []

    def close(self) -> None:
        """Let go of the kit's connection."""
        self._monitor.close()

    # -- who waits ----------------------------------------------------------------------------------------

    def waits(self, pid: int) -> bool:
        """Whether that session waits for what another session of this run holds."""
        return not self.pids.isdisjoint(self._blockers((pid,))[pid])

    def settle(self) -> bool:
        """Wait until each statement in flight has been answered or waits for another session of this run. Returns
        whether one of them was overtaken meanwhile by one that came after it."""
        for patience_ms in growing(_BRIEFLY_MS):
            for statement in self.in_flight:
                if not statement.answered and readable(statement.socket):
                    statement.answered = True
                    statement.on_answer()
            left = [statement for statement in self.in_flight if not statement.answered]
            if not left:
                return False
            blockers = self._blockers([statement.pid for statement in left])
            goes_on = next((s for s in left if self.pids.isdisjoint(blockers[s.pid])), None)
            if goes_on is not None:
                readable(goes_on.socket, patience_ms)
                continue
            victim = _closes_a_circle(left, blockers)
            if victim is None:
                return self._overtaken(left, blockers)
            self.cancel(victim, self._deadlock)
        raise AssertionError("it is looked for ever")

    def _overtaken(self, left: Sequence[InFlight], blockers: Mapping[int, Sequence[int]]) -> bool:
        """Whether one of those that are left stands behind a later one that was not in its way; notes who is now."""
        found = False
        for statement in left:
            now = frozenset(blockers[statement.pid])
            later = {other.pid for other in self.in_flight[self.in_flight.index(statement) + 1 :]}
            found = found or not later.isdisjoint(now - statement.behind)
            statement.behind = now
        return found

    def _blockers(self, pids: Sequence[int]) -> dict[int, list[int]]:
        rows = self._monitor.execute("SELECT pid, pg_blocking_pids(pid) FROM unnest(%s::int[]) AS pid", (list(pids),))
        return dict(rows.fetchall())

    # -- ending what waits --------------------------------------------------------------------------------

    def cancel(self, statement: InFlight, error: Callable[[], Exception] | None) -> None:
        """End a statement that waits; ``error`` is what its caller will be told instead of that, if anything is."""
        statement.error = error
        self._monitor.execute("SELECT pg_cancel_backend(%s)", (statement.pid,))
        _until(lambda: readable(statement.socket, _BRIEFLY_MS), f"cancel session {statement.pid}")

    def end_sessions(self, pids: Iterable[int]) -> None:
        """End sessions, and wait until the server has let go of everything that they held."""
        left = sorted(pids)
        if not left:
            return
        self._monitor.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s::int[]) AS pid", (left,))

        def gone() -> bool:
            found = self._monitor.execute("SELECT 1 FROM pg_stat_activity WHERE pid = ANY(%s)", (left,)).fetchone()
            return found is None

        _until(gone, f"end sessions {left}")
        self.pids.difference_update(left)


def _closes_a_circle(left: Sequence[InFlight], blockers: Mapping[int, Sequence[int]]) -> InFlight | None:
    """Of statements that wait for each other in a circle, the one that came last."""
    for statement in reversed(left):
        seen: set[int] = set()
        pending = list(blockers[statement.pid])
        while pending:
            pid = pending.pop()
            if pid == statement.pid:
                return statement
            if pid not in seen:
                seen.add(pid)
                pending += blockers.get(pid, ())
    return None


def growing(first_ms: int) -> Iterator[int]:
    """How long to look before the server is asked, again and again: it needs its time itself."""
    return itertools.chain((first_ms << doubled for doubled in range(5)), itertools.repeat(first_ms << 5))


def readable(socket: int, patience_ms: int = 0) -> bool:
    """Whether something has come; waits for it no longer than that."""
    return ready(socket, select.POLLIN, patience_ms) != 0


def ready(socket: int, events: int, patience_ms: int) -> int:
    """What of ``events`` is so; an error or an end counts as all of them."""
    poll = select.poll()
    poll.register(socket, events)
    found = poll.poll(patience_ms)
    if not found:
        return 0
    return found[0][1] & events or events


def _until(holds: Callable[[], bool], what: str) -> None:
    for _ in range(_PATIENCE):
        if holds():
            return
        select.poll().poll(_BRIEFLY_MS)
    raise OSError(f"PostgreSQL did not {what} within {_PATIENCE * _BRIEFLY_MS / 1000:g} s")
