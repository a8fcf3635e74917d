"""What a task has beside effects and children: artefacts that it makes, and slots that it holds.

One idea: both are the task's own, are told before they exist, and are got rid of once: artefacts by a clean-up that
outlives the stop and may do nothing else, slots by their holder or with its authority. Requests and replies of the
capabilities ``cleanup`` and ``capacity``.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate._replies import Reply
from stopcheck.gate._requests import Request

# -- clean-up ---------------------------------------------------------------------------------------------


class NoteArtefact(Request, frozen=True, kw_only=True):
    """The task makes ``artefact`` (a temporary file, a scratch table, a report), which is its own from here on: told
    before it exists (right ``work``). Names are unique in the tenant. ``finished``: it is a deliverable now, to be
    kept whatever becomes of the task."""

    operation: ClassVar[str] = "note_artefact"
    epoch: int
    artefact: str
    finished: bool = False


class BeginCleanup(Request, frozen=True, kw_only=True):
    """``cleaner`` asks for authority to clear away what the stopped task has left behind (right ``work``)."""

    operation: ClassVar[str] = "begin_cleanup"
    cleaner: str


class CleanUp(Request, frozen=True, kw_only=True):
    """A cleaner is about to remove ``artefact``; ``epoch`` is its clean-up's (right ``work``)."""

    operation: ClassVar[str] = "clean_up"
    epoch: int
    artefact: str


class CleanupGranted(Reply, frozen=True):
    """Until ``expires_ns`` (exclusive) the cleaner may remove what the task owns, and nothing else: ``epoch`` is good
    for no ordinary work."""

    epoch: int
    expires_ns: int


class Removable(Reply, frozen=True):
    """The artefact is the task's own and not finished: remove it."""


class Kept(Reply, frozen=True):
    """The artefact is a finished deliverable: leave it."""


class NotOwned(Reply, frozen=True):
    """The artefact is not this task's: leave it."""


# -- capacity ---------------------------------------------------------------------------------------------


class HoldSlot(Request, frozen=True, kw_only=True):
    """Take one of the ``limit`` slots of ``pool`` (licences, machines; a lock has one), under this epoch
    (right ``work``). Pools are those of a tenant."""

    operation: ClassVar[str] = "hold_slot"
    epoch: int
    pool: str
    limit: int


class ReturnSlot(Request, frozen=True, kw_only=True):
    """Give back the slot of ``pool`` that is held under this epoch (right ``work``)."""

    operation: ClassVar[str] = "return_slot"
    epoch: int
    pool: str


class SlotHeld(Reply, frozen=True):
    """The task holds a slot under this epoch (or held it already)."""


class PoolFull(Reply, frozen=True):
    """All slots are held by others."""


class SlotReturned(Reply, frozen=True):
    """The slot is free from here on."""


class AlreadyReturned(Reply, frozen=True):
    """Under this epoch nothing is held any more (or ever was); nobody else's slot is touched."""


__all__ = [
    "AlreadyReturned",
    "BeginCleanup",
    "CleanUp",
    "CleanupGranted",
    "HoldSlot",
    "Kept",
    "NotOwned",
    "NoteArtefact",
    "PoolFull",
    "Removable",
    "ReturnSlot",
    "SlotHeld",
    "SlotReturned",
]
