"""What a piece of evidence is worth, from outside the gate.

One idea: the judge knows the receivers, so it can tell evidence that has to count (*speaks*) from evidence that says
nothing (*silent*) and from evidence that must not count (*false*: forged, foreign, or for another payload).
"""

from __future__ import annotations

from stopcheck.gate import (
    Disposition,
    Evidence,
    Finding,
    LookupAnswer,
    LookupEvidence,
    NoEvidence,
    Receipt,
)
from stopcheck.judge._known import EffectFacts
from stopcheck.world._receivers import is_genuine

_DISPOSITIONS = {
    Finding.EXECUTED: Disposition.COMPLETED,
    Finding.PARTIAL: Disposition.COMPLETED,
    Finding.REJECTED: Disposition.REJECTED,
    Finding.PROVIDER_CANCELLED: Disposition.PROVIDER_CANCELLED,
    Finding.FENCED: Disposition.NOT_EXECUTED,
}


def receipt_in(evidence: Evidence) -> Receipt | None:
    """The receipt that the evidence carries, if any."""
    return None if isinstance(evidence, NoEvidence) else evidence.receipt


def is_silent(evidence: Evidence) -> bool:
    """Whether the evidence says nothing of the effect: no answer, or a look-up that found nothing."""
    if isinstance(evidence, LookupEvidence):
        return evidence.answer in (LookupAnswer.ABSENT, LookupAnswer.STALE)
    return isinstance(evidence, NoEvidence)


def found_nothing(evidence: Evidence) -> bool:
    """Whether it is a look-up that found nothing: absent or stale."""
    return isinstance(evidence, LookupEvidence) and is_silent(evidence)


def is_false(evidence: Evidence, effect: EffectFacts) -> bool:
    """Whether its receipt is certainly forged, foreign, or for another payload."""
    receipt = receipt_in(evidence)
    if receipt is None or is_silent(evidence):
        return False
    foreign = (receipt.receiver, receipt.effect_id) != (effect.receiver, effect.effect_id)
    other = receipt.payload_digest not in (effect.payload_digest, *effect.admissions)
    unnamed = bool(receipt.item) and receipt.item not in effect.items
    return foreign or other or unnamed or not is_genuine(receipt)


def speaks(evidence: Evidence, effect: EffectFacts) -> Disposition | None:
    """The disposition for which a right gate has to take it; ``None`` when it is silent, false or muddled (a look-up
    whose answer and receipt do not fit; of a batch, that some part of it was done)."""
    if is_silent(evidence) or is_false(evidence, effect):
        return None
    receipt = receipt_in(evidence)
    if receipt is None or any(payload != receipt.payload_digest for payload in effect.admissions):
        return None
    fenced = receipt.finding is Finding.FENCED
    if isinstance(evidence, LookupEvidence) and fenced != (evidence.answer is LookupAnswer.FENCED):
        return None
    if receipt.finding is Finding.PARTIAL and effect.items and not receipt.item:
        return None
    return _DISPOSITIONS[receipt.finding]


def describe(evidence: Evidence) -> str:
    """Evidence for people: ``no answer (timeout)``, ``look-up: absent``, ``receipt: executed``."""
    if isinstance(evidence, NoEvidence):
        return f"no answer ({evidence.cause})"
    if isinstance(evidence, LookupEvidence):
        return f"look-up: {evidence.answer}"
    return f"receipt: {evidence.receipt.finding}"


__all__ = [
    "describe",
    "found_nothing",
    "is_false",
    "is_silent",
    "receipt_in",
    "speaks",
]
