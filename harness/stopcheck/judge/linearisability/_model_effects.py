"""What the contract allows of an effect: commitment, claim, suppression and outcome.

One idea: an effect has one stage, ``admitted`` → ``claimed`` → ``unknown`` → a definitive disposition, and each
operation is a row of what it may answer there.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from stopcheck.gate import (
    ClaimDispatch,
    CommitEffect,
    Compensate,
    Disposition,
    Finding,
    LookupAnswer,
    LookupEvidence,
    NoEvidence,
    Receipt,
    RecordOutcome,
    Suppress,
)
from stopcheck.judge.linearisability._outcome import REFUSED, STALE, Outcome
from stopcheck.judge.linearisability._rules import Place, Steps
from stopcheck.judge.linearisability._state import ADMITTED, CLAIMED, SUPPRESSED, UNKNOWN, Effect, GateState

_FOUND = {
    Finding.EXECUTED: Disposition.COMPLETED,
    Finding.PARTIAL: Disposition.COMPLETED,
    Finding.REJECTED: Disposition.REJECTED,
    Finding.PROVIDER_CANCELLED: Disposition.PROVIDER_CANCELLED,
    Finding.FENCED: Disposition.NOT_EXECUTED,
}
#: What a batch may come to.
_WHOLE = tuple(dict.fromkeys(str(disposition) for disposition in _FOUND.values()))
_RECORDED, _SAME, _CONTRADICTED = Outcome("Recorded"), Outcome("Same"), Outcome("Contradicted")
_BAD, _PARKED = Outcome("BadEvidence"), Outcome("Parked")
_NOT_ADMITTED = Outcome("NotAdmitted")


def commit_effect(place: Place, request: CommitEffect) -> Steps:
    """Admit the effect, or say why not; if several reasons hold, any of them."""
    holds, stale = place.epoch(request.epoch)
    stopped = place.stopped
    over = bool(stopped) or place.task.ended
    if stopped:
        yield Outcome("Stopped", records=stopped), place.state
    if place.task.ended:
        yield Outcome("Ended", values=place.executions), place.state
    if stale or over:
        yield STALE, place.state
    tenant, effect_id = place.ref.key.tenant, request.effect_id
    existing = place.state.effect(tenant, effect_id)
    if existing is not None:
        yield from _again(place, request, existing)
    elif holds and not over:
        effect = Effect(place.ref, request.payload_digest, request.receiver)
        yield from _admit(place, tenant, effect_id, effect)


def compensate(place: Place, request: Compensate) -> Steps:
    """A commitment that may also be turned away for want of an authorisation, or of something to answer. Whether that
    is right does not hang on the order of calls, and is asked elsewhere (RCN-3)."""
    yield Outcome("Unauthorised"), place.state
    yield Outcome("NotCompleted"), place.state
    if request.target == place.ref:
        yield REFUSED, place.state
    else:
        yield from commit_effect(place, request)


def _again(place: Place, request: CommitEffect, existing: Effect) -> Steps:
    foreign = existing.task != place.ref
    same = existing.digest == request.payload_digest
    if same:
        yield Outcome("ExistingEffect", values=() if foreign else _shown(place, existing)), place.state
    if not same or foreign or existing.receiver != request.receiver:
        yield Outcome("PayloadMismatch"), place.state
    if foreign:
        yield REFUSED, place.state


def _shown(place: Place, effect: Effect) -> tuple[str, ...]:
    """The dispositions that an answer may show."""
    if place.rules.sends and not effect.definitive:
        return ()
    if effect.stage == ADMITTED:
        shown = (str(Disposition.PENDING),)
        return (*shown, SUPPRESSED) if place.rules.suppression and place.stopped else shown
    if effect.definitive:
        return (effect.stage,)
    return (str(Disposition.PENDING), str(Disposition.UNKNOWN))


def _admit(place: Place, tenant: str, effect_id: str, effect: Effect) -> Steps:
    # Evidence that came before its effect may resolve it at once.
    stages = [ADMITTED, *(stage for owner, name, stage in place.state.parked if (owner, name) == (tenant, effect_id))]
    for stage in stages:
        reached = place.state.with_effect(tenant, effect_id, replace(effect, stage=stage))
        yield Outcome("Admitted", values=("unclaimed",)), reached
    if place.rules.sends:
        claimed = replace(effect, stage=CLAIMED)
        yield Outcome("Admitted", values=("claimed",)), place.state.with_effect(tenant, effect_id, claimed)


def _ledger(place: Place, effect_id: str) -> Effect | None:
    """The effect, if it stands in this task's ledger."""
    effect = place.state.effect(place.ref.key.tenant, effect_id)
    return effect if effect is not None and effect.task == place.ref else None


def _to(place: Place, effect_id: str, effect: Effect, stage: str) -> GateState:
    return place.state.with_effect(place.ref.key.tenant, effect_id, replace(effect, stage=stage))


def _not_in_ledger(place: Place) -> Steps:
    """Nobody admitted it here: its name means nothing, or another task's effect."""
    yield _NOT_ADMITTED, place.state
    yield REFUSED, place.state


def _resolved(effect: Effect) -> Outcome:
    return Outcome("Resolved", values=(effect.stage,))


