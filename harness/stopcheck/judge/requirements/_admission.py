"""Clauses about the admission boundary (ADM) and the withdrawal of admitted effects (SUP)."""

from __future__ import annotations

from stopcheck.judge.requirements._types import Requirement

ADMISSION: tuple[Requirement, ...] = (
    Requirement(
        id="ADM-1",
        family="ADM",
        title="No admission after the cutoff",
        wording=(
            "Once the cutoff of a task has taken place, that is the gate's own transition that accepts the "
            "cancellation, the gate MUST NOT admit any effect of ordinary work for it."
        ),
        sources=("A",),
        atomic=True,
        operations=("commit_effect", "request_cancel"),
    ),
    Requirement(
        id="ADM-2",
        family="ADM",
        title="Receivers see only admitted effects",
        wording=(
            "A gate MUST let nothing reach a receiver that it did not admit beforehand. If the gate "
            "dispatches by itself this is judged at the receiver, and if others dispatch, receivers MUST "
            "demand the permit that the claim returned."
        ),
        sources=("A",),
    ),
    Requirement(
        id="ADM-3",
        family="ADM",
        title="Commitment, cancellation, completion are linearisable",
        wording=(
            "A gate MUST make commitment, cancellation and completion linearisable: for every set of "
            "concurrent calls and their answers there is one order that explains them all, together with "
            "whatever the callers afterwards see by `inspect`. Testing a flag and sending in a later step "
            "does not meet this."
        ),
        sources=("A",),
        atomic=True,
        operations=("commit_effect", "request_cancel", "complete"),
    ),
    Requirement(
        id="ADM-4",
        family="ADM",
        title="Earlier commitment is reported as such",
        wording=(
            "A gate MUST report an effect whose commitment won against the cancellation as admitted before "
            "the cutoff, no matter how much later it is sent."
        ),
        sources=("A",),
    ),
    Requirement(
        id="ADM-5",
        family="ADM",
        title="Effect id is bound to payload",
        wording=(
            "Within a tenant a gate MUST bind an effect id to its payload: a commitment of a known id with "
            "any other payload MUST be refused, and one with the identical payload MUST be treated as the "
            "effect that already exists."
        ),
        sources=("A",),
        atomic=True,
        operations=("commit_effect",),
    ),
    Requirement(
        id="ADM-6",
        family="ADM",
        title="Old leases carry no authority",
        wording=(
            "A gate MUST NOT let a worker commit an effect or complete the task under a lease that was "
            "superseded or revoked (an expired or released one counts as revoked), and MUST NOT let it "
            "claim an effect on the strength of that lease."
        ),
        sources=("A",),
        atomic=True,
        operations=("commit_effect", "claim_dispatch", "complete", "begin_work"),
    ),
    Requirement(
        id="ADM-7",
        family="ADM",
        title="Each effect commits at most once",
        wording=(
            "Whatever is retried, redelivered or restarted, an effect id MUST be committed by its receiver "
            "no more than once. A gate MUST allow an effect to be sent again, under the same id, only if "
            "the cutoff has not come yet and the receiver is idempotent by that id, and from the cutoff on "
            "it MUST allow nothing but look-ups of an effect already sent."
        ),
        sources=("A", "B"),
    ),
    Requirement(
        id="ADM-8",
        family="ADM",
        title="Approvals die at the cutoff",
        wording=(
            "A gate MUST void approvals, grants and prepared writes at the cutoff itself rather than when "
            "execution terminates, and an approval that comes later MUST NOT set anything off."
        ),
        sources=("field",),
        capability="approvals",
    ),
    Requirement(
        id="ADM-9",
        family="ADM",
        title="Finishing counts as admission",
        wording=(
            "A gate MUST treat the finishing of work as an admission too: after the cutoff it MUST NOT let "
            "a late notification, a tool result, a dependant that becomes ready, a continuation, a "
            "continue-as-new or a cron tick start a new turn."
        ),
        sources=("field",),
    ),
    Requirement(
        id="SUP-1",
        family="SUP",
        title="Suppression and claim exclude each other",
        wording=(
            "A gate MUST decide between the suppression and the claim of an admitted effect in a single "
            "atomic transition, so that of the two competitors exactly one succeeds."
        ),
        sources=("A",),
        capability="suppression",
        atomic=True,
        operations=("suppress", "claim_dispatch"),
    ),
    Requirement(
        id="SUP-2",
        family="SUP",
        title="Suppressed effect never arrives",
        wording=(
            "After it has suppressed an effect a gate MUST NOT let anything of that effect arrive at the receiver."
        ),
        sources=("A",),
        capability="suppression",
    ),
    Requirement(
        id="SUP-3",
        family="SUP",
        title="Suppression after claim is too late",
        wording=(
            "A gate MUST answer a suppression that comes after the claim with `too_late` and keep the "
            "effect in doubt until there is evidence, and MUST never give it the disposition `suppressed`."
        ),
        sources=("A",),
        capability="suppression",
    ),
    Requirement(
        id="SUP-4",
        family="SUP",
        title="Delivery without suppression is reported",
        wording=(
            "A gate that offers no suppression MUST let an effect admitted before the cutoff be delivered "
            "after it, and MUST report that delivery."
        ),
        sources=("A",),
        capability="suppression",
    ),
)
