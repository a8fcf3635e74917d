"""Two hands that are busy at the same time: what the pages about overlapping calls are made of.

One idea: the hands go through their errands in opposite directions. Any two calls meet all the same, one inside of the
other, and of two of one kind only those in the middle come in either order: so there are few states.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from stopcheck.gate import Accepted, AckStrength, Finding, ReceiptEvidence, Right, Scope, TaskRef
from stopcheck.world import Client, Effect, Holder, World

WORKER, LEFT, RIGHT = "worker", "left", "right"
#: A few calls that belong together.
Errand = Callable[[], Awaitable[object]]


class Hand(NamedTuple):
    """Whoever acts: a worker with one of its hands, and a friend who may do everything."""

    name: str
    task: TaskRef
    holder: Holder
    friend: Client

    @property
    def worker(self) -> Client:
        """The worker's calls."""
        return self.holder.client

    @property
    def epoch(self) -> int:
        """That of the worker's lease."""
        return self.holder.epoch

    def own(self, what: str) -> str:
        """The name of something that only this hand has."""
        return f"{what} of {self.name}"


Hands = tuple[Hand, Hand]


def two_hands(world: World, task: TaskRef) -> Hands:
    """Both hands of one worker, which is under way under one lease."""
    world.opens(task)
    holder = world.under_way(task, WORKER)
    return (
        Hand(LEFT, task, holder, world.client("left friend", *Right)),
        Hand(RIGHT, task, holder, world.client("right friend", *Right)),
    )


def set_to_work(world: World, hands: Hands, errands: tuple[Sequence[Errand], Sequence[Errand]]) -> None:
    """The left hand goes through its errands from the first to the last, the right one from the last to the first."""
    left, right = errands
    world.actor(hands[0].name, _run(world, left))
    world.actor(hands[1].name, _run(world, right[::-1]))


async def _run(world: World, errands: Sequence[Errand]) -> None:
    """Whatever came of one errand, the next is the same."""
    for number, errand in enumerate(errands, 1):
        await errand()
        world.remembers("errand", number)


def rejected(effect: Effect, item: str = "") -> ReceiptEvidence:
    """Its receiver will not take it."""
    return ReceiptEvidence(effect.receiver.sign(effect.effect_id, effect.payload_digest, Finding.REJECTED, item))


async def look_and_stop(hand: Hand) -> None:
    """Look at the account, and stop the task; its worker obeys."""
    await hand.friend.inspect(hand.task)
    stop = await hand.friend.request_cancel(hand.task, Scope.TASK, "stop")
    if isinstance(stop, Accepted):
        await hand.worker.acknowledge(hand.task, hand.epoch, AckStrength.HANDLER_STOPPED, stop.record.revision)


__all__ = [
    "LEFT",
    "RIGHT",
    "WORKER",
    "Errand",
    "Hand",
    "Hands",
    "look_and_stop",
    "rejected",
    "set_to_work",
    "two_hands",
]
