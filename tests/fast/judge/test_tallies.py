"""The measures of many runs: what is added up, and how percentiles are made of it."""

from __future__ import annotations

from stopcheck.gate import SECOND_NS, Cause
from stopcheck.judge import CHECKS, Judge, Tally, summed, tallies_of_run, weighted_percentile
from stopcheck.kernel import DefaultChooser
from stopcheck.world import PlainInterior, Scenario, Variant, run
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_scenarios.acceptance import measured_stop
from tests.fast.scenarios.driver import NoStorage


def tallies(scenario: Scenario) -> dict[tuple[str, str], Tally]:
    judge = Judge(MemoryGate.contract, CHECKS)
    interior = PlainInterior(NoStorage())
    record = run(
        scenario, MemoryGate, DefaultChooser().choose, variant=Variant(), interior=interior, observers=(judge,)
    )
    judge.close()
    return {tally.key: tally for tally in tallies_of_run(judge.facts, record.log)}


def test_a_run_is_told_by_operation_and_by_reason() -> None:
    found = tallies(measured_stop.SCENARIO)
    assert sorted(found) == [
        ("refund_mail", "user"),
        ("report_mail", "deadline"),
        ("task", "deadline"),
        ("task", "user"),
    ]
    stopped = found["task", "user"]
    assert stopped.requests == {Cause.USER: 1, Cause.POLICY: 1}
    assert stopped.observed == {SECOND_NS: 1}
    assert stopped.ended == {2 * SECOND_NS: 1}
    assert found["refund_mail", "user"].counts == {"after_cutoff": 1, "completed_after_cancel": 1}
    assert found["report_mail", "deadline"].counts == {"unknown": 1}


def test_sums_are_of_one_kind_and_in_a_certain_order() -> None:
    user = Tally("task", Cause.USER, 1, {Cause.USER: 1}, {"forced": 1}, {5: 1}, {})
    other = Tally("task", Cause.USER, 2, {Cause.POLICY: 2}, {}, {5: 1, 7: 1}, {9: 1})
    effects = Tally("mail", None, 1)
    assert summed([user, effects, other]) == (
        effects,
        Tally("task", Cause.USER, 3, {Cause.USER: 1, Cause.POLICY: 2}, {"forced": 1}, {5: 2, 7: 1}, {9: 1}),
    )
    assert user.observed == {5: 1}


def test_a_percentile_counts_each_duration_as_often_as_it_was_seen() -> None:
    seen = {1: 18, 100: 2}
    assert weighted_percentile(seen, 50) == 1
    assert weighted_percentile(seen, 95) == 100
    assert weighted_percentile({}, 50) is None
