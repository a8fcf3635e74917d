"""The state of a run as one digest: what a search compares.

One idea: two states are one when whatever can follow the one can follow the other, and is judged alike. So the key
holds all on which that may depend, the judge's own state included, and nothing else: no counter that only counts, no
order in which things came that are looked at together, nothing that was heard and decides nothing any more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from stopcheck.gate import AdapterFault
from stopcheck.world._events import Observer

if TYPE_CHECKING:
    from stopcheck.world._world import World

_encode = msgspec.msgpack.Encoder(order="deterministic", enc_hook=repr).encode


def digest_of(world: World, observers: Sequence[Observer]) -> bytes:
    """The digest of everything from which the run goes on."""
    gate = world.port.digest()
    if gate is None:
        raise AdapterFault(
            "the gate's fingerprint is None",
            cause="its contract declares a fingerprint that the gate does not give",
            hint="return bytes from Gate.fingerprint, or declare fingerprint=False",
        )
    digest = hashlib.blake2b(digest_size=16)
    digest.update(world.kernel.positions(_encode))
    digest.update(gate)
    digest.update(world.purse.digest())
    for receiver in world.receivers.values():
        digest.update(receiver.digest())
    for queue in world.queues:
        digest.update(queue.digest())
    digest.update(_shared(world))
    for observer in observers:
        digest.update(observer.digest())
    return digest.digest()


def _shared(world: World) -> bytes:
    """What the harness itself keeps. Of lists that are only asked whether something is in them, the set."""
    outboxes = [(name, [e.effect_id for e in box]) for name, box in world.outboxes.items()]
    return _encode(
        [
            world.kernel.now_ns,
            world.may_crash_now(),
            outboxes,
            sorted(world.outcomes.items()),
            sorted(world.once_settled),
            [(str(ref), record) for ref, record in world.records.items()],
            sorted(set(world.signalled)),
            sorted(set(world.gone)),
            sorted(set(world.stopped_workers)),
            sorted({str(ref) for ref in world.registered_children}),
            sorted({str(ref) for ref in world.finished_children}),
            sorted(world.port.permits.items()),
            world.sights.stages(world.events),
        ]
    )


__all__ = ["digest_of"]
