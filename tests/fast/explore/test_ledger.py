"""The coverage ledger: what runs were offered beside actors' steps, what they took, and what was never offered."""

from __future__ import annotations

from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from stopcheck.explore import Budget, Tally, depth_first, make_trial, random_walk, tallies
from stopcheck.explore._ledger import Counts, Noting, Offer, Taken, both, enter
from stopcheck.judge import CHECKS
from stopcheck.kernel import FAULT, SCHEDULE, Point
from stopcheck.world import Admitted, FaultBudget, FaultKind, PlainInterior, Variant, Workspace
from stopcheck_fixtures.reference.sqlite import SqliteGate
from tests.fast.explore.test_scenarios import BY_ID, trial_of


class Always:
    """Answers each point with the option that is named, else with the default."""

    def __init__(self, *wanted: str) -> None:
        self._wanted = wanted

    def choose(self, point: Point) -> int:
        return next((n for n, option in enumerate(point.options) if option in self._wanted), 0)


def asked(chooser: Noting, *points: Point) -> list[Taken]:
    for point in points:
        chooser.choose(point)
    return chooser.offers([(1, 0, "a@first"), (2, 0, "b@second")])


def schedule(step: int, *options: str) -> Point:
    return Point(SCHEDULE, "a", "", options, step)


def fault(label: str, *options: str) -> Point:
    return Point(FAULT, "a", label, options, 0)


def lines(offers: list[Taken], *admitted: Admitted) -> list[tuple[str, str, str, int, int]]:
    total: dict[Offer, Counts] = {}
    enter(total, offers)
    return [(t.kind.value, t.where, t.what, t.offered, t.taken) for t in tallies(total, admitted)]


def test_steps_and_defaults_are_nothing_to_note() -> None:
    offers = asked(Noting(Always()), schedule(1, "a@x", "b@y"), schedule(1, "time:at:wake"), fault("place", "ok"))
    assert offers == []


def test_a_death_is_named_by_the_step_before_it_and_what_is_not_taken_counts_as_offered() -> None:
    points = (
        schedule(1, "a@x", "b@y", "crash:gate"),
        schedule(2, "b@y", "crash:gate"),
        schedule(2, "rest", "crash:gate"),
    )
    died = asked(Noting(Always("crash:gate")), points[1])
    assert lines([*asked(Noting(Always("b@y")), *points), *died]) == [
        ("crash", "a@first", "death after it", 1, 0),
        ("crash", "b@second", "death after it", 3, 1),
    ]


def test_a_timer_is_raced_where_somebody_could_move_and_passes_by_default_where_nobody_can() -> None:
    race = schedule(1, "a@x", "time:before:lease", "time:at:lease", "time:after:lease", "crash:gate")
    idle = schedule(2, "time:at:lease", "crash:gate")
    assert lines(asked(Noting(Always("time:at:lease")), race, idle)) == [
        ("crash", "a@first", "death after it", 1, 0),
        ("crash", "b@second", "death after it", 1, 0),
        ("time", "lease", "after", 1, 0),
        ("time", "lease", "at", 1, 1),
        ("time", "lease", "before", 1, 0),
    ]


def test_a_fault_is_named_by_who_asked_where_and_a_lost_answer_by_its_operation() -> None:
    offers = asked(
        Noting(Always("drop", "crash")),
        fault("mail.receive", "ok", "drop", "reject"),
        fault("answer to commit_effect", "answered", "crash"),
        fault("elsewhere", "well", "ill"),
    )
    admitted = Admitted(FaultKind.PROVIDER, "mail.receive", "drop")
    assert lines(offers, admitted) == [
        ("crash", "a@commit_effect", "death before its answer", 1, 1),
        ("other", "a@elsewhere", "ill", 1, 0),
        ("other", "a@mail.receive", "reject", 1, 0),
        ("provider", "a@mail.receive", "drop", 1, 1),
    ]


