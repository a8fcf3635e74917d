"""Gates on asyncpg, whose every statement is several awaits: what fast tests try of psycopg's asynchronous side."""

from __future__ import annotations

import pytest

from stopcheck.campaign import JobSpec, Verdict
from stopcheck.campaign._job import JobRunner
from stopcheck_fixtures.faulty.between_statements import Between
from stopcheck_fixtures.reference.postgres import PostgresGate
from tests.fast.postgres.async_reference import BETWEEN_AWAITS_ON_ASYNCPG, OnAsyncpg, OptimisticOnAsyncpg
from tests.fast.postgres.test_async_gates import nothing_is_lost
from tests.fast.postgres.test_between_statements import loaded, verdict_of

pytestmark = [pytest.mark.usefixtures("server"), pytest.mark.campaign]
RUNS = 24


@pytest.mark.parametrize("between", BETWEEN_AWAITS_ON_ASYNCPG, ids=lambda between: between.gate.__name__)
def test_unknown_call_by_call_and_killed_between_awaits(between: Between) -> None:
    assert verdict_of(between, "calls") is Verdict.UNKNOWN
    assert verdict_of(between, "inner", RUNS) is Verdict.FAIL


@pytest.mark.parametrize(
    ("gate", "scenario", "granularity"),
    [
        (OnAsyncpg, "before-admission", "calls"),
        (OnAsyncpg, "after-commitment", "inner"),
        (OptimisticOnAsyncpg, "before-admission", "inner"),
    ],
)
def test_a_right_gate_breaks_nothing_and_each_schedule_is_the_same_twice(
    gate: type[PostgresGate], scenario: str, granularity: str
) -> None:
    with JobRunner(loaded(gate)) as runner:
        result = runner.run(JobSpec(scenario, 1, granularity, "mixed", RUNS, 0), lambda *_: None)
    assert (result.fault, result.findings, result.unsound) == (None, (), "")


def test_nothing_is_lost_by_a_death_before_or_after_any_statement() -> None:
    nothing_is_lost(OnAsyncpg)
