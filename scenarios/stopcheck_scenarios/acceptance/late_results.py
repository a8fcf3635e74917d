"""Case 11. Results that come too late enter nothing: no response, no memory, no cache, no plan.

A search delivers what it finds piece by piece: for the answer, for what the task remembers, for a cache that others
use, for what comes next. Somebody presses Stop meanwhile. When the worker has stopped and everything is accounted for,
an afterthought arrives. Then all places are read, by this run, by the next run and by another task. Two small pages
are about the same: results after completion, and under an authority that was replaced.
"""

from __future__ import annotations

from stopcheck.gate import (
    Accepted,
    AckStrength,
    Capability,
    LeaseGranted,
    Quarantined,
    ResultPlace,
    Right,
    StaleLease,
    Taken,
    TaskRef,
    Trigger,
    Won,
)
from stopcheck.world import Client, FaultBudget, Holder, Scenario, Witness, World
from stopcheck_scenarios._seen import Match, answer, both, call, died_under, in_order

STOP = answer("request_cancel", Accepted)
NEEDS = frozenset((Capability.RESULTS,))


def result(place: ResultPlace) -> str:
    """What the search found for a place."""
    return f"finding for the {place}"


# -- late results -----------------------------------------------------------------------------------------


def build(world: World) -> None:
    """A search under way, a person at Stop, and readers."""
    briefing = world.task("briefing")
    again, other = world.task("briefing", incarnation=2), world.task("digest")
    for task in (briefing, again, other):
        world.opens(task)
    holder = world.under_way(briefing)
    world.actor("search", search(world, holder, briefing))
    world.person("person", briefing)
    reader = world.client("reader", Right.WORK, Right.INSPECT)
    world.actor("reader", read(world, reader, holder, (briefing, again, other)))


async def search(world: World, holder: Holder, briefing: TaskRef) -> None:
    """One finding for each place."""
    for place in ResultPlace:
        await holder.client.offer_result(briefing, "search", place, holder.epoch, result(place))
        world.remembers(place)


async def read(world: World, client: Client, holder: Holder, tasks: tuple[TaskRef, TaskRef, TaskRef]) -> None:
    """When the others are done: the worker stops, an afterthought comes, and every place is read."""
    briefing, again, other = tasks
    await world.others_at_rest()
    record = world.records.get(briefing)
    if record is not None:
        world.hear(record)
        await holder.client.acknowledge(briefing, holder.epoch, AckStrength.HANDLER_STOPPED, record.revision)
    await client.offer_result(briefing, "search", ResultPlace.MEMORY, holder.epoch, "afterthought")
    await client.recall(briefing, ResultPlace.RESPONSE)
    await client.recall(again, ResultPlace.MEMORY)
    await client.recall(again, ResultPlace.PLAN)
    await client.recall(other, ResultPlace.CACHE)
    await client.inspect(briefing)


def taken(place: ResultPlace) -> Witness:
    """It came in time, and was read."""
    offer, recall = call("offer_result", place=place), call("recall", place=place)
    return Witness(
        f"what came in time for the {place} was read there",
        in_order(offer, answer("offer_result", Taken), STOP, recall, shows(result(place))),
    )


def late(place: ResultPlace) -> Witness:
    """It came too late, and the place was read."""
    offer, recall = call("offer_result", place=place), call("recall", place=place)
    return Witness(
        f"the {place} was read after a result had come too late for it",
        in_order(STOP, offer, answer("offer_result", Quarantined), recall),
    )


def shows(digest: str) -> Match:
    """A reading of a place shows this result."""
    recalled = answer("recall", object)
    return lambda event: (
        recalled(event)
        and any(held.result_digest == digest for held in getattr(getattr(event, "reply", None), "results", ()))
    )


SCENARIO = Scenario(
    id="late-results",
    title="Results come in while somebody presses Stop",
    sentence="Late results are quarantined from response, memory, cache and plan.",
    case=11,
    races=True,
    build=build,
    needs=NEEDS,
    budget=FaultBudget(crashes=1, lost_answers=("offer_result",), provider=0),
    witnesses=(
        *(taken(place) for place in ResultPlace),
        *(late(place) for place in ResultPlace),
        Witness(
            "an afterthought came when the stopped task had settled",
            in_order(
                answer("acknowledge", object), call("offer_result", "reader"), answer("offer_result", Quarantined)
            ),
        ),
        Witness("the gate died under an offer", died_under("offer_result"), durable=True),
    ),
    clauses=("RES-1",),
    points=("between model completion and validation", "after it ended"),
)

# -- results after completion -----------------------------------------------------------------------------


