"""The memory gate: the rules of the record, of what workers say, and of the ledger, which no single reply shows."""

from __future__ import annotations

import msgspec
import pytest

from stopcheck.gate import (
    Caller,
    Disposition,
    Ended,
    Evidence,
    Execution,
    Finding,
    Inspect,
    LeaseGranted,
    LookupAnswer,
    LookupEvidence,
    NoEvidence,
    OpenTask,
    PayloadMismatch,
    Resolved,
    Right,
    Same,
    Scope,
    Snapshot,
    Stage,
    StaleLease,
    Status,
    Stopped,
    TaskKey,
    TaskRef,
    Tick,
    Ticked,
    Trigger,
    Unsupported,
)
from stopcheck_fixtures.faulty.record import LastCauseOnly
from stopcheck_fixtures.reference.memory import MemoryGate
from tests.fast.gates.gate_bench import (
    CHILD,
    OTHER,
    TASK,
    Bench,
    FakeEnvironment,
    receipt,
    told,
)
from tests.fast.gates.gate_starts import (
    admitted,
    cancelled,
    claimed,
    ended,
    owning,
    running,
)

# --- the record ---------------------------------------------------------------------------------------


def test_repeats_return_the_record_and_later_causes_are_appended() -> None:
    bench = running()
    first = bench.cancel().record
    assert bench.cancel().record == first
    later = bench.cancel(request_id="r2").record
    assert (later.record_id, later.revision) == (first.record_id, first.revision)
    assert [cause.request_id for cause in later.causes] == ["r1", "r2"]
    assert later.causes[0].revision < later.causes[1].revision


def test_a_wrong_gate_that_forgets_its_first_cause_still_knows_its_cutoffs() -> None:
    """It is wrong in one thing, and does not fail in another."""
    bench = Bench()
    bench.gate = LastCauseOnly(FakeEnvironment())
    bench.open()
    bench.begin()
    bench.register()
    bench.start()
    bench.cancel()
    bench.cancel(Scope.SUBTREE, "r2")
    later = bench.cancel(Scope.SUBTREE, "r3").record
    assert [cause.request_id for cause in later.causes] == ["r3", "r2"]
    assert isinstance(bench.ask(Tick), Ticked)
    assert bench.look(CHILD).record == later


def test_a_settled_task_stays_settled_when_it_is_widened() -> None:
    bench = owning()
    bench.start()
    bench.begin("w2", CHILD)
    bench.cancel()
    bench.acknowledge()
    assert bench.look().execution is Execution.CANCELLED_SETTLED
    assert bench.look(CHILD).record is None
    widened = bench.cancel(Scope.SUBTREE, "r2").record
    assert widened.subtree_revision == widened.causes[-1].revision > widened.revision
    assert bench.look().execution is Execution.CANCELLED_SETTLED
    assert bench.look(CHILD).record == widened
    assert isinstance(bench.commit("late", task=CHILD), Stopped)


def test_a_stop_touches_only_the_incarnation_that_it_names() -> None:
    bench = running()
    later = TaskRef(TASK.key, 2)
    bench.open(later)
    bench.cancel()
    assert bench.look(later).record is None
    assert isinstance(bench.begin("w2", later), LeaseGranted)


def test_a_stop_after_the_end_is_kept_once() -> None:
    bench = ended()
    assert bench.cancel() == bench.cancel() == Ended(Execution.COMPLETED)
    assert len(bench.look().stop_after_end) == 1
    assert bench.look().status is Status.COMPLETED_BEFORE_CANCELLATION
    assert bench.look().record is None


def test_a_scope_that_the_gate_lacks_is_unsupported() -> None:
    class TaskOnly(MemoryGate):
        contract = msgspec.structs.replace(MemoryGate.contract, scopes=frozenset((Scope.TASK,)))

    bench = running()
    bench.gate = TaskOnly(FakeEnvironment())
    assert isinstance(bench.cancel(Scope.SUBTREE), Unsupported)


