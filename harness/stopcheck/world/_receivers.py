"""Receivers: the mail and the export provider, and what they really did.

One idea: a receiver holds the ground truth. Each request goes through *received*, *committed*, *answered*, with a
branch point before each, and at each it may fail in its own way; above all it may commit and then lose the answer.
Receipts are signed with a key that only receivers have.
"""

from __future__ import annotations

import hashlib
import hmac
from enum import StrEnum

import msgspec

import stopcheck.world  # named by annotations that are looked up late: it imports this module
from stopcheck.gate import (
    Evidence,
    Finding,
    LookupAnswer,
    LookupEvidence,
    NoEvidence,
    Receipt,
    ReceiptEvidence,
)
from stopcheck.kernel import branch
from stopcheck.world._events import Answered, Committed, FaultChosen, NotCommitted, ReceiverTruth, Submitted
from stopcheck.world._scenario import FaultKind


class Lookup(StrEnum):
    """What a receiver's look-up by effect id is worth."""

    AUTHORITATIVE = "authoritative"
    STALE = "stale"
    NONE = "none"


#: What may go wrong with a request before its commit, and with its answer.
RECEIVE_FAULTS = ("reject", "drop", "delay")
ANSWER_FAULTS = ("drop_answer", "answer_late")
#: What may go wrong while it writes, if it does: what it has written by then is all that there will be.
WRITE_FAULTS = ("cut_short",)


class Abilities(msgspec.Struct, frozen=True, kw_only=True):
    """What a receiver can do. ``steps`` are the stages of a request between receipt and commit (an export writes
    before it is complete); ``demands_permit``: it takes nothing without the permit of a claim."""

    idempotent: bool = True
    lookup: Lookup = Lookup.AUTHORITATIVE
    can_fence: bool = True
    demands_permit: bool = True
    steps: tuple[str, ...] = ()


MAIL = Abilities()
EXPORT = Abilities(steps=("writing",))


def is_genuine(receipt: Receipt) -> bool:
    """Whether the receiver that the receipt names really signed it. It says nothing of what it is about."""
    return hmac.compare_digest(_signature(receipt), receipt.signature)


def _signature(receipt: Receipt) -> str:
    said = (receipt.receiver, receipt.effect_id, receipt.payload_digest, receipt.finding.value, receipt.receipt_id)
    text = "\0".join((*said, receipt.item) if receipt.item else said)
    return hmac.new(f"key of {receipt.receiver}".encode(), text.encode(), hashlib.sha256).hexdigest()[:32]