def build_completion(world: World) -> None:
    """A worker that completes without waiting for a second opinion, and somebody who reads."""
    briefing = world.task("briefing")
    world.opens(briefing)
    holder = world.under_way(briefing)
    opinion = world.client("second opinion", Right.WORK)
    world.actor("worker", complete(holder, briefing))
    world.actor("second opinion", offer(opinion, holder, briefing))
    world.actor("reader", look(world, world.client("reader", Right.WORK, Right.INSPECT), briefing))


async def complete(holder: Holder, briefing: TaskRef) -> None:
    """The first opinion is enough."""
    await holder.client.offer_result(briefing, "first opinion", ResultPlace.RESPONSE, holder.epoch, "yes")
    await holder.client.complete(briefing, holder.epoch)


async def offer(client: Client, holder: Holder, briefing: TaskRef) -> None:
    """It says something else."""
    await client.offer_result(briefing, "second opinion", ResultPlace.RESPONSE, holder.epoch, "no")


async def look(world: World, client: Client, briefing: TaskRef) -> None:
    """Read the answer when it is there."""
    await world.others_at_rest()
    await client.recall(briefing, ResultPlace.RESPONSE)
    await client.inspect(briefing)


COMPLETED = Scenario(
    id="results-after-completion",
    title="A second opinion comes when the task is completed",
    sentence="A result that arrives after its task ended enters no response; it is kept as evidence.",
    build=build_completion,
    needs=NEEDS,
    budget=FaultBudget(crashes=0, provider=0),
    witnesses=(
        Witness(
            "the second opinion came in time",
            in_order(answer("offer_result", Taken, actor="second opinion"), answer("complete", Won), shows("no")),
        ),
        Witness(
            "the second opinion came after the end",
            in_order(answer("complete", Won), answer("offer_result", Quarantined, actor="second opinion")),
        ),
    ),
    clauses=("RES-1",),
    points=("concurrently with completion", "after it ended"),
)

# -- replaced authority -----------------------------------------------------------------------------------


def build_replaced(world: World) -> None:
    """A worker that is replaced while its model still writes, and somebody who reads."""
    briefing = world.task("briefing")
    world.opens(briefing)
    holder = world.under_way(briefing, "first worker")
    replacement = Holder(world.client("second worker", Right.WORK))
    world.actor("first worker", propose(holder, briefing, "first worker"))
    world.actor("second worker", replace(world, replacement, briefing))
    world.actor("reader", compare(world, world.client("reader", Right.WORK), briefing))


async def propose(holder: Holder, briefing: TaskRef, who: str) -> None:
    """One proposal for the answer, and one for the plan."""
    for place in (ResultPlace.RESPONSE, ResultPlace.PLAN):
        await holder.client.offer_result(briefing, "model", place, holder.epoch, f"{place} of the {who}")


async def replace(world: World, holder: Holder, briefing: TaskRef) -> None:
    """Take over, and propose."""
    lease = await holder.client.begin_work(briefing, "second worker", "delivery-2", Trigger.REPLACEMENT)
    if isinstance(lease, LeaseGranted):
        holder.epoch = lease.epoch
        world.remembers(holder.epoch)
        await propose(holder, briefing, "second worker")


async def compare(world: World, client: Client, briefing: TaskRef) -> None:
    """Read both places when everybody is done."""
    await world.others_at_rest()
    for place in (ResultPlace.RESPONSE, ResultPlace.PLAN):
        await client.recall(briefing, place)


def outdated(place: ResultPlace) -> Witness:
    """It came when the worker had been replaced."""
    granted = answer("begin_work", LeaseGranted, actor="second worker")
    offer = call("offer_result", "first worker", place=place)
    return Witness(
        f"the first worker's {place} came when it had been replaced",
        in_order(granted, offer, answer("offer_result", StaleLease, Quarantined, actor="first worker")),
    )


REPLACED = Scenario(
    id="replaced-authority",
    title="A worker is replaced while its results are on their way",
    sentence="A result with an old authority version is rejected.",
    build=build_replaced,
    needs=NEEDS | {Capability.DELIVERY},
    budget=FaultBudget(crashes=0, provider=0),
    witnesses=(
        outdated(ResultPlace.RESPONSE),
        outdated(ResultPlace.PLAN),
        Witness(
            "both workers' proposals were taken in time",
            both(
                in_order(answer("offer_result", Taken, actor="first worker")),
                in_order(answer("offer_result", Taken, actor="second worker")),
            ),
        ),
    ),
    clauses=("RES-2",),
    points=("between model completion and validation",),
)

SCENARIOS = (COMPLETED, REPLACED)