# --- what workers say ---------------------------------------------------------------------------------


def test_a_superseded_worker_is_fenced_and_its_word_does_not_count() -> None:
    bench = running()
    bench.begin("w2", trigger=Trigger.REPLACEMENT)
    bench.cancel()
    assert bench.acknowledge(epoch=1) == StaleLease(2)
    assert isinstance(bench.commit(epoch=1), Stopped)
    snapshot = bench.look()
    assert [ack.counted for ack in snapshot.acknowledgements] == [False]
    assert [(w.stopped, w.fenced) for w in snapshot.stopping.workers] == [(False, True), (False, False)]


@pytest.mark.parametrize("deed", ["commit", "begin", "register"])
def test_a_worker_that_stopped_and_acts_is_contained_and_noted(deed: str) -> None:
    bench = cancelled()
    bench.acknowledge()
    assert isinstance(getattr(bench, deed)(), Stopped)
    assert [kept.subject for kept in bench.look().contradictions] == ["w1"]


def test_a_late_success_is_kept_once_and_changes_nothing() -> None:
    bench = cancelled()
    assert bench.complete() == bench.complete()
    snapshot = bench.look()
    assert [entry.stage for entry in snapshot.lifecycle] == [Stage.COMPLETED_AFTER_CANCEL]
    assert [late.result_digest for late in snapshot.late_results] == ["done"]
    assert snapshot.execution is Execution.CANCELLATION_REQUESTED


# --- the ledger ---------------------------------------------------------------------------------------


def test_an_effect_id_is_unique_in_its_tenant() -> None:
    bench = admitted()
    bench.open(OTHER)
    bench.begin(task=OTHER)
    assert isinstance(bench.commit(task=OTHER), PayloadMismatch)
    elsewhere = TaskRef(TaskKey("evil", "refund"), 1)
    eve = Caller("eve", "evil", tuple(Right))
    bench.ask(OpenTask, elsewhere, caller=eve)
    assert isinstance(bench.ask(Inspect, elsewhere, caller=eve), Snapshot)


def test_parked_evidence_is_applied_when_its_effect_is_admitted() -> None:
    bench = running()
    bench.outcome(told())
    bench.outcome(told())
    assert len(bench.look().parked) == 1
    bench.commit()
    snapshot = bench.look()
    assert snapshot.effects[0].disposition is Disposition.COMPLETED
    assert snapshot.parked == ()
    assert len(snapshot.contradictions) == 1, "it was executed before anybody had claimed it"
    assert isinstance(bench.claim(), Resolved)


@pytest.mark.parametrize(
    ("evidence", "disposition"),
    [
        (told(Finding.EXECUTED), Disposition.COMPLETED),
        (told(Finding.REJECTED), Disposition.REJECTED),
        (told(Finding.PROVIDER_CANCELLED), Disposition.PROVIDER_CANCELLED),
        (LookupEvidence(LookupAnswer.FENCED, receipt(Finding.FENCED)), Disposition.NOT_EXECUTED),
        (LookupEvidence(LookupAnswer.ABSENT), Disposition.UNKNOWN),
        (LookupEvidence(LookupAnswer.STALE), Disposition.UNKNOWN),
        (NoEvidence("timeout"), Disposition.UNKNOWN),
        (told(signature="forged"), Disposition.PENDING),
    ],
)
def test_what_evidence_makes_of_a_claimed_effect(evidence: Evidence, disposition: Disposition) -> None:
    bench = claimed()
    bench.outcome(evidence)
    effect = bench.look().effects[0]
    assert effect.disposition is disposition
    assert (evidence in effect.evidence) is (disposition is not Disposition.PENDING)


def test_a_fenced_effect_that_is_then_rejected_is_no_contradiction() -> None:
    bench = claimed()
    bench.outcome(LookupEvidence(LookupAnswer.FENCED, receipt(Finding.FENCED)))
    assert isinstance(bench.outcome(told(Finding.REJECTED)), Same)
    assert bench.look().contradictions == ()