class Receiver:
    """A provider outside the gate. ``jobs`` tells an export's status: ``pending``, ``writing``, ``complete`` or
    ``partial``."""

    def __init__(self, world: stopcheck.world.World, name: str, abilities: Abilities) -> None:
        self.name = name
        self.abilities = abilities
        self.jobs: dict[str, str] = {}
        self._world = world
        self._commits: dict[str, list[str]] = {}
        self._statements: dict[str, Receipt] = {}
        self._fenced: set[str] = set()

    # -- requests -----------------------------------------------------------------------------------------

    async def submit(self, effect: stopcheck.world.Effect, permit: str) -> Evidence:
        """Send an effect. Returns what the sender sees: a receipt, or nothing."""
        await branch(f"{self.name}.receive", (self.name,))
        actor = self._world.actor_name()
        self._world.emit(Submitted(self.name, effect.effect_id, effect.payload_digest, permit, actor))
        if self.abilities.demands_permit and not self._world.permit_is_genuine(permit, effect.effect_id):
            self._refuse(effect, "no_permit")
            return self._answer(effect, NoEvidence("refused: no permit"))
        fault = self._fault("receive", RECEIVE_FAULTS)
        if fault == "drop":
            self._refuse(effect, "dropped")
            return self._answer(effect, NoEvidence("disconnected"))
        if fault == "reject":
            receipt = self._state(effect, Finding.REJECTED)
            self._refuse(effect, "rejected")
            return self._answer(effect, ReceiptEvidence(receipt))
        if fault == "delay":
            self._world.kernel.spawn("late", self._process(effect, permit))
            return self._answer(effect, NoEvidence("timeout"))
        return await self._process(effect, permit)

    async def _process(self, effect: stopcheck.world.Effect, permit: str) -> Evidence:
        for stage in self.abilities.steps:
            self.jobs[effect.effect_id] = stage
            await branch(f"{self.name}.{stage}", (self.name,))
        await branch(f"{self.name}.commit", (self.name,))
        known = self._statements.get(effect.effect_id)
        if effect.effect_id in self._fenced:
            self._refuse(effect, "fenced")
            return self._answer(effect, ReceiptEvidence(self._statements[effect.effect_id]))
        if known is not None and self.abilities.idempotent and known.finding in (Finding.EXECUTED, Finding.PARTIAL):
            self._refuse(effect, "duplicate")
            receipt = known
        elif self.abilities.steps and self._fault("write", WRITE_FAULTS) == "cut_short":
            receipt = self._commit(effect, permit, Finding.PARTIAL)
        else:
            receipt = self._commit(effect, permit)
        fault = self._fault("answer", ANSWER_FAULTS)
        if fault == "drop_answer":
            return self._answer(effect, NoEvidence("disconnected"))
        if fault == "answer_late":
            self._world.late_answer(effect, ReceiptEvidence(receipt))
            return self._answer(effect, NoEvidence("timeout"))
        await branch(f"{self.name}.answer", (self.name,))
        return self._answer(effect, ReceiptEvidence(receipt))

    def _commit(self, effect: stopcheck.world.Effect, permit: str, finding: Finding = Finding.EXECUTED) -> Receipt:
        self._commits.setdefault(effect.effect_id, []).append(effect.payload_digest)
        self.jobs[effect.effect_id] = "partial" if finding is Finding.PARTIAL else "complete"
        receipt = self._state(effect, finding)
        self._world.emit(Committed(self.name, effect.effect_id, effect.payload_digest, permit, receipt))
        return receipt

    def _refuse(self, effect: stopcheck.world.Effect, why: str) -> None:
        self._world.emit(NotCommitted(self.name, effect.effect_id, why))

    def _answer(self, effect: stopcheck.world.Effect, evidence: Evidence) -> Evidence:
        self._world.emit(Answered(self.name, effect.effect_id, self._world.actor_name(), evidence))
        return evidence

    def _fault(self, at: str, faults: tuple[str, ...]) -> str:
        purse = self._world.purse
        offered = tuple(f for f in faults if purse.admits(f)) if purse.may(FaultKind.PROVIDER) else ()
        chosen = self._world.kernel.fault(f"{self.name}.{at}", ("ok", *offered))
        if chosen != "ok":
            purse.spend(FaultKind.PROVIDER)
            self._world.emit(FaultChosen(self._world.actor_name(), f"{self.name}.{at}", chosen))
        return chosen

    # -- look-ups -----------------------------------------------------------------------------------------

    async def look_up(self, effect: stopcheck.world.Effect) -> Evidence:
        """Ask what became of an effect id."""
        await branch(f"{self.name}.lookup", (self.name,))
        kind = self.abilities.lookup
        if kind is Lookup.NONE:
            return self._answer(effect, NoEvidence("the receiver has no look-up"))
        receipt = self._statements.get(effect.effect_id)
        if receipt is not None and receipt.finding is Finding.FENCED:
            return self._answer(effect, LookupEvidence(LookupAnswer.FENCED, receipt))
        if kind is Lookup.STALE:
            return self._answer(effect, LookupEvidence(LookupAnswer.STALE))
        if receipt is not None:
            return self._answer(effect, LookupEvidence(LookupAnswer.FOUND, receipt))
        return self._answer(effect, LookupEvidence(LookupAnswer.ABSENT))

    async def fence(self, effect: stopcheck.world.Effect) -> Evidence:
        """Ask the receiver never to execute the id: the only thing that turns absence into ``not_executed``."""
        await branch(f"{self.name}.fence", (self.name,))
        receipt = self._statements.get(effect.effect_id)
        if receipt is not None and receipt.finding is not Finding.FENCED:
            return self._answer(effect, LookupEvidence(LookupAnswer.FOUND, receipt))
        if not self.abilities.can_fence:
            return self._answer(effect, NoEvidence("the receiver cannot fence"))
        self._fenced.add(effect.effect_id)
        receipt = self._state(effect, Finding.FENCED)
        return self._answer(effect, LookupEvidence(LookupAnswer.FENCED, receipt))

    # -- receipts -----------------------------------------------------------------------------------------

    def _state(self, effect: stopcheck.world.Effect, finding: Finding) -> Receipt:
        receipt = self.sign(effect.effect_id, effect.payload_digest, finding)
        self._statements[effect.effect_id] = receipt
        return receipt

    def sign(self, effect_id: str, payload_digest: str, finding: Finding, item: str = "") -> Receipt:
        """A genuine receipt of this receiver, for the whole effect or for one item of it."""
        receipt_id = f"{self.name}/{effect_id}/{f'{item}/' if item else ''}{finding.value}"
        unsigned = Receipt(self.name, effect_id, payload_digest, finding, receipt_id, "", item)
        return msgspec.structs.replace(unsigned, signature=_signature(unsigned))

    def verifies(self, receipt: Receipt) -> bool:
        """Whether this receiver signed it."""
        return receipt.receiver == self.name and is_genuine(receipt)

    # -- truth --------------------------------------------------------------------------------------------

    def commits(self, effect_id: str) -> int:
        """How often the effect was really done."""
        return len(self._commits.get(effect_id, ()))

    def truth(self, effect_ids: list[str]) -> list[ReceiverTruth]:
        """What is really so, for each of these ids and whatever else was committed."""
        ids = sorted({*effect_ids, *self._commits})
        return [
            ReceiverTruth(self.name, i, self.commits(i), tuple(self._commits.get(i, ())), i in self._fenced)
            for i in ids
        ]

    def digest(self) -> bytes:
        """For the state key."""
        statements = sorted((k, r.finding.value, r.payload_digest) for k, r in self._statements.items())
        commits = sorted(self._commits.items())
        return repr((self.name, commits, statements, sorted(self._fenced), sorted(self.jobs.items()))).encode()
