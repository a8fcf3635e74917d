"""Effects, messages and children as a scenario declares them."""

from __future__ import annotations

import msgspec

from stopcheck.gate import CancellationClass, OwnedKind, TaskRef, Trigger
from stopcheck.world._receivers import Receiver


class Effect(msgspec.Struct, frozen=True):
    """One change outside the gate that a worker wants to make. ``note`` is what a person would call it; ``items``
    are those of a batch."""

    task: TaskRef
    effect_id: str
    payload_digest: str
    receiver: Receiver
    cancellation_class: CancellationClass
    kind: str
    note: str = ""
    items: tuple[str, ...] = ()


class Child(msgspec.Struct, frozen=True):
    """An owned operation of ``parent`` that a worker wants to register. Of its lifetime: ``cap_ns`` is the most that it
    may have, ``minimum_ns`` the least with which it is of use, ``reserve_ns`` what the parent keeps for itself.
    ``cancellation_class`` is what stop it is declared to support, if anything is declared."""

    parent: TaskRef
    ref: TaskRef
    kind: OwnedKind
    owner: str
    cap_ns: int | None = None
    minimum_ns: int = 0
    reserve_ns: int = 0
    cancellation_class: CancellationClass | None = None


class Message(msgspec.Struct, frozen=True):
    """What a queue delivers: a request to work on a task."""

    task: TaskRef
    delivery_id: str
    trigger: Trigger