def claim_dispatch(place: Place, request: ClaimDispatch) -> Steps:
    """Granted once; again only as ``Resend``, before it is resolved and before the cutoff, to a receiver that is
    idempotent."""
    effect = _ledger(place, request.effect_id)
    if effect is None:
        yield from _not_in_ledger(place)
        return
    claimed = Outcome("AlreadyClaimed")
    if effect.stage == ADMITTED:
        yield Outcome("ClaimGranted"), _to(place, request.effect_id, effect, CLAIMED)
        if place.rules.sends:
            yield claimed, _to(place, request.effect_id, effect, CLAIMED)
        if place.rules.suppression and place.stopped:
            yield Outcome("SuppressedAlready"), _to(place, request.effect_id, effect, SUPPRESSED)
    elif effect.definitive:
        yield _resolved(effect), place.state
        if effect.stage == SUPPRESSED:
            yield Outcome("SuppressedAlready"), place.state
    else:
        yield claimed, place.state
        if request.idempotent_receiver and not place.stopped:  # in doubt, or for a dispatcher that may have died
            yield Outcome("Resend"), place.state
    if place.rules.sends and not effect.definitive:
        yield Outcome("Resolved"), place.state


def suppress(place: Place, request: Suppress) -> Steps:
    """Wins against the claim or loses to it."""
    effect = _ledger(place, request.effect_id)
    if effect is None:
        yield from _not_in_ledger(place)
        return
    done, late = Outcome("SuppressionDone"), Outcome("TooLate")
    if effect.stage == ADMITTED:
        yield done, _to(place, request.effect_id, effect, SUPPRESSED)
        if place.rules.sends:
            yield late, _to(place, request.effect_id, effect, CLAIMED)
    elif effect.stage == SUPPRESSED:
        yield done, place.state
        yield _resolved(effect), place.state
    else:
        yield late, place.state
        if effect.definitive:
            yield _resolved(effect), place.state
    if place.rules.sends and not effect.definitive:
        yield Outcome("Resolved"), place.state


def _told(request: RecordOutcome) -> tuple[str, Receipt | None]:
    """The stage that the evidence speaks for if it is genuine, and its receipt."""
    evidence = request.evidence
    if isinstance(evidence, NoEvidence):
        return UNKNOWN, None
    receipt = evidence.receipt
    if isinstance(evidence, LookupEvidence):
        if evidence.answer not in (LookupAnswer.FOUND, LookupAnswer.FENCED):
            return UNKNOWN, None
        if receipt is None:
            fenced = evidence.answer is LookupAnswer.FENCED
            return str(Disposition.NOT_EXECUTED if fenced else Disposition.COMPLETED), None
    assert receipt is not None
    return str(_FOUND[receipt.finding]), receipt


def record_outcome(place: Place, request: RecordOutcome) -> Steps:
    """Evidence ends the doubt once; no evidence makes the doubt explicit.

    Whether a receipt is genuine is not known here, so ``BadEvidence`` is allowed of every one; one for another
    effect, payload or receiver is bad for certain. What is told of an item may say nothing of the batch as a whole, or
    decide it in any way: how items sum up is asked elsewhere (EFF-11).
    """
    told, receipt = _told(request)
    effect = _ledger(place, request.effect_id)
    if receipt is not None:
        yield _BAD, place.state
    if effect is None:
        yield from _park(place, request, told)
        return
    foreign = receipt is not None and (receipt.receiver, receipt.effect_id, receipt.payload_digest) != (
        effect.receiver,
        request.effect_id,
        effect.digest,
    )
    if foreign:
        yield _CONTRADICTED, place.state
        return
    if request.item is not None or (receipt is not None and receipt.item):
        for outcome in (_RECORDED, _SAME, _CONTRADICTED, _PARKED):
            yield outcome, place.state
            for stage in (UNKNOWN, *_WHOLE):
                yield outcome, _to(place, request.effect_id, effect, stage)
        return
    for outcome, stage in _entered(effect.stage, told):
        yield outcome, _to(place, request.effect_id, effect, stage)
    if not effect.definitive:
        yield _PARKED, _with_parked(place, request.effect_id, told)  # it is applied later


def _with_parked(place: Place, effect_id: str, told: str) -> GateState:
    """Evidence that waits; of silence nothing is left to wait."""
    if told == UNKNOWN:
        return place.state
    entry = (place.ref.key.tenant, effect_id, told)
    return replace(place.state, parked=tuple(sorted({*place.state.parked, entry})))


def _park(place: Place, request: RecordOutcome, told: str) -> Steps:
    yield _PARKED, _with_parked(place, request.effect_id, told)
    yield _SAME, place.state
    if place.state.effect(place.ref.key.tenant, request.effect_id) is not None:
        yield REFUSED, place.state  # it is another task's


def _entered(stage: str, told: str) -> Iterator[tuple[Outcome, str]]:
    """What may be answered at ``stage`` to evidence that says ``told``, and the stage after it."""
    if stage in (ADMITTED, CLAIMED, UNKNOWN):
        for outcome in (_RECORDED, _SAME):
            yield outcome, told
            if stage == ADMITTED and told == UNKNOWN:
                yield outcome, stage
        if stage == ADMITTED:  # nobody was allowed to send it yet
            yield _CONTRADICTED, stage
            yield _CONTRADICTED, told
        return
    completed = str(Disposition.COMPLETED)
    contradicts = told != UNKNOWN and (stage == completed) != (told == completed)
    if not contradicts:
        yield _RECORDED, stage
        yield _SAME, stage
    if told != stage:
        yield _CONTRADICTED, stage
