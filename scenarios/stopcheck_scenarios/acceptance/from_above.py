"""A stop that comes from above, or from the clock, takes along what belongs to whom it reaches.

Three tasks want one export and have items in hand-over. The first is owned by a task that is stopped with all that it
owns; the second reaches its deadline; the owner of the third is stopped alone, and with the rest when that has been
seen. A fourth goes on wanting the export.
"""

from __future__ import annotations

from stopcheck.gate import (
    SECOND_NS,
    Accepted,
    Capability,
    LastReleased,
    Live,
    Right,
    Scope,
    TaskRef,
    Widened,
)
from stopcheck.world import Client, FaultBudget, Holder, Scenario, Witness, World, sleep_until
from stopcheck_scenarios._seen import answer, in_order

LIFETIME_NS = 8 * SECOND_NS
ORDER = "order"


def taking_along(world: World) -> None:
    """Two owners with a child each, a task with a deadline, an order, and an export that all but the owners want."""
    export, order = world.task("export", shared=True), world.task(ORDER)
    owners = [world.task(name) for name in ("claim", "report")]
    children = [world.child(owner, name) for owner, name in zip(owners, ("letter", "survey"), strict=True)]
    late = world.task("answer")
    for task in (export, order, *owners):
        world.opens(task)
    world.opens(late, LIFETIME_NS if world.port.contract.has(Capability.DEADLINES) else None)
    for owner, child in zip(owners, children, strict=True):
        world.under_way(owner, f"{owner.key.task_id} worker", children=(child,))
    wanting = [child.ref for child in children] + [late]
    for task in wanting:
        world.prepare(want_and_wait(world, world.under_way(task, f"{task.key.task_id} worker"), export, task))
    world.prepare(world.client("owner", Right.WORK, handle=0).subscribe(export, ORDER, order))
    world.actor("person", stop_from_above(world, owners, wanting, export))


async def want_and_wait(world: World, holder: Holder, export: TaskRef, task: TaskRef) -> None:
    """An interest in the export, an item that waits, and one in its worker's hands."""
    await holder.client.subscribe(export, task.key.task_id, task)
    if world.port.contract.has(Capability.RESULTS):
        for item in ("taken", "waiting"):
            await holder.client.hand_over(task, item)
        await holder.client.take_item(task, holder.epoch)


async def stop_from_above(world: World, owners: list[TaskRef], wanting: list[TaskRef], export: TaskRef) -> None:
    """Stop one family at once, wait for the deadline, stop the other in two steps; then nobody wants the export."""
    client = world.client("person", Right.STOP, Right.INSPECT, Right.WORK)
    (claim, report), (letter, survey, late) = owners, wanting
    await stop_and_look(client, claim, Scope.SUBTREE, (letter, export))
    if world.port.contract.has(Capability.DEADLINES):
        await sleep_until("deadline", LIFETIME_NS, "the deadline")
        for task in (late, export):
            await client.inspect(task)
    for scope in (Scope.TASK, Scope.SUBTREE):
        await stop_and_look(client, report, scope, (survey, export))
    await client.release(export, ORDER)
    await client.inspect(export)


async def stop_and_look(client: Client, owner: TaskRef, scope: Scope, tasks: tuple[TaskRef, TaskRef]) -> None:
    """Stop the owner, and read these accounts."""
    await client.request_cancel(owner, scope, f"stop of the {scope}")
    for task in tasks:
        await client.inspect(task)


SCENARIO = Scenario(
    id="taken-along",
    ledger=False,
    title="Interests and items of what is stopped from above",
    sentence="Whoever is reached by a stop gives up its interest and its items, however the stop came to it.",
    build=taking_along,
    needs=frozenset((Capability.SHARED, Capability.CHILDREN)),
    budget=FaultBudget(crashes=0, provider=0),
    witnesses=(
        Witness("a stop was widened", in_order(answer("request_cancel", Accepted), answer("request_cancel", Widened))),
        Witness(
            "the last interest was released at last",
            in_order(answer("request_cancel", Widened), answer("release", LastReleased, Live)),
        ),
    ),
    clauses=("SHR-1", "SHR-2", "SHR-3", "RES-5", "SCOPE-5"),
    points=("concurrently with another stop",),
)
