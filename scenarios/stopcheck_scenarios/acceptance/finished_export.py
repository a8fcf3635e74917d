"""Case 16. An export finishes during the stop: completed before cancellation, file kept, no second artefact.

The export may also be cut short while it is written: then there is a file, and it is not the whole. Whoever wins, the
file is in the account, and whoever claims it once more is turned away.
"""

from __future__ import annotations

from stopcheck.gate import (
    Accepted,
    AlreadyClaimed,
    ClaimGranted,
    Disposition,
    Ended,
    Lost,
    NoEvidence,
    Resolved,
    Right,
    Snapshot,
    Status,
    Won,
)
from stopcheck.world import EXPORT, Client, Effect, Event, FaultBudget, Holder, Returned, Scenario, Witness, World
from stopcheck_scenarios._seen import Match, answer, both, commit, fault, in_order, saw


def build(world: World) -> None:
    """An admitted export, whoever carries it out and reports, and a person at Stop."""
    task = world.task("report")
    file = world.effect(task, "report-file", world.receiver("files", EXPORT))
    world.opens(task)
    holder = world.under_way(task, effects=(file,))
    world.actor("exporter", export(world.client("exporter", Right.DISPATCH), holder, file))
    world.person("person", task)


async def export(client: Client, holder: Holder, file: Effect) -> None:
    """Write the file and report; look where no answer comes; try to write it once more."""
    claim = await client.claim_dispatch(file)
    if isinstance(claim, ClaimGranted):
        evidence = await file.receiver.submit(file, claim.permit)
        await client.record_outcome(file, evidence, claim.attempt)
        if isinstance(evidence, NoEvidence):
            await client.record_outcome(file, await file.receiver.look_up(file))
        await holder.client.complete(file.task, holder.epoch)
    again = await client.claim_dispatch(file)
    if isinstance(again, ClaimGranted):
        await file.receiver.submit(file, again.permit)


def shown(*statuses: Status, partial: bool = False) -> Match:
    """The account shows the file, whole or in part, beside one of those statuses."""

    def match(event: Event) -> bool:
        reply = event.reply if isinstance(event, Returned) else None
        return (
            isinstance(reply, Snapshot)
            and reply.status in statuses
            and any(e.disposition is Disposition.COMPLETED and e.partial is partial for e in reply.effects)
        )

    return match


STOP = answer("request_cancel", Accepted)
TURNED_AWAY = answer("claim_dispatch", AlreadyClaimed, Resolved)

SCENARIO = Scenario(
    id="finished-export",
    title="An export finishes during the stop",
    sentence="Completed before cancellation: the file is kept, and there is no second artefact.",
    case=16,
    build=build,
    # Deaths: between a claim and its outcome in lost-response, under a completion in late-completion.
    budget=FaultBudget(crashes=0, provider=1, provider_faults=("cut_short", "drop_answer")),
    witnesses=(
        Witness(
            "it was completed before the stop, and the file is kept",
            in_order(
                answer("complete", Won), answer("request_cancel", Ended), shown(Status.COMPLETED_BEFORE_CANCELLATION)
            ),
        ),
        Witness(
            "it finished during the stop, and nothing was written again",
            in_order(STOP, commit("report-file"), answer("complete", Lost), TURNED_AWAY),
        ),
        Witness(
            "the file was only a part and marked", both(saw(fault("cut_short")), saw(shown(*Status, partial=True)))
        ),
        Witness("the answer was lost", saw(fault("drop_answer"))),
    ),
    clauses=("EFF-12", "CMP-1", "CMP-2", "CMP-4", "CMP-6", "ADM-7", "RPT-2"),
    points=("at the receiver before its commit", "concurrently with completion", "after it ended"),
)
