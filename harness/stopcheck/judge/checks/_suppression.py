"""Checks of SUP: withdrawing an admitted effect, and delivering it where that is not possible.

One idea: suppression and claim exclude each other, so one certain answer of the one kind forbids the other for ever.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import (
    Capability,
    ClaimGranted,
    Disposition,
    Resend,
    Retry,
    Right,
    Sender,
    Snapshot,
    Suppress,
    SuppressionDone,
)
from stopcheck.judge._checks import Check
from stopcheck.judge._facts import Call, EffectFacts
from stopcheck.judge.checks._answers import AnswerCheck, answer, told
from stopcheck.world import Committed, Entry, Event, Returned


class SuppressedNeverArrives(AnswerCheck):
    """An effect whose suppression was answered is never committed by its receiver.

    A pass says nothing of effects whose suppression nobody was told of."""

    name: ClassVar[str] = "suppressed-never-arrives"
    clauses: ClassVar[tuple[str, ...]] = ("SUP-2",)
    events: ClassVar[tuple[type[Event], ...]] = (Returned, Committed)
    operations: ClassVar[frozenset[str]] = frozenset(("suppress",))

    def on_entry(self, entry: Entry) -> None:
        """The receiver's commit, after the answer or before it."""
        event = entry.event
        effect = self.facts.effects.get(event.effect_id) if isinstance(event, Committed) else None
        if effect is not None and effect.suppressed:
            self._told(effect, "after its suppression had been answered")
        super().on_entry(entry)

    def on_answer(self, call: Call) -> None:
        """Suppressed, although it had arrived."""
        effect = self.facts.effect_of(call.request)
        if effect is not None and effect.commits and isinstance(call.reply, SuppressionDone):
            self._told(effect, f"and then {answer(call)}")

    def _told(self, effect: EffectFacts, when: str) -> None:
        self.violated(
            "SUP-2", f"{effect.receiver} committed {effect.effect_id} {when}; a suppressed effect never arrives"
        )

    def at_rest(self) -> None:
        """Every suppressed effect whose receiver was asked has been put to the test."""
        for effect in self.facts.effects.values():
            if effect.suppressed and effect.effect_id in self.facts.truths:
                self.exercised("SUP-2")


class TooLateAfterClaim(AnswerCheck):
    """After a claim was answered, suppression is too late and the account never says ``suppressed``.

    Suppression that raced with the claim is put in order by the linearisability check (SUP-1)."""

    name: ClassVar[str] = "suppression-after-claim"
    clauses: ClassVar[tuple[str, ...]] = ("SUP-3",)
    operations: ClassVar[frozenset[str]] = frozenset(("suppress", "inspect"))

    def on_answer(self, call: Call) -> None:
        """The answer to the suppression, and the account."""
        request, reply, claimed = call.request, call.reply, call.known.claimed
        if isinstance(request, Suppress) and request.effect_id in claimed:
            self.exercised("SUP-3")
            if isinstance(reply, SuppressionDone):
                self._told(f"{answer(call)} for {request.effect_id}, which had been claimed before the call began")
        elif isinstance(reply, Snapshot):
            for entry in reply.effects:
                if entry.disposition is Disposition.SUPPRESSED and entry.effect_id in claimed:
                    self._told(f"{answer(call)} with {entry.effect_id} as suppressed, though it had been claimed")

    def _told(self, what: str) -> None:
        self.violated("SUP-3", f"{what}; after a claim the effect stays in doubt until there is evidence")


class DeliveredWithoutSuppression(AnswerCheck):
    """A gate without suppression lets what it admitted be claimed after the cutoff, and shows that it was.

    Never exercised for a gate that has the capability. A pass says nothing of how the delivery itself ended."""

    name: ClassVar[str] = "delivery-without-suppression"
    clauses: ClassVar[tuple[str, ...]] = ("SUP-4",)
    operations: ClassVar[frozenset[str]] = frozenset(("claim_dispatch", "inspect"))

    def on_answer(self, call: Call) -> None:
        """First claims after the cutoff; accounts after such a claim."""
        contract = self.contract
        if contract.has(Capability.SUPPRESSION) or contract.sender is Sender.GATE or call.cut_off is None:
            return
        if isinstance(call.reply, Snapshot):
            self._reported(call, call.reply)
            return
        effect = self.facts.effect_of(call.request)
        allowed = Right.DISPATCH in call.request.caller.rights
        if (
            effect is None
            or effect.effect_id not in call.known.admitted
            or not allowed
            or not self._first(call, effect)
        ):
            return
        caller = call.request.caller
        if Right.DISPATCH not in caller.rights or caller.tenant != call.request.task.tenant:
            return
        self.exercised("SUP-4")
        if not isinstance(call.reply, ClaimGranted | Retry):
            self._told(
                f"{answer(call)} for {effect.effect_id}, which was admitted before {told(call.cut_off)} and never "
                f"claimed",
                "lets it be delivered",
            )

    def _first(self, call: Call, effect: EffectFacts) -> bool:
        """Whether no other claim and no evidence can explain another answer."""
        granted = isinstance(call.reply, ClaimGranted | Resend)
        others = [
            *self.facts.open_calls("claim_dispatch"),
            *self.facts.open_calls("record_outcome"),
        ]
        open_ones = any(getattr(other.request, "effect_id", "") == effect.effect_id for other in others)
        return effect.claims == int(granted) and not (effect.doubtful_claim or effect.told or open_ones)

    def _reported(self, call: Call, account: Snapshot) -> None:
        entries = {entry.effect_id: entry for entry in account.effects}
        for effect_id in call.known.claimed:
            self.exercised("SUP-4")
            entry = entries.get(effect_id)
            shown = entry is not None and (entry.claimed or entry.disposition.definitive)
            if not shown or (entry is not None and entry.disposition is Disposition.SUPPRESSED):
                self._told(f"{answer(call)} and does not show that {effect_id} was claimed", "reports the delivery")

    def _told(self, what: str, duty: str) -> None:
        self.violated("SUP-4", f"{what}; a gate without suppression {duty}")


CHECKS: tuple[type[Check], ...] = (SuppressedNeverArrives, TooLateAfterClaim, DeliveredWithoutSuppression)

__all__ = ["CHECKS"]
