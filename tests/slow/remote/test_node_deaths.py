"""The gate in JavaScript dies by SIGKILL at every branch point of the run in which the receiver's answer is lost."""

from __future__ import annotations

import signal

import pytest

from stopcheck.campaign import load_gate
from stopcheck.campaign._ground import ground
from stopcheck.campaign._sigkill_zygote import _missing, _name
from stopcheck.gate import Snapshot
from stopcheck.kernel import Ending
from stopcheck.remote import RemoteFactory
from stopcheck.remote._process import GateProcess
from stopcheck.world import GateDied, Granularity, Interior, Record, Variant, run
from tests.fast.world.lost_response import Dying, accounts, promised_before_death, scenario
from tests.slow.remote.node import command, need_node


@pytest.fixture(autouse=True)
def _node() -> None:
    need_node()


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> list[int | None]:
    """How each process ended that a run killed."""
    ends: list[int | None] = []
    kill, crash = GateProcess.kill, RemoteFactory.crash

    def noting(process: GateProcess) -> None:
        kill(process)
        ends.append(process._process.returncode)

    def crashing(factory: RemoteFactory) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(GateProcess, "kill", noting)
            crash(factory)

    monkeypatch.setattr(RemoteFactory, "crash", crashing)
    return ends


def lived(factory: RemoteFactory, interior: Interior, dying: Dying) -> Record:
    variant = Variant(1, Granularity.INNER)
    return run(scenario(), factory, dying.choose, variant=variant, interior=interior)


def test_sigkill_at_every_branch_point_of_a_lost_response_loses_nothing(killed: list[int | None]) -> None:
    gate = load_gate(f"command:{command('gate')}")
    factory = gate.factory
    assert isinstance(factory, RemoteFactory)
    kept: list[int] = []
    with ground(gate, Granularity.INNER) as interior:
        undisturbed = Dying()
        record = lived(factory, interior, undisturbed)
        assert (record.ending, killed) == (Ending.REST, [])
        assert undisturbed.closed == []
        assert record.witnesses == {"the answer was lost after the commit"}
        for at in range(len(undisturbed.points)):
            dying = Dying(at)
            record = lived(factory, interior, dying)
            assert (record.ending, record.fault) == (Ending.REST, None)
            assert dying.points == undisturbed.points[:at]
            assert sum(isinstance(event, GateDied) for event in record.events) == 1
            promises = promised_before_death(record.events)
            snapshots = {_name(a.task): a.reply for a in accounts(record.events) if isinstance(a.reply, Snapshot)}
            assert [_missing(promise, snapshots) for promise in promises] == [None] * len(promises)
            kept.append(len(promises))
    factory.close()
    assert killed == [-signal.SIGKILL] * len(undisturbed.points)
    assert "dispatcher@the gate's store" in undisturbed.points  # inside of a call
    assert (kept[0], kept[-1]) == (1, 2)  # the effect that was admitted, and in the end the stop that was accepted
