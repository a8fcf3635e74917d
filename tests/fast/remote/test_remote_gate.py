"""A gate in another process, as the kit uses it: calls overlap, processes serve run after run, a death is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from stopcheck.gate import Admitted, HostKind, NotAdmitted, Unsupported
from stopcheck.kernel import Park
from stopcheck.remote import RemoteInterior
from stopcheck.world import Death, Workspace
from tests.fast.remote.support import advance, claim, commit, environment, factory_of, finish, left_behind, look


def test_its_contract_is_what_it_said_on_the_host_process() -> None:
    with factory_of() as factory:
        assert (factory.contract.name, factory.contract.host) == ("wire", HostKind.PROCESS)
        assert factory.started == 1
        assert left_behind() == []  # nobody knows yet whether there will be a run


def test_a_call_is_served_while_another_stands(tmp_path: Path) -> None:
    with factory_of() as factory:
        _ = factory.contract
        gate = factory(environment(tmp_path))
        standing = gate.call(commit())
        park = advance(standing)
        assert isinstance(park, Park)
        assert (park.label, park.blocked) == ("the store", False)
        assert finish(gate.call(claim())) == NotAdmitted()
        assert finish(standing) == Admitted(1)
        assert finish(gate.call(look())) == Unsupported()
        gate.close()


@pytest.mark.parametrize(("wrong", "started"), [("", 2), ("one run", 4)])
def test_a_process_serves_run_after_run_where_it_says_that_it_can(wrong: str, started: int, tmp_path: Path) -> None:
    with factory_of(wrong) as factory:
        _ = factory.contract
        for _ in range(3):
            gate = factory(environment(tmp_path))
            given_up = gate.call(commit())
            advance(given_up)
            given_up.close()
            gate.close()
        assert factory.started == started


def test_a_death_ends_the_processes_of_all_open_handles_and_the_storage_stays(tmp_path: Path) -> None:
    with factory_of() as factory:
        _ = factory.contract
        interior = RemoteInterior(Workspace(tmp_path), factory)
        gates = [factory(environment(tmp_path)) for _ in range(2)]
        assert len(left_behind()) == 2
        assert interior.survive(tmp_path, Death.PROCESS) == tmp_path
        interior.kill()
        assert left_behind() == []
        for gate in gates:
            gate.close()
        again = factory(environment(tmp_path))
        assert finish(again.call(commit())) == Admitted(1)
        again.close()
