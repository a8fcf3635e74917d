"""Probes of settling and of grace: an owner settles after all that it owns, and grace counts from the cutoff.

In the first, the child's worker obeys the stop and says so, while the worker of its own child notices nothing. In the
second the stop comes late: longer after the beginning than the grace period lasts.
"""

from __future__ import annotations

from stopcheck.gate import (
    Accepted,
    AckStrength,
    CancellationRecord,
    Capability,
    Recorded,
    Right,
    Scope,
    Stage,
    TaskRef,
    TooEarly,
)
from stopcheck.world import (
    Child,
    Client,
    FaultBudget,
    Holder,
    Scenario,
    Witness,
    World,
    sleep_until,
    wait_until,
)
from stopcheck_scenarios._seen import answer, in_order


def grandchild_lives(world: World) -> None:
    """Parent, child and grandchild under way; the first two obey a stop of the subtree, and an auditor looks."""
    parent = world.task("claim")
    child = world.child(parent, "letter")
    grandchild = world.child(child.ref, "translation")
    world.opens(parent)
    of_parent = world.under_way(parent, "parent worker", children=(child,))
    of_child = world.under_way(child.ref, "child worker", children=(grandchild,))
    world.under_way(grandchild.ref, "grandchild worker")
    world.person("person", parent, Scope.SUBTREE, then_inspects=False)
    world.actor("child worker", obey(world, of_child, parent, child))
    world.actor("parent worker", obey(world, of_parent, parent))
    auditor = world.client("auditor", Right.INSPECT)
    world.actor("auditor", look(world, auditor, (parent, child.ref, grandchild.ref)))


async def obey(world: World, holder: Holder, stopped: TaskRef, child: Child | None = None) -> None:
    """Stop when the stop is known, and say so: to the gate, and as a child to the owner's inventory."""
    await wait_until("stop", lambda: stopped in world.records, ("stop",))
    record = world.records[stopped]
    world.hear(record)
    task = stopped if child is None else child.ref
    await holder.client.acknowledge(task, holder.epoch, AckStrength.HANDLER_STOPPED, record.revision)
    if child is not None:
        await holder.client.finish_child(child, Stage.CONFIRMED_CANCELLED)


async def look(world: World, client: Client, tasks: tuple[TaskRef, ...]) -> None:
    """Read each account when the others have nothing more to do."""
    await world.others_at_rest()
    for task in tasks:
        await client.inspect(task)


def late_stop(world: World) -> None:
    """A worker under way that never answers; after more than a grace period somebody presses Stop; a supervisor."""
    task = world.task("refund")
    world.opens(task)
    world.under_way(task)
    world.supervisor(task, ("worker",))
    person = world.client(world.cast.person, Right.STOP)
    world.actor("person", press_late(world, person, task))


async def press_late(world: World, client: Client, task: TaskRef) -> None:
    """Press Stop when the task has run for longer than the grace period."""
    await sleep_until("late", 2 * world.port.contract.grace_ns, "late stop")
    reply = await client.request_cancel(task, Scope.TASK, "late-stop")
    if isinstance(reply, Accepted):
        record: CancellationRecord = reply.record
        world.records[task] = record


SCENARIOS = (
    Scenario(
        id="living-grandchild",
        ledger=False,
        title="A grandchild lives while its owners have stopped",
        sentence="A parent settles only when each operation that it owns, at any depth, is terminal.",
        build=grandchild_lives,
        budget=FaultBudget(crashes=1, provider=0),
        needs=frozenset((Capability.CHILDREN,)),
        witnesses=(
            Witness(
                "parent and child have stopped, and the grandchild has not",
                in_order(answer("request_cancel", Accepted), answer("acknowledge", Recorded, actor="child worker")),
            ),
        ),
        clauses=("CHILD-5", "RPT-1", "LIVE-4"),
    ),
    Scenario(
        id="late-stop",
        title="The stop comes long after the beginning",
        sentence="Grace is counted from the cutoff, not from when the work began.",
        build=late_stop,
        budget=FaultBudget(crashes=1, provider=0),
        needs=frozenset((Capability.ESCALATION,)),
        witnesses=(
            Witness(
                "force was asked for too early after a late stop",
                in_order(answer("request_cancel", Accepted), answer("escalate", TooEarly)),
            ),
        ),
        clauses=("ESC-1", "ACK-3", "LIVE-4"),
    ),
)
