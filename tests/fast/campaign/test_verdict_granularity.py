"""An atomic clause passes only if every operation that was asked for was also tried inside: each may undo a stop."""

from __future__ import annotations

from typing import Any

from stopcheck.campaign import ClauseVerdict, JobResult, Verdict
from tests.fast.campaign.small import job, judged

COMPETE = {"commit_effect": 2, "request_cancel": 2, "complete": 2}
ADM_3 = {"ADM-3": 4}
INSIDE: dict[str, Any] = {"granularity": "inner", "exercised": ADM_3, "called": COMPETE, "searched_inner": COMPETE}
HEARTBEAT = {"renew_lease": 1}


def verdict(*jobs: JobResult) -> ClauseVerdict:
    report = judged("sqlite", jobs, "before-admission", "overtaken-calls", "revoked-lease")
    return next(row for row in report.clauses if row.clause == "ADM-3")


def test_what_competes_must_have_been_branched_inside() -> None:
    assert verdict(job(**INSIDE)).verdict is Verdict.PASS
    dark = verdict(job(**{**INSIDE, "searched_inner": {"commit_effect": 2, "complete": 2}}))
    assert dark.verdict is Verdict.UNKNOWN
    assert "no branch point inside request_cancel was reached" in dark.why


def test_an_operation_that_was_made_between_whole_calls_only_takes_the_pass_away() -> None:
    elsewhere = job("revoked-lease", called=HEARTBEAT)
    found = verdict(job(**INSIDE), elsewhere)
    assert found.verdict is Verdict.UNKNOWN
    assert "tried at granularity calls only: no search went inside renew_lease, and a check" in found.why
    also_inside = job("overtaken-calls", granularity="inner", called=HEARTBEAT, exercised={"REC-3": 1})
    assert verdict(job(**INSIDE), elsewhere, also_inside).verdict is Verdict.PASS


def test_neither_samples_nor_searches_that_were_cut_short_went_inside() -> None:
    elsewhere = job("revoked-lease", called=HEARTBEAT)
    made: dict[str, Any] = {"granularity": "inner", "called": HEARTBEAT, "exercised": {"REC-3": 1}}
    sample = job("overtaken-calls", strategy="mixed", bound=None, **made)
    cut = job("overtaken-calls", complete=False, left="the budget of 5 executions", bound=None, **made)
    for other in (sample, cut):
        assert verdict(job(**INSIDE), elsewhere, other).verdict is Verdict.UNKNOWN
