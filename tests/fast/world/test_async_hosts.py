"""Asynchronous gates in whole runs: on trio, on asyncio, and as inline where they can be."""

from __future__ import annotations

import asyncio
import hashlib
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio

from stopcheck.explore import CACHE_BOUND, Budget, Result, Trial, depth_first, make_trial
from stopcheck.explore.stateful import state_machine
from stopcheck.gate import GateFactory, GateHung, GateRaised, HostKind, HostMismatch, Indefinite, SerialisationRefuted
from stopcheck.judge import CHECKS
from stopcheck.kernel import Bounds, DefaultChooser, Ending, Point, Recorder, Replayer, Schedule, ThreadHost
from stopcheck.world import (
    FaultBudget,
    Granularity,
    InnerPoint,
    PlainInterior,
    Record,
    Returned,
    Scenario,
    Variant,
    World,
    run,
)
from stopcheck_scenarios.acceptance import SCENARIOS
from tests.fast.scenarios.driver import NoStorage
from tests.fast.world.async_gates import (
    OnAsyncio,
    OnTrio,
    Pausing,
    Peeking,
    Surviving,
    declared,
    pausing_on,
    peeking_on,
    selfish_on,
    surviving_on,
)

LOOPS = [HostKind.TRIO, HostKind.ASYNCIO]
on_both = pytest.mark.parametrize("host", LOOPS, ids=lambda host: str(host.value))
scenarios = pytest.mark.parametrize("scenario", SCENARIOS[:3], ids=lambda scenario: scenario.id)


class Walk:
    """A seeded random walk that may look at the state, as a cache does."""

    def __init__(self, seed: int, *, looks: bool = False) -> None:
        self._random = random.Random(seed)
        self._looks = looks
        self.seen: list[bytes] = []

    def choose(self, point: Point) -> int:
        if self._looks and point.state is not None:
            self.seen.append(point.state())
        return self._random.randrange(len(point.options))


def play(
    scenario: Scenario,
    factory: GateFactory,
    choose: Callable[[Point], int],
    granularity: Granularity = Granularity.INNER,
    **more: Any,
) -> Record:
    return run(scenario, factory, choose, variant=Variant(1, granularity), interior=PlainInterior(NoStorage()), **more)


@on_both
@scenarios
@pytest.mark.parametrize("granularity", list(Granularity))
def test_the_same_schedule_gives_the_same_log_as_inline(
    scenario: Scenario, host: HostKind, granularity: Granularity
) -> None:
    for seed in range(3):
        recorder = Recorder(Walk(seed))
        inline = play(scenario, Pausing, recorder.choose, granularity)
        assert inline.fault is None
        replayer = Replayer(Schedule.of(scenario.id, {}, recorder.choices))
        record = play(scenario, pausing_on(host), replayer.choose, granularity)
        replayer.finish()
        assert record.fault is None
        assert record.rendered() == inline.rendered()
        assert (record.ending, record.rested, record.inner) == (inline.ending, inline.rested, inline.inner)


@pytest.mark.parametrize("gate", [OnTrio, OnAsyncio])
@scenarios
def test_two_runs_of_one_schedule_are_the_same_whoever_looks_on(scenario: Scenario, gate: GateFactory) -> None:
    for seed in range(2):
        looking, blind, again = Walk(seed, looks=True), Walk(seed), Walk(seed, looks=True)
        record = play(scenario, gate, looking.choose)
        assert record.fault is None
        assert record.rested
        assert record.inner
        assert play(scenario, gate, blind.choose).rendered() == record.rendered()
        assert play(scenario, gate, again.choose).rendered() == record.rendered()
        assert looking.seen == again.seen


@pytest.mark.parametrize("gate", [OnTrio, OnAsyncio])
def test_whole_calls_wait_for_locks_and_threads(gate: GateFactory) -> None:
    record = play(SCENARIOS[0], gate, Walk(1).choose, Granularity.CALLS)
    assert record.fault is None
    assert record.rested
    assert not record.inner


def digest() -> str:
    """Of the logs of a few runs; also what the other process prints."""
    logs = hashlib.sha256()
    for gate in (OnTrio, OnAsyncio):
        for seed in range(3):
            logs.update(play(SCENARIOS[0], gate, Walk(seed).choose).rendered())
    return logs.hexdigest()


def test_hash_seeds_change_nothing() -> None:
    code = "from tests.fast.world.test_async_hosts import digest; print(digest())"
    root = Path(__file__).parents[3]
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        other = subprocess.run(
            [sys.executable, "-c", code], cwd=root, env=environment, capture_output=True, text=True, check=True
        )
        assert other.stdout.strip() == digest()


@on_both
def test_the_gates_death_ends_its_sleep(host: HostKind) -> None:
    """The dead call is answered by the harness; nothing of it goes on, though time passes."""
    scenario = next(scenario for scenario in SCENARIOS if scenario.budget.crashes)
    cut_short = 0
    for seed in range(30):
        Surviving.memories.clear()
        Surviving.woken.clear()
        record = play(scenario, surviving_on(host), Walk(seed).choose)
        assert record.fault is None
        assert record.rested
        commits = [e for e in record.events if isinstance(e, Returned) and e.operation == "commit_effect"]
        lost = sum(isinstance(commit.reply, Indefinite) for commit in commits)
        # An answer may be lost after the gate woke; but whoever died asleep never wakes.
        assert len(commits) - lost <= len(Surviving.woken) <= len(commits)
        cut_short += len(commits) - len(Surviving.woken)
    assert cut_short


