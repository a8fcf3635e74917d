"""Checks of ADM: what may still be admitted, claimed and sent.

One idea: only certainty condemns. An admission breaks a clause if its call *began* after a covering record had been
shown, or with an epoch that had been fenced; whatever overlapped is left to the linearisability check.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import (
    Admitted,
    BeginWork,
    ClaimDispatch,
    ClaimGranted,
    CommitEffect,
    ExistingEffect,
    FireRetry,
    LeaseGranted,
    NotAdmitted,
    PayloadMismatch,
    Refused,
    Renewed,
    Resend,
    RetryFired,
    Snapshot,
    Won,
)
from stopcheck.judge._checks import Check
from stopcheck.judge._facts import Call
from stopcheck.judge._wording import label
from stopcheck.judge.checks._answers import AnswerCheck, answer, told
from stopcheck.world import Committed, Entry, Event, Returned


class CommitAfterCutoff(AnswerCheck):
    """A commitment that begins after the task's record was shown admits nothing.

    Commitments under an ancestor's record belong to CHILD-3. A pass says nothing of commitments that overlapped with
    the stop: the linearisability check orders those."""

    name: ClassVar[str] = "commit-after-cutoff"
    clauses: ClassVar[tuple[str, ...]] = ("ADM-1",)
    operations: ClassVar[frozenset[str]] = frozenset(("commit_effect", "compensate"))

    def on_answer(self, call: Call) -> None:
        """Only commitments after the task's own cutoff."""
        record = call.cut_off
        if record is None or record.task != call.request.ref or isinstance(call.reply, Refused):
            return
        self.exercised("ADM-1")
        if isinstance(call.reply, Admitted):
            self.violated(
                "ADM-1",
                f"{answer(call)} for {getattr(call.request, 'effect_id', '')}, although {told(record)} had been shown "
                f"before the call began; after the cutoff no effect is admitted",
            )


class NothingUnadmitted(AnswerCheck):
    """Whatever a receiver commits, and whatever may be sent, was admitted first.

    A commitment whose call is still open, or was swallowed by a death, counts as possibly admitted. A pass says
    nothing of receivers that demand no permit and of senders that the world does not simulate."""

    name: ClassVar[str] = "nothing-unadmitted-arrives"
    clauses: ClassVar[tuple[str, ...]] = ("ADM-2",)
    events: ClassVar[tuple[type[Event], ...]] = (Returned, Committed)
    operations: ClassVar[frozenset[str]] = frozenset(("claim_dispatch",))

    def on_entry(self, entry: Entry) -> None:
        """Receivers, and claims."""
        event = entry.event
        if isinstance(event, Committed):
            self.exercised("ADM-2")
            if not self._possibly_admitted(event.effect_id):
                self.violated(
                    "ADM-2",
                    f"{event.receiver} committed {event.effect_id}, which no commit_effect had admitted; nothing "
                    f"reaches a receiver that was not admitted first",
                )
        super().on_entry(entry)

    def on_answer(self, call: Call) -> None:
        """A permit for what was never admitted."""
        effect_id = getattr(call.request, "effect_id", "")
        if isinstance(call.reply, NotAdmitted):
            self.exercised("ADM-2")
        elif isinstance(call.reply, ClaimGranted | Resend) and not self._possibly_admitted(effect_id):
            self.exercised("ADM-2")
            self.violated("ADM-2", f"{answer(call)} for {effect_id}, which no commit_effect had admitted")

    def _possibly_admitted(self, effect_id: str) -> bool:
        effect = self.facts.effects.get(effect_id)
        if effect is not None and (effect.admitted or effect.doubtful):
            return True
        return any(
            call.operation in ("commit_effect", "compensate") and getattr(call.request, "effect_id", "") == effect_id
            for call in self.facts.open.values()
        )


