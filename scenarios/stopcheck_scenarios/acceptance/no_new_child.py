"""Case 9. No new child after the parent's cancellation is observed.

The parent has registered one child, and registers another while somebody stops the subtree. Once it has seen the stop,
and said so, it tries a third all the same, and tries to start the first.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, AckStrength, Capability, Done, Ended, Recorded, Scope, Stopped, TaskRef
from stopcheck.world import Child, FaultBudget, Holder, Scenario, Witness, World, wait_until
from stopcheck_scenarios._seen import answer, died_under, in_order


def build(world: World) -> None:
    """A parent under way with one child that has not started, and a person who stops the subtree."""
    parent = world.task("claim")
    first, second, third = (world.child(parent, name) for name in ("letter", "second-letter", "third-letter"))
    world.opens(parent)
    holder = world.under_way(parent, "parent worker", children=(first,))
    world.actor("parent worker", branch_out(world, holder, parent, (first, second, third)))
    world.person("person", parent, Scope.SUBTREE, then_inspects=False)


async def branch_out(world: World, holder: Holder, parent: TaskRef, children: tuple[Child, Child, Child]) -> None:
    """One more child; then the stop is seen, and nothing may come of another."""
    first, second, third = children
    client = holder.client
    await client.register_child(second, holder.epoch)
    await wait_until("stop", lambda: parent in world.records, ("stop",))
    record = world.records[parent]
    world.hear(record)
    await client.acknowledge(parent, holder.epoch, AckStrength.OBSERVED, record.revision)
    await client.register_child(third, holder.epoch)
    await client.start_child(first)


STOP = answer("request_cancel", Accepted)
OBSERVED = answer("acknowledge", Recorded)

SCENARIO = Scenario(
    id="no-new-child",
    ledger=False,
    title="A parent that has seen the stop wants another child",
    sentence="No new child after the parent's cancellation is observed.",
    case=9,
    build=build,
    needs=frozenset((Capability.CHILDREN,)),
    budget=FaultBudget(crashes=1, lost_answers=("register_child",), provider=0),
    witnesses=(
        Witness("a child was registered before the stop", in_order(answer("register_child", Done), STOP)),
        Witness("a registration came after the stop", in_order(STOP, answer("register_child", Stopped), OBSERVED)),
        Witness(
            "after the stop was observed no child was registered, and none started",
            in_order(OBSERVED, answer("register_child", Stopped), answer("start_child", Stopped, Ended)),
        ),
        Witness("the gate died under the registration", died_under("register_child"), durable=True),
    ),
    clauses=("CHILD-2", "CHILD-4", "CHILD-7", "CHILD-8", "ACK-1", "ADM-3"),
    points=("before a child is dispatched",),
)
