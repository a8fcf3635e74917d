"""What only statement-level branch points can find on PostgreSQL, and that a right gate passes with them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stopcheck.campaign import JobSpec, Options, Verdict
from stopcheck.campaign._certify import conclude
from stopcheck.campaign._job import JobRunner
from stopcheck.campaign._loading import LoadedGate, as_loaded
from stopcheck_fixtures.faulty.between_statements import BETWEEN_STATEMENTS, Between, Optimistic
from stopcheck_fixtures.reference.postgres import PostgresGate

pytestmark = pytest.mark.usefixtures("server")
RUNS = 8


def loaded(gate: type[PostgresGate]) -> LoadedGate:
    return as_loaded(gate.__name__, gate)


def verdict_of(between: Between, granularity: str, runs: int = RUNS) -> Verdict:
    gate = loaded(between.gate)
    with JobRunner(gate) as runner:
        result = runner.run(JobSpec(between.scenario, 1, granularity, "mixed", runs, 0), lambda *_: None)
    assert result.fault is None
    options = Options(scenarios=(between.scenario,), granularity=granularity, strategy="mixed", budget=runs)
    report = conclude(gate.contract, gate.identity(), options, [result], [])
    return next(clause.verdict for clause in report.clauses if clause.clause == between.clause)


@pytest.mark.parametrize("between", BETWEEN_STATEMENTS, ids=lambda between: between.gate.__name__)
def test_unknown_call_by_call_and_killed_between_statements(between: Between) -> None:
    assert verdict_of(between, "calls") is Verdict.UNKNOWN
    assert verdict_of(between, "inner") is Verdict.FAIL


@pytest.mark.parametrize(
    ("gate", "scenario", "granularity"),
    [
        (PostgresGate, "before-admission", "calls"),
        (PostgresGate, "before-admission", "inner"),
        (PostgresGate, "after-commitment", "inner"),
        (Optimistic, "before-admission", "inner"),
        (Optimistic, "after-commitment", "inner"),
    ],
)
def test_a_right_gate_breaks_nothing_and_each_schedule_is_the_same_twice(
    gate: type[PostgresGate], scenario: str, granularity: str
) -> None:
    with JobRunner(loaded(gate)) as runner:
        result = runner.run(JobSpec(scenario, 1, granularity, "mixed", RUNS, 0), lambda *_: None)
    assert (result.fault, result.findings, result.unsound) == (None, (), "")
    assert bool(result.inner) is (granularity == "inner")


@pytest.fixture(scope="module")
def searcher(server: None) -> Iterator[JobRunner]:
    with JobRunner(loaded(PostgresGate)) as runner:
        yield runner


def test_states_of_the_database_are_told_apart(searcher: JobRunner) -> None:
    result = searcher.run(JobSpec("after-commitment", 1, "inner", "exhaustive", 20, 0), lambda *_: None)
    assert (result.fault, result.findings, result.unsound) == (None, (), "")
    assert result.states > result.executions
