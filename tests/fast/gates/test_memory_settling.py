"""The memory gate: the rules of lifetimes, results, pauses and settling, which no single reply shows."""

from __future__ import annotations

import pytest

from stopcheck.gate import (
    AckStrength,
    BoundaryAnswer,
    Cause,
    Execution,
    Halt,
    Handover,
    LeaseGranted,
    LeaseState,
    ProbeResult,
    Recorded,
    ResultPlace,
    Scope,
    Stage,
    Status,
    TaskRef,
)
from tests.fast.gates.gate_bench import (
    BUDGET,
    CHILD,
    GRACE,
    GRANDCHILD,
    LEASE,
    OTHER,
    TASK,
)
from tests.fast.gates.gate_starts import (
    FOUND,
    admitted,
    asked,
    cancelled,
    claimed,
    fresh,
    in_doubt,
    opened,
    running,
    suspended,
    then,
    timed,
)

# --- lifetimes ----------------------------------------------------------------------------------------


def test_an_expiry_is_a_record_and_a_later_stop_joins_it() -> None:
    bench = timed().at(100)
    bench.cancel()
    record = bench.look().record
    assert record is not None
    assert [cause.cause for cause in record.causes] == [Cause.DEADLINE, Cause.USER]
    assert (record.scope, record.causes[0].at_ns) == (Scope.SUBTREE, 100)


def test_a_deadline_that_passes_on_a_stopped_task_is_a_later_cause_once() -> None:
    bench = then(timed, "cancel")
    assert bench.tick().next_wake_ns == 30, "the child's lifetime ends first"
    bench.at(100).tick()
    bench.at(101).tick()
    record = bench.look().record
    assert record is not None
    assert [cause.cause for cause in record.causes] == [Cause.USER, Cause.DEADLINE]


def test_a_tick_names_the_next_end_of_a_lifetime() -> None:
    bench = timed()
    assert bench.tick().next_wake_ns == 30
    assert bench.at(30).tick().transitions
    assert bench.look(CHILD).execution is Execution.CANCELLED_SETTLED, "it never ran"
    assert bench.look().children[0].stage is Stage.CONFIRMED_CANCELLED
    assert bench.tick().next_wake_ns == 100


def test_a_childs_deadline_is_the_earlier_one_and_a_repeat_does_not_move_it() -> None:
    bench = timed()
    bench.at(20).register(cap_ns=30)
    bench.register(GRANDCHILD, cap_ns=500)
    assert [bench.look(task).deadline_ns for task in (TASK, CHILD, GRANDCHILD)] == [100, 30, 100]


def test_a_task_that_has_ended_does_not_expire() -> None:
    bench = fresh()
    bench.open(deadline=100)
    bench.begin()
    bench.complete()
    bench.at(100)
    assert bench.look().record is None
    assert bench.tick().next_wake_ns is None


# --- results ------------------------------------------------------------------------------------------


def test_what_is_taken_is_held_once_and_what_is_late_is_kept_as_evidence() -> None:
    bench = running()
    for _ in range(2):
        bench.offer()
    bench.cancel()
    for _ in range(2):
        bench.offer(result_digest="more")
    assert [held.result_digest for held in bench.recall().results] == ["found"]
    assert [(late.operation, late.result_digest) for late in bench.look().late_results] == [("search", "more")]


def test_a_response_is_one_runs_a_memory_one_tasks_and_the_cache_everybodys() -> None:
    bench = running()
    for place in ResultPlace:
        bench.offer(place=place)
    again = TaskRef(TASK.key, 2)
    for ref in (again, OTHER):
        bench.open(ref)
    seen = {ref: [place.value for place in ResultPlace if bench.recall(place, ref).results] for ref in (again, OTHER)}
    assert seen == {again: ["memory", "cache", "plan"], OTHER: ["cache"]}


def test_an_answer_to_a_request_is_no_answer_to_everybody() -> None:
    bench = asked()
    bench.answer()
    assert bench.recall().results == ()
    assert bench.read() == BoundaryAnswer("yes")


