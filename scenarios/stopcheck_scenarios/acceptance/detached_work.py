"""Detached work stands on its own; cancelling never turns owned work into detached work.

While a claim is being worked on, an archivist opens the archiving as a task of its own. Somebody stops the claim with
all that it owns: the archiving goes on. Then the archivist wants to take over the claim's child, which stays owned.
"""

from __future__ import annotations

from stopcheck.gate import (
    SECOND_NS,
    Accepted,
    Capability,
    Exists,
    LeaseGranted,
    PreCancelled,
    Refused,
    Right,
    Scope,
    Stopped,
    TaskRef,
    Trigger,
    Won,
)
from stopcheck.world import Child, FaultBudget, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, in_order

OWNER = "archive"


def build(world: World) -> None:
    """A parent and its child under way, an archivist, and a person who stops the subtree."""
    parent, archiving = world.task("claim"), world.task("archiving")
    child = world.child(parent, "letter")
    world.opens(parent, world.now_ns() + 3600 * SECOND_NS if world.port.contract.has(Capability.DEADLINES) else None)
    world.under_way(parent, "parent worker", children=(child,))
    world.under_way(child.ref, "child worker")
    world.actor("archivist", archive(world, parent, child, archiving))
    world.person("person", parent, Scope.SUBTREE, then_inspects=False)


async def archive(world: World, parent: TaskRef, child: Child, archiving: TaskRef) -> None:
    """Open the archiving and go on with it whatever becomes of the claim; try to take over the claim's child."""
    client = world.client("archivist", Right.OPEN, Right.WORK, Right.INSPECT)
    later_ns = 7200 * SECOND_NS if world.port.contract.has(Capability.DEADLINES) else None
    await client.open_task(archiving, later_ns, OWNER)
    lease = await client.begin_work(archiving, "archivist", "archiving", Trigger.FIRST)
    await world.others_at_rest()
    await client.open_task(child.ref, later_ns, OWNER)
    await client.begin_work(child.ref, "archivist", "taking over", Trigger.REPLACEMENT)
    await client.inspect(parent)
    await client.inspect(archiving)
    if isinstance(lease, LeaseGranted):
        await client.renew_lease(archiving, lease.epoch)
        await client.complete(archiving, lease.epoch)


STOP = answer("request_cancel", Accepted)

SCENARIO = Scenario(
    id="detached-work",
    ledger=False,
    title="Detached work beside a claim that is stopped",
    sentence="Detached work has its own owner, deadline and authority; owned work never becomes detached by a stop.",
    build=build,
    needs=frozenset((Capability.CHILDREN,)),
    budget=FaultBudget(crashes=0, provider=0),
    witnesses=(
        Witness(
            "detached work began before the stop and completed after it",
            in_order(answer("begin_work", LeaseGranted, actor="archivist"), STOP, answer("complete", Won)),
        ),
        Witness(
            "owned work was not opened as detached after the stop, and stayed stopped",
            in_order(
                STOP,
                answer("open_task", Exists, PreCancelled, Refused, actor="archivist"),
                answer("begin_work", Stopped, actor="archivist"),
            ),
        ),
    ),
    clauses=("CHILD-6", "CHILD-2", "SCOPE-5", "SCOPE-7"),
)
