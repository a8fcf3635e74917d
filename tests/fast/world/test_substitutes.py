"""Statement-level branch points: what they find, what they must not break, and what a dead process may do."""

from __future__ import annotations

import contextlib
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stopcheck.kernel import Ending, Kernel, Park, Point, ThreadHost, perform
from stopcheck.world._environment import ProcessDied
from stopcheck.world._substitutes import Substitutes, substituted
from tests.fast.world import wrong_gates
from tests.fast.world.wrong_gates import CheckThenAct, Immediate, Implicit, Locked, Waiter

NAMES: Any = wrong_gates  # looked up as the gate looks them up
MODULE = (sys.modules[wrong_gates.__name__],)


@pytest.fixture(scope="module")
def host() -> Iterator[ThreadHost]:
    made = ThreadHost(real_time_s=5)
    yield made
    assert not made.hung
    made.close()


@pytest.fixture
def substitutes() -> Iterator[Substitutes]:
    with substituted(MODULE) as made:
        yield made


class Run:
    """One run over the bare kernel: actors that each make one call, and the answers."""

    def __init__(self, substitutes: Substitutes, host: ThreadHost, prefix: list[int]) -> None:
        self.answers: dict[str, Any] = {}
        self.counts: list[int] = []
        self.steps: list[str] = []
        self.chosen: list[int] = []
        self._prefix = prefix
        self.kernel = Kernel(self._choose, host=host)
        self.substitutes = substitutes
        substitutes.begin(lambda: self.kernel.now_ns, inner=True)

    def _choose(self, point: Point) -> int:
        number = len(self.counts)
        self.counts.append(len(point.options))
        index = self._prefix[number] if number < len(self._prefix) else 0
        self.chosen.append(index)
        self.steps.append(point.options[index])
        return index

    def actor(self, name: str, call: Callable[[], Any]) -> None:
        async def life() -> None:
            try:
                self.answers[name] = await perform(call)
            except Exception as error:
                self.answers[name] = repr(error)

        self.kernel.spawn(name, life())

    def go(self) -> Ending:
        ending = self.kernel.run()
        self.close()
        return ending

    def close(self) -> None:
        self.kernel.close()
        self.substitutes.end()


def all_runs(play: Callable[[list[int]], Run]) -> Iterator[Run]:
    """Every interleaving, depth first."""
    pending: list[list[int]] = [[]]
    while pending:
        prefix = pending.pop()
        run = play(prefix)
        yield run
        for position in range(len(prefix), len(run.counts)):
            for other in range(1, run.counts[position]):
                pending.append([*prefix, *([0] * (position - len(prefix))), other])


def race(kind: type[CheckThenAct], substitutes: Substitutes, host: ThreadHost, root: Path) -> set[tuple[Any, Any, int]]:
    """All outcomes of an admission against a stop over two connections: both answers, and the effects in the end."""
    seen: set[tuple[Any, Any, int]] = set()
    count = 0

    def play(prefix: list[int]) -> Run:
        nonlocal count
        count += 1
        run = Run(substitutes, host, prefix)
        path = root / f"{count}.db"
        first, second = kind(path), kind(path)
        run.actor("worker", lambda: first.commit_effect("e"))
        run.actor("person", second.cancel)
        assert run.go() is Ending.REST
        seen.add((run.answers["worker"], run.answers["person"], first.effects()))
        return run

    runs = sum(1 for _ in all_runs(play))
    assert runs > 5
    return seen


@pytest.mark.parametrize("every_statement", [False, True])
def test_check_then_act_over_two_connections_shows_its_window(
    substitutes: Substitutes, host: ThreadHost, tmp_path: Path, every_statement: bool
) -> None:
    substitutes.every_statement = every_statement
    assert race(CheckThenAct, substitutes, host, tmp_path) == {
        ("admitted", 1, 1),
        ("stopped", 0, 0),
        ("admitted", 0, 1),  # the person was told "no effects", and one came
    }


@pytest.mark.parametrize("every_statement", [False, True])
def test_one_transaction_has_no_window_and_nobody_hangs(
    substitutes: Substitutes, host: ThreadHost, tmp_path: Path, every_statement: bool
) -> None:
    substitutes.every_statement = every_statement
    assert race(Immediate, substitutes, host, tmp_path) == {("admitted", 1, 1), ("stopped", 0, 0)}


