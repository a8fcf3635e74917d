"""A receiver contradicts itself: first it signs that a mail was rejected, then that it was executed.

It does so of two mails, one after the other. Nobody forges anything here, so the only contradictions that can be
recorded are these two. Somebody may press Stop between any two of the statements.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, ClaimGranted, Contradicted, Finding, ReceiptEvidence, Recorded, Right
from stopcheck.world import Client, Effect, FaultBudget, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, in_order, saw


def build(world: World) -> None:
    """Two admitted mails, a dispatcher who is told two things of each, and a person at Stop."""
    task, mail = world.task("refund"), world.receiver("mail")
    mails = tuple(world.effect(task, name, mail) for name in ("refund-mail", "second-mail"))
    world.opens(task)
    world.under_way(task, effects=mails)
    world.actor("dispatcher", hear_both(world.client("dispatcher", Right.DISPATCH), mails))
    world.person("person", task)


async def hear_both(client: Client, mails: tuple[Effect, ...]) -> None:
    """Claim each mail, and tell both statements in turn."""
    for effect in mails:
        claim = await client.claim_dispatch(effect)
        if not isinstance(claim, ClaimGranted):
            continue
        for finding in (Finding.REJECTED, Finding.EXECUTED):
            receipt = effect.receiver.sign(effect.effect_id, effect.payload_digest, finding)
            await client.record_outcome(effect, ReceiptEvidence(receipt), claim.attempt)


SCENARIO = Scenario(
    id="opposed-receipts",
    title="A receiver contradicts itself",
    sentence="A definitive disposition is not replaced by a contradicting one without a recorded contradiction.",
    build=build,
    budget=FaultBudget(crashes=1, provider=0),
    witnesses=(
        Witness("the second statement was called a contradiction", saw(answer("record_outcome", Contradicted))),
        Witness(
            "the stop came between the two",
            in_order(
                answer("record_outcome", Recorded),
                answer("request_cancel", Accepted),
                answer("record_outcome", Contradicted),
            ),
        ),
    ),
    clauses=("EFF-7", "EFF-1", "CMP-4", "RPT-6"),
    points=("before final reporting",),
)
