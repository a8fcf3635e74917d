"""The at-least-once queue.

One idea: a message is gone only when its consumer is done with it. Before that it may be delivered again: as a
duplicate while the first consumer works, or to a replacement after it died, or because it was thought dead.
"""

from __future__ import annotations

import msgspec

import stopcheck.world  # named by annotations that are looked up late: it imports this module
from stopcheck.gate import Trigger
from stopcheck.kernel import wait_until
from stopcheck.world._effects import Message
from stopcheck.world._events import FaultChosen, MessageDelivered
from stopcheck.world._scenario import FaultKind


class Queue:
    """Messages wait here for consumers. A consumer that finds none waits for ever, which is rest, not failure."""

    def __init__(self, world: stopcheck.world.World, name: str) -> None:
        self.name = name
        self._world = world
        self._waiting: list[Message] = []
        self._taken: dict[str, Message] = {}

    def publish(self, message: Message) -> None:
        """Put a message on the queue."""
        self._waiting.append(message)

    async def receive(self, consumer: str, *, standby: bool = False) -> Message:
        """Take the next message; a ``standby`` takes only what was delivered before."""

        def mine() -> Message | None:
            return next((m for m in self._waiting if not (standby and m.trigger is Trigger.FIRST)), None)

        await wait_until(f"{self.name}.receive", lambda: mine() is not None, (self.name,))
        message = mine()
        assert message is not None
        self._waiting.remove(message)
        self._taken[consumer] = message
        self._world.hear(message)
        self._world.emit(MessageDelivered(self.name, message.delivery_id, consumer, message.task, message.trigger))
        self._fail(consumer, message)
        return message

    def _fail(self, consumer: str, message: Message) -> None:
        if not self._world.purse.may(FaultKind.QUEUE):
            return
        label = f"{self.name}.deliver"
        if self._world.kernel.fault(label, ("once", "duplicate")) == "duplicate":
            self._world.purse.spend(FaultKind.QUEUE)
            self._world.emit(FaultChosen(consumer, label, "duplicate"))
            self._waiting.append(msgspec.structs.replace(message, trigger=Trigger.REDELIVERY))

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