class AdmittedBeforeCutoff(AnswerCheck):
    """An effect that won against the stop is in every later account, with a revision before the cutoff's.

    A pass says nothing of descendants stopped through an ancestor's record: revisions of two tasks are not ordered."""

    name: ClassVar[str] = "reported-as-admitted-before"
    clauses: ClassVar[tuple[str, ...]] = ("ADM-4",)
    operations: ClassVar[frozenset[str]] = frozenset(("inspect", "commit_effect"))

    def on_answer(self, call: Call) -> None:
        """The account of a stopped task; a commitment that overtook the stop's answer."""
        task = self.facts.tasks.get(call.request.ref) if call.request.ref is not None else None
        if task is None:
            return
        if isinstance(call.reply, Admitted) and task.record is not None:
            if call.cut_off is None and call.reply.revision >= task.record.revision:
                self._told(call, getattr(call.request, "effect_id", ""), call.reply.revision, task.record.revision)
        elif isinstance(call.reply, Snapshot):
            self._account(call, call.reply)

    def _account(self, call: Call, account: Snapshot) -> None:
        record = account.record
        if record is None or record.task != account.task:
            return
        entries = {entry.effect_id: entry for entry in account.effects}
        for effect_id in call.known.admitted:
            self.exercised("ADM-4")
            entry = entries.get(effect_id)
            revision = self.facts.effects[effect_id].admitted_revision
            if entry is None:
                self.violated(
                    "ADM-4",
                    f"{answer(call)} without {effect_id}, which had been admitted; an effect that won against the "
                    f"stop is reported as admitted before the cutoff, even when it is sent later",
                )
            elif entry.admitted_revision >= record.revision:
                self._told(call, effect_id, entry.admitted_revision, record.revision)
            elif revision >= record.revision:
                self._told(call, effect_id, revision, record.revision)

    def _told(self, call: Call, effect_id: str, admitted: int, cutoff: int) -> None:
        self.violated(
            "ADM-4",
            f"{answer(call)}: {effect_id} was admitted at revision {admitted}, the cutoff's revision is {cutoff}; what "
            f"won against the stop is reported as admitted before it",
        )


class OnePayload(AnswerCheck):
    """An effect id is admitted once, for one payload: another payload is refused, the same one is the same effect.

    A pass says nothing of ids in other tenants, which may be equal, nor of what is sent under an id."""

    name: ClassVar[str] = "one-payload-per-effect-id"
    clauses: ClassVar[tuple[str, ...]] = ("ADM-5",)
    operations: ClassVar[frozenset[str]] = frozenset(("commit_effect",))

    def on_answer(self, call: Call) -> None:
        """Commitments of an id that had been admitted, and second admissions whatever overlapped."""
        request, reply = call.request, call.reply
        effect = self.facts.effect_of(request)
        if effect is None or not isinstance(request, CommitEffect):
            return
        bound, payload = call.known.bound, request.payload_digest
        if bound and isinstance(reply, Admitted | ExistingEffect | PayloadMismatch):
            self.exercised("ADM-5")
        if isinstance(reply, Admitted) and len(effect.admissions) > 1:
            self._told(call, f"{effect.effect_id} was admitted before, for {', '.join(effect.admissions[:-1])}")
        elif isinstance(reply, ExistingEffect) and bound and payload not in bound:
            self._told(call, f"{effect.effect_id} is bound to {', '.join(bound)}, not to {payload}")
        elif isinstance(reply, PayloadMismatch) and bound == (payload,) and self._same(call):
            self._told(call, f"{effect.effect_id} had been admitted for that very payload")

    def _same(self, call: Call) -> bool:
        effect, request = self.facts.effect_of(call.request), call.request
        same_receiver = effect is not None and getattr(request, "receiver", "") == effect.receiver
        return same_receiver and effect is not None and effect.task == request.ref

    def _told(self, call: Call, why: str) -> None:
        payload = getattr(call.request, "payload_digest", "")
        self.violated(
            "ADM-5", f"{answer(call)} with the payload {payload}: {why}; an effect id is bound to its payload"
        )


class StaleLease(AnswerCheck):
    """An epoch that was superseded, released, revoked or has expired commits, ends and renews nothing.

    After the cutoff no lease is renewed either. A pass says nothing of claims: dispatchers claim under an authority of
    their own, and no epoch stands in a claim."""

    name: ClassVar[str] = "stale-lease"
    clauses: ClassVar[tuple[str, ...]] = ("ADM-6",)
    operations: ClassVar[frozenset[str]] = frozenset(("commit_effect", "complete", "fail", "renew_lease"))

    def on_answer(self, call: Call) -> None:
        """Calls whose epoch was certainly stale when they began."""
        if isinstance(call.reply, Refused):
            return
        stale = call.known.stale
        if call.operation == "renew_lease" and not stale and call.cut_off is not None:
            stale = f"cut off by {told(call.cut_off)}"
        if not stale:
            return
        self.exercised("ADM-6")
        if isinstance(call.reply, Admitted | Won | Renewed):
            ref = call.request.ref
            self.violated(
                "ADM-6",
                f"{answer(call)} with epoch {getattr(call.request, 'epoch', '')} of {label(ref) if ref else ''}, which "
                f"was {stale} before the call began; a stale lease carries no authority",
            )


