"""A certificate's jobs made again: the same digests from the same gate, others from another one."""

from __future__ import annotations

import msgspec

from stopcheck.campaign import Options, rerun, run_campaign, statement_of
from stopcheck.campaign._certificate import JobDigest
from stopcheck.campaign._rerun import sample_of

RIGHT = "stopcheck_fixtures.vendor.simple_gate:Gate"
WRONG = "stopcheck_fixtures.vendor.flag_gate:Gate"
#: Two jobs; the campaign is no ground for a certificate, and is taken for one here.
OPTIONS = Options(scenarios=("before-admission",), strategy="bounded", budget=60, children=1)


def test_the_same_gate_comes_to_the_same_digests_and_another_one_does_not() -> None:
    done = run_campaign(RIGHT, OPTIONS, lambda _: None)
    statement = statement_of(msgspec.structs.replace(done, report=msgspec.structs.replace(done.report, exit_code=0)))
    again = rerun(statement, lambda _: None, size=1, children=1)
    assert [(job.index, job.executions > 0) for job in again.again] == [(0, True)]
    assert again.differing == ()
    other = rerun(statement, lambda _: None, size=1, gate=WRONG, children=1)
    contract, job = other.differing  # both lie in one package, whose files are the same
    assert contract == "the gate's contract is not that of the certificate"
    assert job.startswith("before-admission (calls, 1 handle, bounded): ")


def test_a_sample_is_spread_over_the_plan_and_the_same_each_time() -> None:
    jobs = [JobDigest(index, str(index), None, 1, "") for index in range(10)]
    assert [job.index for job in sample_of(jobs, 3)] == [0, 3, 6]
    assert sample_of(jobs, 3) == sample_of(jobs, 3)
    assert sample_of(jobs, 99) == jobs
