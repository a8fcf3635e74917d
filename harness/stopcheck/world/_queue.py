"""The at-least-once queue.

One idea: a message is gone only when its consumer is done with it. Before that it may be delivered again: as a duplicate
while the first consumer works, or as a redelivery after it died.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from stopcheck.gate import Trigger
from stopcheck.kernel import wait_until
from stopcheck.world._effects import Message
from stopcheck.world._events import FaultChosen, MessageDelivered

if TYPE_CHECKING:
    from stopcheck.world._world import World


class Queue:
    """Messages wait here for consumers. A consumer that finds none waits for ever, which is rest, not failure."""

    def __init__(self, world: World, name: str) -> None:
        self.name = name
        self._world = world
        self._waiting: list[Message] = []
        self._taken: dict[str, Message] = {}

    def publish(self, message: Message) -> None:
        """Put a message on the queue."""
        self._waiting.append(message)

    async def receive(self, consumer: str) -> Message:
        """Take the next message; it may be duplicated at this point."""
        await wait_until(f"{self.name}.receive", lambda: bool(self._waiting), (self.name,))
        message = self._waiting.pop(0)
        if self._world.purse.may("queue"):
            chosen = self._world.kernel.fault(f"{self.name}.deliver", ("once", "duplicate"))
            if chosen == "duplicate":
                self._world.purse.spend("queue")
                self._world.emit(FaultChosen(consumer, f"{self.name}.deliver", chosen))
                self._waiting.append(msgspec.structs.replace(message, trigger=Trigger.REDELIVERY))
        self._taken[consumer] = message
        kernel_actor = self._world.kernel.current
        if kernel_actor is not None:
            kernel_actor.hear(message)
        self._world.emit(MessageDelivered(self.name, message.delivery_id, consumer, message.task, message.trigger))
        return message

    def consumer_died(self, consumer: str) -> None:
        """What the consumer had taken comes back, for a replacement."""
        message = self._taken.pop(consumer, None)
        if message is not None:
            self._waiting.append(msgspec.structs.replace(message, trigger=Trigger.REPLACEMENT))

    def done(self, consumer: str) -> None:
        """The consumer is finished with its message."""
        self._taken.pop(consumer, None)

    def digest(self) -> bytes:
        """For the state key."""
        return repr((self.name, self._waiting, sorted(self._taken.items()))).encode()
