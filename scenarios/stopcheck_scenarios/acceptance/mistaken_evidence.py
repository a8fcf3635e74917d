"""Genuine receipts of the wrong receiver, and false ones that come before their effect is known.

Two receivers take the same payload under the same id, and only one of them was asked. What was parked is as false
when the effect becomes known as it was before. Somebody may press Stop between any two of these.
"""

from __future__ import annotations

import msgspec

from stopcheck.gate import (
    Admitted,
    BadEvidence,
    ClaimGranted,
    Contradicted,
    Finding,
    LookupAnswer,
    LookupEvidence,
    Parked,
    ReceiptEvidence,
    Recorded,
    Refused,
    Right,
    Same,
    Stopped,
)
from stopcheck.world import EXPORT, Client, Effect, FaultBudget, Holder, Receiver, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, in_order, saw


def build(world: World) -> None:
    """A worker with two mails, an export that was asked nothing, and a person at Stop."""
    task = world.task("refund")
    mail, export = world.receiver("mail"), world.receiver("export", EXPORT)
    sent = world.effect(task, "refund-mail", mail)
    early = world.effect(task, "survey-mail", mail)
    world.opens(task)
    holder = world.under_way(task, effects=(sent,))
    world.actor("teller", tell(holder, world.client("dispatcher", Right.DISPATCH), sent, early, export))
    world.person("person", task)


async def tell(holder: Holder, dispatcher: Client, sent: Effect, early: Effect, export: Receiver) -> None:
    """False things of a mail that nobody knows yet, and of one that is on its way; then the truth of the second."""
    genuine = early.receiver.sign(early.effect_id, early.payload_digest, Finding.EXECUTED)
    forged = msgspec.structs.replace(genuine, signature="0" * len(genuine.signature))
    await dispatcher.record_outcome(early, ReceiptEvidence(forged))
    await dispatcher.record_outcome(early, elsewhere(export, early, Finding.REJECTED))
    await holder.client.commit_effect(early, holder.epoch)
    claim = await dispatcher.claim_dispatch(sent)
    await dispatcher.record_outcome(sent, elsewhere(export, sent, Finding.EXECUTED))
    fenced = export.sign(sent.effect_id, sent.payload_digest, Finding.FENCED)
    await dispatcher.record_outcome(sent, LookupEvidence(LookupAnswer.FENCED, fenced))
    if isinstance(claim, ClaimGranted):
        true = sent.receiver.sign(sent.effect_id, sent.payload_digest, Finding.REJECTED)
        await dispatcher.record_outcome(sent, ReceiptEvidence(true), claim.attempt)


def elsewhere(export: Receiver, effect: Effect, finding: Finding) -> ReceiptEvidence:
    """What another receiver signs for the same id and payload."""
    return ReceiptEvidence(export.sign(effect.effect_id, effect.payload_digest, finding))


SCENARIO = Scenario(
    id="mistaken-evidence",
    title="Evidence of the wrong receiver, and false evidence that comes too early",
    sentence="Evidence counts only if it is genuine, about this effect, and of the receiver that was asked.",
    build=build,
    budget=FaultBudget(crashes=1, provider=0),
    witnesses=(
        Witness(
            "an effect was admitted of which something false had been told",
            in_order(answer("record_outcome", BadEvidence, Parked), answer("commit_effect", Admitted)),
        ),
        Witness(
            "false evidence of a claimed effect was told",
            in_order(
                answer("claim_dispatch", ClaimGranted),
                answer("record_outcome", BadEvidence, Contradicted, Parked, Same, Refused),
            ),
        ),
        Witness("the stop came before that", saw(answer("commit_effect", Stopped))),
        Witness("the true receipt counted", saw(answer("record_outcome", Recorded))),
    ),
    clauses=("EFF-14", "EFF-10", "EFF-1"),
    points=("immediately before a commitment", "between commitment and send"),
)
