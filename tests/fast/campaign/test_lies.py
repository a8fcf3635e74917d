"""What a search believes is tried: a fingerprint or a footprint that lies leaves every clause without a verdict."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stopcheck.campaign import Options, Report, Verdict
from stopcheck.campaign._loading import LoadedGate, as_loaded
from stopcheck.gate import Environment, Inspect, InspectReply, Retry, Right
from stopcheck.kernel import OWN, branch, wait_until
from stopcheck.world import Client, Scenario, World
from stopcheck_fixtures.reference.memory import MemoryGate
from tests.fast.campaign.support import campaign


class Forgetful(MemoryGate):
    """Is cross with everybody once when Bob has looked before Ann, and leaves that out of its fingerprint."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._looked: list[str] = []

    def inspect(self, request: Inspect) -> InspectReply:
        looked, name = self._looked, request.caller.principal
        looked.append(name)
        cross = looked[0] == "bob" and name in ("carol", "dan") and looked.count(name) == 1
        return Retry() if cross else super().inspect(request)


def lookers(world: World) -> None:
    """Two people look, and when they have, two more."""
    task = world.task("task")
    world.opens(task)
    done: list[str] = []

    async def look(name: str, client: Client) -> None:
        await client.inspect(task)
        done.append(name)

    async def look_later(client: Client) -> None:
        await wait_until("both have looked", lambda: len(done) == 2)
        await client.inspect(task)

    for name in ("ann", "bob"):
        world.actor(name, look(name, world.client(name, Right.INSPECT)))
    for name in ("carol", "dan"):
        world.actor(name, look_later(world.client(name, Right.INSPECT)))


def notes(world: World) -> None:
    """Two people note their names on one sheet, each of them as if it was a sheet of their own; whoever was first looks
    at the task, which somebody stops."""
    task = world.task("task")
    world.opens(task)
    sheet: list[str] = []

    async def note(name: str, client: Client) -> None:
        await branch("note", OWN)
        sheet.append(name)
        if sheet[0] == name:
            await client.inspect(task)

    for name in ("ann", "bob"):
        world.actor(name, note(name, world.client(name, Right.INSPECT)))
    world.person("carol", task)


def tried(gate: LoadedGate, build: Callable[[World], None], strategy: str, patch: pytest.MonkeyPatch) -> Report:
    """What ``certify`` says of the gate in one scenario."""
    scenario = Scenario(id="lies", title="Lies", sentence="Somebody looks.", build=build, witnesses=())
    for place in ("_loading", "_job"):
        patch.setattr(f"stopcheck.campaign.{place}.load_scenarios", lambda: {scenario.id: scenario})
    return campaign(gate, Options(scenarios=(scenario.id,), budget=400, strategy=strategy))


def check_unknown(report: Report, why: str) -> None:
    assert report.exit_code == 3
    exercised = [row for row in report.clauses if row.exercised]
    assert exercised
    for row in exercised:
        assert row.verdict is Verdict.UNKNOWN
        assert why in row.why


@pytest.mark.parametrize("strategy", ["exhaustive", "bounded", "auto"])
def test_a_fingerprint_that_leaves_something_out(strategy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    report = tried(as_loaded("forgetful", Forgetful), lookers, strategy, monkeypatch)
    check_unknown(report, "the gate's fingerprint was refuted")


def test_a_right_one_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    (job,) = tried(as_loaded("memory", MemoryGate), lookers, "exhaustive", monkeypatch).jobs
    assert job.complete
    assert not job.unsound


def test_a_footprint_that_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    report = tried(as_loaded("memory", MemoryGate), notes, "exhaustive", monkeypatch)
    check_unknown(report, "a footprint was refuted: ann@note and bob@note were taken to be independent, but the order")
