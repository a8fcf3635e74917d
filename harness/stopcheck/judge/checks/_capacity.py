"""Checks of ESC-9: what was held by somebody who stopped is free again, once, and by the epoch under which it was held.

One idea: nobody sees a slot become free; one sees who gets it. If it is given to one too many it was freed twice, or by
an epoch that did not hold it; if nobody gets it though all holders are gone, it was never freed.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import (
    Acknowledge,
    AlreadyReturned,
    Done,
    HoldSlot,
    PoolFull,
    ProbeResult,
    Recorded,
    RecordProbe,
    Renewed,
    RenewLease,
    ReturnSlot,
    SlotHeld,
    SlotReturned,
    TaskRef,
)
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check, Docket
from stopcheck.judge._facts import Facts
from stopcheck.judge._known import LeaseFacts
from stopcheck.judge._reading import Window
from stopcheck.judge._wording import label
from stopcheck.judge.checks._completion import label_of
from stopcheck.judge.checks._readings import ReadingCheck

#: A holder: its task and the epoch under which it holds.
_Holder = tuple[TaskRef, int]


class ReleasedOnce(ReadingCheck):
    """A pool never has more holders than slots, and a slot whose holder has certainly stopped, or gave it back, is to
    be had again.

    Certain holders are those of tasks that nobody stopped, with a lease that certainly holds; a gate that takes the end
    of a lease for the end of its holder is right, and so is one that waits for proof. A death may have fenced whoever
    has not renewed its lease since.
    """

    name: ClassVar[str] = "released-once"
    clauses: ClassVar[tuple[str, ...]] = ("ESC-9",)

    def __init__(self, facts: Facts, docket: Docket) -> None:
        super().__init__(facts, docket)
        #: After how many deaths of the gate a lease was renewed last.
        self._renewed: dict[_Holder, int] = {}

    def on_deed(self, deed: Deed) -> None:
        """Somebody got a slot, or did not, or gave one back."""
        if deed.ref is None or not deed.definite:
            return
        request = deed.request
        if isinstance(request, RenewLease) and isinstance(deed.reply, Renewed):
            self._renewed[deed.ref, request.epoch] = self.facts.deaths
        elif isinstance(request, HoldSlot) and isinstance(deed.reply, SlotHeld):
            self._one_too_many(deed, request)
        elif isinstance(request, HoldSlot) and isinstance(deed.reply, PoolFull):
            self._nobody_holds_it(deed, request)
        elif isinstance(request, ReturnSlot) and isinstance(deed.reply, SlotReturned | AlreadyReturned):
            self._twice(deed, request)

    def _one_too_many(self, deed: Deed, request: HoldSlot) -> None:
        me = (deed.ref, request.epoch)
        others = [holder for holder in self._holders(request) if holder != me and self._certainly_holds(deed, holder)]
        if len(others) >= request.limit:
            self.breaks(
                "ESC-9",
                f"hold_slot of {request.pool} for {label_of(deed)} under epoch {request.epoch} was answered SlotHeld "
                f"(call {deed.call_id}), though {_named(others)} certainly held all {request.limit}; what was stopped "
                f"is released once, and by its own epoch",
            )

    def _nobody_holds_it(self, deed: Deed, request: HoldSlot) -> None:
        holders = [holder for holder in self._holders(request) if holder != (deed.ref, request.epoch)]
        freed = [holder for holder in holders if self._certainly_released(deed, request, holder)]
        if freed or any(self._certainly_holds(deed, holder) for holder in holders):
            self.exercised("ESC-9")
        if len(holders) - len(freed) < request.limit:
            self.violated(
                "ESC-9",
                f"hold_slot of {request.pool} for {label_of(deed)} was answered PoolFull (call {deed.call_id}), though "
                f"of {request.limit} at most {len(holders) - len(freed)} can be held: {_named(freed) or 'nobody'} has "
                f"stopped or given it back; capacity of what was stopped is released",
            )

    def _twice(self, deed: Deed, request: ReturnSlot) -> None:
        again = [d for d in self._returns(request.pool, (deed.ref, request.epoch)) if d is not deed]
        if again:
            self.exercised("ESC-9")
        twice = next((d for d in again if isinstance(d.reply, SlotReturned)), None)
        if twice is not None and isinstance(deed.reply, SlotReturned) and not self._held_again(deed, request, twice):
            self.violated(
                "ESC-9",
                f"return_slot of {request.pool} for {label_of(deed)} under epoch {request.epoch} was answered "
                f"SlotReturned to call {twice.call_id} and again to call {deed.call_id}; a slot is given back once",
            )

    def _held_again(self, deed: Deed, request: ReturnSlot, before: Deed) -> bool:
        holds = self.facts.book.deeds("hold_slot", deed.ref)
        return any(d.may_count and not d.answered_before(before.begun) for d in holds if _is(d, request.pool))

    # -- who holds ----------------------------------------------------------------------------------------

    def _holders(self, request: HoldSlot) -> list[_Holder]:
        """Whoever may ever have held a slot of the pool, in this tenant."""
        found = [
            (deed.ref, deed.request.epoch)
            for deed in self.facts.book.all_deeds("hold_slot")
            if isinstance(deed.request, HoldSlot)
            and deed.ref is not None
            and _is(deed, request.pool)
            and deed.request.task.tenant == request.task.tenant
            and deed.may_count
            and not (deed.definite and not isinstance(deed.reply, SlotHeld))
        ]
        return list(dict.fromkeys(found))

    def _returns(self, pool: str, holder: tuple[TaskRef | None, int]) -> list[Deed]:
        ref, epoch = holder
        found = self.facts.book.deeds("return_slot", ref)
        return [d for d in found if _is(d, pool) and getattr(d.request, "epoch", -1) == epoch and d.may_count]

    def _certainly_holds(self, deed: Deed, holder: _Holder) -> bool:
        """Whether it was told that it holds one, be it while this call was open, and nothing was begun since that may
        have ended that."""
        ref, epoch = holder
        window, lease = self._place(deed, holder)
        if window is None or lease is None or window.task.ending or self.facts.prompted(ref):
            return False
        if self.facts.deaths and self._renewed.get(holder) != self.facts.deaths:
            return False
        pool = getattr(deed.request, "pool", "")
        told = any(
            isinstance(d.reply, SlotHeld) and getattr(d.request, "epoch", -1) == epoch
            for d in self.facts.book.deeds("hold_slot", ref)
            if _is(d, pool)
        )
        proved = any(d.may_count for d in (*window.acknowledgements, *window.deeds("record_probe")))
        free = proved or bool(self._returns(pool, holder))
        return told and not free and window.certainly_holds(lease, self.facts.now_ns)

    def _certainly_released(self, deed: Deed, request: HoldSlot, holder: _Holder) -> bool:
        """Whether it had given its slot or its lease back when the call began, or was proved to be stopped."""
        window, lease = self._place(deed, holder)
        if window is None or lease is None:
            return False
        ended = [
            d
            for d in (*window.acknowledgements, *window.deeds("record_probe"), *window.deeds("release_lease"))
            if d.answered_before(deed.begun) and _proves_end(d, lease) and d.begun > window.granted_at(lease)
        ]
        holds = [d for d in self.facts.book.deeds("hold_slot", holder[0]) if _is(d, request.pool) and d.may_count]
        returned = [
            d
            for d in self._returns(request.pool, holder)
            if d.definite and d.answered_before(deed.begun) and all(h.answered_before(d.begun) for h in holds)
        ]
        again = ended and window.may_have_begun_since(lease) and not returned
        return bool(returned or ended) and not again

    def digest(self) -> bytes:
        """Who is known to have lived on since the last death."""
        lived_on = sorted(holder for holder, deaths in self._renewed.items() if deaths == self.facts.deaths)
        return repr(lived_on).encode() if self.facts.deaths and lived_on else b""

    def _place(self, deed: Deed, holder: _Holder) -> tuple[Window | None, LeaseFacts | None]:
        ref, epoch = holder
        task = self.facts.tasks.get(ref)
        return (None if task is None else Window(self.facts, task, deed)), self.facts.lease(ref, epoch)


def _is(deed: Deed, pool: str) -> bool:
    return getattr(deed.request, "pool", None) == pool


def _proves_end(deed: Deed, lease: LeaseFacts) -> bool:
    """Whether the answered call proves that the holder of the lease has stopped, or gave it back."""
    request = deed.request
    if isinstance(request, RecordProbe):
        gone = request.result is ProbeResult.GONE and request.worker == lease.worker
        return gone and isinstance(deed.reply, Recorded)
    if getattr(request, "epoch", -1) != lease.epoch:
        return False
    if isinstance(request, Acknowledge):
        return request.strength.means_stopped and isinstance(deed.reply, Recorded)
    return isinstance(deed.reply, Done)


def _named(holders: list[_Holder]) -> str:
    return " and ".join(f"{label(ref)} under epoch {epoch}" for ref, epoch in holders)


CHECKS: tuple[type[Check], ...] = (ReleasedOnce,)

__all__ = ["CHECKS"]
