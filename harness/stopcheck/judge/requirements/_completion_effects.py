"""Clauses about completion against stop (CMP) and the ledger of effects (EFF)."""

from __future__ import annotations

from stopcheck.judge.requirements._types import Requirement

COMPLETION_EFFECTS: tuple[Requirement, ...] = (
    Requirement(
        id="CMP-1",
        family="CMP",
        title="Exactly one of both wins",
        wording=(
            "Of a verified completion and a cancellation of the same task a gate MUST let exactly one win, "
            "and MUST name the same winner to every caller."
        ),
        sources=("A",),
        atomic=True,
        operations=("complete", "request_cancel"),
    ),
    Requirement(
        id="CMP-2",
        family="CMP",
        title="Completed task starts no shutdown",
        wording=(
            "If the completion has won, a gate MUST answer the stop with `already_completed` and MUST NOT "
            "begin a shutdown."
        ),
        sources=("A",),
    ),
    Requirement(
        id="CMP-3",
        family="CMP",
        title="Late success rewrites nothing",
        wording=(
            "If the cancellation has won, a success that comes later MUST NOT bring the task back or alter "
            "its recorded history, and the gate MUST record it as `completed_after_cancel`."
        ),
        sources=("A", "B"),
    ),
    Requirement(
        id="CMP-4",
        family="CMP",
        title="Effect evidence survives either winner",
        wording=(
            "A gate MUST keep the evidence about effects regardless of whether the completion or the cancellation wins."
        ),
        sources=("A",),
    ),
    Requirement(
        id="CMP-5",
        family="CMP",
        title="Unverified success cannot win",
        wording=(
            "A gate MUST NOT let a reported success win as long as it lacks the evidence for the effects of "
            "that success."
        ),
        sources=("A",),
    ),
    Requirement(
        id="CMP-6",
        family="CMP",
        title="Requester learns the winner",
        wording=(
            "A gate MUST tell whoever asked for the stop which side won the tie between stop and "
            "completion, and MUST give the same answer each time the request is repeated."
        ),
        sources=("field",),
        atomic=True,
        operations=("request_cancel", "complete"),
    ),
    Requirement(
        id="EFF-1",
        family="EFF",
        title="Definitive dispositions keep their evidence",
        wording=(
            "For each effect whose disposition is definitive (anything but `pending` and `unknown`) a gate "
            "MUST keep the evidence on which that disposition rests: a verified receipt, an authoritative "
            "look-up by effect id or, for `suppressed`, its own transition."
        ),
        sources=("A",),
    ),
    Requirement(
        id="EFF-2",
        family="EFF",
        title="Silence yields unknown",
        wording=(
            "A gate MUST record an effect as `unknown` when all it has is a timeout, a disconnect or a "
            "dropped response, and MUST NOT record it as `rejected`, `suppressed` or `failed` on that "
            "ground."
        ),
        sources=("A",),
    ),
    Requirement(
        id="EFF-3",
        family="EFF",
        title="Unknown waits for evidence",
        wording=(
            "A gate MUST leave an unknown effect `unknown` until there is evidence about it, and MUST never "
            "have it retried under a new effect id."
        ),
        sources=("A", "C"),
    ),
    Requirement(
        id="EFF-4",
        family="EFF",
        title="Evidence by original id resolves",
        wording=(
            "A gate MUST resolve an unknown effect when evidence is found under its original effect id, "
            "even if the task has been stopped by then."
        ),
        sources=("A",),
    ),
    Requirement(
        id="EFF-5",
        family="EFF",
        title="Undecidable effect stays unknown",
        wording=(
            "If the receiver is unable to tell what became of an effect, a gate MUST keep that effect "
            "`unknown` and, if its task has been stopped, MUST leave the task `stopped_unresolved`."
        ),
        sources=("A",),
    ),
    Requirement(
        id="EFF-6",
        family="EFF",
        title="Ledger misses nothing committed",
        wording=(
            "A gate MUST have a ledger entry for everything that any receiver has committed, so that no "
            "effect which got out is left unlisted."
        ),
        sources=("A",),
    ),
    Requirement(
        id="EFF-7",
        family="EFF",
        title="Contradictions are recorded",
        wording=(
            "A gate MUST NOT put a contradicting definitive disposition in the place of an earlier one "
            "unless it records the contradiction too."
        ),
        sources=("A",),
    ),
    Requirement(
        id="EFF-8",
        family="EFF",
        title="Stale absence is no evidence",
        wording=(
            'A gate MUST NOT accept "not found" from a stale look-up, as an eventually consistent receiver '
            "may give it, as evidence that an effect did not happen, unless the receiver has fenced the "
            "effect id."
        ),
        sources=("A",),
    ),
    Requirement(
        id="EFF-9",
        family="EFF",
        title="Duty to account is durable",
        wording=(
            "A gate MUST make the duty to account for an effect durable: the intent MUST be stored before "
            "the provider is called and MUST outlast a rollback, a time-out and a hand-over to another "
            "holder."
        ),
        sources=("field",),
    ),
    Requirement(
        id="EFF-10",
        family="EFF",
        title="Untimely evidence is parked",
        wording=("A gate MUST park evidence that comes too early, too late or without a match, and MUST NOT drop it."),
        sources=("field",),
    ),
    Requirement(
        id="EFF-11",
        family="EFF",
        title="Batch items are accounted separately",
        wording="A gate MUST keep a disposition of its own for every single item of a batch.",
        sources=("field",),
    ),
    Requirement(
        id="EFF-12",
        family="EFF",
        title="Partial output never looks complete",
        wording=(
            "Output that was produced only in part MUST either not be there at all or carry a mark that "
            "says so, and a gate MUST NOT let it pass for complete."
        ),
        sources=("field",),
    ),
    Requirement(
        id="EFF-14",
        family="EFF",
        title="Evidence is verified first",
        wording=(
            "A gate MUST verify evidence before it lets it count: a receipt that is forged, foreign or made "
            "out for another payload MUST change nothing except that a contradiction is recorded."
        ),
        sources=("A",),
    ),
    Requirement(
        id="EFF-13",
        family="EFF",
        title="Supported stop is declared beforehand",
        wording=(
            "A gate MUST have it declared, before an effect is admitted, which stop that effect supports, "
            "and MUST never show a status that claims more than the declaration."
        ),
        sources=("field",),
    ),
)
