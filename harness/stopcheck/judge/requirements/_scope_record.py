"""Clauses about whom a cancellation names (SCOPE) and what is kept of it (REC)."""

from __future__ import annotations

from stopcheck.judge.requirements._types import Requirement

SCOPE_RECORD: tuple[Requirement, ...] = (
    Requirement(
        id="SCOPE-1",
        family="SCOPE",
        title="Cancellation names its whole target",
        wording=(
            "Every cancellation that a gate accepts MUST identify its target by tenant, task id, "
            "incarnation and a scope that is either `task` or `subtree`, with none of the four left open."
        ),
        sources=("A",),
    ),
    Requirement(
        id="SCOPE-2",
        family="SCOPE",
        title="Late cancellation spares newer incarnations",
        wording=(
            "A gate MUST apply a cancellation only to the incarnation that it names, so that one which "
            "arrives after the task id has been reused changes nothing of any newer incarnation."
        ),
        sources=("A",),
    ),
    Requirement(
        id="SCOPE-3",
        family="SCOPE",
        title="Unauthorised cancellation changes nothing",
        wording=(
            "A gate MUST refuse a cancellation whose caller is not authenticated, has no authority to stop "
            "this task or belongs to a different tenant, and a request refused on those grounds MUST change "
            "nothing about the task."
        ),
        sources=("A",),
    ),
    Requirement(
        id="SCOPE-4",
        family="SCOPE",
        title="Repeats share one record",
        wording=(
            "A gate MUST answer every later or simultaneous cancellation of an incarnation with the one "
            "record that it holds, its id and accepted revision unchanged, and MUST NOT start a second "
            "shutdown. When such a request asks for `subtree` where the record says `task`, that same "
            "record MUST be widened under a further revision of its own, which is the cutoff of the "
            "descendants, while a task that has settled by then keeps its execution state."
        ),
        sources=("A",),
        atomic=True,
        operations=("request_cancel",),
    ),
    Requirement(
        id="SCOPE-5",
        family="SCOPE",
        title="Scope decides which descendants stop",
        wording=(
            "Under scope `task` a gate MUST NOT cancel any descendant, and under scope `subtree` it MUST "
            "cancel every owned descendant at whatever depth and nothing outside that tree. A child that "
            "the scope leaves out MUST NOT delay the settling of the cancelled task."
        ),
        sources=("A",),
    ),
    Requirement(
        id="SCOPE-6",
        family="SCOPE",
        title="Early cancellation is never lost",
        wording=(
            "A gate MUST give a definite answer to a cancellation of a task that it does not know or that "
            "has not started: it either refuses, or keeps the stop durably so that the task never starts "
            "(for a task not opened yet, only where the caller assigns incarnations). It MUST NOT lose such "
            "a request without telling its caller."
        ),
        sources=("A", "B"),
    ),
    Requirement(
        id="SCOPE-7",
        family="SCOPE",
        title="Stop reaches only named runs",
        wording=(
            "A gate MUST confine a stop to the runs that it names, so that no event of it reaches any other "
            "run, even one that shares a function, a session or a worker with them. It MUST check the "
            "caller's right to stop for each affected run, also when the stop is forced."
        ),
        sources=("field",),
    ),
    Requirement(
        id="SCOPE-8",
        family="SCOPE",
        title="Bad handle is an error",
        wording=(
            "A gate MUST answer a stop whose handle is malformed or stale, such as the id of an old "
            "attempt, a recycled handle or one of the wrong backend, with an error to its caller, and MUST "
            "NOT pass over it in silence."
        ),
        sources=("field",),
    ),
    Requirement(
        id="SCOPE-9",
        family="SCOPE",
        title="Tenants stay apart in every operation",
        wording=(
            "A gate MUST keep tenants apart in each of its operations: a caller who commits, claims, "
            "records an outcome or inspects in another tenant MUST be refused."
        ),
        sources=("A",),
    ),
    Requirement(
        id="REC-1",
        family="REC",
        title="Record holds the essential facts",
        wording=(
            "A gate MUST keep in the cancellation record who requested the stop, the revision at which it "
            "was accepted, its scope and its reason."
        ),
        sources=("A",),
    ),
    Requirement(
        id="REC-2",
        family="REC",
        title="Accepted record survives crashes",
        wording=(
            "Once a gate has answered a cancellation with `accepted`, its record MUST still be there after "
            "the gate's process has died, at whatever later moment, and, at a gate that declares durability "
            "`power_loss`, also after writes that were not synced have been lost. The verdict MUST name "
            "which of the two kinds of crash was tried."
        ),
        sources=("A",),
    ),
    Requirement(
        id="REC-3",
        family="REC",
        title="Record is append-only",
        wording=(
            "For a given incarnation a gate MUST NOT let anything erase, narrow or rewrite the cancellation "
            "record, including a restart, a redelivery, a success that comes late or the clearing of a "
            "notification. A widened scope and each later cause MUST be appended, each under a revision of "
            "its own."
        ),
        sources=("A",),
    ),
    Requirement(
        id="REC-4",
        family="REC",
        title="Execution state moves forward only",
        wording=(
            "A gate MUST move the execution state of a task only along `unstarted` -> `running` -> "
            "`cancellation_requested` -> `draining` -> `cancelled_settled` or `stopped_unresolved`, along "
            "`running` -> `completed` or `failed`, and, when evidence arrives, from `stopped_unresolved` to "
            "`cancelled_settled`. States in between may be skipped, so that an unstarted task may become "
            "`cancelled_settled` at once, but every other edge, above all one back to `running`, is a "
            "violation."
        ),
        sources=("A",),
    ),
    Requirement(
        id="REC-5",
        family="REC",
        title="Crash leaves whole record or none",
        wording=(
            "When the gate crashes between a cancellation request and its answer, it MUST hold afterwards "
            "either one complete record or none at all, and the caller's answer counts as indefinite. A "
            "retry of that request MUST then yield exactly one record."
        ),
        sources=("A",),
        atomic=True,
        operations=("request_cancel",),
    ),
    Requirement(
        id="REC-6",
        family="REC",
        title="Record outlives its declared retention",
        wording=(
            "A gate MUST keep the record for at least its declared retention, and that retention MUST cover "
            "the longest delay of the queue. Until then reading MUST NOT use the record up, a limit of "
            "capacity MUST NOT evict it, clean-up MUST NOT remove it early and a clock that is not the "
            "gate's MUST NOT decide its order."
        ),
        sources=("field",),
    ),
    Requirement(
        id="REC-7",
        family="REC",
        title="Lost signals change no outcome",
        wording=(
            "A gate MUST reach the right outcome when any single signal is lost, and no matter which of its "
            "replicas accepted the stop. The durable record alone decides, and a signal MUST do no more "
            "than hasten it."
        ),
        sources=("field",),
    ),
    Requirement(
        id="REC-8",
        family="REC",
        title="Causes are kept and never confused",
        wording=(
            "A gate MUST keep the cause of a cancellation, tell user stop, deadline, parent and policy "
            "apart and append a later cause to the record, whereas a pause, a shutdown or a crash is no "
            "cancellation and MUST NOT create a record. Automatic resumption MUST NOT override a user's "
            "stop."
        ),
        sources=("field",),
    ),
)
