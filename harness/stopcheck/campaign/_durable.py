"""What a gate's storage says before a step of a run and after it: what a new process would find if the gate died there.

One idea: nobody can look into a store as well as the gate itself can. So the storage is copied while the run goes on,
as at a death, and afterwards a new gate is opened on each copy and asked to inspect. The run does not notice.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import msgspec

from stopcheck.campaign._asking import answer_of
from stopcheck.campaign._loading import LoadedGate
from stopcheck.campaign._storage_root import storage_root
from stopcheck.gate import Caller, Inspect, Receipt, Right, Snapshot, TaskRef
from stopcheck.world import Entry, RunEnvironment, TaskDeclared, Workspace, open_gate


class Stored(msgspec.Struct):
    """What a new gate on the storage as it lay before the step, and after it, shows of each task. Empty where the gate
    is volatile or does not answer."""

    before: dict[TaskRef, Snapshot] = {}
    after: dict[TaskRef, Snapshot] = {}


class StorageWatch:
    """An observer that keeps the storage as it lay before ``step`` and after it. Storage changes only in a gate's own
    steps, and each of these ends in an event."""

    def __init__(self, keep: Workspace, step: int) -> None:
        self._keep = keep
        self._step = step
        self._place: Path | None = None
        self._before: tuple[Path, int] | None = None
        self._after: tuple[Path, int] | None = None
        self._tasks: list[TaskRef] = []

    def moved(self, place: Path) -> None:
        """From now on the run's storage is there."""
        self._place = place

    def observe(self, entry: Entry) -> None:
        """An event happened."""
        if isinstance(entry.event, TaskDeclared):
            self._tasks.append(entry.event.task)
        if self._place is None or entry.step > self._step:
            return
        kept = self._keep.crash_copy(self._place), entry.now_ns
        if entry.step < self._step:
            self._before = kept
        else:
            self._after = kept

    def digest(self) -> bytes:
        """No verdict depends on it."""
        return b""

    def stored(self, loaded: LoadedGate) -> Stored:
        """Ask new gates what they find. Called when the run is over."""
        return Stored(self._asked(loaded, self._before), self._asked(loaded, self._after))

    def _asked(self, loaded: LoadedGate, kept: tuple[Path, int] | None) -> dict[TaskRef, Snapshot]:
        if kept is None:
            return {}
        folder, now_ns = kept
        environment = RunEnvironment(
            storage=lambda: folder, now=lambda: now_ns, verify=_trusts, counter={}, inner=False
        )
        found: dict[TaskRef, Snapshot] = {}
        with (
            suppress(Exception),
            closing(open_gate(loaded.factory, environment)) as gate,
        ):  # a wrong gate may do anything
            for ref in self._tasks:
                caller = Caller("reader", ref.key.tenant, (Right.INSPECT,))
                asked = Inspect(
                    call_id="reader#1", caller=caller, task=ref.key, incarnation=ref.incarnation, now_ns=now_ns
                )
                reply = answer_of(gate.inspect(asked), loaded.contract.host)
                if isinstance(reply, Snapshot):
                    found[ref] = reply
        return found


@contextmanager
def storage_watch(loaded: LoadedGate, step: int) -> Generator[StorageWatch | None, None, None]:
    """A watch for one run; ``None`` for a gate that keeps nothing, or keeps it in a server, which cannot be copied
    while a run goes on."""
    contract = loaded.contract
    if not contract.durable or contract.database is not None:
        yield None
        return
    with storage_root() as root:
        keep = Workspace(root)
        try:
            yield StorageWatch(keep, step)
        finally:
            keep.close()


def _trusts(_receipt: Receipt) -> bool:
    return True
