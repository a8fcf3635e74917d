"""Hypothesis drives gates on every host: it finds what is wrong, and plays the same runs whoever hosts them."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import msgspec
import pytest

from stopcheck.campaign import Options, Verdict, load_faults
from stopcheck.campaign._loading import as_loaded
from stopcheck.explore import STRATEGIES, Aim, Budget, Exploration, Result, replay, shrink
from stopcheck.gate import Environment, GateFactory, HostKind
from stopcheck.kernel import Schedule
from stopcheck_scenarios.acceptance import before_admission, late_completion
from tests.fast.campaign.support import campaign
from tests.fast.world.async_gates import OnAsyncio, OnTrio, Pausing, declared, pausing_on
from tests.fast.world.test_async_hosts import small, trial_of

HOSTS = [HostKind.INLINE, HostKind.THREAD, HostKind.TRIO, HostKind.ASYNCIO]
on_every_host = pytest.mark.parametrize("host", HOSTS, ids=lambda host: str(host.value))
SOURCES = ["state-machine", "drawn-runs"]
GATES: dict[HostKind, GateFactory] = {
    HostKind.INLINE: Pausing,
    HostKind.THREAD: pausing_on(HostKind.THREAD),
    HostKind.TRIO: OnTrio,
    HostKind.ASYNCIO: OnAsyncio,
}


def wrong_on(host: HostKind) -> GateFactory:
    """The gate that checks, waits and then records, on a host."""
    fault = next(fault for fault in load_faults() if fault.name == "checks-awaits-records")
    contract = msgspec.structs.replace(fault.factory.contract, host=host)
    return cast("GateFactory", type("Wrong", (fault.factory,), {"contract": contract}))


def played(name: str, factory: GateFactory, runs: int, seed: int = 1) -> tuple[Exploration, list[Result]]:
    made: list[Result] = []
    trial = trial_of(factory, before_admission.SCENARIO)
    return STRATEGIES[name](trial, Budget(runs), seed, Aim(observe=made.append)), made


@pytest.mark.parametrize("name", SOURCES)
@on_every_host
def test_a_right_gate_is_played_in_a_case_and_nothing_is_found(host: HostKind, name: str) -> None:
    found, made = played(name, GATES[host], 25)
    assert found.clean
    assert len(made) == found.executions == 25
    assert all(result.inner for result in made)
    assert len({result.log() for result in made}) > 10


@pytest.mark.parametrize("name", SOURCES)
def test_the_same_runs_on_every_host(name: str) -> None:
    runs = {host: played(name, pausing_on(host), 20, seed=5)[1] for host in HOSTS}
    inline = runs[HostKind.INLINE]
    for host, made in runs.items():
        assert [result.choices for result in made] == [result.choices for result in inline]
        if host is not HostKind.THREAD:  # its logs also say where in the gate's code a coroutine stands
            assert [result.log() for result in made] == [result.log() for result in inline]


@on_every_host
def test_a_wrong_gate_is_found_and_its_failure_replays_and_shrinks(host: HostKind) -> None:
    trial = trial_of(wrong_on(host), before_admission.SCENARIO)
    found = STRATEGIES["state-machine"](trial, Budget(120), 1)
    shrunk = shrink(trial, found.failures["ADM-3"], runs=60)
    assert shrunk.reproduced
    again = replay(trial, Schedule.from_token(shrunk.schedule.token())).result
    assert again is not None
    assert "ADM-3" in again.clauses


@on_every_host
def test_a_campaign_of_the_state_machine_alone(host: HostKind) -> None:
    scenario = late_completion.SCENARIO.id
    options = Options(scenarios=(scenario,), strategy="state-machine", budget=15, granularity="inner")
    report = campaign(as_loaded(f"on {host.value}", GATES[host]), options)
    assert [job.executions for job in report.jobs] == [15, 15]
    assert report.faults == ()
    assert {row.verdict for row in report.clauses if row.exercised} == {Verdict.UNKNOWN}


@on_every_host
def test_a_gate_that_raises_under_the_machine_is_its_own_fault(host: HostKind) -> None:
    class Raises(Pausing):
        contract = declared(host)

        def __init__(self, environment: Environment) -> None:
            super().__init__(environment)
            self.calls = 0

        async def around(self, operation: Callable[[object], object], request: object) -> object:
            self.calls += 1
            await self.environment.branch("before")
            if self.calls > 2:
                raise ValueError("boom")
            return operation(request)

    found = STRATEGIES["state-machine"](trial_of(Raises, small(3)), Budget(10), 1)
    assert [fault.kind for fault in found.faults] == ["GateRaised"]
