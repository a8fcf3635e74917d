"""Whoever waits on a stopped child is released; a child that finished or never came to be blocks nothing.

Somebody stops one child of a parent that goes on. The second child was given up, and the third was never let in, since
it belongs to somebody else; the fourth its owner calls completed, with a mail that nobody has sent. The parent
completes all the same.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, AckStrength, Capability, Refused, Right, Scope, Stage, TaskRef, Won
from stopcheck.world import Child, FaultBudget, Holder, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, in_order


def build(world: World) -> None:
    """A parent with three children at work and one that cannot be; somebody who stops the first."""
    parent = world.task("claim")
    stopped, failed, hasty = (world.child(parent, name) for name in ("letter", "translation", "survey"))
    mail = world.effect(hasty.ref, "survey-mail", world.receiver("mail"))
    foreign = world.task("foreign-letter", parent=parent, tenant=world.cast.other_tenant)
    never = Child(parent, foreign, stopped.kind, stopped.owner)
    world.opens(parent)
    holder = world.under_way(parent, "parent worker", children=(stopped, failed, hasty))
    world.under_way(hasty.ref, "hasty worker", effects=(mail,))
    child_holder = world.under_way(stopped.ref, "child worker")
    world.actor("child worker", is_stopped(world, child_holder, stopped.ref))
    world.actor("parent worker", completes(world, holder, (failed, hasty), never))


async def is_stopped(world: World, holder: Holder, child: TaskRef) -> None:
    """Somebody stops the child alone, and its worker says that it has stopped. Its owner is told by nobody."""
    reply = await world.client("person", Right.STOP).request_cancel(child, Scope.TASK, "stop-of-the-child")
    if isinstance(reply, Accepted):
        revision = reply.record.revision
        await holder.client.acknowledge(child, holder.epoch, AckStrength.HANDLER_STOPPED, revision)


async def completes(world: World, holder: Holder, ended: tuple[Child, Child], never: Child) -> None:
    """The owner gives one child up, calls another completed, registers and starts both again, is refused a third, and
    completes without any."""
    client, (failed, hasty) = holder.client, ended
    parent = failed.parent
    await client.finish_child(failed, Stage.FAILED)
    await client.finish_child(hasty, Stage.COMPLETED)
    auditor = world.client("auditor", Right.INSPECT)
    await auditor.inspect(hasty.ref)
    for again in (failed, hasty):
        await client.register_child(again, holder.epoch)
        await client.start_child(again)
    await auditor.inspect(hasty.ref)
    await client.register_child(never, holder.epoch)
    await world.others_at_rest()
    await world.client("clock", Right.TICK).tick(parent)
    await client.complete(parent, holder.epoch)


SCENARIO = Scenario(
    id="released-owner",
    ledger=False,
    title="A parent whose child was stopped goes on",
    sentence="Those that wait on a stopped child are released; one that finished or never came to be blocks nothing.",
    build=build,
    needs=frozenset((Capability.CHILDREN,)),
    budget=FaultBudget(crashes=0, provider=0),
    witnesses=(
        Witness(
            "the parent completed above a stopped child",
            in_order(answer("request_cancel", Accepted), answer("complete", Won)),
        ),
        Witness(
            "the parent completed without a child that was refused",
            in_order(answer("register_child", Refused), answer("complete", Won)),
        ),
    ),
    clauses=("CHILD-8", "SCOPE-5", "SCOPE-7", "LIVE-1", "CMP-5", "REC-4"),
)
