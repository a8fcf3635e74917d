"""One effect and one worker as they stood around a call: what must be so, and what may be.

One idea: ``told``, ``must_...`` and ``certainly_...`` rest on what had been answered before the call began;
``offered`` and ``may_...`` on whatever was begun before it returned. A check blames a gate only for what contradicts
both.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from stopcheck.gate import (
    Acknowledge,
    AckStrength,
    ClaimGranted,
    Contradicted,
    Disposition,
    EffectEntry,
    Evidence,
    LeaseState,
    ProbeResult,
    Recorded,
    RecordOutcome,
    RecordProbe,
    Resend,
    Sender,
    StaleLease,
)
from stopcheck.judge._evidence import is_false, is_silent, receipt_in, speaks
from stopcheck.judge._known import EffectFacts, LeaseFacts

if TYPE_CHECKING:
    from stopcheck.judge._book import Deed
    from stopcheck.judge._reading import Reading, Window

_KEPT = ("Recorded", "Same")
_NO_SUPPRESSION = ("TooLate", "Resolved", "NotAdmitted")
_NO_WORD = (StaleLease, Contradicted)


def item_of(request: RecordOutcome) -> str | None:
    """The item of a batch that evidence is about, by the request or by its receipt; ``None``: the whole effect."""
    receipt = receipt_in(request.evidence)
    return request.item or (receipt.item if receipt is not None else "") or None


class Told(NamedTuple):
    """Evidence that was told to the gate: the call, and what it says."""

    deed: Deed
    evidence: Evidence


class EffectView:
    """One declared effect at a call. ``entry``: its line in the ledger that a reading shows."""

    def __init__(self, window: Window, effect: EffectFacts, entry: EffectEntry | None = None) -> None:
        self._window = window
        self._book = window.facts.book
        self.effect = effect
        self.id = effect.effect_id
        self.entry = entry

    def _deeds(self, operation: str) -> list[Deed]:
        """The calls about this effect of this task (an id is unique only in its tenant)."""
        return [d for d in self._book.deeds(operation, self.id) if d.ref == self.effect.task]

    @property
    def disposition(self) -> Disposition | None:
        """The disposition that the snapshot shows."""
        return None if self.entry is None else self.entry.disposition

    @property
    def definitive(self) -> bool:
        """Whether the snapshot shows a definitive disposition."""
        return self.entry is not None and self.entry.disposition.definitive

    @cached_property
    def admitted(self) -> bool:
        """Whether it was certainly in the ledger before the call began."""
        deeds = [d for d in self._book.commitments(self.id) if d.ref == self.effect.task]
        return any(d.answer in ("Admitted", "ExistingEffect") and self._window.must(d) for d in deeds)

    @cached_property
    def claims(self) -> int:
        """How often it was certainly claimed before the call began."""
        deeds = self._deeds("claim_dispatch")
        return sum(1 for d in deeds if isinstance(d.reply, ClaimGranted | Resend) and self._window.must(d))

    @cached_property
    def may_be_sent_again(self) -> bool:
        """Whether a second sending may have begun."""
        return any(isinstance(d.reply, Resend) or not d.definite for d in self._deeds("claim_dispatch"))

    @cached_property
    def told(self) -> list[Told]:
        """All evidence that certainly reached the gate before the call began, whatever it answered."""
        return [t for t in self.offered if t.deed.definite and self._window.must(t.deed)]

    @cached_property
    def offered(self) -> list[Told]:
        """All evidence that may have reached the gate before the call returned."""
        found: list[Told] = []
        for deed in self._deeds("record_outcome"):
            if isinstance(deed.request, RecordOutcome) and deed.may_count and item_of(deed.request) is None:
                found.append(Told(deed, deed.request.evidence))
        return found

    @cached_property
    def offered_of_items(self) -> dict[str, list[Told]]:
        """The evidence about single items of a batch that may have reached the gate before the call returned."""
        found: dict[str, list[Told]] = {}
        for deed in self._deeds("record_outcome"):
            if isinstance(deed.request, RecordOutcome) and deed.may_count:
                item = item_of(deed.request)
                if item is not None:
                    found.setdefault(item, []).append(Told(deed, deed.request.evidence))
        return found

    @cached_property
    def silent(self) -> list[Told]:
        """Told evidence that says nothing."""
        return [t for t in self.told if is_silent(t.evidence)]

    @cached_property
    def false(self) -> list[Told]:
        """Told evidence that must not count."""
        return [t for t in self.told if is_false(t.evidence, self.effect)]

    @cached_property
    def kept(self) -> list[Told]:
        """Told evidence that has to count, and that the gate said it had kept."""
        return [t for t in self.told if t.deed.answer in _KEPT and speaks(t.evidence, self.effect)]

    @cached_property
    def may_be(self) -> list[Disposition]:
        """The definitive dispositions for which evidence may have reached the gate. Muddled evidence stands for what it
        claims; only certainly false evidence stands for nothing."""
        evidence = [t.evidence for t in self.offered]
        if self._window.facts.contract.sender is Sender.GATE:
            evidence += self._book.answered.get(self.id, [])
        found: list[Disposition] = [d for d in Disposition if d.definitive] if self.offered_of_items else []
        for item in evidence:
            if is_silent(item) or is_false(item, self.effect):
                continue
            disposition = speaks(item, self.effect)
            found += [disposition] if disposition is not None else [d for d in Disposition if d.definitive]
        return list(dict.fromkeys(found))

    @cached_property
    def may_be_suppressed(self) -> bool:
        """Whether it may have been withdrawn: by request, or by the gate itself while nobody had surely claimed it."""
        asked = any(d.may_count and d.answer not in _NO_SUPPRESSION for d in self._deeds("suppress"))
        return asked or (self.disposition is Disposition.SUPPRESSED and not self.claims)

    @property
    def may_be_resolved(self) -> bool:
        """Whether anything may have given it a definitive disposition."""
        return bool(self.may_be) or self.may_be_suppressed

    @property
    def certainly_open(self) -> bool:
        """Whether it was certainly admitted, and nothing may have resolved it."""
        return self.admitted and not self.may_be_resolved

    @property
    def name(self) -> str:
        """For people."""
        return f"effect {self.id}"


class WorkerView:
    """One worker of the task at a reading."""

    def __init__(self, reading: Reading, worker: str) -> None:
        self._reading = reading
        self.worker = worker
        self.leases = [lease for lease in reading.task.leases if lease.worker == worker]
        facets = reading.snapshot.stopping.workers
        self.facet = next((facet for facet in facets if facet.worker == worker), None)

    @property
    def epochs(self) -> tuple[int, ...]:
        """The epochs that it was granted."""
        return tuple(lease.epoch for lease in self.leases)

    @cached_property
    def may_have_said(self) -> list[AckStrength]:
        """The acknowledgements that may count as this worker's: not those that were refused, nor those from an epoch
        that was certainly superseded when they came."""
        said: list[AckStrength] = []
        for deed in self._reading.acknowledgements:
            request = deed.request
            refused = isinstance(deed.reply, _NO_WORD) or not deed.may_count
            if isinstance(request, Acknowledge) and request.epoch in self.epochs:
                stale = self._reading.superseded_when_begun(deed, request.epoch)
                said += [] if refused or stale else [request.strength]
        return said

    @cached_property
    def may_be_gone(self) -> bool:
        """Whether a probe may have told that it is gone, and not of a life before its newest lease."""
        began = self._reading.began_again_at(self.leases[-1]) if self.leases else 0
        return any(
            isinstance(d.request, RecordProbe)
            and d.request.worker == self.worker
            and d.request.result is ProbeResult.GONE
            and d.may_count
            and not d.answered_before(began)
            for d in self._reading.deeds("record_probe")
        )

    @property
    def may_be_stopped(self) -> bool:
        """Whether anything may prove that it has stopped."""
        return self.may_be_gone or any(strength.means_stopped for strength in self.may_have_said)

    @cached_property
    def must_be_stopped(self) -> bool:
        """Whether it certainly counts as stopped: a counted word of its newest lease, or a probe, and no life since."""
        if not self.leases or self._reading.may_have_begun_since(self.leases[-1]):
            return False
        newest = self.leases[-1].epoch
        said = any(
            isinstance(d.request, Acknowledge)
            and d.request.epoch == newest
            and d.request.strength.means_stopped
            and isinstance(d.reply, Recorded)
            and self._reading.must(d)
            for d in self._reading.acknowledgements
        )
        return said or any(
            isinstance(d.request, RecordProbe)
            and d.request.worker == self.worker
            and d.request.result is ProbeResult.GONE
            and isinstance(d.reply, Recorded)
            and self._reading.must(d)
            and d.begun > self._reading.granted_at(self.leases[-1])
            for d in self._reading.deeds("record_probe")
        )

    @cached_property
    def active_lease(self) -> LeaseFacts | None:
        """A lease of it that certainly carried authority during the whole reading, if there is one."""
        reading = self._reading
        return next((x for x in reversed(self.leases) if reading.certainly_holds(x, reading.ended_ns)), None)

    @property
    def certainly_fenced(self) -> bool:
        """Whether every lease of it certainly carries no authority any more, or is shown so."""
        listed = {entry.epoch: entry.state for entry in self._reading.snapshot.leases}
        now_ns = self._reading.began_ns
        return all(
            lease.stale(now_ns) or listed.get(lease.epoch, LeaseState.ACTIVE) is not LeaseState.ACTIVE
            for lease in self.leases
        )

    @cached_property
    def certainly_free(self) -> bool:
        """Whether it is certainly neither stopped nor fenced. A worker whom the snapshot itself shows without authority
        counts as fenced: a gate may revoke leases on its own."""
        lease = self.active_lease
        if lease is None or self.may_be_stopped:
            return False
        listed = next((e for e in self._reading.snapshot.leases if e.epoch == lease.epoch), None)
        if listed is None:
            return self.facet is None or not self.facet.fenced
        return listed.state is LeaseState.ACTIVE


__all__ = ["EffectView", "Told", "WorkerView", "item_of"]
