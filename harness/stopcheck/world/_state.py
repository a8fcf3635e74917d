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


def _gate(world: World) -> bytes:
    gate = world.port.digest()
    if gate is None:
        raise AdapterFault(
            "the gate's fingerprint is None",
            cause="its contract declares a fingerprint that the gate does not give",
            hint="return bytes from Gate.fingerprint, or declare fingerprint=False",
        )
    return gate


def parts_of(world: World) -> dict[str, bytes]:
    """The parts of the key, but for what observers add to it."""
    return {
        "actors": world.kernel.positions(_encode),
        "gate": _gate(world),
        "budget": world.purse.digest(),
        "receivers": b"".join(receiver.digest() for receiver in world.receivers.values()),
        "queues": b"".join(queue.digest() for queue in world.queues),
        "kept": _encode(list(kept_by(world).values())),
    }


def kept_by(world: World) -> dict[str, object]:
    """What the harness itself keeps. Of lists that are only asked whether something is in them, the set."""
    return {
        "now": world.kernel.now_ns,
        "deaths to come": world.may_crash_now(),
        "outboxes": [(name, [e.effect_id for e in box]) for name, box in world.outboxes.items()],
        "outcomes": sorted(world.outcomes.items()),
        "once settled": sorted(world.once_settled),
        "records": [(str(ref), record) for ref, record in world.records.items()],
        "signalled": sorted(set(world.signalled)),
        "gone": sorted(set(world.gone)),
        "stopped workers": sorted(set(world.stopped_workers)),
        "registered children": sorted({str(ref) for ref in world.registered_children}),
        "finished children": sorted({str(ref) for ref in world.finished_children}),
        "permits": sorted(world.port.permits.items()),
        "sights": world.sights.stages(world.events),
    }


def digest_of(world: World, observers: Sequence[Observer]) -> bytes:
    """The digest of everything from which the run goes on."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts_of(world).values():
        digest.update(part)
    for observer in observers:
        digest.update(observer.digest())
    return digest.digest()


__all__ = ["digest_of", "kept_by", "parts_of"]
