"""What was held by somebody who stopped is free again, once, and by the epoch under which it was held.

A pool has one slot. Its holder is stopped, says so, and gives the slot back as well, as a clean-up block does; or it
was replaced, and gives back what its successor holds by now; or it was killed, and gives back nothing. A third always
comes at the end, and gets what is left.
"""

from __future__ import annotations

from stopcheck.gate import (
    Accepted,
    AckStrength,
    AlreadyReturned,
    Capability,
    Forced,
    LeaseGranted,
    PoolFull,
    ProbeResult,
    Recorded,
    Right,
    Scope,
    SlotHeld,
    SlotReturned,
    TaskRef,
    Trigger,
)
from stopcheck.world import Client, FaultBudget, Holder, Scenario, Witness, World, sleep_until, wait_until
from stopcheck_scenarios._seen import answer, in_order, saw

POOL = "licence"


async def hold(holder: Holder, task: TaskRef) -> bool:
    """Take the only slot of the pool, if it is to be had."""
    return isinstance(await holder.client.hold_slot(task, holder.epoch, POOL, 1), SlotHeld)


async def give_back(holder: Holder, task: TaskRef) -> None:
    """Give it back."""
    await holder.client.return_slot(task, holder.epoch, POOL)


def holding(world: World, task: TaskRef) -> Holder:
    """A worker under way on an open task that holds the slot."""
    world.opens(task)
    holder = world.under_way(task, "holder")
    world.prepare(hold(holder, task))
    return holder


def third(world: World) -> None:
    """Somebody who wants the slot when all others are done."""
    task = world.task("third")
    world.opens(task)
    world.actor("third", come_last(world, world.under_way(task, "third"), task))


async def come_last(world: World, holder: Holder, task: TaskRef) -> None:
    """Wait until nobody moves any more, and try."""
    await world.others_at_rest()
    await hold(holder, task)


# -- of the stopped ---------------------------------------------------------------------------------------


def stopped(world: World) -> None:
    """The holder, somebody who waits for the slot, a third, and a person who stops the first."""
    first, second = world.task("first"), world.task("second")
    holder = holding(world, first)
    world.opens(second)
    world.actor("holder", obey(world, holder, first))
    world.actor("waiting", try_for_it(world, world.under_way(second, "waiting"), first, second))
    third(world)
    world.person("person", first, then_inspects=False)


async def obey(world: World, holder: Holder, task: TaskRef) -> None:
    """Stop, say so, and give back, twice, as clean-up blocks do that know nothing of one another."""
    await wait_until("stop", lambda: task in world.records, ("stop",))
    record = world.records[task]
    world.hear(record)
    await holder.client.acknowledge(task, holder.epoch, AckStrength.HANDLER_STOPPED, record.revision)
    await give_back(holder, task)
    await give_back(holder, task)


async def try_for_it(world: World, holder: Holder, first: TaskRef, task: TaskRef) -> None:
    """Try for the slot once, at some time after the stop."""
    await wait_until("stop", lambda: first in world.records, ("stop",))
    await hold(holder, task)


# -- of the replaced --------------------------------------------------------------------------------------


def replaced(world: World) -> None:
    """The holder is replaced, its successor takes the slot, and the first gives back; then a third."""
    task = world.task("first")
    holder = holding(world, task)
    world.actor("successor", succeed(world, holder, task))
    third(world)


async def succeed(world: World, old: Holder, task: TaskRef) -> None:
    """Take the place of the holder, and its slot; the old one returns after that."""
    new = Holder(world.client("successor", Right.WORK))
    lease = await new.client.begin_work(task, "successor", "direct to successor", Trigger.REPLACEMENT)
    if isinstance(lease, LeaseGranted):
        new.epoch = lease.epoch
        if not await hold(new, task):
            await give_back(old, task)
            await hold(new, task)
        await give_back(old, task)


# -- of the killed ----------------------------------------------------------------------------------------


def killed(world: World) -> None:
    """The holder does not answer the stop, and is killed; then a third."""
    task = world.task("first")
    holding(world, task)
    world.actor("supervisor", kill(world, world.client("supervisor", Right.STOP, Right.SUPERVISE), task))
    third(world)


async def kill(world: World, client: Client, task: TaskRef) -> None:
    """Stop, wait out the grace period, kill, and find nothing of it left."""
    reply = await client.request_cancel(task, Scope.TASK, "stop")
    if isinstance(reply, Accepted):
        await sleep_until("grace", reply.record.causes[0].at_ns + world.port.contract.grace_ns, "grace")
        await client.escalate(task, "holder")
        world.worker_acted("holder", task, "killed")
        await client.record_probe(task, "holder", ProbeResult.GONE)


NEEDS = frozenset((Capability.ESCALATION, Capability.CAPACITY))
NOTHING = FaultBudget(crashes=0, provider=0)

SCENARIOS = (
    Scenario(
        id="slot-of-the-stopped",
        title="A stopped worker held a slot",
        sentence="Capacity of what was stopped is released exactly once, however many give it back.",
        build=stopped,
        needs=NEEDS,
        budget=NOTHING,
        witnesses=(
            Witness(
                "somebody got the slot before its old holder gave it back",
                in_order(
                    answer("hold_slot", SlotHeld, actor="waiting"),
                    answer("return_slot", AlreadyReturned, SlotReturned),
                ),
            ),
            Witness("a third found it taken", saw(answer("hold_slot", PoolFull, actor="third"))),
            Witness(
                "the slot was to be had after the stop",
                in_order(answer("acknowledge", Recorded), answer("hold_slot", SlotHeld)),
            ),
        ),
        clauses=("ESC-9", "ACK-1"),
    ),
    Scenario(
        id="slot-of-the-replaced",
        title="A worker gives back what its successor holds",
        sentence="Capacity is released by epoch: an old holder does not give back its successor's.",
        build=replaced,
        needs=NEEDS,
        budget=NOTHING,
        witnesses=(
            Witness(
                "the old holder gave back after its successor had taken the slot",
                in_order(
                    answer("hold_slot", SlotHeld, actor="successor"),
                    answer("return_slot", AlreadyReturned, SlotReturned),
                    answer("hold_slot", PoolFull, actor="third"),
                ),
            ),
        ),
        clauses=("ESC-9", "ADM-6"),
    ),
    Scenario(
        id="slot-of-the-killed",
        title="A killed worker held a slot",
        sentence="Capacity of what was killed is released when a probe has found it gone.",
        build=killed,
        needs=NEEDS,
        budget=NOTHING,
        witnesses=(
            Witness(
                "the slot was to be had after the kill",
                in_order(answer("escalate", Forced), answer("record_probe", Recorded), answer("hold_slot", SlotHeld)),
            ),
        ),
        clauses=("ESC-9", "ESC-1", "ESC-8"),
    ),
)
