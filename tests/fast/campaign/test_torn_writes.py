"""A gate that writes files by itself may die between two writes, which the kit does not see: no pass rests on that."""

from __future__ import annotations

from typing import Any

import msgspec

from stopcheck.campaign import ClauseVerdict, JobResult, JobSpec, Options, Verdict, load_gate
from stopcheck.campaign._certify import conclude
from stopcheck.campaign._job import JobRunner
from stopcheck.campaign._loading import as_loaded
from stopcheck.gate import RequestCancel, RequestCancelReply
from stopcheck_fixtures.reference.sqlite import SqliteGate
from tests.fast.campaign.small import job, judged

ONE = JobSpec("before-admission", 1, "calls", "bounded", 60, 0, 1)


def nobody_listens(*_: int) -> None:
    """Progress is not shown."""


def searched(gate: Any) -> JobResult:
    with JobRunner(as_loaded(gate.__name__, gate)) as runner:
        return runner.run(ONE, nobody_listens)


def verdict(*jobs: JobResult, clause: str = "REC-2") -> ClauseVerdict:
    return next(row for row in judged("sqlite", jobs, "before-admission").clauses if row.clause == clause)


class KeepsALog(SqliteGate):
    """Notes its calls in a file of its own beside the database."""

    def request_cancel(self, request: RequestCancel) -> RequestCancelReply:
        """Note it first."""
        with (self._path.parent / "audit.log").open("a") as log:
            log.write("a stop\n")
        return super().request_cancel(request)


def test_what_a_gate_writes_by_itself_leaves_durability_open() -> None:
    doubt = searched(KeepsALog).torn_doubt
    assert "audit.log" in doubt
    open_ = verdict(job(exercised={"REC-2": 3, "LIVE-2": 3}, torn_doubt=doubt))
    assert (open_.verdict, "between two writes" in open_.why) == (Verdict.UNKNOWN, True)
    kept = verdict(job(exercised={"REC-2": 3, "LIVE-2": 3}, torn_doubt=doubt), clause="LIVE-2")
    assert kept.verdict is Verdict.PASS


def test_what_sqlite_writes_it_undoes_by_itself() -> None:
    assert searched(SqliteGate).torn_doubt == ""


def test_serialised_calls_do_not_overlap_but_one_can_die_half_done() -> None:
    loaded = load_gate("sqlite")
    contract = msgspec.structs.replace(loaded.contract, serialised_calls=True)
    outside = job(exercised={"ADM-3": 3, "REC-5": 3}, called={"request_cancel": 3})
    options = Options(scenarios=("before-admission",))
    rows = {row.clause: row for row in conclude(contract, loaded.identity(), options, (outside,), ()).clauses}
    assert rows["ADM-3"].verdict is Verdict.PASS
    assert rows["REC-5"].verdict is Verdict.UNKNOWN
