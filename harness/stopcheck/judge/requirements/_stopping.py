"""Clauses about acknowledgements (ACK), the bounded stop (ESC) and what follows it (RCN)."""

from __future__ import annotations

from stopcheck.judge.requirements._types import Requirement

STOPPING: tuple[Requirement, ...] = (
    Requirement(
        id="ACK-1",
        family="ACK",
        title="Three facts are kept apart",
        wording=(
            "A gate MUST record three facts separately: that it accepted the cancellation itself, that the "
            "worker observed it, and that the outcome at the receiver is final."
        ),
        sources=("A",),
    ),
    Requirement(
        id="ACK-2",
        family="ACK",
        title="Acknowledgements keep their strength",
        wording=(
            "A gate MUST store each acknowledgement together with its strength, and MUST never read it as a "
            "stronger one (for a worker, from weak to strong: `signal_queued`, `observed`, "
            "`stopped_scheduling`, `handler_stopped`, `process_terminated`)."
        ),
        sources=("A",),
    ),
    Requirement(
        id="ACK-3",
        family="ACK",
        title="Silence is not a stop",
        wording=("A gate MUST never conclude that something has stopped from an acknowledgement that did not come."),
        sources=("A",),
    ),
    Requirement(
        id="ACK-4",
        family="ACK",
        title="Outdated acknowledgements do not count",
        wording=(
            "A gate MUST NOT give any weight to an acknowledgement that comes from a superseded lease or "
            "from another incarnation."
        ),
        sources=("A",),
    ),
    Requirement(
        id="ACK-5",
        family="ACK",
        title="Lying worker is contained",
        wording=(
            "If a worker acts after it said that it had stopped, a gate MUST contain what the worker does "
            "and MUST record the contradiction."
        ),
        sources=("A",),
    ),
    Requirement(
        id="ESC-1",
        family="ESC",
        title="Grace precedes force",
        wording=(
            "A gate MUST NOT force a stop until the declared grace period, measured from the cutoff, has gone by."
        ),
        sources=("B",),
        capability="escalation",
    ),
    Requirement(
        id="ESC-2",
        family="ESC",
        title="Ledger outlives every kill",
        wording=(
            "A gate MUST keep its ledger intact through the killing of anything that is killed to enforce a stop."
        ),
        sources=("A",),
        capability="escalation",
    ),
    Requirement(
        id="ESC-3",
        family="ESC",
        title="Local kill proves nothing remote",
        wording=("A gate MUST NOT take the killing of a local process as proof of anything about remote work."),
        sources=("A", "B"),
        capability="escalation",
    ),
    Requirement(
        id="ESC-4",
        family="ESC",
        title="Draining ends within its budget",
        wording=(
            "A gate MUST bound draining, so that by the end of the reconciliation budget the task is either "
            "`cancelled_settled` or `stopped_unresolved`. It MUST NOT hang, and MUST NOT claim a stop "
            "without proof."
        ),
        sources=("C",),
        capability="escalation",
    ),
    Requirement(
        id="ESC-5",
        family="ESC",
        title="Clean-up is shielded and limited",
        wording=(
            "A gate MUST shield from the stop any clean-up that has to survive it, and MUST give that "
            "clean-up a stricter deadline of its own and no authority to begin new work."
        ),
        sources=("B",),
        capability="escalation",
    ),
    Requirement(
        id="ESC-6",
        family="ESC",
        title="Uncontrollable worker is shown",
        wording=("If a worker can neither be stopped nor be fenced, a gate MUST say so in the status that it shows."),
        sources=("A",),
        capability="escalation",
    ),
    Requirement(
        id="ESC-7",
        family="ESC",
        title="Clean-up respects ownership",
        wording="A gate MUST NOT let clean-up touch anything that the task does not own.",
        sources=("C",),
        capability="escalation",
    ),
    Requirement(
        id="ESC-8",
        family="ESC",
        title="Force-stop is proved by probe",
        wording=(
            "A gate MUST judge a force-stop by a probe and not by what the kill call returned, and MUST "
            "apply it to the process together with its descendants. Its grace period MUST be longer than "
            "the observation bound that it declares."
        ),
        sources=("field",),
        capability="escalation",
    ),
    Requirement(
        id="ESC-9",
        family="ESC",
        title="Resources are released exactly once",
        wording=(
            "A gate MUST release the capacity, the locks and the leases of what was stopped once and only "
            "once, telling holders apart by epoch."
        ),
        sources=("field",),
        capability="escalation",
    ),
    Requirement(
        id="ESC-10",
        family="ESC",
        title="Repeats neither multiply nor disarm",
        wording=(
            "However often a stop is repeated and however many reconcilers act on it, a gate MUST carry out "
            "one transition only, and MUST NOT let any of this switch escalation off."
        ),
        sources=("field",),
        capability="escalation",
    ),
    Requirement(
        id="RCN-1",
        family="RCN",
        title="Reconciliation has its own authority",
        wording=(
            "A gate MUST let reconciliation go on, under a read authority of its own, after the authority "
            "of the workers has ended."
        ),
        sources=("A",),
        capability="reconciliation",
    ),
    Requirement(
        id="RCN-2",
        family="RCN",
        title="Reconciliation reopens no admission",
        wording="A gate MUST NOT let reconciliation open the admission of ordinary work again.",
        sources=("A",),
        capability="reconciliation",
    ),
    Requirement(
        id="RCN-3",
        family="RCN",
        title="Compensation is separately authorised",
        wording=(
            "A gate MUST treat a compensation as a new effect with an id and a disposition of its own, in a "
            "separate task, and MUST admit it only on an authorisation that names it and that it uses up. A "
            "stop MUST NOT count as such an authorisation."
        ),
        sources=("A", "B"),
        capability="compensation",
    ),
)