def test_labels_name_verb_and_table_and_the_place_names_line_and_statement(
    substitutes: Substitutes, host: ThreadHost, tmp_path: Path
) -> None:
    substitutes.every_statement = True
    run = Run(substitutes, host, [])
    gate = Immediate(tmp_path / "gate.db")
    labels: list[str] = []
    places: list[str] = []
    calls: list[object] = []
    open_call = host.open

    def watch(actor: Any, call: Any) -> Any:
        calls.append(made := open_call(actor, call))
        return made

    run.kernel._host = host_like = type("Watching", (), {"open": staticmethod(watch)})()
    assert host_like is not None
    run.actor("worker", lambda: gate.commit_effect("e"))
    actor = run.kernel.actors[0]
    move = run.kernel._park

    def noting(parked: Any, park: Any) -> None:
        move(parked, park)
        labels.append(park.label)
        places.append(substitutes.last_place(calls[0]))
        assert park.touches == ("sqlite:gate.db",)

    run.kernel._park = noting  # type: ignore[method-assign, assignment]
    run.go()
    assert actor.done
    assert labels == [
        "sql:PRAGMA journal_mode",
        "sql:BEGIN IMMEDIATE",
        "sql:SELECT task",
        "sql:INSERT effect",
        "sql:COMMIT",
    ]
    assert places[2].startswith("tests/fast/world/wrong_gates.py:")
    assert places[2].endswith(" commit_effect | SELECT status FROM task")
    assert substitutes.reached == 5


def test_the_digest_of_an_open_call_tells_what_it_has_read(
    substitutes: Substitutes, host: ThreadHost, tmp_path: Path
) -> None:
    def digest(status: str, name: str) -> bytes:
        run = Run(substitutes, host, [])
        gate = CheckThenAct(tmp_path / name)
        connection = gate.connect()
        connection.execute("UPDATE task SET status = ?", (status,))
        connection.close()
        call = host.open(None, lambda: gate.commit_effect("e"))  # type: ignore[arg-type]
        for _ in range(4):
            call.advance()
        found = substitutes.open_call_digest(call)
        call.close()
        run.close()
        return found

    assert digest("running", "1.db") == digest("running", "2.db")
    assert digest("running", "3.db") != digest("draining", "4.db")


@pytest.mark.parametrize("every_statement", [False, True])
def test_a_stale_snapshot_is_raised_and_never_waited_for(
    substitutes: Substitutes, host: ThreadHost, tmp_path: Path, every_statement: bool
) -> None:
    substitutes.every_statement = every_statement
    seen: set[tuple[str, str]] = set()
    count = 0

    def play(prefix: list[int]) -> Run:
        nonlocal count
        count += 1
        run = Run(substitutes, host, prefix)
        gate = Implicit(tmp_path / f"{count}.db")
        run.actor("a", gate.increment)
        run.actor("b", gate.increment)
        assert run.go() is Ending.REST
        assert run.kernel.now_ns == 0
        seen.add((run.answers["a"], run.answers["b"]))
        return run

    runs = sum(1 for _ in all_runs(play))
    assert runs > 20
    assert seen == {("done", "done"), ("done", "database is locked"), ("database is locked", "done")}


def test_the_implicit_begin_is_a_point_and_its_lock_is_waited_for(
    substitutes: Substitutes, host: ThreadHost, tmp_path: Path
) -> None:
    count = 0
    labels: set[str] = set()

    def play(prefix: list[int]) -> Run:
        nonlocal count
        count += 1
        run = Run(substitutes, host, prefix)
        gate = Implicit(tmp_path / f"{count}.db")
        run.actor("a", gate.add)
        run.actor("b", gate.add)
        assert run.go() is Ending.REST
        assert run.answers == {"a": "1 row", "b": "1 row"}
        labels.update(step.split("@")[1] for step in run.steps)
        return run

    assert sum(1 for _ in all_runs(play)) > 10
    assert labels == {"start", "sql:BEGIN", "sql:UPDATE count", "sql:COMMIT"}


