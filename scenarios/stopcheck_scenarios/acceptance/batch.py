"""A batch is sent as one, and its items come to different ends.

Of three statements one is mailed, one is rejected, and of the third nothing is heard until somebody looks it up. A
receipt for one item is also told for another. Somebody may press Stop between any two of these, and looks.
"""

from __future__ import annotations

from stopcheck.gate import (
    Accepted,
    BadEvidence,
    ClaimGranted,
    Disposition,
    Finding,
    LookupAnswer,
    LookupEvidence,
    NoEvidence,
    ReceiptEvidence,
    Recorded,
    Right,
    Snapshot,
)
from stopcheck.world import Client, Effect, Event, FaultBudget, Returned, Scenario, Witness, World
from stopcheck_scenarios._seen import Match, answer, call, died_under, in_order, saw

DONE, REFUSED, SILENT = ITEMS = ("january", "february", "march")


def build(world: World) -> None:
    """An admitted batch of three, a dispatcher who hears of each item, an auditor, and a person at Stop."""
    task = world.task("statements")
    batch = world.effect(task, "statement-batch", world.receiver("mail"), items=ITEMS)
    world.opens(task)
    world.under_way(task, effects=(batch,))
    world.actor("dispatcher", send(world, world.client("dispatcher", Right.DISPATCH), batch))
    world.person("person", task)


async def send(world: World, client: Client, batch: Effect) -> None:
    """Send the batch, tell what is heard of each item, and look up the one of which nothing is."""
    auditor = world.client("auditor", Right.INSPECT)
    claim = await client.claim_dispatch(batch)
    if not isinstance(claim, ClaimGranted):
        return
    await batch.receiver.submit(batch, claim.permit)
    await hear(client, batch, DONE, Finding.EXECUTED)
    await hear(client, batch, SILENT, Finding.EXECUTED, about=DONE)
    await hear(client, batch, REFUSED, Finding.REJECTED)
    await auditor.inspect(batch.task)
    await client.record_outcome(batch, NoEvidence("timeout"), claim.attempt, item=SILENT)
    await auditor.inspect(batch.task)
    receipt = batch.receiver.sign(batch.effect_id, batch.payload_digest, Finding.EXECUTED, SILENT)
    await client.record_outcome(batch, LookupEvidence(LookupAnswer.FOUND, receipt), item=SILENT)
    await auditor.inspect(batch.task)


async def hear(client: Client, batch: Effect, item: str, finding: Finding, about: str = "") -> None:
    """The receiver's word of one item, or of another than it is told for."""
    receipt = batch.receiver.sign(batch.effect_id, batch.payload_digest, finding, about or item)
    await client.record_outcome(batch, ReceiptEvidence(receipt), item=item)


def shown(*dispositions: Disposition) -> Match:
    """The account shows these of the items."""

    def match(event: Event) -> bool:
        return (
            isinstance(event, Returned)
            and isinstance(event.reply, Snapshot)
            and any(tuple(item.disposition for item in effect.items) == dispositions for effect in event.reply.effects)
        )

    return match


STOP = answer("request_cancel", Accepted)

SCENARIO = Scenario(
    id="batch-in-parts",
    title="The items of a batch come to different ends",
    sentence="A batch has a disposition for each item; what was done in part never looks complete.",
    build=build,
    budget=FaultBudget(crashes=1, lost_answers=("record_outcome",), provider=0),
    witnesses=(
        Witness(
            "one item was in doubt while the others were known",
            saw(shown(Disposition.COMPLETED, Disposition.REJECTED, Disposition.UNKNOWN)),
        ),
        Witness(
            "all items were known in the end",
            saw(shown(Disposition.COMPLETED, Disposition.REJECTED, Disposition.COMPLETED)),
        ),
        Witness(
            "a receipt for one item did not count for another",
            in_order(call("record_outcome", item=SILENT), answer("record_outcome", BadEvidence)),
        ),
        Witness(
            "the stop came between two items",
            in_order(answer("record_outcome", Recorded), STOP, call("record_outcome")),
        ),
        Witness("the gate died while an item was recorded", died_under("record_outcome"), durable=True),
    ),
    clauses=("EFF-1", "EFF-11", "EFF-12", "EFF-14"),
    points=("after its commit and before its answer",),
)
