"""Each cancellation class is stopped in its own way, and in its own time.

A claim owns one operation of each class, all of them at work. None of them answers the stop of the whole subtree but
the cooperative one, which looks as often as its class declares. Against each of the others a supervisor asks for force
a moment before the grace period of its class ends, and when it has, also by a mechanism that the class does not
declare; what was killed is cleared away in the time that its class has for that.
"""

from __future__ import annotations

from collections.abc import Sequence

from stopcheck.gate import (
    Accepted,
    AckStrength,
    CancellationClass,
    Capability,
    Forced,
    GateContract,
    ProbeResult,
    Recorded,
    Refused,
    Right,
    Scope,
    Stopped,
    TooEarly,
)
from stopcheck.world import Child, Client, FaultBudget, Holder, Scenario, Witness, World, sleep_until, wait_until
from stopcheck_scenarios._seen import answer, call, in_order, saw

#: A mechanism of force, beside the usual one.
OTHER_FORCE = "power off"


def build(world: World) -> None:
    """The claim and its operations under way, a supervisor, and a person who stops all of them."""
    claim = world.task("claim")
    children = [
        (kind, world.child(claim, kind.value.replace("_", "-"), cancellation_class=kind)) for kind in CancellationClass
    ]
    world.opens(claim)
    world.under_way(claim, "claim worker", children=tuple(child for _, child in children))
    holders = {kind: world.under_way(child.ref, worker_of(child)) for kind, child in children}
    cooperative = CancellationClass.COOPERATIVE
    others = [(kind, child) for kind, child in children if kind is not cooperative]
    world.actor("cooperative", look_now_and_then(world, holders[cooperative], dict(children)[cooperative]))
    world.actor("supervisor", force_each(world, world.client("supervisor", Right.SUPERVISE), others))
    world.person("person", claim, Scope.SUBTREE, then_inspects=False)


def worker_of(child: Child) -> str:
    """The name of an operation's worker."""
    return f"{child.ref.key.task_id} worker"


async def look_now_and_then(world: World, holder: Holder, child: Child) -> None:
    """Look for a stop as often as the class declares, and obey it."""
    every_ns = world.port.contract.bound_of(CancellationClass.COOPERATIVE)
    await wait_until("stop", lambda: child.parent in world.records, ("stop",))
    cutoff_ns = world.records[child.parent].causes[0].at_ns
    await sleep_until("check", cutoff_ns + every_ns, "next check")
    reply = await holder.client.renew_lease(child.ref, holder.epoch)
    if isinstance(reply, Stopped):
        await holder.client.acknowledge(
            child.ref, holder.epoch, AckStrength.HANDLER_STOPPED, reply.record.causes[0].revision
        )


async def force_each(world: World, client: Client, children: Sequence[tuple[CancellationClass, Child]]) -> None:
    """Against each ask for force too early, in time, and by another mechanism; then kill it and clear away."""
    contract = world.port.contract
    await wait_until("stop", lambda: children[0][1].parent in world.records, ("stop",))
    cutoff_ns = world.records[children[0][1].parent].causes[0].at_ns
    for kind, child in sorted(children, key=lambda entry: contract.grace_of(entry[0])):
        ends_ns = cutoff_ns + contract.grace_of(kind)
        await sleep_until("almost grace", max(ends_ns - 1, world.now_ns()), "almost grace")
        await client.escalate(child.ref, worker_of(child))
        await sleep_until("grace", ends_ns, "grace")
        if not contract.may_force(kind, OTHER_FORCE):
            await client.escalate(child.ref, worker_of(child), OTHER_FORCE)
        if isinstance(await client.escalate(child.ref, worker_of(child)), Forced):
            world.worker_acted(worker_of(child), child.ref, "killed")
            await client.record_probe(child.ref, worker_of(child), ProbeResult.GONE)
            if contract.has(Capability.CLEANUP):
                await world.client("cleaner", Right.WORK, handle=0).begin_cleanup(child.ref, "cleaner")
        world.remembers(kind)


def limits_force(contract: GateContract) -> bool:
    """Not every class is stopped by every mechanism."""
    return any(not contract.may_force(kind, OTHER_FORCE) for kind in CancellationClass)


SCENARIO = Scenario(
    id="each-class",
    title="Each cancellation class in its own time",
    sentence="What a class declares is what its operations get: how often they look, and how long they are left alone.",
    build=build,
    needs=frozenset((Capability.ESCALATION, Capability.CHILDREN)),
    budget=FaultBudget(crashes=0, provider=0),
    witnesses=(
        Witness(
            "force was asked for too early, then given",
            in_order(answer("request_cancel", Accepted), answer("escalate", TooEarly), answer("escalate", Forced)),
        ),
        Witness(
            "a mechanism that the class does not declare was refused",
            in_order(call("escalate", level=OTHER_FORCE), answer("escalate", Refused)),
            given=limits_force,
        ),
        Witness("the cooperative one stopped at its check", saw(answer("acknowledge", Recorded, actor="cooperative"))),
    ),
    clauses=("ESC-1", "ESC-5", "ESC-8", "CHILD-3", "CHILD-5", "LIVE-4"),
    points=("while a worker is disconnected",),
)
