"""Checks of RES-1 to RES-3: results that came too late, under an old authority, or from a job that had no stop.

One idea: a result counts if some offer of it may have been taken in time. Whatever a place holds is looked up among
the offers: if each of them was too late or was turned away, it entered all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from stopcheck.gate import (
    Accepted,
    Done,
    ExistingRecord,
    HeldResult,
    LeaseGranted,
    OfferResult,
    Quarantined,
    Recall,
    Recalled,
    RegisterChild,
    Right,
    StaleLease,
    Taken,
    TaskRef,
    Tombstoned,
    Trigger,
    Widened,
    Won,
)
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check
from stopcheck.judge._facts import Facts
from stopcheck.judge._reading import Reading
from stopcheck.judge._wording import label
from stopcheck.judge.checks._answers import told
from stopcheck.judge.checks._readings import ReadingCheck

#: What a job that has finished would have begun.
_FOLLOWS = (Trigger.TOOL_RESULT, Trigger.DEPENDANT_READY, Trigger.NOTIFICATION, Trigger.CONTINUATION)


_STOPPED = (Accepted, ExistingRecord, Widened, Tombstoned)


class LateResultsQuarantined(ReadingCheck):
    """A result that is offered after its task was certainly cut off or over is not taken, enters no place, and is kept
    as evidence; nothing follows from one whose operation had no stop of its own.

    Offers that overlap with the stop may count either way. A pass is about places that a scenario reads; a place that
    forgets what was taken is right."""

    name: ClassVar[str] = "late-results-quarantined"
    clauses: ClassVar[tuple[str, ...]] = ("RES-1", "RES-3")

    def on_deed(self, deed: Deed) -> None:
        """Offers that came too late, readings of places, and turns that follow from a job."""
        request = deed.request
        if isinstance(request, OfferResult) and _may_work(deed):
            self._offered(deed, request)
        elif isinstance(request, Recall) and isinstance(deed.reply, Recalled):
            self._recalled(deed, deed.reply, request)
        elif getattr(request, "trigger", None) in _FOLLOWS and deed.cut_off is not None:
            self._followed(deed)

    def _offered(self, deed: Deed, request: OfferResult) -> None:
        why = too_late(self.facts, deed)
        if not why or not deed.definite:
            return
        clauses = ["RES-1", "RES-3"] if _has_no_stop(self.facts, deed.ref, request.target) else ["RES-1"]
        for clause in clauses:
            self.exercised(clause)
            if isinstance(deed.reply, Taken):
                self.violated(
                    clause,
                    f"offer_result (call {deed.call_id}) of {request.result_digest!r} by {request.target} for the "
                    f"{request.place.value} of {label(_ref(deed))} was answered Taken, although {why} before the call "
                    f"began; a late result enters nothing, whatever made it",
                )

    def _recalled(self, deed: Deed, reply: Recalled, request: Recall) -> None:
        for offer in self._turned_away(request):
            if offer.answered_before(deed.begun):
                self.exercised("RES-1")
        for held in reply.results:
            offers = [o for o in self._offers(held) if o.begun < (deed.returned or 0)]
            if offers and not any(may_have_been_taken(self.facts, offer) for offer in offers):
                last = offers[-1]
                stale = isinstance(last.reply, StaleLease) and not too_late(self.facts, last)
                if stale:
                    continue
                self.violated(
                    "RES-1",
                    f"recall (call {deed.call_id}) shows {held.result_digest!r} by {held.operation} in the "
                    f"{request.place.value}, although its offer (call {last.call_id}) was answered {last.answer}"
                    f"{_because(too_late(self.facts, last))}; a late result enters no response, memory, cache or plan",
                )

    def _turned_away(self, request: Recall) -> list[Deed]:
        offers = self.facts.book.all_deeds("offer_result")
        return [o for o in offers if getattr(o.request, "place", None) is request.place and _quarantined(o)]

    def _offers(self, held: HeldResult) -> list[Deed]:
        offers = self.facts.book.all_deeds("offer_result")
        return [o for o in offers if getattr(o.request, "result_digest", "") == held.result_digest]

    def _followed(self, deed: Deed) -> None:
        finished = [
            done
            for done in self.facts.book.deeds("finish_child", deed.ref)
            if done.answered_before(deed.begun) and _has_no_stop(self.facts, deed.ref, _child_of(done))
        ]
        for done in finished[-1:]:
            self.exercised("RES-3")
            if isinstance(deed.reply, LeaseGranted):
                self.violated(
                    "RES-3",
                    f"begin_work (call {deed.call_id}) of {label(_ref(deed))} was answered LeaseGranted after "
                    f"{_child_of(done)}, which had no stop, had finished (call {done.call_id}); such a job may run to "
                    f"its end, and nothing follows from it",
                )

    def on_reading(self, reading: Reading) -> None:
        """What was quarantined is shown."""
        kept = [late.result_digest for late in reading.snapshot.late_results]
        for offer in reading.deeds("offer_result"):
            request = offer.request
            if not isinstance(request, OfferResult) or not _quarantined(offer) or not reading.must(offer):
                continue
            self.exercised("RES-1")
            if request.result_digest not in kept:
                self.violated(
                    "RES-1",
                    f"{reading.name} (call {reading.deed.call_id}) does not show the late result "
                    f"{request.result_digest!r} of {request.target}, which was answered Quarantined (call "
                    f"{offer.call_id}); what comes too late is kept as evidence",
                )


class OldVersionRejected(ReadingCheck):
    """A result that was made under a superseded authority is not taken and enters no place.

    That a lease was given back or has run out does not make its version an older one. A pass says nothing of versions
    that nobody declares."""

    name: ClassVar[str] = "old-version-rejected"
    clauses: ClassVar[tuple[str, ...]] = ("RES-2",)

    def on_deed(self, deed: Deed) -> None:
        """Offers under a version that a newer one had certainly replaced, and what is read of them."""
        request = deed.request
        if isinstance(request, OfferResult) and self._is_old(deed) and _may_work(deed) and deed.definite:
            self.exercised("RES-2")
            if isinstance(deed.reply, Taken):
                self.violated(
                    "RES-2",
                    f"offer_result (call {deed.call_id}) of {request.result_digest!r} under version "
                    f"{request.authority_version} of {label(_ref(deed))} was answered Taken, although a newer epoch "
                    f"had been granted before the call began; a result with an old authority version is rejected",
                )
        elif isinstance(deed.reply, Recalled):
            self._recalled(deed, deed.reply)

    def _recalled(self, deed: Deed, reply: Recalled) -> None:
        for held in reply.results:
            offers = [
                o
                for o in self.facts.book.all_deeds("offer_result")
                if getattr(o.request, "result_digest", "") == held.result_digest and o.begun < (deed.returned or 0)
            ]
            if offers and all(isinstance(o.reply, StaleLease) for o in offers):
                self.breaks(
                    "RES-2",
                    f"recall (call {deed.call_id}) shows {held.result_digest!r} by {held.operation}, although its "
                    f"offer (call {offers[-1].call_id}) was answered StaleLease; what is rejected enters nothing",
                )

    def _is_old(self, deed: Deed) -> bool:
        window = self.window(deed)
        request = deed.request
        return (
            window is not None
            and isinstance(request, OfferResult)
            and window.superseded_when_begun(deed, request.authority_version)
        )


# -- questions --------------------------------------------------------------------------------------------


def too_late(facts: Facts, deed: Deed) -> str:
    """Why the task of a call was certainly cut off or over when it began, or the operation whose result it tells was
    stopped by itself; empty if it may have gone on."""
    if deed.cut_off is not None:
        return f"{told(deed.cut_off)} had been shown"
    stopped = _stopped_by_itself(facts, deed)
    if stopped:
        return stopped
    ends = [*facts.book.deeds("complete", deed.ref), *facts.book.deeds("fail", deed.ref)]
    won = next((end for end in ends if isinstance(end.reply, Won) and end.answered_before(deed.begun)), None)
    return "" if won is None else f"{won.operation} (call {won.call_id}) had won"


def _stopped_by_itself(facts: Facts, deed: Deed) -> str:
    request = deed.request
    made_by = request.target if isinstance(request, OfferResult) else ""
    for made in registered(facts, deed.ref):
        if made.child.key.task_id != made_by:
            continue
        for stop in facts.book.deeds("request_cancel", made.child):
            if isinstance(stop.reply, _STOPPED) and stop.answered_before(deed.begun):
                return f"{label(made.child)}, which made it, had been stopped (call {stop.call_id})"
    return ""


def may_have_been_taken(facts: Facts, offer: Deed) -> bool:
    """Whether an offer may have entered its place rightly."""
    return not too_late(facts, offer) and (isinstance(offer.reply, Taken) or not offer.definite)


def _because(why: str) -> str:
    return f" and {why} before it" if why else ""


def _quarantined(offer: Deed) -> bool:
    return isinstance(offer.reply, Quarantined)


def _may_work(deed: Deed) -> bool:
    caller = deed.request.caller
    return caller.tenant == deed.request.task.tenant and Right.WORK in caller.rights


def _ref(deed: Deed) -> TaskRef:
    assert deed.ref is not None
    return deed.ref


def _child_of(deed: Deed) -> str:
    child = getattr(deed.request, "child", None)
    return child.key.task_id if isinstance(child, TaskRef) else ""


def _has_no_stop(facts: Facts, ref: TaskRef | None, operation: str) -> bool:
    """Whether the task registered an operation of that name that is declared to have no stop."""
    return any(request.child.key.task_id == operation for request in registered(facts, ref) if not _stops(request))


def registered(facts: Facts, ref: TaskRef | None) -> Iterator[RegisterChild]:
    """The registrations of a task's owned operations, as they were answered ``Done``."""
    for deed in facts.book.deeds("register_child", ref):
        if isinstance(deed.request, RegisterChild) and isinstance(deed.reply, Done):
            yield deed.request


def _stops(request: RegisterChild) -> bool:
    declared = request.cancellation_class
    return declared is None or declared.has_stop


CHECKS: tuple[type[Check], ...] = (LateResultsQuarantined, OldVersionRejected)

__all__ = ["CHECKS", "may_have_been_taken", "registered", "too_late"]
