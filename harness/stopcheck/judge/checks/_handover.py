"""Checks of RES-5: items in hand-over at the moment of a stop are conserved.

One idea: from ``Done`` on the gate has an item, so it is in every later account, and when the stopped task has come to
rest it is at one of three places: delivered, returned or recorded.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import (
    TERMINAL_STATES,
    ConfirmItem,
    Done,
    Handed,
    HandOver,
    Handover,
    TakeItem,
)
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check
from stopcheck.judge._reading import Reading
from stopcheck.judge.checks._readings import ReadingCheck


class ItemsAreConserved(ReadingCheck):
    """After a stop every item that was handed over is shown; one that was confirmed as delivered, one that nobody took
    as anything but that; and at rest each is delivered, returned or recorded.

    Whether an item in a worker's hands is returned or recorded is the gate's choice. A pass says nothing of items that
    are handed over beside the gate."""

    name: ClassVar[str] = "items-are-conserved"
    clauses: ClassVar[tuple[str, ...]] = ("RES-5",)

    def on_reading(self, reading: Reading) -> None:
        """Look for each item in the account of a stopped task."""
        if reading.snapshot.record is None:
            return
        for item_id in self._items(reading):
            self.exercised("RES-5")
            self._compare(reading, item_id, self._state(reading, item_id))

    def on_final(self, reading: Reading) -> None:
        """At rest none is on its way."""
        if reading.snapshot.record is None or reading.snapshot.execution not in TERMINAL_STATES:
            return
        for item_id in self._items(reading):
            self.exercised("RES-5")
            state = self._state(reading, item_id)
            if state is not None and not state.accounted:
                self._told(
                    reading, item_id, f"is still {state} at rest, where the task is {reading.snapshot.execution}"
                )

    def on_deed(self, deed: Deed) -> None:
        """An item that was delivered is not handed out again, nor one that is in somebody's hands."""
        if not isinstance(deed.request, TakeItem) or not isinstance(deed.reply, Handed):
            return
        self._in_other_hands(deed, deed.request, deed.reply.item_id)
        confirmed = self._confirmation(deed, deed.reply.item_id)
        if confirmed is not None:
            self.breaks(
                "RES-5",
                f"take_item (call {deed.call_id}) handed out {deed.reply.item_id!r}, which had been confirmed (call "
                f"{confirmed.call_id}); what was delivered is not handed over twice",
            )

    def _in_other_hands(self, deed: Deed, request: TakeItem, item_id: str) -> None:
        """Under one lease, which has not ended, an item is handed out once. (Whose lease has ended may have dropped it;
        and a gate that died may have forgotten whom it gave it to.)"""
        taken = [
            other
            for other in self.facts.book.deeds("take_item", deed.ref)
            if other is not deed
            and isinstance(other.reply, Handed)
            and other.reply.item_id == item_id
            and getattr(other.request, "epoch", -1) == request.epoch
        ]
        if taken and not self.facts.deaths:
            self.breaks(
                "RES-5",
                f"take_item under epoch {request.epoch} handed out {item_id!r} to call {taken[0].call_id} and to call "
                f"{deed.call_id}; an item is in the hands of one",
            )

    def _compare(self, reading: Reading, item_id: str, state: Handover | None) -> None:
        if state is None:
            self._told(reading, item_id, "is not shown at all")
        elif state is not Handover.DELIVERED and self._confirmation(reading.deed, item_id) is not None:
            self._told(reading, item_id, f"was confirmed and is shown as {state}")
        elif state is Handover.DELIVERED and not self._may_have_been_taken(reading, item_id):
            self._told(reading, item_id, "is shown as delivered, and nobody took it")

    def _told(self, reading: Reading, item_id: str, what: str) -> None:
        self.violated(
            "RES-5",
            f"{reading.name} was stopped (call {reading.deed.call_id}), and {item_id!r}, which had been handed over to "
            f"it, {what}; what is in hand-over when a stop comes is delivered, returned or recorded",
        )

    # -- what was certain ---------------------------------------------------------------------------------

    def _items(self, reading: Reading) -> list[str]:
        """What had certainly been handed over when the reading began."""
        deeds = [d for d in reading.deeds("hand_over") if isinstance(d.reply, Done) and reading.must(d)]
        return list(dict.fromkeys(d.request.item_id for d in deeds if isinstance(d.request, HandOver)))

    def _state(self, reading: Reading, item_id: str) -> Handover | None:
        return next((entry.state for entry in reading.snapshot.handovers if entry.item_id == item_id), None)

    def _confirmation(self, deed: Deed, item_id: str) -> Deed | None:
        """A confirmation that was over when the call began."""
        for confirmed in self.facts.book.deeds("confirm_item", deed.ref):
            named = isinstance(confirmed.request, ConfirmItem) and confirmed.request.item_id == item_id
            if named and isinstance(confirmed.reply, Done) and confirmed.answered_before(deed.begun):
                return confirmed
        return None

    def _may_have_been_taken(self, reading: Reading, item_id: str) -> bool:
        """Whether a worker was handed it, or may have been."""
        return any(
            not taken.definite or (isinstance(taken.reply, Handed) and taken.reply.item_id == item_id)
            for taken in reading.deeds("take_item")
        )


CHECKS: tuple[type[Check], ...] = (ItemsAreConserved,)

__all__ = ["CHECKS"]
