"""Requests, answers, items and wake-ups that are on their way when somebody wants no more of it.

Two small pages. In the first, Ann withdraws what she asked, and Bob asks something else on the same connection, while
the answer to Ann is being written. In the second, a worker takes one item after the other, and the stop comes while one
is in its hands, others wait, and a wake-up arrives.
"""

from __future__ import annotations

from stopcheck.gate import (
    Accepted,
    BoundaryAnswer,
    Capability,
    Done,
    Handed,
    Handover,
    NoAnswer,
    Quarantined,
    Refused,
    Right,
    Snapshot,
    Stopped,
    Taken,
    TaskRef,
)
from stopcheck.world import Client, Event, FaultBudget, Holder, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, call, in_order

NEEDS = frozenset((Capability.RESULTS,))
CHANNEL = "connection-1"

# -- answers at a boundary --------------------------------------------------------------------------------


def build_answers(world: World) -> None:
    """A proxy at work, Ann who has asked, and Bob who will ask on the connection that she leaves."""
    proxy = world.task("proxy")
    world.opens(proxy)
    holder = world.under_way(proxy)
    ann, bob = world.client("ann", Right.INSPECT), world.client("bob", Right.INSPECT)
    world.prepare(ann.ask_task(proxy, "ann's question", CHANNEL))
    world.actor("callers", change_hands(ann, bob, proxy))
    world.actor("worker", answer_twice(holder, proxy))
    world.actor("readers", read(world, holder, ann, bob, proxy))


async def change_hands(ann: Client, bob: Client, proxy: TaskRef) -> None:
    """Ann wants no answer any more, and Bob is given her connection."""
    await ann.withdraw(proxy, "ann's question")
    await bob.ask_task(proxy, "bob's question", CHANNEL)


async def answer_twice(holder: Holder, proxy: TaskRef) -> None:
    """The worker answers Ann, and then thinks of something better."""
    for said in ("for ann", "for ann, and better"):
        await holder.client.answer(proxy, "ann's question", holder.epoch, said)


async def read(world: World, holder: Holder, ann: Client, bob: Client, proxy: TaskRef) -> None:
    """When the others are done: Bob looks, is answered, and looks again; Ann looks for hers, and for his."""
    await world.others_at_rest()
    await bob.read_answer(proxy, "bob's question")
    await holder.client.answer(proxy, "bob's question", holder.epoch, "for bob")
    await bob.read_answer(proxy, "bob's question")
    await ann.read_answer(proxy, "ann's question")
    await ann.read_answer(proxy, "bob's question")


WITHDRAWN = answer("withdraw", Done)
ANSWERS = Scenario(
    id="boundary-answers",
    title="One caller leaves a connection to another while the answer is written",
    sentence="Each request is answered once, none after its cancellation was confirmed, and no caller reads another's.",
    build=build_answers,
    needs=NEEDS,
    budget=FaultBudget(crashes=1, lost_answers=("withdraw",), provider=0),
    witnesses=(
        Witness(
            "ann's answer came in time",
            in_order(answer("offer_result", Taken), answer("withdraw", BoundaryAnswer, Done)),
        ),
        Witness(
            "ann's answer came when she had gone and bob waited on her connection",
            in_order(
                WITHDRAWN, answer("ask", Done), answer("offer_result", Quarantined), answer("read_answer", NoAnswer)
            ),
        ),
        Witness(
            "a second answer was turned away",
            in_order(answer("offer_result", Taken), answer("offer_result", Quarantined)),
        ),
        Witness("bob read his answer", in_order(answer("read_answer", BoundaryAnswer, actor="readers"))),
        Witness(
            "ann was not given bob's answer",
            in_order(call("read_answer", request_id="bob's question"), answer("read_answer", Refused)),
        ),
    ),
    clauses=("RES-4",),
    points=("while the answer is in flight", "between model completion and validation"),
)

# -- items in hand-over -----------------------------------------------------------------------------------


def build_items(world: World) -> None:
    """Two items wait, a worker takes them, a producer wakes it, and a person presses Stop."""
    inbox = world.task("inbox")
    world.opens(inbox)
    holder = world.under_way(inbox)
    producer = world.client("producer", Right.WORK)
    for item_id in ("first-item", "second-item"):
        world.prepare(producer.hand_over(inbox, item_id))
    world.actor("worker", take(holder, inbox))
    world.actor("producer", wake(producer, inbox))
    world.person("person", inbox, then_inspects=False)


async def take(holder: Holder, inbox: TaskRef) -> None:
    """Take one and confirm it; take the next, and get no further."""
    reply = await holder.client.take_item(inbox, holder.epoch)
    if isinstance(reply, Handed):
        await holder.client.confirm_item(inbox, reply.item_id)
        await holder.client.take_item(inbox, holder.epoch)


async def wake(producer: Client, inbox: TaskRef) -> None:
    """Something happened that the worker waits for."""
    await producer.hand_over(inbox, "wake-up", wake_up=True)


STOP = answer("request_cancel", Accepted)


def ended(item_id: str, *states: Handover) -> Witness:
    """In the account of the stopped task the item is at one of these places."""

    def shown(event: Event) -> bool:
        reply = getattr(event, "reply", None)
        return isinstance(reply, Snapshot) and any(
            entry.item_id == item_id and entry.state in states for entry in reply.handovers
        )

    return Witness(f"{item_id} was {' or '.join(states)}", in_order(STOP, shown))


KEPT = (Handover.RETURNED, Handover.RECORDED)
ITEMS = Scenario(
    id="handed-over",
    title="A stop comes while items are handed over",
    sentence="Items and wake-ups in hand-over at the moment of the stop are delivered, returned or recorded.",
    build=build_items,
    needs=NEEDS,
    budget=FaultBudget(crashes=1, lost_answers=("take_item",), provider=0),
    witnesses=(
        ended("first-item", Handover.DELIVERED),
        ended("first-item", *KEPT),
        ended("second-item", *KEPT),
        ended("wake-up", *KEPT),
        Witness("the stop came while an item was in the worker's hands", in_order(answer("take_item", Handed), STOP)),
        Witness("the stop came before the worker took anything", in_order(STOP, answer("take_item", Stopped))),
        Witness("a wake-up came too late, and stayed where it was", in_order(STOP, answer("hand_over", Stopped))),
    ),
    clauses=("RES-5",),
    points=("immediately before a commitment",),
)

SCENARIOS = (ANSWERS, ITEMS)
