"""A gate that claims to survive the loss of power is held to it, and gets no pass where that was not tried."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stopcheck.campaign import ClauseVerdict, JobResult, JobSpec, Verdict, load_gate
from stopcheck.campaign import _ground as grounds
from stopcheck.campaign._job import JobRunner
from stopcheck.campaign._loading import as_loaded
from stopcheck.campaign._verdict_ground import deaths_in, power_losses_in
from stopcheck.explore import POWER_AFTER, Tally
from stopcheck.gate import RequestCancel, RequestCancelReply
from stopcheck.world import FaultKind, NoSqliteLibrary
from stopcheck_fixtures.right.durability import SyncsEachCommit
from tests.fast.campaign.small import job, judged

#: All runs of whole calls in which one thing goes wrong.
ONE = JobSpec("before-admission", 1, "calls", "bounded", 400, 0, 1)


def searched(gate: Any, budget: int = ONE.budget) -> JobResult:
    loaded = load_gate(gate) if isinstance(gate, str) else as_loaded(gate.__name__, gate)
    with JobRunner(loaded) as runner:
        return runner.run(msgspec.structs.replace(ONE, budget=budget), lambda *_: None)


def verdict(*jobs: JobResult, gate: str = "syncs-each-commit", clause: str = "REC-2") -> ClauseVerdict:
    return next(row for row in judged(gate, jobs, "before-admission").clauses if row.clause == clause)


def test_a_gate_that_syncs_each_commit_loses_nothing() -> None:
    found = searched("syncs-each-commit")
    assert (found.findings, found.complete, found.fault) == ((), True, None)
    assert power_losses_in(found) > 10
    assert deaths_in(found) > 10
    assert verdict(found).verdict is Verdict.PASS
    assert "losses of power" in verdict(found).why


def test_a_gate_that_syncs_at_checkpoints_loses_a_stop_that_it_had_accepted() -> None:
    found = searched("syncs-at-checkpoints")
    broken = {finding.clause for finding in found.findings}
    assert "REC-2" in broken
    assert "loss" not in verdict(found, gate="syncs-at-checkpoints").why
    assert verdict(found, gate="syncs-at-checkpoints").verdict is Verdict.FAIL


def test_a_gate_that_claims_less_is_not_tried_with_it() -> None:
    found = searched("sqlite")
    assert (found.findings, power_losses_in(found), found.power_doubt) == ((), 0, "")
    assert deaths_in(found) > 10


class KeepsALog(SyncsEachCommit):
    """Notes its calls in a file of its own beside the database."""

    def request_cancel(self, request: RequestCancel) -> RequestCancelReply:
        """Note it first."""
        with (self._path.parent / "audit.log").open("a") as log:
            log.write("a stop\n")
        return super().request_cancel(request)


def test_what_a_gate_writes_past_sqlite_leaves_durability_open() -> None:
    found = searched(KeepsALog, budget=100)
    assert power_losses_in(found)
    assert "audit.log" in found.power_doubt
    open_ = verdict(job(exercised={"REC-2": 3}, ledger=found.ledger, power_doubt=found.power_doubt))
    assert (open_.verdict, "audit.log" in open_.why) == (Verdict.UNKNOWN, True)
    assert "declare durability process_death" in open_.why


def test_without_reach_of_the_library_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_: object) -> Any:
        raise NoSqliteLibrary("no symbols")

    monkeypatch.setattr(grounds, "watched", nothing)
    found = searched("syncs-each-commit", budget=20)
    assert power_losses_in(found) == 0
    open_ = verdict(job(exercised={"REC-2": 3}, power_doubt=found.power_doubt))
    assert open_.verdict is Verdict.UNKNOWN
    assert "the loss of power was not tried: the SQLite library" in open_.why


def test_a_gate_in_another_process_is_told_that_it_cannot_be_tried() -> None:
    doubt = "it cannot be for a gate in another process, whose writes the kit does not see"
    kept = job(exercised={"REC-2": 3, "LIVE-2": 3}, power_doubt=doubt)
    assert verdict(kept).verdict is Verdict.UNKNOWN
    assert doubt in verdict(kept).why
    assert verdict(kept, clause="LIVE-2").verdict is Verdict.PASS


def test_power_that_was_never_lost_is_no_ground() -> None:
    exercised = {"REC-2": 3}
    lost = Tally(FaultKind.CRASH, "w@complete", POWER_AFTER, 3, 3)
    assert verdict(job(exercised=exercised)).why == "the loss of power was not tried"
    assert verdict(job(exercised=exercised, ledger=(lost,))).verdict is Verdict.PASS
    assert verdict(job(exercised=exercised), gate="sqlite").verdict is Verdict.PASS
