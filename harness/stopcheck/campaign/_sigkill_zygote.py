"""The process from which the pass with real deaths forks.

One idea: it has loaded everything and opened nothing, so each fork of it is a fresh process, and a cheap one. Started
as ``python -m stopcheck.campaign._sigkill_zygote ORDER``, where ORDER is JSON.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from stopcheck.campaign._asking import answer_of
from stopcheck.campaign._databases import Database, name_database
from stopcheck.campaign._loading import LoadedGate, load_gate, load_scenarios
from stopcheck.campaign._sigkill import Loss, SigkillOutcome, chooser, without_crashes
from stopcheck.gate import (
    Accepted,
    Admitted,
    Caller,
    Environment,
    Gate,
    GateContract,
    HostKind,
    Inspect,
    Receipt,
    Right,
    Snapshot,
    TaskRef,
    Tombstoned,
)
from stopcheck.world import (
    AsyncioInterior,
    Called,
    Entry,
    Interior,
    PlainInterior,
    Returned,
    RunEnvironment,
    Scenario,
    StorageArea,
    TaskDeclared,
    Variant,
    asyncio_drivers,
    forks_refused,
    run,
)

#: Recorded runs per scenario: the default order, and this many seeded random ones.
SEEDS = 1


class Promise(msgspec.Struct, frozen=True):
    """Something the gate answered: a record accepted, or an effect admitted."""

    task: TaskRef
    record_id: str = ""
    effect_id: str = ""
    now_ns: int = 0


class _Area(StorageArea):
    """One directory, and no copies: the deaths here are real."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def fresh(self) -> Path:
        self._path.mkdir(exist_ok=True)
        return self._path

    def crash_copy(self, path: Path) -> Path:
        raise AssertionError("no simulated crash in the pass with real deaths")

    def discard(self, path: Path) -> None:
        """It is looked at afterwards."""


class _Witness:
    """Follows a run; counts answers, notes promises, and dies when it is time."""

    def __init__(self, die_after: int | None, note: Callable[[int, str], None], out: Path) -> None:
        self._die_after = die_after
        self._note = note
        self._out = out
        self._calls: dict[str, Called] = {}
        self.tasks: list[TaskRef] = []
        self.promises: list[Promise] = []
        self.answers = 0

    def observe(self, entry: Entry) -> None:
        event = entry.event
        if isinstance(event, TaskDeclared):
            self.tasks.append(event.task)
        elif isinstance(event, Called):
            self._calls[event.call_id] = event
        elif isinstance(event, Returned):
            self.answers += 1
            self._promise(entry, event)
            self._note(self.answers, f"{event.actor}@{event.operation}")
            if self.answers == self._die_after:
                self._out.write_bytes(msgspec.json.encode([self.tasks, self.promises, entry.step]))
                os.kill(os.getpid(), signal.SIGKILL)

    def _promise(self, entry: Entry, event: Returned) -> None:
        request = self._calls.pop(event.call_id).request
        ref = request.ref
        if ref is None:
            return
        reply = event.reply
        if isinstance(reply, Accepted | Tombstoned):
            self.promises.append(Promise(ref, reply.record.record_id, "", entry.now_ns))
        elif isinstance(reply, Admitted):
            effect_id = getattr(request, "effect_id", "")
            self.promises.append(Promise(ref, "", effect_id, entry.now_ns))

    def digest(self) -> bytes:
        return b""