class OneHolderPerEpoch(AnswerCheck):
    """No two workers are given a lease of one task under the same epoch, be it at the same time: neither could be
    fenced without the other.

    A worker that begins again may be given the epoch that it has. After a death nothing is compared."""

    name: ClassVar[str] = "one-holder-per-epoch"
    clauses: ClassVar[tuple[str, ...]] = ("ADM-6",)
    operations: ClassVar[frozenset[str]] = frozenset(("begin_work", "fire_retry"))

    def on_answer(self, call: Call) -> None:
        """Leases, beside those that others were given."""
        request, reply, ref = call.request, call.reply, call.request.ref
        if not isinstance(request, BeginWork | FireRetry) or not isinstance(reply, LeaseGranted | RetryFired):
            return
        granted = [deed for about in ("begin_work", "fire_retry") for deed in self.facts.book.deeds(about, ref)]
        others = [deed for deed in granted if getattr(deed.request, "worker", "") != request.worker]
        if self.facts.deaths or not any(isinstance(deed.reply, LeaseGranted | RetryFired) for deed in others):
            return
        self.exercised("ADM-6")
        same = next((deed for deed in others if getattr(deed.reply, "epoch", None) == reply.epoch), None)
        if same is not None:
            self.violated(
                "ADM-6",
                f"{answer(call)} to {request.worker} under epoch {reply.epoch} of {label(ref) if ref else ''}, under "
                f"which {getattr(same.request, 'worker', '')} had been given it too (call {same.call_id}); an epoch is "
                f"one holder's, and fences all before",
            )


class AtMostOnce(AnswerCheck):
    """A receiver commits an effect id once; a second permit needs a receiver that is idempotent and no cutoff.

    A pass says nothing of receivers that commit twice by themselves: those of the world do not."""

    name: ClassVar[str] = "at-most-once"
    clauses: ClassVar[tuple[str, ...]] = ("ADM-7",)
    events: ClassVar[tuple[type[Event], ...]] = (Returned, Committed)
    operations: ClassVar[frozenset[str]] = frozenset(("claim_dispatch",))

    def on_entry(self, entry: Entry) -> None:
        """Receivers, and claims."""
        event = entry.event
        effect = self.facts.effects.get(event.effect_id) if isinstance(event, Committed) else None
        if effect is not None and effect.commits > 1:
            self.violated(
                "ADM-7",
                f"{effect.receiver} committed {effect.effect_id} {effect.commits} times; each effect id is committed "
                f"at most once",
            )
        super().on_entry(entry)

    def on_answer(self, call: Call) -> None:
        """A second permit."""
        effect, request, reply = self.facts.effect_of(call.request), call.request, call.reply
        if effect is None or not isinstance(request, ClaimDispatch) or isinstance(reply, Refused):
            return
        again = effect.effect_id in call.known.claimed
        if again:
            self.exercised("ADM-7")
        if not isinstance(reply, ClaimGranted | Resend):
            return
        again = again or isinstance(reply, Resend)
        if again and call.cut_off is not None:
            self._told(call, f"although {told(call.cut_off)} had been shown; after the cutoff there are only look-ups")
        elif isinstance(reply, Resend) and self._never_again(effect.effect_id):
            self._told(call, "though the contract declares that no effect of its class is sent again")
        elif effect.claims > 1 and not request.idempotent_receiver:
            self._told(call, f"though {effect.receiver} is not idempotent by effect id")

    def _never_again(self, effect_id: str) -> bool:
        """Whether by all that its commitments declared it is of a class that is not sent again."""
        asked = [d.request for d in self.facts.book.commitments(effect_id) if d.may_count]
        declared = [request.cancellation_class for request in asked if isinstance(request, CommitEffect)]
        return bool(declared) and not any(self.contract.resends_of(kind) for kind in declared)

    def _told(self, call: Call, why: str) -> None:
        effect_id = getattr(call.request, "effect_id", "")
        self.violated("ADM-7", f"{answer(call)}, which allows {effect_id} to be sent again, {why}")


CHECKS: tuple[type[Check], ...] = (
    CommitAfterCutoff,
    NothingUnadmitted,
    AdmittedBeforeCutoff,
    OnePayload,
    StaleLease,
    OneHolderPerEpoch,
    AtMostOnce,
)

__all__ = ["CHECKS"]
