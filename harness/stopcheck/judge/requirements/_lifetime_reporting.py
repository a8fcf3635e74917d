"""Clauses about late results (RES), deadlines (DDL), usefulness (LIVE), reports (RPT) and measures (MET)."""

from __future__ import annotations

from stopcheck.judge.requirements._types import Level, Requirement

LIFETIME_REPORTING: tuple[Requirement, ...] = (
    Requirement(
        id="RES-1",
        family="RES",
        title="Late results are quarantined",
        wording=(
            "A gate MUST keep a result that arrives after the end of its task as evidence, and MUST NOT let "
            "it enter any response, memory, shared cache or later plan."
        ),
        sources=("B",),
        capability="results",
    ),
    Requirement(
        id="RES-2",
        family="RES",
        title="Outdated authority version is rejected",
        wording=("A gate MUST reject a result that carries an authority version older than the current one."),
        sources=("B",),
        capability="results",
    ),
    Requirement(
        id="RES-3",
        family="RES",
        title="Unstoppable job has no consequences",
        wording=(
            "A gate may let a remote job that cannot be stopped run to its end, but it MUST NOT let "
            "anything follow from the result."
        ),
        sources=("C",),
        capability="results",
    ),
    Requirement(
        id="RES-4",
        family="RES",
        title="Answers are single and private",
        wording=(
            "A gate MUST answer each request at a boundary once and no more, MUST NOT answer one whose "
            "cancellation has been confirmed, and MUST never let a caller read the answer that was meant "
            "for another."
        ),
        sources=("field",),
        capability="results",
    ),
    Requirement(
        id="RES-5",
        family="RES",
        title="Items in hand-over are conserved",
        wording=(
            "A gate MUST conserve the items and wake-ups that are being handed over when the stop comes: "
            "each of them MUST end up delivered, returned or recorded."
        ),
        sources=("field",),
        capability="results",
    ),
    Requirement(
        id="DDL-1",
        family="DDL",
        title="Child deadline only shrinks",
        wording=(
            "A gate MUST set the deadline of a child to its parent's deadline or the child's own cap, "
            "whichever is earlier, and MUST NOT let any number of hops or retries make it later."
        ),
        sources=("B",),
        capability="deadlines",
    ),
    Requirement(
        id="DDL-2",
        family="DDL",
        title="Child without time is rejected",
        wording=(
            "A gate MUST reject, before it is dispatched, a child whose minimum useful time does not fit "
            "any more into what is left before the protected reserve."
        ),
        sources=("B",),
        capability="deadlines",
    ),
    Requirement(
        id="DDL-3",
        family="DDL",
        title="Deadline expiry is a cancellation",
        wording=(
            "A gate MUST treat the expiry of a deadline as a cancellation with reason `deadline`, with the "
            "same kind of record and under the same rules as any other. Its cutoff MUST be the first "
            "operation or tick at which the current time has reached or passed the deadline."
        ),
        sources=("B",),
        capability="deadlines",
    ),
    Requirement(
        id="LIVE-1",
        family="LIVE",
        title="Undisturbed work gets done",
        wording=(
            "As long as there is neither a stop nor a fault, a gate MUST admit effects and have them "
            "delivered, let children run and let the task complete."
        ),
        sources=("A",),
    ),
    Requirement(
        id="LIVE-2",
        family="LIVE",
        title="Authorised stop is accepted",
        wording="A gate MUST accept a stop of a running task when the caller is authorised to stop it.",
        sources=("A",),
    ),
    Requirement(
        id="LIVE-3",
        family="LIVE",
        title="Accounted task settles at rest",
        wording=(
            "When a run is at rest (no fault pending, every actor finished or waiting for ever, no next "
            "wake-up named) and everything about a stopped task is accounted for, a gate MUST have that "
            "task in the state `cancelled_settled`."
        ),
        sources=("A",),
    ),
    Requirement(
        id="LIVE-4",
        family="LIVE",
        title="Stopped tasks come to rest",
        wording=(
            "Once faults have ended, ticks at the wake-up times that the gate itself names MUST bring every "
            "stopped task to rest within the grace and the reconciliation budget that the gate declares."
        ),
        sources=("C",),
    ),
    Requirement(
        id="RPT-1",
        family="RPT",
        title="Cancelled is never shown early",
        wording=(
            "A gate MUST NOT show a task as `cancelled` as long as one of its effects is unknown or one of "
            "its workers is neither stopped nor fenced. A worker is stopped if it acknowledged "
            "`handler_stopped` or stronger or a probe found it gone, and fenced if its lease is revoked and "
            "it holds no open claim."
        ),
        sources=("A", "C"),
    ),
    Requirement(
        id="RPT-2",
        family="RPT",
        title="Completed effects stay visible",
        wording=("A gate MUST show the effects that were completed also when it shows their task as cancelled."),
        sources=("A", "C"),
    ),
    Requirement(
        id="RPT-3",
        family="RPT",
        title="Unsupported stop is shown",
        wording=(
            "A gate MUST show an operation that has no stop of its own as `cancellation_unsupported` until "
            "that operation ends. This does not apply to an operation of class `discardable`, which counts "
            "as stopped as soon as its result is fenced out."
        ),
        sources=("C",),
    ),
    Requirement(
        id="RPT-4",
        family="RPT",
        title="Vanished viewers change no status",
        wording=(
            "A gate MUST NOT change any status because a stream was closed, a client was dropped or a row was hidden."
        ),
        sources=("A", "B"),
    ),
    Requirement(
        id="RPT-5",
        family="RPT",
        title="Three facets are reported apart",
        wording=(
            "A gate MUST report three facets and MUST NOT merge them: intent (whether there is a record), "
            "execution (what has stopped and how strongly that is proved) and effects (the ledger)."
        ),
        sources=("A",),
    ),
    Requirement(
        id="RPT-6",
        family="RPT",
        title="Closed account can be rebuilt",
        wording=(
            "A gate MUST keep enough to rebuild the account of a closed task from it alone: the "
            "cancellation revision, the commitments, the acknowledgements, the receipts and the outcomes "
            "that stayed unresolved."
        ),
        sources=("A",),
    ),
    Requirement(
        id="MET-1",
        family="MET",
        title="Gate yields its own measures",
        wording=(
            "A gate SHOULD yield from its own records, broken down by operation and adapter: the requests "
            "by reason, the p50 and p95 from request to observation, the p95 from observation to terminal, "
            "the work done after the cutoff and after the deadline, the orphan children, the late results "
            "rejected, the effects completed after cancel, the unknown outcomes and the force-stop rate."
        ),
        sources=("B",),
        level=Level.SHOULD,
        capability="measures",
    ),
)