def test_every_item_is_somewhere_after_the_stop() -> None:
    bench = running()
    for item_id in ("delivered", "in hand", "waiting"):
        bench.hand(item_id, wake_up=item_id == "waiting")
    bench.take()
    bench.take()
    bench.confirm("delivered")
    bench.cancel()
    states = {entry.item_id: entry.state.value for entry in bench.look().handovers}
    assert states == {"delivered": "delivered", "in hand": "recorded", "waiting": "returned"}
    bench.confirm("in hand")
    assert bench.look().handovers[1].state is Handover.DELIVERED


# --- pauses and views ---------------------------------------------------------------------------------


def test_a_pause_is_no_cancellation_and_ends_with_the_resumption() -> None:
    bench = suspended()
    account = bench.look()
    assert (account.record, account.status, account.suspended) == (None, Status.RUNNING, Halt.PAUSE)
    assert account.leases[0].state is LeaseState.REVOKED
    bench.resume()
    assert isinstance(bench.begin(), LeaseGranted)
    assert bench.look().suspended is None


def test_a_closed_view_leaves_the_state_as_it_was() -> None:
    bench = cancelled()
    before = bench.gate.fingerprint()
    bench.close_view()
    assert bench.gate.fingerprint() == before


# --- settling -----------------------------------------------------------------------------------------


def test_an_idle_task_settles_within_the_cutoff() -> None:
    bench = then(opened, "cancel")
    assert bench.look().execution is Execution.CANCELLED_SETTLED
    assert bench.look().status is Status.CANCELLED


def test_an_acknowledged_stop_settles_and_ends_the_lease() -> None:
    bench = cancelled()
    assert bench.look().status is Status.STOP_REQUESTED
    bench.signal()
    assert bench.look().execution is Execution.DRAINING
    bench.acknowledge(AckStrength.STOPPED_SCHEDULING)
    assert bench.look().status is Status.CANCELLATION_PENDING
    bench.acknowledge(AckStrength.HANDLER_STOPPED)
    assert bench.look().status is Status.CANCELLED
    assert bench.look().leases[0].state is LeaseState.RELEASED


@pytest.mark.parametrize(("result", "stopped"), [(ProbeResult.GONE, True), (ProbeResult.ALIVE, False)])
def test_only_a_probe_that_found_nothing_proves_a_stop(result: ProbeResult, stopped: bool) -> None:
    bench = cancelled()
    bench.at(GRACE).escalate()
    assert bench.look().stopping.workers[0].stopped is False, "force proves nothing"
    bench.probe(result)
    assert (bench.look().execution is Execution.CANCELLED_SETTLED) is stopped


def test_a_probe_of_an_earlier_life_proves_nothing() -> None:
    bench = running()
    bench.probe(ProbeResult.GONE)
    bench.begin()
    bench.cancel()
    assert bench.look().execution is Execution.CANCELLATION_REQUESTED


def test_silence_is_fenced_by_expiry_and_the_wake_up_is_named() -> None:
    bench = cancelled()
    assert bench.tick().next_wake_ns == LEASE
    assert bench.look().execution is Execution.CANCELLATION_REQUESTED
    ticked = bench.at(LEASE).tick()
    assert {transition.change for transition in ticked.transitions} == {"expired", "cancelled_settled"}
    assert ticked.next_wake_ns is None


def test_the_budget_ends_in_doubt_and_evidence_still_settles() -> None:
    bench = then(in_doubt, "cancel")
    bench.acknowledge()
    assert bench.look().status is Status.OUTCOME_UNKNOWN
    assert bench.tick().next_wake_ns == BUDGET
    assert bench.at(BUDGET).tick().next_wake_ns is None
    assert bench.look().execution is Execution.STOPPED_UNRESOLVED
    assert isinstance(bench.outcome(FOUND), Recorded)
    snapshot = bench.look()
    assert (snapshot.execution, snapshot.status) == (Execution.CANCELLED_SETTLED, Status.CANCELLED)
    assert snapshot.ledger.completed == ("mail",)


def test_an_irreversible_effect_in_flight_is_shown_as_unsupported() -> None:
    assert then(claimed, "cancel").look().status is Status.CANCELLATION_UNSUPPORTED


def test_admissions_and_the_cutoff_are_ordered_by_one_counter() -> None:
    bench = then(admitted, "cancel")
    snapshot = bench.look()
    assert snapshot.record is not None
    assert snapshot.effects[0].admitted_revision < snapshot.record.revision
