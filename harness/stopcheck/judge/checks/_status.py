"""What a status certainly says wrongly, by the precedence of the contract.

One idea: a status is the first of a list that holds, so it is wrong in one of two ways: an earlier one certainly holds,
or it certainly does not hold itself. Both are read off the same snapshot and off what had been told before it was
asked for. Wherever a cancellation from above may not have arrived yet, less is asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from stopcheck.gate import (
    CancellationClass,
    Capability,
    Disposition,
    Ended,
    Execution,
    Recorded,
    RegisterChild,
    Snapshot,
    Stage,
    Status,
)
from stopcheck.judge._reading import Reading
from stopcheck.judge.checks._readings import several

#: What a task with a record is shown as.
STOP_STATUSES = (
    Status.OUTCOME_UNKNOWN,
    Status.CANCELLATION_UNSUPPORTED,
    Status.CANCELLED,
    Status.STOP_REQUESTED,
    Status.CANCELLATION_PENDING,
)
_DRAINING = (Execution.CANCELLATION_REQUESTED, Execution.DRAINING)


def status_faults(reading: Reading) -> Iterator[str]:
    """Each as a sentence's part: ``the status is running, and there is the record c-1``."""
    snapshot, known = reading.snapshot, reading.own_record
    status, record = snapshot.status, snapshot.record
    if record is None and known is None:
        yield from _without_a_record(reading)
    elif status not in STOP_STATUSES:
        told = known if record is None or record.task != reading.task.ref else record
        if told is not None:
            yield f"the status is {status}, and there is the record {told.record_id}"
    elif record is not None:
        yield from _in_doubt(reading)
        yield from _under_way(reading)


def _without_a_record(reading: Reading) -> Iterator[str]:
    """The status is the execution state, or tells of a stop that came after completion."""
    snapshot, task = reading.snapshot, reading.task
    if (task.parent is not None or task.shared) and reading.facts.prompted(task.ref):
        return
    stops = [deed for deed in reading.deeds("request_cancel") if deed.may_count]
    right = Status(snapshot.execution.value) if snapshot.execution.value in list(Status) else None
    if snapshot.execution is Execution.COMPLETED:
        if snapshot.stop_after_end or any(isinstance(d.reply, Ended) and reading.must(d) for d in stops):
            right = Status.COMPLETED_BEFORE_CANCELLATION
        asked = stops or reading.facts.prompted(task.ref)
        if snapshot.status is Status.COMPLETED_BEFORE_CANCELLATION and not asked:
            yield f"the status is {snapshot.status}, and nobody asked for a stop"
    if right is None:
        yield f"the state is {snapshot.execution}, and there is no record"
    elif snapshot.status is not right:
        yield f"the status is {snapshot.status} in state {snapshot.execution} without a record, not {right}"


def _in_doubt(reading: Reading) -> Iterator[str]:
    """``outcome_unknown``, and what stands before all others because of it."""
    snapshot = reading.snapshot
    status, state = snapshot.status, snapshot.execution
    free, unknown, live = _free(snapshot), _unknown(snapshot), _live(snapshot)
    over = state is Execution.STOPPED_UNRESOLVED or (not free and not live and state in _DRAINING)
    if over and (unknown or free) and status is not Status.OUTCOME_UNKNOWN:
        doubt = several([*unknown, *free])
        yield f"the status is {status} in state {state} with {doubt} unresolved, not outcome_unknown"
    if status is not Status.OUTCOME_UNKNOWN:
        return
    if nothing_open(snapshot) and not _owns_below(reading):
        yield f"the status is {status}, and every effect is definitive and every worker stopped or fenced"
    elif free and state in _DRAINING and not _budget_may_be_over(reading):
        yield f"the status is {status} while {several(free)} may still be at work and the budget is not over"


def _under_way(reading: Reading) -> Iterator[str]:
    """The other statuses of a task with a record."""
    snapshot = reading.snapshot
    status, state = snapshot.status, snapshot.execution
    if reading.settled and status is not Status.CANCELLED and nothing_open(snapshot):
        yield f"the status is {status} in state {state}, not cancelled"
    if status is Status.CANCELLATION_UNSUPPORTED and not _goes_on(reading):
        yield f"the status is {status}, and no effect or owned operation is under way"
    if reading.own_record is None:
        return
    asked = [deed for deed in reading.deeds("record_signal") if deed.may_count]
    sent = [d for d in asked if isinstance(d.reply, Recorded) and reading.must(d) and d.cut_off is not None]
    if status is Status.STOP_REQUESTED and (snapshot.signals or sent):
        yield f"the status is {status}, and {max(len(snapshot.signals), len(sent))} signals are recorded"
    if status is Status.CANCELLATION_PENDING and not snapshot.signals and not asked:
        yield f"the status is {status}, and no signal is recorded, so that it is only requested"


# -- parts of a snapshot ----------------------------------------------------------------------------------


def nothing_open(snapshot: Snapshot) -> bool:
    """Whether every effect, worker and owned operation is accounted for, as the snapshot has them."""
    effects = all(entry.disposition.definitive for entry in snapshot.effects)
    return effects and not _free(snapshot) and all(entry.stage.terminal for entry in snapshot.children)


def _free(snapshot: Snapshot) -> list[str]:
    return [facet.worker for facet in snapshot.stopping.workers if not facet.stopped and not facet.fenced]


def _unknown(snapshot: Snapshot) -> list[str]:
    return [entry.effect_id for entry in snapshot.effects if entry.disposition is Disposition.UNKNOWN]


def _live(snapshot: Snapshot) -> bool:
    """Whether an owned operation may still be at work."""
    return any(not entry.stage.terminal and entry.stage is not Stage.UNKNOWN for entry in snapshot.children)


def _owns_below(reading: Reading) -> bool:
    """Whether what the task owns has owned something in its turn: of that the snapshot says nothing."""
    owned = (reading.facts.tasks.get(child) for child in reading.task.children)
    return any(child is not None and (child.children or child.doubtful_children) for child in owned)


def _goes_on(reading: Reading) -> bool:
    """Whether anything may be under way that has no stop: a worker only where the gate has no force either."""
    snapshot = reading.snapshot
    sent = any(entry.claimed and not entry.disposition.definitive for entry in snapshot.effects)
    unstoppable = bool(_free(snapshot)) and not reading.facts.contract.has(Capability.ESCALATION)
    owned = any(not entry.stage.terminal for entry in snapshot.children)
    return sent or unstoppable or owned or _has_no_stop(reading)


def _has_no_stop(reading: Reading) -> bool:
    """Whether the task is itself an operation that its owner declared to have no stop."""
    asked = (deed.request for deed in reading.facts.book.deeds("register_child", reading.task.parent))
    return any(
        isinstance(request, RegisterChild)
        and request.child == reading.task.ref
        and request.cancellation_class is CancellationClass.IRREVERSIBLE
        for request in asked
    )


def _budget_may_be_over(reading: Reading) -> bool:
    record = reading.snapshot.record
    if record is None or not record.causes or record.task != reading.task.ref:
        return True
    return reading.ended_ns >= record.causes[0].at_ns + reading.facts.contract.reconciliation_budget_ns


__all__ = ["STOP_STATUSES", "nothing_open", "status_faults"]