def _forked(action: Callable[[], None]) -> int:
    """Do it in a process of its own; its wait status."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            with forks_refused():
                action()
            code = 0
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    return os.waitpid(pid, 0)[1]


class _Pass:
    def __init__(self, loaded: LoadedGate, root: Path, database: Database | None) -> None:
        self._loaded = loaded
        self._root = root
        self._database = database
        self._number = 0
        self.kills = 0
        self.promises = 0
        self.losses: list[Loss] = []
        self.points: dict[str, tuple[int, int]] = {}

    def scenario(self, scenario: Scenario, only: tuple[int, int] | None) -> None:
        quiet = without_crashes(scenario)
        if only is not None:
            self._kill(quiet, *only)
            return
        planned: dict[str, tuple[int, int, str]] = {}
        for seed in range(SEEDS + 1):
            for answers, state, where in self._record(quiet, seed):
                planned.setdefault(state, (seed, answers, where))
        for _, _, where in planned.values():
            self._count(where, planned=1)
        for seed, answers, where in planned.values():
            self._kill(quiet, seed, answers)
            self._count(where, killed=1)

    def _count(self, where: str, *, planned: int = 0, killed: int = 0) -> None:
        before = self.points.get(where, (0, 0))
        self.points[where] = (before[0] + planned, before[1] + killed)

    def _fresh(self) -> Path:
        """Storage for one life and what comes after it; made here, before the process that it is for."""
        self._number += 1
        storage = self._root / f"death-{self._number}"
        if self._database is not None:
            storage.mkdir()
            name_database(storage, self._database)
            self._database.put_back()
        return storage

    def _record(self, scenario: Scenario, seed: int) -> list[tuple[int, str, str]]:
        """The number of answers, the durable state after each, and whose it was, of one recorded run."""
        out = self._root / "states.json"
        storage = self._fresh()

        def record() -> None:
            states: list[tuple[int, str, str]] = []
            gates: list[Gate] = []

            def note(answers: int, where: str) -> None:
                print_ = gates[0].fingerprint()
                states.append((answers, print_.hex() if print_ is not None else f"{seed}/{answers}", where))

            self._run(scenario, seed, storage, _Witness(None, note, out), gates)
            out.write_bytes(msgspec.json.encode(states))

        if _forked(record) != 0:
            raise RuntimeError(f"the recorded run of {scenario.id} with seed {seed} failed")
        return msgspec.json.decode(out.read_bytes(), type=list[tuple[int, str, str]])

    def _run(self, scenario: Scenario, seed: int, storage: Path, witness: _Witness, gates: list[Gate]) -> None:
        factory = self._loaded.factory

        class Catching:
            contract: GateContract = self._loaded.contract

            def __call__(self, environment: Environment, /) -> Gate:
                gates.append(factory(environment))
                return gates[-1]

        with _interior(self._loaded.contract.host, _Area(storage)) as interior:
            record = run(
                scenario, Catching(), chooser(seed), variant=Variant(), interior=interior, observers=(witness,)
            )
        if record.fault is not None:
            raise RuntimeError(f"the run ended in an adapter fault: {record.fault}")

    def _kill(self, scenario: Scenario, seed: int, answers: int) -> None:
        storage, promised, found = self._fresh(), self._root / "promised.json", self._root / "found.json"
        status = _forked(lambda: self._run(scenario, seed, storage, _Witness(answers, _notes_nothing, promised), []))
        if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGKILL:
            raise RuntimeError(
                f"the process of {scenario.id} was to be killed after {answers} answers but ended by itself"
            )
        self.kills += 1
        if self._database is not None:
            self._database.end_sessions()
        known = msgspec.json.decode(promised.read_bytes(), type=tuple[list[TaskRef], list[Promise], int])
        tasks, promises, step = known
        self.promises += len(promises)
        if not promises:
            return
        if _forked(lambda: self._inspect(storage, tasks, promises, found)) != 0:
            raise RuntimeError(f"a fresh process could not open what the killed one left in {scenario.id}")
        snapshots = msgspec.json.decode(found.read_bytes(), type=dict[str, Snapshot])
        for promise in promises:
            loss = _missing(promise, snapshots)
            if loss:
                clause, message = loss
                self.losses.append(Loss(clause, message, scenario.id, seed, answers, step))

    def _inspect(self, storage: Path, tasks: list[TaskRef], promises: list[Promise], out: Path) -> None:
        now_ns = max(promise.now_ns for promise in promises)
        environment = RunEnvironment(
            storage=lambda: storage, now=lambda: now_ns, verify=_trusts_nothing, counter={}, inner=False
        )
        gate = self._loaded.factory(environment)
        snapshots: dict[str, object] = {}
        for task in tasks:
            caller = Caller("auditor", task.key.tenant, (Right.INSPECT,))
            request = Inspect(
                call_id="auditor#1", caller=caller, now_ns=now_ns, task=task.key, incarnation=task.incarnation
            )
            reply = answer_of(gate.inspect(request), self._loaded.contract.host)
            if isinstance(reply, Snapshot):
                snapshots[_name(task)] = reply
        out.write_bytes(msgspec.json.encode(snapshots))


@contextmanager
def _interior(host: HostKind, area: StorageArea) -> Generator[Interior]:
    """Drivers in a simulated loop need to be played; in the threads of whole calls nothing does."""
    if host is HostKind.ASYNCIO:
        with asyncio_drivers() as drivers:
            yield AsyncioInterior(area, drivers)
    else:
        yield PlainInterior(area)


def _end_with_parent() -> None:
    """When the process that started this one is gone its end of the pipe is closed; then nothing here goes on."""
    while os.read(0, 1):
        pass
    os.killpg(0, signal.SIGKILL)


def _name(task: TaskRef) -> str:
    return f"{task.key.tenant}/{task.key.task_id}/{task.incarnation}"


def _missing(promise: Promise, snapshots: dict[str, Snapshot]) -> tuple[str, str] | None:
    snapshot = snapshots.get(_name(promise.task))
    task = promise.task.key.task_id
    if promise.record_id:
        record = snapshot.record if snapshot is not None else None
        if record is None or record.record_id != promise.record_id:
            shown = "no record" if record is None else f"record {record.record_id}"
            return "REC-2", (
                f"the cancellation of {task} was answered with record {promise.record_id}, the process was killed, "
                f"and a fresh one shows {shown}"
            )
        return None
    if snapshot is None or promise.effect_id not in {e.effect_id for e in snapshot.effects}:
        return "EFF-9", (
            f"effect {promise.effect_id} of {task} was answered Admitted, the process was killed, and a fresh one has "
            "no such entry in its ledger"
        )
    return None


def _notes_nothing(_answers: int, _where: str) -> None:
    """In the run that is to be killed nothing is recorded."""


def _trusts_nothing(_receipt: Receipt) -> bool:
    return False


def main(order: str) -> None:
    """Carry out one order."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    reference, wanted, root, result, only = msgspec.json.decode(
        order, type=tuple[str, list[str], str, str, tuple[int, int] | None]
    )
    loaded = load_gate(reference)
    database = Database() if loaded.contract.database is not None else None
    done = _Pass(loaded, Path(root), database)
    trouble = ""
    scenarios = load_scenarios()
    try:
        for name in wanted or list(scenarios):
            if scenarios[name].fits(loaded.contract):
                done.scenario(scenarios[name], only)
    except RuntimeError as error:
        trouble = str(error)
    finally:
        if database is not None:
            database.close()
    outcome = SigkillOutcome(done.kills, done.promises, tuple(done.losses), trouble, done.points)
    Path(result).write_bytes(msgspec.json.encode(outcome))


if __name__ == "__main__":
    main(sys.argv[1])
