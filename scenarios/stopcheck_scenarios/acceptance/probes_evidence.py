"""A receiver contradicts itself: first it signs that the mail was rejected, then that it was executed.

Nobody forges anything here, so the only contradiction that can be recorded is this one. Somebody may press Stop between
the two statements.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, ClaimGranted, Contradicted, Finding, ReceiptEvidence, Recorded, Right
from stopcheck.world import Client, Effect, FaultBudget, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, in_order, saw


def build(world: World) -> None:
    """An admitted mail, a dispatcher who is told two things of it, and a person at Stop."""
    task = world.task("refund")
    refund_mail = world.effect(task, "refund-mail", world.receiver("mail"))
    world.opens(task)
    world.under_way(task, effects=(refund_mail,))
    world.actor("dispatcher", hear_both(world.client("dispatcher", Right.DISPATCH), refund_mail))
    world.person("person", task)


async def hear_both(client: Client, effect: Effect) -> None:
    """Claim the mail, and tell both statements in turn."""
    claim = await client.claim_dispatch(effect)
    if not isinstance(claim, ClaimGranted):
        return
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
