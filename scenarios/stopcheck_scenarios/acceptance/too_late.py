"""Whatever comes when a run is over is too late, by whichever door: below a stopped owner, at a deadline, after an end.

In the first page a grandchild's worker tries everything that may go on, while the owner of its owner is stopped. In the
second, tasks reach their deadline, and on each of them another operation is the first that comes then. In the third,
one task was completed and another given up, and everything that could begin a turn comes afterwards.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from stopcheck.gate import (
    SECOND_NS,
    Accepted,
    Capability,
    Ended,
    GrantKind,
    Halt,
    LeaseGranted,
    Lost,
    Quarantined,
    Refused,
    ResultPlace,
    RetryFired,
    Right,
    Scope,
    StaleLease,
    Stopped,
    TaskRef,
    Trigger,
    Void,
    Won,
)
from stopcheck.world import FaultBudget, Holder, Scenario, Witness, World, sleep_until
from stopcheck_scenarios._seen import answer, call, in_order

WRITE, RETRY = "prepared-write", "retry"
LIFETIME_NS = 8 * SECOND_NS
STOP = answer("request_cancel", Accepted)


async def prepare_for_later(world: World, holder: Holder, task: TaskRef) -> None:
    """A prepared write and an armed retry, where the gate knows such things."""
    contract = world.port.contract
    if contract.has(Capability.APPROVALS):
        await holder.client.grant(task, WRITE, GrantKind.PREPARED_WRITE)
    if contract.has(Capability.RETRIES):
        await holder.client.schedule_retry(task, RETRY, 0)


# -- below a stop -----------------------------------------------------------------------------------------


def below(world: World) -> None:
    """Parent, child and grandchild under way; the grandchild's worker goes on; a person stops the parent."""
    parent = world.task("claim")
    child = world.child(parent, "letter")
    grandchild = world.child(child.ref, "translation")
    world.opens(parent)
    world.under_way(parent, "parent worker", children=(child,))
    world.under_way(child.ref, "child worker", children=(grandchild,))
    holder = world.under_way(grandchild.ref, "translator")
    world.prepare(prepare_for_later(world, holder, grandchild.ref))
    world.actor("translator", go_on(world, holder, grandchild.ref))
    world.person("person", parent, Scope.SUBTREE, then_inspects=False)


async def go_on(world: World, holder: Holder, task: TaskRef) -> None:
    """Use a result and a prepared write, let go, fire the retry, take the next turn, complete."""
    contract, client = world.port.contract, holder.client
    if contract.has(Capability.RESULTS):
        await client.offer_result(task, "dictionary", ResultPlace.PLAN, holder.epoch, "a word")
    if contract.has(Capability.APPROVALS):
        await client.use_grant(task, WRITE)
    if contract.has(Capability.RETRIES):
        await client.release_lease(task, holder.epoch)
        fired = await client.fire_retry(task, RETRY, "translator")
        holder.epoch = fired.epoch if isinstance(fired, RetryFired) else holder.epoch
    turn = await client.begin_work(task, "translator", "tool answered", Trigger.TOOL_RESULT)
    holder.epoch = turn.epoch if isinstance(turn, LeaseGranted) else holder.epoch
    world.remembers(holder.epoch)
    await client.complete(task, holder.epoch)


def under_the_stop(what: str, operation: str, *replies: type, capability: Capability | None = None) -> Witness:
    """It came after the stop of the grandparent, and was worth nothing."""
    late = answer(operation, *replies, actor="translator")
    return Witness(f"{what} below the stop was worth nothing", in_order(STOP, late), capability=capability)


# -- at the deadline --------------------------------------------------------------------------------------


def at_the_deadline(world: World) -> None:
    """A task for each operation, all with the same deadline, and one clock by which they all come late."""
    world.actor("latecomer", come_late(world, {name: begun(world, name) for name in latecomers(world)}))


def begun(world: World, name: str) -> tuple[TaskRef, Holder]:
    """A task under way whose lifetime ends with that of the others."""
    task = world.task(f"task-for-{name}")
    world.opens(task, LIFETIME_NS)
    holder = world.under_way(task, "worker")
    world.prepare(prepare_for_later(world, holder, task))
    if name == "paused":
        world.prepare(world.client("operator", Right.SUPERVISE).suspend(task, Halt.PAUSE))
    if name == "retry":
        world.prepare(let_go(holder, task))
    return task, holder


async def let_go(holder: Holder, task: TaskRef) -> None:
    """Wait for the retry without a lease."""
    await holder.client.release_lease(task, holder.epoch)


Deed = Callable[[TaskRef, Holder], Awaitable[object]]


