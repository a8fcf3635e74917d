"""An effect is its id and its payload, and evidence is about exactly that.

One worker does by itself whatever may be tried with an id: commits it for another of its tasks, with another payload,
and once more when it has been claimed; claims one that was never admitted, and one twice; offers forged, foreign and
mistaken receipts, then the true one, and one that contradicts it. Somebody may press Stop between any two of these.
"""

from __future__ import annotations

import msgspec

from stopcheck.gate import (
    Admitted,
    AlreadyClaimed,
    BadEvidence,
    ClaimGranted,
    Contradicted,
    ExistingEffect,
    Finding,
    NotAdmitted,
    Parked,
    PayloadMismatch,
    ReceiptEvidence,
    Recorded,
    Right,
    Same,
    Unverified,
)
from stopcheck.world import Client, Effect, FaultBudget, Holder, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, commit, in_order, saw


def build(world: World) -> None:
    """A worker with leases of two tasks who tries things with two mails, and a person at Stop of the one."""
    task = world.task("refund")
    mail = world.receiver("mail")
    refund_mail = world.effect(task, "refund-mail", mail)
    stray_mail = world.effect(task, "stray-mail", mail)
    other_task = world.task("reminder")
    world.opens(task)
    world.opens(other_task)
    holders = world.under_way(task), world.under_way(other_task)
    copy = msgspec.structs.replace(refund_mail, task=other_task)
    dispatcher = world.client("dispatcher", Right.DISPATCH)
    world.actor("worker", try_identities(holders, dispatcher, (refund_mail, copy, stray_mail)))
    world.person("person", task)


async def try_identities(
    holders: tuple[Holder, Holder], dispatcher: Client, effects: tuple[Effect, Effect, Effect]
) -> None:
    """What may be tried with an effect before and around its one true delivery. The id is the effect's in the whole
    tenant, so that another task cannot have it admitted, too."""
    (holder, other_holder), (effect, copy, stray) = holders, effects
    worker, epoch = holder.client, holder.epoch
    if isinstance(await worker.commit_effect(effect, epoch), Admitted | ExistingEffect):
        await other_holder.client.commit_effect(copy, other_holder.epoch)
    await worker.commit_effect(effect, epoch, payload_digest="another payload")
    await dispatcher.claim_dispatch(stray)
    claim = await dispatcher.claim_dispatch(effect)
    await worker.commit_effect(effect, epoch)
    await dispatcher.claim_dispatch(effect)
    await offer_false_receipts(dispatcher, effect, stray)
    await worker.complete(effect.task, epoch)
    if isinstance(claim, ClaimGranted):
        evidence = await effect.receiver.submit(effect, claim.permit)
        await dispatcher.record_outcome(effect, evidence, claim.attempt)
        await dispatcher.record_outcome(effect, evidence, claim.attempt)
        await offer_receipt(dispatcher, effect, effect.payload_digest, Finding.REJECTED)
    await worker.complete(effect.task, epoch)


async def offer_false_receipts(dispatcher: Client, effect: Effect, stray: Effect) -> None:
    """A forged receipt, one for another effect, one for another payload; and a genuine one for an unknown effect."""
    genuine = effect.receiver.sign(effect.effect_id, effect.payload_digest, Finding.EXECUTED)
    forged = msgspec.structs.replace(genuine, signature="0" * len(genuine.signature))
    foreign = stray.receiver.sign(stray.effect_id, stray.payload_digest, Finding.EXECUTED)
    await dispatcher.record_outcome(effect, ReceiptEvidence(forged))
    await dispatcher.record_outcome(effect, ReceiptEvidence(foreign))
    await offer_receipt(dispatcher, effect, "another payload", Finding.EXECUTED)
    await dispatcher.record_outcome(stray, ReceiptEvidence(foreign))


async def offer_receipt(dispatcher: Client, effect: Effect, payload_digest: str, finding: Finding) -> None:
    """What the receiver would sign for that payload and finding."""
    receipt = effect.receiver.sign(effect.effect_id, payload_digest, finding)
    await dispatcher.record_outcome(effect, ReceiptEvidence(receipt))


SCENARIO = Scenario(
    id="effect-identity",
    races=True,
    title="What may be tried with an effect id",
    sentence="An effect id is bound to its payload, and only verified evidence about exactly it counts.",
    build=build,
    budget=FaultBudget(crashes=1, provider=0),
    witnesses=(
        Witness("the same effect was committed again", saw(answer("commit_effect", ExistingEffect))),
        Witness("another payload was refused", saw(answer("commit_effect", PayloadMismatch))),
        Witness("an effect that was not admitted was not claimed", saw(answer("claim_dispatch", NotAdmitted))),
        Witness(
            "being committed again did not let it be claimed again",
            in_order(answer("commit_effect", ExistingEffect), answer("claim_dispatch", AlreadyClaimed)),
        ),
        Witness("false evidence was refused", saw(answer("record_outcome", BadEvidence))),
        Witness("evidence for an unknown effect was parked", saw(answer("record_outcome", Parked))),
        Witness("a completion without evidence did not win", saw(answer("complete", Unverified))),
        Witness(
            "the true receipt counted after the false ones",
            in_order(answer("record_outcome", BadEvidence), commit("refund-mail"), answer("record_outcome", Recorded)),
        ),
        Witness("the same receipt was told twice", saw(answer("record_outcome", Same))),
        Witness("a contradicting receipt was noted", saw(answer("record_outcome", Contradicted))),
    ),
    clauses=("ADM-2", "ADM-5", "CMP-5", "EFF-1", "EFF-7", "EFF-10", "EFF-14"),
    points=("immediately before a commitment", "immediately after a commitment", "between commitment and send"),
)
