"""Gates on asynchronous drivers of PostgreSQL: what is wrong between two awaits is found there, a right one is not
accused, and nothing of what it promised is lost when it dies."""

from __future__ import annotations

import pytest

from stopcheck.campaign import JobSpec, Verdict
from stopcheck.campaign._ground import ground
from stopcheck.campaign._job import JobRunner
from stopcheck.explore import make_trial
from stopcheck.judge import CHECKS
from stopcheck.world import Granularity, Variant
from stopcheck_fixtures.faulty.between_statements import Between
from stopcheck_fixtures.reference.postgres import PostgresGate
from tests.fast.postgres.async_reference import (
    BETWEEN_AWAITS,
    InTasks,
    OnAsyncpg,
    OptimisticInTasks,
)
from tests.fast.postgres.test_between_statements import RUNS, loaded, verdict_of
from tests.fast.world.lost_response import Dying, scenario

pytestmark = pytest.mark.usefixtures("server")


#: The faults are those of the gates that are not asynchronous: two of them here, the rest with more time.
HERE = 2


@pytest.mark.parametrize(
    "between",
    [
        pytest.param(between, id=between.gate.__name__, marks=() if number < HERE else pytest.mark.campaign)
        for number, between in enumerate(BETWEEN_AWAITS)
    ],
)
def test_unknown_call_by_call_and_killed_between_awaits(between: Between) -> None:
    assert verdict_of(between, "calls") is Verdict.UNKNOWN
    assert verdict_of(between, "inner") is Verdict.FAIL


@pytest.mark.parametrize(
    ("gate", "scenario", "granularity"),
    [
        (InTasks, "before-admission", "calls"),
        (InTasks, "before-admission", "inner"),
        (InTasks, "after-commitment", "inner"),
        (OptimisticInTasks, "before-admission", "inner"),
        (OptimisticInTasks, "after-commitment", "inner"),
        (OnAsyncpg, "before-admission", "inner"),
    ],
)
def test_a_right_gate_breaks_nothing_and_each_schedule_is_the_same_twice(
    gate: type[PostgresGate], scenario: str, granularity: str
) -> None:
    with JobRunner(loaded(gate)) as runner:
        result = runner.run(JobSpec(scenario, 1, granularity, "mixed", RUNS, 0), lambda *_: None)
    assert (result.fault, result.findings, result.unsound) == (None, (), "")
    assert bool(result.inner) is (granularity == "inner")


@pytest.mark.parametrize("gate", [InTasks, pytest.param(OnAsyncpg, marks=pytest.mark.campaign)])
def test_states_of_the_database_are_told_apart(gate: type[PostgresGate]) -> None:
    with JobRunner(loaded(gate)) as searcher:
        result = searcher.run(JobSpec("after-commitment", 1, "inner", "exhaustive", 20, 0), lambda *_: None)
    assert (result.fault, result.findings, result.unsound) == (None, (), "")
    assert result.states > result.executions


def test_nothing_is_lost_by_a_death_before_or_after_any_statement() -> None:
    nothing_is_lost(InTasks)


def nothing_is_lost(kind: type[PostgresGate]) -> None:
    """Whatever its gate promised, it keeps."""
    gate, variant = loaded(kind), Variant(1, Granularity.INNER)
    with ground(gate, Granularity.INNER) as interior:
        trial = make_trial(scenario(), gate.factory, variant, interior, CHECKS)
        undisturbed = Dying()
        trial(undisturbed)
        points = undisturbed.points
        for at, point in enumerate(points):
            # Between two others nothing is kept that was not kept before.
            if "@sql:" not in f"{points[at - 1]} {point}":
                continue
            result = trial(Dying(at))
            assert (result.fault, list(result.violations)) == (None, []), f"after a death before {point}"
            assert result.rested
    assert len([point for point in points if "@sql:" in point]) > 20
