"""Checks of RES-4: each request at a boundary has one answer, and it is its own.

One idea: an answer is known by the request that it names. So whatever a caller reads must have been offered for that
very request, before anybody confirmed that it was withdrawn, and it is the same whenever it is read.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import Ask, BoundaryAnswer, Done, NoAnswer, OfferResult, ReadAnswer, Taken, Withdraw
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check
from stopcheck.judge.checks._readings import ReadingCheck


class AnswersAreSingleAndPrivate(ReadingCheck):
    """A request is answered once; not after its withdrawal was confirmed; and only its asker reads the answer, which
    was offered for that request.

    The same answer told again is the same answer; of two that were offered at the same time one is taken. A pass says
    nothing of answers that do not go through the gate."""

    name: ClassVar[str] = "answers-are-single-and-private"
    clauses: ClassVar[tuple[str, ...]] = ("RES-4",)

    def on_deed(self, deed: Deed) -> None:
        """Answers that are offered, and answers that are read."""
        request = deed.request
        if not deed.definite:
            return
        if isinstance(request, OfferResult) and request.request_id:
            self._offered(deed, request)
        elif isinstance(request, ReadAnswer):
            self._read(deed, request)
        elif isinstance(request, Ask):
            self._asked(deed, request)

    def _asked(self, deed: Deed, request: Ask) -> None:
        """Of two people, be it at the same time, one is the asker."""
        for other in self._named("ask", deed, request.request_id):
            if other.request.caller.principal == request.caller.principal:
                continue
            self.exercised("RES-4")
            if isinstance(deed.reply, Done) and isinstance(other.reply, Done):
                self.violated(
                    "RES-4",
                    f"ask (call {deed.call_id}) by {request.caller.principal} under the id {request.request_id} was "
                    f"answered Done, and so was that of {other.request.caller.principal} (call {other.call_id}); a "
                    f"request has one asker, and nobody reads the answer meant for another",
                )

    def _named(self, operation: str, deed: Deed, request_id: str) -> list[Deed]:
        """The other calls of that operation about this request that were answered."""
        deeds = self.facts.book.deeds(operation, deed.ref)
        return [d for d in deeds if d is not deed and d.definite and getattr(d.request, "request_id", "") == request_id]

    def _offered(self, deed: Deed, request: OfferResult) -> None:
        withdrawn = self._withdrawal(deed, request.request_id)
        other = next((o for o in self._offers(deed, request.request_id) if self._is_another(o, deed, request)), None)
        if withdrawn is not None or other is not None:
            self.exercised("RES-4")
        if not isinstance(deed.reply, Taken):
            return
        if withdrawn is not None:
            self.violated(
                "RES-4",
                f"offer_result (call {deed.call_id}) for request {request.request_id} was answered Taken, although its "
                f"withdrawal had been confirmed (call {withdrawn.call_id}); no request is answered after that",
            )
        elif other is not None:
            self.violated(
                "RES-4",
                f"offer_result (call {deed.call_id}) of {request.result_digest!r} for request {request.request_id} was "
                f"answered Taken, and so had been another answer (call {other.call_id}); each request is answered once",
            )

    def _is_another(self, offer: Deed, deed: Deed, request: OfferResult) -> bool:
        digest = getattr(offer.request, "result_digest", "")
        return isinstance(offer.reply, Taken) and digest != request.result_digest

    def _read(self, deed: Deed, request: ReadAnswer) -> None:
        asker = self._asker(deed, request.request_id)
        stranger = asker is not None and request.caller.principal not in asker
        withdrawn = self._withdrawal(deed, request.request_id)
        offers = self._offers(deed, request.request_id)
        if stranger or withdrawn is not None or self._others_are_answered(deed, request.request_id):
            self.exercised("RES-4")
        if isinstance(deed.reply, NoAnswer) and not stranger:
            self._lost(deed, request, offers)
        if not isinstance(deed.reply, BoundaryAnswer):
            return
        digest = deed.reply.result_digest
        if stranger:
            self._told(deed, request, "whose asker is somebody else; nobody reads the answer meant for another")
        elif all(getattr(offer.request, "result_digest", "") != digest for offer in offers):
            self._told(deed, request, f"and {digest!r} was never offered for it; nobody reads another's answer")
        elif withdrawn is not None:
            self._told(deed, request, f"whose withdrawal had been confirmed (call {withdrawn.call_id})")
        else:
            self._compare(deed, request, digest)

    def _lost(self, deed: Deed, request: ReadAnswer, offers: list[Deed]) -> None:
        """There is no answer: had one been taken, while nobody withdrew the request and the task went on?"""
        taken = [o for o in offers if isinstance(o.reply, Taken) and o.answered_before(deed.begun)]
        withdrawn = [
            d
            for d in self.facts.book.deeds("withdraw", deed.ref)
            if d.may_count and getattr(d.request, "request_id", "") == request.request_id
        ]
        if taken and not withdrawn and deed.cut_off is None and deed.ref is not None:
            self.breaks(
                "RES-4",
                f"read_answer (call {deed.call_id}) told {request.caller.principal} that there is no answer to request "
                f"{request.request_id}, though one had been taken (call {taken[0].call_id}); what was answered stays "
                f"answered",
            )

    def _compare(self, deed: Deed, request: ReadAnswer, digest: str) -> None:
        """What is read now against what was read before."""
        for other in self.facts.book.deeds("read_answer", deed.ref):
            same = getattr(other.request, "request_id", "") == request.request_id
            reply = other.reply
            if same and other is not deed and isinstance(reply, BoundaryAnswer) and reply.result_digest != digest:
                self._told(deed, request, f"as {digest!r}, and before as {reply.result_digest!r}; it is answered once")

    def _told(self, deed: Deed, request: ReadAnswer, what: str) -> None:
        self.violated(
            "RES-4",
            f"read_answer (call {deed.call_id}) gave {request.caller.principal} an answer to request "
            f"{request.request_id}, {what}",
        )

    # -- what was certain ---------------------------------------------------------------------------------

    def _offers(self, deed: Deed, request_id: str) -> list[Deed]:
        """What was offered as an answer to this request, as far as it may have counted."""
        offers = self.facts.book.deeds("offer_result", deed.ref)
        return [o for o in offers if getattr(o.request, "request_id", "") == request_id and o.may_count]

    def _withdrawal(self, deed: Deed, request_id: str) -> Deed | None:
        """A confirmed withdrawal that was over when the call began."""
        for withdrawal in self.facts.book.deeds("withdraw", deed.ref):
            named = isinstance(withdrawal.request, Withdraw) and withdrawal.request.request_id == request_id
            if named and isinstance(withdrawal.reply, Done) and withdrawal.answered_before(deed.begun):
                return withdrawal
        return None

    def _asker(self, deed: Deed, request_id: str) -> list[str] | None:
        """Who may have asked under that id; ``None`` if nobody certainly did."""
        asked = [
            a for a in self.facts.book.deeds("ask", deed.ref) if getattr(a.request, "request_id", "") == request_id
        ]
        certain = [a for a in asked if isinstance(a.reply, Done) and a.answered_before(deed.begun)]
        return [a.request.caller.principal for a in asked if a.may_count] if certain else None

    def _others_are_answered(self, deed: Deed, request_id: str) -> bool:
        """Whether an answer to another request had been offered: it might be taken for this one's."""
        offers = self.facts.book.deeds("offer_result", deed.ref)
        named = [o for o in offers if getattr(o.request, "request_id", "") not in ("", request_id)]
        return any(o.answered_before(deed.begun) for o in named)


CHECKS: tuple[type[Check], ...] = (AnswersAreSingleAndPrivate,)

__all__ = ["CHECKS"]