def test_what_is_admitted_and_never_offered_stands_in_the_ledger_without_an_actor() -> None:
    admitted = (
        Admitted(FaultKind.QUEUE, "jobs.deliver", "duplicate"),
        Admitted(FaultKind.CRASH, "answer to suppress", "crash"),
        Admitted(FaultKind.TIME, "the lease: end", "before"),
    )
    assert lines([], *admitted) == [
        ("crash", "suppress", "death before its answer", 0, 0),
        ("queue", "jobs.deliver", "duplicate", 0, 0),
        ("time", "the lease: end", "before", 0, 0),
    ]
    met = asked(Noting(Always()), fault("answer to suppress", "answered", "crash"))
    assert ("crash", "suppress", "death before its answer", 0, 0) not in lines(met, *admitted)


TAKEN = st.lists(st.tuples(st.tuples(st.sampled_from("ab"), st.just(("x", "y"))), st.integers(-1, 1)))


@given(TAKEN, TAKEN)
def test_ledgers_add_up_however_runs_are_divided(first: list[Taken], second: list[Taken]) -> None:
    one: dict[Offer, Counts] = {}
    other: dict[Offer, Counts] = {}
    whole: dict[Offer, Counts] = {}
    enter(one, first)
    enter(other, second)
    enter(whole, [*second, *first])
    before = msgspec.json.encode([list(one.items()), list(other.items())])
    assert tallies(both(one, other), ()) == tallies(whole, ()) == tallies(both(other, one), ())
    assert msgspec.json.encode([list(one.items()), list(other.items())]) == before


# -- on scenarios -----------------------------------------------------------------------------------------


def test_an_exhausted_search_takes_all_that_a_scenario_admits() -> None:
    found = depth_first(trial_of(BY_ID["lost-response"]), Budget(1_000))
    assert found.exhausted
    ledger = tallies(found.offers, found.admitted)
    assert {(line.label, line.what) for line in ledger} == {
        ("mail.receive", "reject"),
        ("mail.receive", "drop"),
        ("mail.answer", "drop_answer"),
        ("mail.answer", "answer_late"),
    }
    assert all(line.kind is FaultKind.PROVIDER and 0 < line.taken <= line.offered for line in ledger)


def test_what_cannot_happen_is_admitted_and_never_offered() -> None:
    scenario = msgspec.structs.replace(
        BY_ID["before-admission"], budget=FaultBudget(provider=0, queue=1, time=1, timers=("lease",))
    )
    found = depth_first(trial_of(scenario), Budget(1_000))
    assert found.exhausted
    never = [line for line in tallies(found.offers, found.admitted) if not line.offered]
    assert [(line.where, line.what) for line in never] == [("lease", "after"), ("lease", "at"), ("lease", "before")]


def test_every_admitted_kind_is_spelt_out() -> None:
    restart = depth_first(trial_of(BY_ID["worker-restart"]), Budget(1)).admitted
    assert {(a.kind.value, a.what) for a in restart} == {("queue", "duplicate"), ("worker", "dies")}
    signals = depth_first(trial_of(BY_ID["uncooperative-worker"]), Budget(1)).admitted
    assert {a.kind.value for a in signals} >= {"signal"}


def test_deaths_are_offered_after_steps_and_before_answers_and_a_bound_keeps_some_back(tmp_path: Path) -> None:
    area = Workspace(tmp_path)
    scenario, interior = BY_ID["lost-response"], PlainInterior(area)
    trial = make_trial(scenario, SqliteGate, Variant(), interior, CHECKS)
    sampled = random_walk(trial, Budget(3), 1)
    ends = {line.what for line in deaths(tallies(sampled.offers, sampled.admitted))}
    assert ends == {"death after it", "death before its answer"}
    none = depth_first(trial, Budget(10), bound=0)
    assert none.exhausted
    kept_back = deaths(tallies(none.offers, none.admitted))
    assert kept_back
    assert all(line.offered and not line.taken for line in kept_back)
    one = depth_first(trial, Budget(200), bound=1)
    assert one.exhausted
    taken = [line.where for line in deaths(tallies(one.offers, one.admitted)) if line.taken]
    assert "dispatcher@record_outcome" in taken
    area.close()


def deaths(ledger: tuple[Tally, ...]) -> list[Tally]:
    return [line for line in ledger if line.kind is FaultKind.CRASH]
