"""Approvals and prepared writes die at the cutoff, not when the task has come to its end.

A person allowed two things and a worker prepared a write; the worker uses them one after the other, and never answers
the stop, so that the stopped task drains for long. Another approval comes late.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, Capability, Done, GrantKind, Refused, Right, TaskRef, Void
from stopcheck.world import Client, FaultBudget, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, call, died_under, in_order

APPROVAL, PERMISSION, WRITE, LATE = "refund-approval", "mail-permission", "prepared-statement", "late-approval"


def build(world: World) -> None:
    """A worker under way that was allowed things, an approver who comes late, and a person at Stop."""
    task = world.task("refund")
    world.opens(task)
    client = world.under_way(task).client
    world.prepare(allow(world.client("approver", Right.STOP), client, task))
    world.actor("worker", use(world, client, task))
    world.actor("late approver", approve(world.client("late approver", Right.STOP), task))
    world.person("person", task, then_inspects=False)


async def allow(approver: Client, worker: Client, task: TaskRef) -> None:
    """What was allowed and prepared in time."""
    await approver.grant(task, APPROVAL)
    await approver.grant(task, PERMISSION, GrantKind.PERMISSION)
    await worker.grant(task, WRITE, GrantKind.PREPARED_WRITE)


async def use(world: World, client: Client, task: TaskRef) -> None:
    """Go ahead with each; with the late one when everybody else is done."""
    for grant_id in (APPROVAL, PERMISSION, WRITE):
        await client.use_grant(task, grant_id)
    await world.others_at_rest()
    await client.use_grant(task, LATE)


async def approve(client: Client, task: TaskRef) -> None:
    """Say yes, before the stop or after it."""
    await client.grant(task, LATE)


STOP = answer("request_cancel", Accepted)
WORTHLESS = answer("use_grant", Void, Refused)


def void_after_stop(grant_id: str) -> Witness:
    """It had been granted before the stop, and was worth nothing after it."""
    used = call("use_grant", grant_id=grant_id)
    return Witness(f"{grant_id} was worth nothing after the stop", in_order(STOP, used, WORTHLESS))


SCENARIO = Scenario(
    id="late-approvals",
    title="Approvals are used while a stopped task drains",
    sentence="Approvals, grants and prepared writes die at the cutoff, not at termination; a late one fires nothing.",
    build=build,
    needs=frozenset((Capability.APPROVALS,)),
    budget=FaultBudget(crashes=1, lost_answers=("use_grant",), provider=0),
    witnesses=(
        Witness("an approval was used before the stop", in_order(answer("use_grant", Done), STOP)),
        *(void_after_stop(grant_id) for grant_id in (APPROVAL, PERMISSION, WRITE)),
        Witness(
            "an approval that came after the stop fired nothing",
            in_order(STOP, call("grant", "late approver"), call("use_grant", grant_id=LATE), WORTHLESS),
        ),
        Witness("the gate died under a use", died_under("use_grant"), durable=True),
    ),
    clauses=("ADM-8", "REC-4"),
    points=("immediately before a commitment",),
)
