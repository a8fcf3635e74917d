"""A child is stopped before its owner has registered it, or before it starts; its owner goes on.

Where a stop before the opening is kept, the child never runs: its registration is rejected, or it stands in the
inventory as stopped. Its owner was not stopped, works on, and completes.
"""

from __future__ import annotations

from stopcheck.gate import (
    Accepted,
    Admitted,
    Capability,
    Done,
    LeaseGranted,
    Refused,
    Right,
    Stage,
    Tombstoned,
    Trigger,
    Won,
)
from stopcheck.world import Child, Effect, FaultBudget, Holder, Scenario, Witness, World
from stopcheck_scenarios._seen import Seen, answer, died_under, either, in_order

WORKER = "worker"


def build(world: World) -> None:
    """An owner under way, a child that it registers and starts, and a person who stops that child alone."""
    owner = world.task("claim")
    child = world.child(owner, "letter")
    letter = world.effect(child.ref, "letter-mail", world.receiver("mail"))
    world.opens(owner)
    holder = world.under_way(owner, WORKER)
    world.actor(WORKER, take_in(world, holder, child, letter))
    world.person("person", child.ref, then_inspects=False)


async def take_in(world: World, holder: Holder, child: Child, letter: Effect) -> None:
    """Register it, start it and work on it as far as the gate lets one; then complete the owner, and look."""
    client = holder.client
    await client.register_child(child, holder.epoch)
    await client.start_child(child)
    work = await client.begin_work(child.ref, "child worker", "to the child", Trigger.FIRST)
    if isinstance(work, LeaseGranted):
        await client.commit_effect(letter, work.epoch)
        await client.fail(child.ref, work.epoch)
    await client.finish_child(child, Stage.FAILED if isinstance(work, LeaseGranted) else Stage.CONFIRMED_CANCELLED)
    await client.complete(child.parent, holder.epoch)
    auditor = world.client("auditor", Right.INSPECT)
    for task in (child.parent, child.ref):
        await auditor.inspect(task)


STOPPED_EARLY: Seen = either(
    in_order(answer("request_cancel", Tombstoned), answer("register_child", object)),
    in_order(answer("request_cancel", Refused), answer("register_child", Done)),
)

SCENARIO = Scenario(
    id="early-stopped-child",
    title="A child is stopped before it is registered",
    sentence="A stop of a child that does not exist yet is answered definitely, and its owner goes on.",
    build=build,
    needs=frozenset((Capability.CHILDREN,)),
    budget=FaultBudget(crashes=1, lost_answers=("register_child", "request_cancel"), provider=0),
    witnesses=(
        Witness("the stop came before the registration", STOPPED_EARLY),
        Witness(
            "the stop came between the registration and the start",
            in_order(answer("register_child", Done), answer("request_cancel", Accepted), answer("start_child", object)),
        ),
        Witness(
            "the stop came before the child's mail",
            in_order(
                answer("begin_work", LeaseGranted),
                answer("request_cancel", Accepted),
                answer("commit_effect", object),
            ),
        ),
        Witness(
            "the child's mail was admitted before the stop",
            in_order(answer("commit_effect", Admitted), answer("request_cancel", object)),
        ),
        Witness(
            "the owner completed after its child's stop",
            in_order(answer("request_cancel", object), answer("complete", Won)),
        ),
        Witness("the gate died under the early stop", died_under("request_cancel"), durable=True),
    ),
    clauses=("SCOPE-6", "SCOPE-7", "SCOPE-5", "CHILD-1", "CHILD-2", "LIVE-2"),
    points=("before a child is dispatched",),
)
