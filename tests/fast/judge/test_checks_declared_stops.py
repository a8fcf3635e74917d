"""Checks of declared stops, on histories written by hand: EFF-13 and RPT-3."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stopcheck.gate import (
    Accepted,
    Admitted,
    CancellationClass,
    Capability,
    ChildEntry,
    Disposition,
    Done,
    Execution,
    ExistingEffect,
    FinishChild,
    GateContract,
    Indefinite,
    LateResultRule,
    OperationContract,
    OwnedKind,
    RegisterChild,
    Scope,
    Snapshot,
    Stage,
    StartChild,
    Status,
    Tick,
    Ticked,
)
from stopcheck.judge.checks import _declared_stops as declared
from stopcheck.world import PhaseBegan
from tests.fast.judge.history import CONTRACT, REFUND, Story, account, line, record, ref

JOB = ref("job")
MILD = CancellationClass.PROVIDER_CANCELLABLE


# -- EFF-13 -----------------------------------------------------------------------------------------------


def admitted() -> Story:
    story = Story(declared.DeclaredStopIsKept)
    story.effect()
    story.begins()
    story.commits(Admitted(1))
    return story


def shows(story: Story, status: Status, **entry: Any) -> None:
    shown = msgspec.structs.replace(line(claimed=True), **entry)
    told = account(shown=record(), execution=Execution.CANCELLATION_REQUESTED, effects=(shown,))
    story.looks(msgspec.structs.replace(told, status=status))


def test_an_effect_keeps_the_class_that_it_was_admitted_with() -> None:
    story = admitted()
    story.commits(ExistingEffect(Disposition.PENDING), cancellation_class=MILD)
    story.stop(Accepted(record()))
    shows(story, Status.STOP_REQUESTED, cancellation_class=MILD)
    assert story.broken == ["EFF-13"]


def test_where_a_commitment_was_cut_by_death_either_declaration_may_stand() -> None:
    story = Story(declared.DeclaredStopIsKept)
    story.effect()
    story.begins()
    story.commits(Indefinite())
    story.commits(ExistingEffect(Disposition.PENDING), cancellation_class=MILD)
    story.stop(Accepted(record()))
    shows(story, Status.STOP_REQUESTED, cancellation_class=MILD)
    assert not story.broken


@pytest.mark.parametrize("status", [Status.STOP_REQUESTED, Status.CANCELLATION_PENDING, Status.CANCELLED])
def test_the_status_claims_no_stop_of_what_has_none(status: Status) -> None:
    story = admitted()
    story.stop(Accepted(record()))
    shows(story, status)
    assert story.broken == ["EFF-13", "RPT-3"]


@pytest.mark.parametrize("status", [Status.CANCELLATION_UNSUPPORTED, Status.OUTCOME_UNKNOWN])
def test_an_honest_status_is_right(status: Status) -> None:
    story = admitted()
    story.stop(Accepted(record()))
    shows(story, status)
    assert story.tested("EFF-13")
    assert not story.broken


@pytest.mark.parametrize("entry", [{"claimed": False}, {"disposition": Disposition.UNKNOWN}])
def test_what_is_not_sent_or_in_doubt_is_not_held_to_it(entry: dict[str, Any]) -> None:
    story = admitted()
    story.stop(Accepted(record()))
    shows(story, Status.CANCELLATION_PENDING, **entry)
    assert not story.broken


# -- RPT-3 ------------------------------------------------------------------------------------------------


def running(told: CancellationClass | None, contract: GateContract = CONTRACT) -> Story:
    """A job runs, and its owner is stopped with all that it owns."""
    story = Story(declared.UnsupportedIsShown, contract=contract)
    story.task(JOB, REFUND)
    story.begins()
    registered: dict[str, Any] = {"kind": OwnedKind.REMOTE_JOB, "owner": "worker", "cancellation_class": told}
    story.asks(RegisterChild, Done(), epoch=1, child=JOB, **registered)
    story.asks(StartChild, Done(), child=JOB)
    story.stop(Accepted(record(scope=Scope.SUBTREE)), scope=Scope.SUBTREE)
    return story


def owner(status: Status, stage: Stage = Stage.ACCEPTED, scope: Scope = Scope.SUBTREE, **more: Any) -> Snapshot:
    entry = ChildEntry(JOB, OwnedKind.REMOTE_JOB, "worker", True, stage, 2)
    told = account(shown=record(scope=scope), children=(entry,), **{"execution": Execution.DRAINING, **more})
    return msgspec.structs.replace(told, status=status)


@pytest.mark.parametrize("stage", [Stage.ACCEPTED, Stage.CONFIRMED_CANCELLED])
def test_a_job_without_a_stop_is_shown_as_such_while_it_runs(stage: Stage) -> None:
    story = running(CancellationClass.IRREVERSIBLE)
    story.looks(owner(Status.CANCELLATION_PENDING, stage))
    assert story.broken == ["RPT-3"]
    honest = running(CancellationClass.IRREVERSIBLE)
    honest.looks(owner(Status.CANCELLATION_UNSUPPORTED))
    assert honest.tested("RPT-3")
    assert not honest.broken


def test_from_when_its_end_is_told_nothing_is_asked() -> None:
    story = running(CancellationClass.IRREVERSIBLE)
    story.call(FinishChild, child=JOB, stage=Stage.COMPLETED)
    story.looks(owner(Status.CANCELLATION_PENDING))
    assert not story.broken


def test_a_stop_that_does_not_reach_it_says_nothing_of_it() -> None:
    story = running(CancellationClass.IRREVERSIBLE)
    story.looks(owner(Status.CANCELLATION_PENDING, scope=Scope.TASK))
    assert not story.tested("RPT-3")


@pytest.mark.parametrize("told", [None, CancellationClass.COOPERATIVE, CancellationClass.ABORTABLE])
def test_what_has_a_stop_is_not_held_to_it(told: CancellationClass | None) -> None:
    story = running(told)
    story.looks(owner(Status.CANCELLATION_PENDING))
    assert not story.tested("RPT-3")


def test_what_is_discarded_is_not_shown_to_be_unsupported() -> None:
    story = running(CancellationClass.DISCARDABLE)
    story.looks(owner(Status.CANCELLATION_UNSUPPORTED))
    assert story.broken == ["RPT-3"]
    silent = running(CancellationClass.DISCARDABLE)
    silent.looks(owner(Status.CANCELLATION_PENDING))
    assert not silent.broken


def rests(story: Story, state: Execution) -> Story:
    story.asks(Tick, Ticked())
    told = owner(Status.OUTCOME_UNKNOWN, Stage.UNKNOWN, execution=state)
    story.event(PhaseBegan("account"))
    story.looks(told)
    story.rests()
    return story


def test_nobody_gives_up_for_what_is_discarded() -> None:
    assert rests(running(CancellationClass.DISCARDABLE), Execution.STOPPED_UNRESOLVED).broken == ["RPT-3"]
    assert not rests(running(CancellationClass.DISCARDABLE), Execution.CANCELLED_SETTLED).broken
    assert not rests(running(CancellationClass.COOPERATIVE), Execution.STOPPED_UNRESOLVED).broken


def test_a_gate_that_cannot_fence_results_out_may_wait_for_them() -> None:
    plain = msgspec.structs.replace(CONTRACT, capabilities=CONTRACT.capabilities - {Capability.RESULTS})
    assert not rests(running(CancellationClass.DISCARDABLE, plain), Execution.STOPPED_UNRESOLVED).broken


def test_a_gate_that_discards_what_has_a_stop_is_held_to_it() -> None:
    discards = {CancellationClass.ABORTABLE: OperationContract(late_results=LateResultRule.DISCARDED)}
    told = msgspec.structs.replace(CONTRACT, operations=discards)
    assert rests(running(CancellationClass.ABORTABLE, told), Execution.STOPPED_UNRESOLVED).broken == ["RPT-3"]
    assert not rests(running(CancellationClass.ABORTABLE), Execution.STOPPED_UNRESOLVED).broken
