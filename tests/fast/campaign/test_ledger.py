"""The coverage ledger of a campaign: planned, hit, impossible and missed, and what that does to verdicts."""

from __future__ import annotations

from typing import Any

import pytest

from stopcheck.campaign import Cover, Gap, Ledger, Subject, Verdict, ledger_of, totals
from stopcheck.explore import SecondStops, SweepCoverage, Tally
from stopcheck.world import FaultKind
from tests.fast.campaign.small import campaign, job, judged

DROP = Tally(FaultKind.PROVIDER, "dispatcher@mail.receive", "drop", 5, 2)
UNTAKEN = Tally(FaultKind.PROVIDER, "dispatcher@mail.receive", "drop", 5, 0)
UNMET = Tally(FaultKind.PROVIDER, "mail.receive", "drop", 0, 0)


def only(*jobs: object) -> Ledger:
    (ledger,) = ledger_of(jobs)  # type: ignore[arg-type]
    return ledger


def cover(ledger: Ledger, subject: Subject) -> Cover:
    return next(cover for cover in ledger.covers if cover.subject is subject)


def test_what_was_taken_is_hit_and_needs_no_word() -> None:
    ledger = only(job(ledger=(DROP,)))
    assert ledger.covers == (Cover(Subject.FAULTS, 1, 1, 0, 0),)
    assert ledger.gaps == ()


@pytest.mark.parametrize(
    ("line", "done", "impossible", "why"),
    [
        (UNMET, {"exhausted": True}, True, "never on offer in an exhausted search"),
        (UNMET, {"bound": 2}, True, "never on offer in the search up to 2 disruptions"),
        (UNMET, {"bound": None}, False, "never on offer, and no search was completed"),
        (UNTAKEN, {"bound": 1}, False, "on offer only beyond the search up to 1 disruption"),
        (UNTAKEN, {"bound": None}, False, "on offer, and no search was completed"),
        (
            UNTAKEN,
            {"exhausted": True},
            False,
            "on offer in a sample only; an exhausted search came to an equal state by another step",
        ),
    ],
)
def test_what_was_not_taken_is_impossible_only_where_a_completed_search_was_never_offered_it(
    line: Tally, done: dict[str, Any], impossible: bool, why: str
) -> None:
    ledger = only(job(ledger=(line,), **done))
    assert ledger.gaps == (Gap(Subject.FAULTS, f"{line.where}: drop", why, impossible),)
    assert cover(ledger, Subject.FAULTS) == Cover(Subject.FAULTS, 1, 0, int(impossible), int(not impossible))


def test_jobs_of_one_variant_add_up_and_variants_do_not() -> None:
    jobs = [job(ledger=(UNTAKEN,)), job(strategy="pct", bound=None, ledger=(DROP,)), job(handles=2, ledger=(UNTAKEN,))]
    one, two = ledger_of(jobs)
    assert cover(one, Subject.FAULTS).hit == 1
    assert cover(two, Subject.FAULTS).missed == 1
    assert (one.handles, one.executions, one.bound) == (1, 20, 1)
    assert totals([one, two]) == (Cover(Subject.FAULTS, 2, 1, 0, 1),)


def test_what_one_job_met_does_not_stand_there_again_without_an_actor() -> None:
    ledger = only(job(ledger=(UNMET,)), job(ledger=(DROP,)))
    assert cover(ledger, Subject.FAULTS) == Cover(Subject.FAULTS, 1, 1, 0, 0)


def test_a_stop_point_is_closed_only_if_no_sweep_could_start_a_stop_there() -> None:
    first = SweepCoverage(("person",), planned=("a#1", "b#1"), missed=("b#1",), closed=("c#1", "d#1"), base_runs=1)
    second = SweepCoverage(("person",), planned=("b#1", "c#1"), missed=(), closed=("d#1",), base_runs=1)
    ledger = only(job(sweep=first), job(sweep=second))
    assert cover(ledger, Subject.STOPS) == Cover(Subject.STOPS, 4, 3, 1, 0)
    assert [gap.what for gap in ledger.gaps] == ["d#1"]
    assert [gap.what for gap in only(job(sweep=first)).gaps] == ["b#1", "c#1", "d#1"]