def test_a_lock_that_is_never_released_ends_in_the_connections_timeout(
    substitutes: Substitutes, host: ThreadHost, tmp_path: Path
) -> None:
    run = Run(substitutes, host, [])
    gate = Implicit(tmp_path / "gate.db")
    holder = NAMES.sqlite3.connect(gate.path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    run.actor("a", gate.add)
    assert run.kernel.run() is Ending.REST
    assert run.answers["a"] == "OperationalError('database is locked')"
    assert run.kernel.now_ns == 5_000_000_000
    holder.close()
    run.close()


def test_busy_timeout_pragma_sets_the_virtual_timeout(
    substitutes: Substitutes, host: ThreadHost, tmp_path: Path
) -> None:
    run = Run(substitutes, host, [])
    path = tmp_path / "gate.db"

    def call() -> str:
        holder = NAMES.sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN EXCLUSIVE")
        connection = NAMES.sqlite3.connect(path, isolation_level=None)
        assert connection.execute("PRAGMA busy_timeout").fetchone() == (5000,)
        assert connection.execute("PRAGMA busy_timeout = 250").fetchone() == (250,)
        with contextlib.suppress(sqlite3.OperationalError):
            connection.execute("BEGIN IMMEDIATE")
        return "gave up"

    run.actor("a", call)
    assert run.go() is Ending.REST
    assert (run.answers, run.kernel.now_ns) == ({"a": "gave up"}, 250_000_000)


def test_a_lock_held_while_parked_blocks_its_waiters_and_not_the_kit(
    substitutes: Substitutes, host: ThreadHost
) -> None:
    def play(prefix: list[int]) -> Run:
        run = Run(substitutes, host, prefix)
        gate = Locked()
        run.actor("a", gate.work)
        run.actor("b", gate.work)
        run.actor("c", lambda: gate.try_to_work(1))
        assert run.go() is Ending.REST
        assert gate.most == 1
        assert sorted((run.answers["a"], run.answers["b"])) == [2.0, 4.0]
        return run

    runs = list(all_runs(play))
    assert {run.answers["c"] for run in runs} == {True, False}


def test_two_locks_in_opposite_order_are_a_deadlock(substitutes: Substitutes, host: ThreadHost) -> None:
    endings: set[Ending] = set()

    def play(prefix: list[int]) -> Run:
        run = Run(substitutes, host, prefix)
        one, two = NAMES.threading.Lock(), NAMES.threading.RLock()

        def both(first: Any, second: Any) -> None:
            with first, second:
                pass

        run.actor("a", lambda: both(one, two))
        run.actor("b", lambda: both(two, one))
        endings.add(run.go())
        return run

    assert list(all_runs(play))
    assert endings == {Ending.REST, Ending.DEADLOCK}


def test_conditions_events_and_semaphores_wait_in_virtual_time(substitutes: Substitutes, host: ThreadHost) -> None:
    run = Run(substitutes, host, [])
    gate = Waiter()
    run.actor("getter", gate.get)
    run.actor("early", lambda: gate.await_event(0.5))
    run.actor("one", gate.use_slot)
    run.actor("two", gate.use_slot)
    run.kernel.run()
    assert run.answers == {"early": False, "one": "used", "two": "used"}
    assert run.kernel.now_ns == 2_000_000_000
    run.actor("putter", lambda: gate.put("item"))
    run.actor("late", lambda: gate.await_event(0.5))
    assert run.go() is Ending.REST
    assert (run.answers["getter"], run.answers["late"]) == ("item", True)


def test_handles_of_a_dead_process_raise_and_its_transaction_is_not_helped(
    substitutes: Substitutes, host: ThreadHost, tmp_path: Path
) -> None:
    substitutes.every_statement = True
    run = Run(substitutes, host, [])
    gate = Immediate(tmp_path / "gate.db")
    kept = gate.connect()
    call = host.open(None, lambda: gate.commit_effect("e"))  # type: ignore[arg-type]
    for _ in range(5):  # parked before COMMIT
        call.advance()
    substitutes.kill()
    for use in (kept.close, kept.commit, lambda: kept.execute("SELECT 1"), kept.__enter__().cursor):
        with pytest.raises(ProcessDied):
            use()
    call.close()
    run.close()
    assert Immediate(tmp_path / "gate.db").effects() == 0


def test_what_the_kit_reads_outside_calls_wakes_nobody(
    substitutes: Substitutes, host: ThreadHost, tmp_path: Path
) -> None:
    run = Run(substitutes, host, [])
    gate = Immediate(tmp_path / "gate.db")
    reader = NAMES.sqlite3.connect(gate.path)
    holder = host.open(None, lambda: gate.commit_effect("e"))  # type: ignore[arg-type]
    waiter = host.open(None, gate.cancel)  # type: ignore[arg-type]
    for _ in range(3):  # parked before COMMIT
        holder.advance()
    for _ in range(2):  # parked before BEGIN IMMEDIATE
        waiter.advance()
    park: Any = waiter.advance()
    assert park.blocked
    assert reader.execute("SELECT count(*) FROM effect").fetchone() == (0,)
    assert not park.ready()
    while isinstance(holder.advance(), Park):
        assert isinstance(park, Park)
    assert park.ready()
    waiter.close()
    run.close()


def test_a_new_process_has_a_new_lock_although_the_dead_one_holds_it(
    substitutes: Substitutes, host: ThreadHost
) -> None:
    run = Run(substitutes, host, [])
    call = host.open(None, Locked().work)  # type: ignore[arg-type]
    for _ in range(2):
        call.advance()
    assert NAMES.LOCK.locked()
    substitutes.kill()
    assert not NAMES.LOCK.locked()
    call.close()
    run.close()
