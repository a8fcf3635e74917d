"""Inner points: where a gate's blocking code parks, and what is remembered of each open call.

One idea: all substitutes (connections, locks, clocks) park, wait and report through one :class:`InnerPoints`, so that
"the process died", "how far has this call got" and "what has it learned" have one answer each.

What a call has learned (rows, row counts, errors, times) is folded into a digest, because it decides how the call goes
on: two states that differ only in it are different states. Where the call stands is kept for people.

Parking acts in nested calls of the ``thread`` host only, and nothing here acts outside of a call, except that a dead
process stays dead.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterable
from pathlib import PurePath
from types import CodeType, FrameType, ModuleType

from stopcheck.kernel import Park, current_call, park_here
from stopcheck.world._environment import ProcessDied


class Life:
    """One life of the gate's process. What was made in it is dead when it is."""

    __slots__ = ("dead",)

    def __init__(self) -> None:
        self.dead = False

    def check(self) -> None:
        """Raise ``ProcessDied`` in code of a dead process."""
        if self.dead:
            raise ProcessDied


class _Journal:
    """What is known of one open call."""

    __slots__ = ("code", "digest", "line", "pending", "place", "statement")

    def __init__(self) -> None:
        self.digest = hashlib.blake2b(digest_size=16)
        self.pending: list[object] = []
        self.code: CodeType | None = None
        self.line = 0
        self.statement = ""
        self.place = ""


class InnerPoints:
    """The one way in which substitutes park. ``inner`` tells whether plain points are wanted (granularity ``inner``);
    waiting for a lock or for time parks in any case. ``reached`` counts the points, and so shows what was observed.
    ``asking`` names the call whose code is running, ``None`` outside of one.
    ``out_of_turn``: in this run a server served somebody before one who had waited longer."""

    def __init__(self, modules: Iterable[ModuleType], asking: Callable[[], object] = current_call) -> None:
        self.asking = asking
        self.inner = False
        self.every_statement = False
        self.reached = 0
        self.out_of_turn = False
        self.life = Life()
        self._now: Callable[[], int] = lambda: 0
        self._journals: dict[object, _Journal] = {}
        self._files = {file: short for file, short in map(_file_of, modules) if file}

    # -- a run --------------------------------------------------------------------------------------------

    def begin(self, now_ns: Callable[[], int], *, inner: bool) -> None:
        """A new run: its clock, and whether it wants plain points."""
        self.inner = inner
        self.reached = 0
        self.out_of_turn = False
        self.life = Life()
        self._now = now_ns
        self._journals.clear()

    def kill(self) -> None:
        """The process died: whatever was made until now raises ``ProcessDied`` at each use."""
        self.life.dead = True
        self.life = Life()

    def now_ns(self) -> int:
        """The virtual clock, without noting that it was read."""
        return self._now()

    # -- parking ------------------------------------------------------------------------------------------

    def point(self, label: str, touches: tuple[str, ...] = (), statement: str = "") -> None:
        """A branch point, if plain points are wanted."""
        call = current_call()
        if call is None:
            return
        self._stand(call, statement)
        if self.inner:
            self.reached += 1
            park_here(Park(label, touches))

    def wait(
        self,
        label: str,
        touches: tuple[str, ...] = (),
        statement: str = "",
        *,
        ready: Callable[[], bool],
        until_ns: int | None = None,
    ) -> bool:
        """Wait for what another call holds, at most until ``until_ns``. False outside a call, where nobody could
        ever let go of it."""
        call = current_call()
        if call is None:
            return False
        self._stand(call, statement)
        park_here(Park(label, touches, ready=ready, wake_ns=until_ns, blocked=True))
        return True

    def sleep(self, label: str, until_ns: int) -> None:
        """Wait for virtual time ``until_ns``; nothing outside a call, where time does not pass."""
        call = current_call()
        if call is not None:
            self._stand(call, "")
            park_here(Park(label, wake_ns=until_ns))

    # -- what a call has learned, and where it is ---------------------------------------------------------

    def heard(self, value: object) -> None:
        """The current call learned ``value``: something that does not change any more, and whose ``repr`` is the same
        in each replay. It is digested when somebody asks."""
        call = self.asking()
        if call is not None:
            self._journal(call).pending.append(value)

    def heard_by(self, call: object, value: object) -> None:
        """A call that waits learned ``value``: what it waited for came to it while another moved."""
        self._journal(call).pending.append(value)

    def chained(self, history: bytes) -> bytes:
        """``history``, and then what the current call has done so far; outside a call, as it was."""
        call = self.asking()
        if call is None:
            return history
        return hashlib.blake2b(history + self.open_call_digest(call), digest_size=16).digest()

    def open_call_digest(self, call: object) -> bytes:
        """A digest of everything that the call has learned and stated so far."""
        journal = self._journals.get(call)
        if journal is None:
            return b""
        for value in journal.pending:
            journal.digest.update(repr(value).encode("utf-8", "surrogatepass") + b"\0")
        journal.pending.clear()
        return journal.digest.digest()

    def last_place(self, call: object) -> str:
        """Where in the gate's own code the call was at its last point: ``file:line function | SQL``."""
        journal = self._journals.get(call)
        if journal is None or journal.code is None:
            return ""
        short = self._files.get(journal.code.co_filename, journal.code.co_filename)
        place = f"{short}:{journal.line} {journal.code.co_name}"
        statement = " ".join(journal.statement.split())
        return f"{place} | {statement}" if statement else place

    def _journal(self, call: object) -> _Journal:
        journal = self._journals.get(call)
        if journal is None:
            journal = self._journals[call] = _Journal()
        return journal

    def _stand(self, call: object, statement: str) -> None:
        journal = self._journal(call)
        journal.statement = statement
        frame: FrameType | None = inspect.currentframe()
        while frame is not None:
            if frame.f_code.co_filename in self._files:
                journal.code, journal.line = frame.f_code, frame.f_lineno
                return
            frame = frame.f_back


def _file_of(module: ModuleType) -> tuple[str, str]:
    """A module's source file, and how people are shown it: from its top-level package on, since what stands above
    differs between machines."""
    file = getattr(module, "__file__", None) or ""
    parts = PurePath(file).parts
    depth = len(module.__name__.split(".")) + (hasattr(module, "__path__"))
    return file, "/".join(parts[-depth:]) if "." in module.__name__ or depth > 1 else PurePath(file).name