def test_second_stops_are_counted_apart_and_missing_one_is_a_doubt() -> None:
    second = SecondStops(
        planned=("a#1 then b#1", "a#1 then c#1"), missed=("a#1 then c#1",), closed=(), first_stops=1, of=1
    )
    sweep = SweepCoverage(("person",), planned=("a#1",), missed=(), closed=(), base_runs=1, second=second)
    ledger = only(job(sweep=sweep))
    assert cover(ledger, Subject.STOPS) == Cover(Subject.STOPS, 1, 1, 0, 0)
    assert cover(ledger, Subject.SECOND_STOPS) == Cover(Subject.SECOND_STOPS, 2, 1, 0, 1)
    report = judged("memory", [job(sweep=sweep, exercised={"ADM-1": 3})], "before-admission")
    verdict = next(clause for clause in report.clauses if clause.clause == "ADM-1")
    assert verdict.verdict is Verdict.UNKNOWN
    assert "a#1 then c#1" in verdict.why


def test_deaths_timers_and_real_deaths_are_counted_apart_and_each_durable_state_is_one() -> None:
    ledger = only(
        job(
            ledger=(
                Tally(FaultKind.CRASH, "w@complete", "death after it", 3, 1),
                Tally(FaultKind.CRASH, "w@complete", "death before its answer", 3, 1),
                Tally(FaultKind.CRASH, "w@complete", "SIGKILL after its answer", 3, 2),
                Tally(FaultKind.TIME, "lease", "before", 3, 1),
            )
        )
    )
    assert [(c.subject.value, c.planned, c.hit) for c in ledger.covers] == [
        ("crashes", 2, 2),
        ("kills", 3, 2),
        ("timers", 1, 1),
    ]
    assert [gap.why for gap in ledger.gaps] == ["the pass with real deaths did not come to it"]


def test_a_witness_need_be_seen_in_one_variant_of_its_scenario_only() -> None:
    wanted = ("both won", "the gate died")
    seen = job(witnesses=("both won",), witnesses_wanted=wanted)
    rest = job(handles=2, witnesses=("the gate died",), witnesses_wanted=wanted)
    other = job("late-completion", witnesses=(), witnesses_wanted=("it was late",))
    ledgers = ledger_of([seen, rest, other])
    assert [cover(one, Subject.WITNESSES).missed for one in ledgers] == [1, 1, 1]
    assert totals(ledgers) == (Cover(Subject.WITNESSES, 3, 2, 0, 1),)


# -- what gaps do to verdicts -----------------------------------------------------------------------------


def verdict_of(*lines: Tally) -> tuple[Verdict, str]:
    report = judged("memory", [job(exercised={"LIVE-2": 3}, ledger=lines)], "before-admission")
    row = next(row for row in report.clauses if row.clause == "LIVE-2")
    return row.verdict, row.why


def test_what_a_scenario_admits_and_no_run_took_makes_its_clauses_unknown() -> None:
    assert verdict_of(DROP)[0] is Verdict.PASS
    verdict, why = verdict_of(UNTAKEN)
    assert verdict is Verdict.UNKNOWN
    assert why == "before-admission (calls, 1 handle, bounded): never tried: mail.receive: drop"


def test_one_actor_who_took_it_is_enough_and_so_is_one_death_after_any_step() -> None:
    other = Tally(FaultKind.PROVIDER, "late1@mail.receive", "drop", 1, 1)
    assert verdict_of(UNTAKEN, other)[0] is Verdict.PASS
    unharmed = Tally(FaultKind.CRASH, "w@complete", "death after it", 3, 0)
    assert verdict_of(unharmed)[1].endswith("never tried: the gate's death")
    assert verdict_of(unharmed, Tally(FaultKind.CRASH, "w@claim", "death after it", 3, 1))[0] is Verdict.PASS


def test_what_cannot_happen_makes_nothing_unknown() -> None:
    assert verdict_of(UNMET)[0] is Verdict.PASS


# -- a real one -------------------------------------------------------------------------------------------


def test_a_real_campaign_hits_all_that_the_scenario_admits() -> None:
    report = campaign("memory", ("lost-response",), 400)
    counts = {cover.subject.value: (cover.planned, cover.hit) for cover in report.totals}
    assert counts == {"stops": (6, 6), "faults": (4, 4), "witnesses": (6, 6)}
    assert report.ledger[0].exhausted
    assert report.ledger[0].gaps == ()
