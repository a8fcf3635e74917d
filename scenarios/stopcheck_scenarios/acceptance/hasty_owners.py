"""Owned work that does not wait: it starts before it is registered, branches while it is stopped, or stays in doubt.

One child wants to run before its owner has registered it. One registers a child of its own while everything above it is
being stopped. One has a mail of which nobody will ever know what became.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, Capability, Done, LeaseGranted, Refused, Right, Scope, Stopped, Trigger
from stopcheck.world import Abilities, Child, Client, FaultBudget, Holder, Lookup, Plan, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, commit, died_under, fault, in_order


def unregistered(world: World) -> None:
    """A parent under way, a child that starts before its owner registers it, and a person who stops the subtree."""
    parent = world.task("claim")
    child = world.child(parent, "letter")
    world.opens(parent)
    owner = world.under_way(parent, "parent worker")
    hasty = world.client("child worker", Right.WORK)
    world.actor("parent worker", register(world, owner, child))
    world.actor("child worker", start_at_once(hasty, child))
    world.person("person", parent, Scope.SUBTREE)


async def register(world: World, owner: Holder, child: Child) -> None:
    """The owner registers the child in its own time."""
    reply = await owner.client.register_child(child, owner.epoch)
    if isinstance(reply, Done):
        world.registered_children.append(child.ref)


async def start_at_once(client: Client, child: Child) -> None:
    """The child's worker begins without asking, then as it should."""
    await client.begin_work(child.ref, "child worker", "direct", Trigger.FIRST)
    await client.start_child(child)
    await client.begin_work(child.ref, "child worker", "direct", Trigger.FIRST)


def branching(world: World) -> None:
    """Parent and child under way; the child registers a grandchild while a person stops the parent's subtree."""
    parent = world.task("claim")
    child = world.child(parent, "letter")
    grandchild = world.child(child.ref, "translation")
    world.opens(parent)
    world.under_way(parent, "parent worker", children=(child,))
    holder = world.under_way(child.ref, "child worker")
    world.actor("child worker", register(world, holder, grandchild))
    world.worker("grandchild worker", Plan(task=grandchild.ref, as_child=grandchild, completes=False))
    world.person("person", parent, Scope.SUBTREE)


def in_doubt(world: World) -> None:
    """Parent and child under way; the child's mail goes to a receiver that cannot say what became of it."""
    parent = world.task("claim")
    child = world.child(parent, "letter")
    mail = world.receiver("mail", Abilities(lookup=Lookup.NONE, can_fence=False))
    letter = world.effect(child.ref, "letter-mail", mail)
    world.opens(parent)
    world.under_way(parent, "parent worker", children=(child,))
    world.under_way(child.ref, "child worker", effects=(letter,))
    world.dispatcher()
    world.person("person", parent, Scope.SUBTREE)


STOPPED = answer("request_cancel", Accepted)
CHILDREN = frozenset((Capability.CHILDREN,))

SCENARIOS = (
    Scenario(
        id="unregistered-child",
        ledger=False,
        title="A child starts before it is registered",
        sentence="Ownership is recorded before the child can run.",
        build=unregistered,
        budget=FaultBudget(crashes=1, lost_answers=("register_child", "start_child"), provider=0),
        needs=CHILDREN,
        witnesses=(
            Witness(
                "a start before the registration was refused",
                in_order(answer("start_child", Refused), answer("register_child", Done)),
            ),
            Witness(
                "a lease before the registration was refused",
                in_order(answer("begin_work", Refused, actor="child worker"), answer("register_child", Done)),
            ),
            Witness(
                "the child ran once it was registered",
                in_order(answer("register_child", Done), answer("begin_work", LeaseGranted, actor="child worker")),
            ),
        ),
        clauses=("CHILD-1", "CHILD-2", "CHILD-5"),
        points=("before a child is dispatched",),
    ),
    Scenario(
        id="grandchild-while-draining",
        ledger=False,
        title="A stopped family still grows",
        sentence="Under scope subtree no grandchild is created during draining.",
        build=branching,
        budget=FaultBudget(crashes=1, lost_answers=("register_child", "request_cancel"), provider=0),
        needs=CHILDREN,
        witnesses=(
            Witness(
                "the grandchild's registration was rejected",
                in_order(STOPPED, answer("register_child", Stopped, actor="child worker")),
            ),
            Witness(
                "the grandchild was registered before the stop, and did not start",
                in_order(answer("register_child", Done, actor="child worker"), STOPPED, answer("start_child", Stopped)),
            ),
            Witness("the gate died under the registration", died_under("register_child"), durable=True),
        ),
        clauses=("CHILD-2", "CHILD-4", "CHILD-5", "SCOPE-5"),
        points=("before a child is dispatched",),
    ),
    Scenario(
        id="child-in-doubt",
        title="Nobody will know what became of the child's mail",
        sentence="A parent above an operation that is explicitly unknown is stopped_unresolved.",
        build=in_doubt,
        budget=FaultBudget(crashes=1, lost_answers=("request_cancel",), provider=1, provider_faults=("drop_answer",)),
        needs=CHILDREN,
        witnesses=(
            Witness("the stop came while the child's mail was in doubt", in_order(fault("drop_answer"), STOPPED)),
            Witness("the mail arrived after the stop", in_order(STOPPED, commit("letter-mail"))),
        ),
        clauses=("CHILD-5", "CHILD-8", "EFF-5", "ESC-4", "RPT-1"),
        points=("after its commit and before its answer",),
    ),
)