@on_both
def test_a_deadlock_in_the_gate_is_told_apart_from_standing(host: HostKind) -> None:
    endings = {play(SCENARIOS[0], selfish_on(host), Walk(seed).choose).ending for seed in range(40)}
    assert endings == {Ending.REST, Ending.DEADLOCK}


@on_both
def test_serialised_calls_that_yield_are_refuted(host: HostKind) -> None:
    class Claims(Pausing):
        contract = msgspec.structs.replace(declared(host), serialised_calls=True)

    record = play(SCENARIOS[0], Claims, DefaultChooser().choose, Granularity.CALLS)
    assert isinstance(record.fault, SerialisationRefuted)


@on_both
def test_a_thread_that_does_not_come_back_is_a_hung_gate(host: HostKind) -> None:
    never = threading.Event()

    def sticks() -> None:
        never.wait()

    class Sticks(Pausing):
        contract = declared(host)

        async def around(self, operation: Any, request: Any) -> Any:
            await (trio.to_thread.run_sync(sticks) if host is HostKind.TRIO else asyncio.to_thread(sticks))

    record = play(SCENARIOS[0], Sticks, DefaultChooser().choose, bounds=Bounds(real_s=0.1))
    assert isinstance(record.fault, GateHung)
    assert "threading.py" in str(record.fault)
    never.set()


@on_both
def test_an_inner_point_says_where_in_the_gate_it_is(host: HostKind) -> None:
    seen: list[str] = []

    class Notes:
        def observe(self, entry: Any) -> None:
            if isinstance(entry.event, InnerPoint):
                seen.append(entry.event.where)

        def digest(self) -> bytes:
            return b""

    play(SCENARIOS[0], pausing_on(host), DefaultChooser().choose, observers=(Notes(),))
    assert seen
    assert all("async_gates.py" in where and where.endswith("Pausing.around") for where in seen)


@on_both
def test_what_an_operation_raises_is_the_adapters_fault(host: HostKind) -> None:
    class Raises(Pausing):
        contract = declared(host)

        async def around(self, operation: Any, request: Any) -> Any:
            await self.environment.branch("before")
            raise SystemExit(3)

    record = play(SCENARIOS[0], Raises, DefaultChooser().choose)
    assert isinstance(record.fault, GateRaised)


def test_a_thread_host_that_a_run_made_is_closed_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[ThreadHost] = []
    close = ThreadHost.close

    def closing(self: ThreadHost) -> None:
        closed.append(self)
        close(self)

    monkeypatch.setattr(ThreadHost, "close", closing)

    class Blocking(Pausing):
        contract = declared(HostKind.THREAD)

    play(SCENARIOS[0], Blocking, DefaultChooser().choose)
    assert len(closed) == 1
    mine = ThreadHost()
    play(SCENARIOS[0], Blocking, DefaultChooser().choose, thread_host=mine)
    assert len(closed) == 1
    mine.close()


def _presses(world: World, people: int) -> None:
    task = world.task("task")
    world.opens(task)
    for number in range(people):
        world.person(f"person{number}", task, then_inspects=False)


def small(people: int) -> Scenario:
    """Some people press Stop once each."""
    return Scenario(
        id="small",
        title="Small",
        sentence="Some people press Stop.",
        build=partial(_presses, people=people),
        witnesses=(),
        budget=FaultBudget(crashes=0, provider=0),
    )


def trial_of(factory: GateFactory, scenario: Scenario) -> Trial:
    return make_trial(scenario, factory, Variant(1, Granularity.INNER), PlainInterior(NoStorage()), CHECKS)


@on_both
def test_the_state_cache_loses_nothing_that_tasks_and_locks_remember(host: HostKind) -> None:
    def ends(*, cache: bool) -> set[tuple[str, ...]]:
        found: set[tuple[str, ...]] = set()

        def note(result: Result) -> None:
            assert result.fault is None
            if result.ending is not Ending.CUT:
                found.add(Peeking.last)

        kept = CACHE_BOUND if cache else 0
        explored = depth_first(trial_of(peeking_on(host), small(2)), Budget(2_000), cache_bound=kept, observe=note)
        assert explored.exhausted
        return found

    reduced = ends(cache=True)
    assert reduced == ends(cache=False)
    assert len(reduced) > 2


@pytest.mark.parametrize("factory", [Pausing, pausing_on(HostKind.THREAD), OnTrio, OnAsyncio])
def test_the_state_machine_runs_on_every_host(factory: GateFactory) -> None:
    runs: list[Result] = []
    found = state_machine(trial_of(factory, small(2)), Budget(5), 1, observe=runs.append)
    assert found.clean
    assert not found.faults
    assert len(runs) >= 5


class WantsASocket(Pausing):
    """Has a driver that waits for its server in the loop."""

    contract = declared(HostKind.ASYNCIO)

    async def around(self, operation: Callable[[Any], Any], request: Any) -> Any:
        asyncio.get_running_loop().add_reader(0, print)
        return operation(request)


def test_a_driver_that_waits_for_its_server_in_the_loop_is_told_where_it_can_be_tried() -> None:
    fault = play(SCENARIOS[0], WantsASocket, DefaultChooser().choose).fault
    assert type(fault) is HostMismatch
    assert "asks the event loop for a socket" in fault.what
    assert "host 'thread'" in fault.hint
