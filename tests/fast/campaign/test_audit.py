"""The determinism audit of a campaign: which runs it takes, and what follows when one differs."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
import pytest

from stopcheck.campaign import Finding, JobResult, Options, Verdict, load_gate
from stopcheck.campaign._audit import ELSEWHERE, HERE, Differs, Sample, differing
from stopcheck.campaign._certify import conclude
from stopcheck.campaign._loading import LoadedGate, as_loaded
from stopcheck.explore import Budget, Result, depth_first, random_walk
from stopcheck.gate import Inspect, Retry
from stopcheck_fixtures.reference.memory import MemoryGate
from tests.fast.campaign.small import job
from tests.fast.campaign.support import campaign
from tests.fast.explore.toys import ToyTrial, race
from tests.fast.report.samples import FINDING

SMALL = Options(scenarios=("stop-in-peace",), budget=60)


def test_early_and_late_runs_are_sampled() -> None:
    sample = Sample()
    made: list[Result] = []

    def note(result: Result) -> None:
        made.append(result)
        sample.note(result)

    random_walk(ToyTrial(race), Budget(100), 1, observe=note)
    assert [one.token for one in sample.kept] == [made[at - 1].schedule().token() for at in (1, 4, 16, 64)]


def test_runs_that_were_cut_short_are_not() -> None:
    sample = Sample()
    made: list[Result] = []

    def note(result: Result) -> None:
        made.append(result)
        sample.note(result)

    depth_first(ToyTrial(race), Budget(1_000), observe=note)
    whole = {result.schedule().token() for result in made if not result.cut}
    assert sum(result.cut for result in made) > 10
    assert len(sample.kept) > 1
    assert {one.token for one in sample.kept} <= whole
    assert differing(ToyTrial(race), sample.kept, HERE) is None


class Leaking(MemoryGate):
    """Says ``Retry`` to about every second look, counted over all runs."""

    looks = itertools.count()

    def inspect(self, request: Inspect) -> Any:
        return Retry() if next(self.looks) * 2654435761 & 128 else super().inspect(request)


def leaking() -> LoadedGate:
    return as_loaded("leaking", Leaking)


def test_a_gate_that_differs_is_unknown_and_the_reason_names_event_and_causes() -> None:
    report = campaign(leaking(), SMALL)
    assert {clause.verdict for clause in report.clauses if clause.exercised} == {Verdict.UNKNOWN}
    assert report.exit_code == 3
    for clause in report.clauses:
        if clause.exercised:
            assert "the gate is not deterministic: of two runs in one process" in clause.why
            assert "inspect: its reply.type is " in clause.why
            assert "test_audit.py" in clause.why
            for cause in ("order of a set", "clock", "ids", "threads"):
                assert cause in clause.why


@pytest.mark.parametrize("strategy", ["exhaustive", "auto", "pct", "state-machine", "stop-sweep"])
def test_every_strategys_runs_are_audited(strategy: str) -> None:
    (result,) = campaign(leaking(), msgspec.structs.replace(SMALL, strategy=strategy)).jobs
    assert result.differs is not None
    assert result.differs.between == HERE


def rated(*jobs: JobResult, shrunk: tuple[Finding, ...] = ()) -> dict[str, tuple[Verdict, str]]:
    loaded = load_gate("memory")
    report = conclude(loaded.contract, loaded.identity(), Options(), jobs, (), shrunk)
    return {clause.clause: (clause.verdict, clause.why) for clause in report.clauses}


LIVE = {"LIVE-1": 5}
DIFFERS = Differs("event 3, the answer to worker's inspect", ELSEWHERE, "sc1.x")


def test_one_job_that_differs_takes_every_pass_away() -> None:
    done = job(exercised=LIVE)
    assert rated(done)["LIVE-1"][0] is Verdict.PASS
    elsewhere = job("late-completion", unsound=str(DIFFERS), differs=DIFFERS)
    verdict, why = rated(done, elsewhere)["LIVE-1"]
    assert verdict is Verdict.UNKNOWN
    assert "late-completion (calls, 1 handle, bounded): the gate is not deterministic" in why
    assert "event 3" in why


def test_of_a_gate_that_differs_only_a_finding_that_was_made_again_counts() -> None:
    found = msgspec.structs.replace(FINDING, clause="LIVE-1", shrunk=False)
    broken = job(exercised=LIVE, findings=(found,), unsound=str(DIFFERS), differs=DIFFERS)
    assert rated(broken)["LIVE-1"][0] is Verdict.UNKNOWN
    assert rated(broken, shrunk=(found,))["LIVE-1"][0] is Verdict.UNKNOWN
    again = msgspec.structs.replace(found, shrunk=True)
    assert rated(broken, shrunk=(again,))["LIVE-1"][0] is Verdict.FAIL
