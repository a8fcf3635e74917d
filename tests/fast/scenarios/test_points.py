"""Each named point at which a stop is injected is carried by a scenario in which a stop really lands there."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from stopcheck.campaign import points_as_markdown, points_carried
from stopcheck.gate import (
    Accepted,
    Admitted,
    Done,
    Ended,
    ExistingRecord,
    LeaseGranted,
    Lost,
    PreCancelled,
    Recorded,
    Scheduled,
    StaleLease,
    Stopped,
    Taken,
    Tombstoned,
    Widened,
)
from stopcheck.world import INJECTION_POINTS, Answered, Committed, Event, Submitted
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_scenarios._seen import Match, Seen, act, answer, both, call, either, in_order, saw
from stopcheck_scenarios.acceptance import SCENARIOS
from tests.fast.scenarios.driver import one_run
from tests.fast.scenarios.test_acceptance import choosers

WALKS = 200
TABLE = Path(__file__).parents[3] / "docs" / "points.md"

STOP = answer("request_cancel", Accepted, Widened)


def kind(event_type: type[Event]) -> Match:
    return lambda event: isinstance(event, event_type)


#: What a run shows in which the stop landed at the point.
LANDED: dict[str, Seen] = {
    "before a child is dispatched": in_order(answer("register_child", Done), STOP, call("start_child")),
    "during retrieval": in_order(answer("start_child", Done), STOP, call("finish_child")),
    "between model completion and validation": either(
        in_order(answer("offer_result", Taken), STOP), in_order(answer("finish_child", Done), STOP, call("begin_work"))
    ),
    "immediately before a commitment": in_order(STOP, answer("commit_effect", Stopped)),
    "immediately after a commitment": in_order(answer("commit_effect", Admitted), STOP),
    "between commitment and send": in_order(answer("commit_effect", Admitted), STOP, kind(Submitted)),
    "at the receiver before its commit": in_order(kind(Submitted), STOP, kind(Committed)),
    "after its commit and before its answer": in_order(kind(Committed), STOP, kind(Answered)),
    "while the answer is in flight": in_order(kind(Answered), STOP, answer("record_outcome", Recorded)),
    "during retry backoff": in_order(answer("schedule_retry", Scheduled), STOP, call("fire_retry")),
    "while a worker is disconnected": either(
        in_order(answer("begin_work", LeaseGranted), STOP, answer("commit_effect", StaleLease, Stopped)),
        in_order(act("died"), STOP),
    ),
    "before final reporting": in_order(answer("record_outcome", Recorded), STOP, call("inspect")),
    "concurrently with completion": both(saw(STOP), saw(answer("complete", Lost))),
    "concurrently with another stop": in_order(STOP, answer("request_cancel", ExistingRecord, Widened)),
    "before the task starts": either(
        saw(answer("request_cancel", Tombstoned)),
        in_order(STOP, answer("begin_work", Stopped)),
        saw(answer("open_task", PreCancelled)),
    ),
    "after it ended": saw(answer("request_cancel", Ended)),
}

#: Points that say no more than what a page of its own says in its witnesses.
OWN_PAGE = {"while clean-up hangs"}


def test_the_points_of_scenarios_are_those_of_the_contract() -> None:
    assert {point for scenario in SCENARIOS for point in scenario.points} <= set(INJECTION_POINTS)
    assert set(LANDED) | OWN_PAGE == set(INJECTION_POINTS)


def test_each_point_is_carried_by_a_scenario() -> None:
    assert [point for point, scenarios in points_carried().items() if not scenarios] == []


@pytest.mark.parametrize("point", LANDED)
def test_in_a_scenario_that_carries_it_a_stop_lands_there(point: str) -> None:
    carrying = [scenario for scenario in SCENARIOS if point in scenario.points]
    for chooser in itertools.islice(choosers(), WALKS):
        for scenario in carrying:
            if LANDED[point](one_run(scenario, chooser.choose, factory=MemoryGate).events):
                return
    pytest.fail(f"no stop landed there in {WALKS} walks of {', '.join(s.id for s in carrying)}")


def test_the_table_is_what_the_kit_says_of_itself() -> None:
    assert TABLE.read_text(encoding="utf-8") == points_as_markdown(points_carried()), (
        "docs/points.md is out of date; next: .venv/bin/stopcheck list points --markdown > docs/points.md"
    )