def latecomers(world: World) -> dict[str, Deed]:
    """What comes first on each task when the deadline has come."""
    has = world.port.contract.has
    deeds: dict[str, tuple[Capability | None, Deed]] = {
        "turn": (None, lambda t, h: h.client.begin_work(t, "worker", "next turn", Trigger.CONTINUATION)),
        "renewal": (None, lambda t, h: h.client.renew_lease(t, h.epoch)),
        "completion": (None, lambda t, h: h.client.complete(t, h.epoch)),
        "write": (Capability.APPROVALS, lambda t, h: h.client.use_grant(t, WRITE)),
        "retry": (Capability.RETRIES, lambda t, h: h.client.fire_retry(t, RETRY, "worker")),
        "result": (
            Capability.RESULTS,
            lambda t, h: h.client.offer_result(t, "search", ResultPlace.RESPONSE, h.epoch, "finding"),
        ),
        "paused": (Capability.PAUSE, lambda t, _: world.client("auditor", Right.INSPECT, handle=0).inspect(t)),
    }
    return {name: deed for name, (needs, deed) in deeds.items() if needs is None or has(needs)}


async def come_late(world: World, tasks: dict[str, tuple[TaskRef, Holder]]) -> None:
    """Wait for the deadline; then each task hears of it by its own operation."""
    await sleep_until("deadline", LIFETIME_NS, "the deadline of all")
    for name, deed in latecomers(world).items():
        await deed(*tasks[name])
    auditor = world.client("auditor", Right.INSPECT, handle=0)
    for task, _ in tasks.values():
        await auditor.inspect(task)


# -- after the end ----------------------------------------------------------------------------------------


def after_the_end(world: World) -> None:
    """One task is completed, another given up; then everything comes that could begin a turn."""
    completed, given_up = world.task("refund"), world.task("report")
    for task in (completed, given_up):
        world.opens(task)
    done, failed = world.under_way(completed), world.under_way(given_up)
    world.prepare(end(done, completed, failed, given_up))
    world.actor("runtime", wake(world, ((completed, done), (given_up, failed))))


async def end(done: Holder, completed: TaskRef, failed: Holder, given_up: TaskRef) -> None:
    """Either end, before the first choice."""
    await done.client.complete(completed, done.epoch)
    await failed.client.fail(given_up, failed.epoch)


async def wake(world: World, ended: tuple[tuple[TaskRef, Holder], ...]) -> None:
    """A turn for each trigger, and a result; then the accounts are read."""
    auditor = world.client("auditor", Right.INSPECT, handle=0)
    for task, holder in ended:
        for trigger in Trigger:
            await holder.client.begin_work(task, "worker", f"late {trigger}", trigger)
        if world.port.contract.has(Capability.RESULTS):
            await holder.client.offer_result(task, "search", ResultPlace.RESPONSE, holder.epoch, "late finding")
            await holder.client.recall(task, ResultPlace.RESPONSE)
        await auditor.inspect(task)


SCENARIOS = (
    Scenario(
        id="below-a-stop",
        title="A grandchild goes on below a stop",
        sentence="What an owner's stop covers takes no result, fires no write and no retry, and begins no turn.",
        build=below,
        needs=frozenset((Capability.CHILDREN,)),
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=(
            under_the_stop("a result", "offer_result", Quarantined, StaleLease, capability=Capability.RESULTS),
            under_the_stop("a prepared write", "use_grant", Void, Refused, capability=Capability.APPROVALS),
            under_the_stop("a retry", "fire_retry", Void, Refused, capability=Capability.RETRIES),
            under_the_stop("a turn", "begin_work", Stopped, Ended),
            under_the_stop("a completion", "complete", Lost, StaleLease, Ended),
            Witness("the grandchild completed before the stop", in_order(answer("complete", Won), STOP)),
        ),
        clauses=("CHILD-3", "ADM-8", "ADM-9", "DLV-4", "RES-1"),
        points=("immediately before a commitment", "concurrently with completion"),
    ),
    Scenario(
        id="first-at-the-deadline",
        title="Each operation is once the first after the deadline",
        sentence="An expired deadline cuts off at the first operation, whichever that is.",
        build=at_the_deadline,
        needs=frozenset((Capability.DEADLINES,)),
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=(
            Witness(
                "a turn and a completion came too late",
                in_order(answer("begin_work", Stopped, Ended), answer("complete", Lost, StaleLease, Ended)),
            ),
        ),
        clauses=("DDL-3",),
        points=("during retry backoff",),
    ),
    Scenario(
        id="after-the-end",
        title="Everything that could begin a turn comes after the end",
        sentence="A run that has ended, completed or given up, begins no turn and takes no result.",
        build=after_the_end,
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=(
            Witness(
                "a continuation came after the end",
                in_order(call("begin_work", trigger=Trigger.CONTINUE_AS_NEW), answer("begin_work", Ended, Refused)),
            ),
            Witness(
                "a result came after the end",
                in_order(answer("offer_result", Quarantined, StaleLease)),
                capability=Capability.RESULTS,
            ),
        ),
        clauses=("CMP-1", "RES-1"),
        points=("after it ended",),
    ),
)
