"""Checks of LIVE: a gate that refuses everything is not safe, it is absent.

One idea: a refusal is owed nothing only where there is a reason. Where the facts show none (the right caller, an active
lease, evidence in hand, no stop, no fault), the work has to go on. (What becomes of a stopped task stands in
``_coming_to_rest``.)
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from stopcheck.gate import (
    BeginWork,
    Capability,
    ClaimDispatch,
    CommitEffect,
    Complete,
    Execution,
    LeaseGranted,
    OpenTask,
    Refused,
    RegisterChild,
    Request,
    RequestCancel,
    Retry,
    Right,
    StartChild,
    TaskRef,
    Unsupported,
)
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check, Docket
from stopcheck.judge._evidence import speaks
from stopcheck.judge._facts import Facts, TaskFacts, authorised
from stopcheck.judge._reading import Window
from stopcheck.judge._wording import label
from stopcheck.judge.checks._coming_to_rest import CHECKS as _REST_CHECKS
from stopcheck.judge.checks._readings import ReadingCheck

#: Calls that may rightly keep the work from going on.
_TROUBLE = (
    "request_cancel",
    "suppress",
    "revoke_lease",
    "release_lease",
    "release",
    "escalate",
    "record_probe",
    "suspend",
)
#: So many ``Retry`` answers are a refusal: the world's actors give up after them.
_PATIENCE = 5
_GOOD: dict[type[Request], tuple[str, ...]] = {
    OpenTask: ("Opened", "Exists"),
    BeginWork: ("LeaseGranted",),
    CommitEffect: ("Admitted", "ExistingEffect"),
    ClaimDispatch: ("ClaimGranted", "Resend"),
    Complete: ("Won", "Ended"),
    RegisterChild: ("Done", "ExistingChild"),
    StartChild: ("Done",),
}


class WorkGoesOn(ReadingCheck):
    """In a run without stop, fault or stranger, what is rightly asked for is given at last, and what was claimed
    reaches its receiver.

    Looked at: opening, beginning, commitment, claim, completion, and the registration and start of children. Not a
    fault: ``Busy`` while somebody else is given the lease, ``Unverified`` before evidence, a few ``Retry``, and any
    number of them while others call in between.
    A pass says nothing of operations that the scenario never asks for."""

    name: ClassVar[str] = "work-goes-on"
    clauses: ClassVar[tuple[str, ...]] = ("LIVE-1",)

    def __init__(self, facts: Facts, docket: Docket) -> None:
        super().__init__(facts, docket)
        self._owed: dict[tuple[str, str], str] = {}
        self._given: list[tuple[str, str]] = []
        self._retries: dict[tuple[str, str], int] = {}

    def on_deed(self, deed: Deed) -> None:
        """Note what was rightly asked for, and what was given."""
        request = deed.request
        good = _GOOD.get(type(request))
        if good is None or not deed.definite or deed.answer == "Unsupported":
            return
        key = (deed.operation, self._subject(request))
        if deed.answer in good:
            if key not in self._given:
                self._given.append(key)
        elif self._rightful(deed, request):
            self._refused(key, deed)

    def _refused(self, key: tuple[str, str], deed: Deed) -> None:
        if isinstance(deed.reply, Retry):
            undisturbed = self.facts.book.in_a_row > 1
            self._retries[key] = self._retries.get(key, 0) + 1 if undisturbed else 1
            if self._retries[key] < _PATIENCE:
                return
        self._owed[key] = f"{deed.answer} (call {deed.call_id})"

    def digest(self) -> bytes:
        """What is owed and what was given, while it will be judged."""
        if self._disturbed():
            return b""
        caller = self.facts.book.caller if self._retries else ""
        return msgspec.json.encode([sorted(self._owed), sorted(self._given), sorted(self._retries.items()), caller])

    def at_rest(self) -> None:
        """Judge it, if nothing disturbed the run."""
        if self._disturbed():
            return
        asked = [key for key in (*self._given, *self._owed) if key[0] in ("commit_effect", "complete")]
        for _ in asked[:1]:
            self.exercised("LIVE-1")
        for key, answer in self._owed.items():
            if key not in self._given:
                self.breaks(
                    "LIVE-1",
                    f"in a run without stop and fault, {key[0]} of {key[1]} was rightly asked for and never granted; "
                    f"the last answer was {answer}",
                )
        for effect_id, truth in self.facts.truths.items():
            if ("claim_dispatch", effect_id) in self._given and not truth.commits:
                self.breaks(
                    "LIVE-1",
                    f"in a run without stop and fault, effect {effect_id} was admitted and claimed but never reached "
                    f"receiver {truth.receiver}",
                )

    def _disturbed(self) -> bool:
        book = self.facts.book
        if book.disturbed or any(task.deadline for task in self.facts.tasks.values()):
            return True
        return any(book.all_deeds(operation) for operation in _TROUBLE) or book.strangers

    def _subject(self, request: Request) -> str:
        effect_id = getattr(request, "effect_id", "")
        child = getattr(request, "child", None)
        if effect_id:
            return str(effect_id)
        if isinstance(child, TaskRef):
            return label(child)
        return request.task.task_id if request.ref is None else label(request.ref)

    def _rightful(self, deed: Deed, request: Request) -> bool:
        """Whether nothing that is known speaks against it."""
        if isinstance(request, OpenTask):
            return Right.OPEN in request.caller.rights
        window = self.window(deed)
        if window is None or not window.task.opened or self._may_be_over(window.task, deed):
            return False
        match request:
            case ClaimDispatch():
                mine = [view for view in window.effects if view.id == request.effect_id]
                open_still = deed.answer not in ("Resolved", "SuppressedAlready")
                admitted = any(view.admitted for view in mine)
                return open_still and admitted and Right.DISPATCH in request.caller.rights
            case RegisterChild():
                plain = request.cap_ns is None and not request.minimum_ns and not request.reserve_ns
                return plain and self._owns(window, request.child) and self._holds(window, request)
            case StartChild():
                registered = any(
                    d.answer in ("Done", "ExistingChild") and window.must(d) and self._names(d, request.child)
                    for d in window.deeds("register_child")
                )
                return registered and Right.WORK in request.caller.rights and deed.answer != "Ended"
            case BeginWork():
                return Right.WORK in request.caller.rights
            case CommitEffect():
                effect = self.facts.effect_of(request)
                known = effect is not None and effect.task == window.task.ref
                return known and self._one_payload(request) and self._holds(window, request)
            case _:
                return self._holds(window, request) and self._proved(window)

    def _owns(self, window: Window, child: TaskRef) -> bool:
        """Whether the child is declared as this task's, and nobody else opens it."""
        facts = self.facts.tasks.get(child)
        own = facts is not None and facts.parent == window.task.ref and self.contract.has(Capability.CHILDREN)
        return own and not self.facts.book.deeds("open_task", child)

    def _one_payload(self, request: CommitEffect) -> bool:
        """Whether the effect id was only ever asked for with this payload, and for this task."""
        deeds = self.facts.book.commitments(request.effect_id)
        asked = [(d.ref, d.request.payload_digest) for d in deeds if isinstance(d.request, CommitEffect)]
        return all(one == (request.ref, request.payload_digest) for one in asked)

    def _names(self, deed: Deed, child: TaskRef) -> bool:
        return getattr(deed.request, "child", None) == child

    def _may_be_over(self, task: TaskFacts, deed: Deed) -> bool:
        """Whether the task may have ended, or been ended by its owner, before the call returned."""
        ends = (*self.facts.book.deeds("complete", task.ref), *self.facts.book.deeds("fail", task.ref))
        over = any(d is not deed and d.answer in ("Won", "Ended", "Indefinite", "") for d in ends)
        owner = self.facts.tasks.get(task.parent) if task.parent is not None else None
        return over or (owner is not None and task.ref in owner.finishing)

    def _holds(self, window: Window, request: Request) -> bool:
        """Whether the caller certainly held the lease that it named, from beginning to end."""
        lease = self.facts.lease(request.ref, getattr(request, "epoch", -1))
        right = Right.WORK in request.caller.rights
        return right and lease is not None and window.certainly_holds(lease, self.facts.now_ns)

    def _proved(self, window: Window) -> bool:
        """Whether evidence for every effect had been told, and every child had ended."""
        asked = self.facts.book
        for view in window.effects:
            commits = [d for d in asked.commitments(view.id) if d.may_count]
            told = any(speaks(t.evidence, view.effect) for t in view.told)
            if commits and not (view.admitted and told):
                return False
        return not any(d.may_count for d in window.deeds("register_child"))


class RightfulStopAccepted(ReadingCheck):
    """An authorised stop of a running task, in a scope that the gate supports, leads to a record.

    A few ``Retry`` are right, and any number of them while others call in between: only if many came in a row, and
    there is neither a record nor an end at rest, was the stop lost. A pass says nothing of stops that race with the end
    of the task."""

    name: ClassVar[str] = "rightful-stop-accepted"
    clauses: ClassVar[tuple[str, ...]] = ("LIVE-2",)

    def __init__(self, facts: Facts, docket: Docket) -> None:
        super().__init__(facts, docket)
        self._owed: dict[TaskRef, list[str]] = {}

    def on_deed(self, deed: Deed) -> None:
        """A stop was answered."""
        request, ref = deed.request, deed.ref
        if not isinstance(request, RequestCancel) or ref is None or not deed.definite or not authorised(request):
            return
        window = self.window(deed)
        if window is None or request.scope not in self.contract.scopes or not self._running(window):
            return
        self.exercised("LIVE-2")
        if isinstance(deed.reply, Refused | Unsupported):
            self.violated(
                "LIVE-2",
                f"an authorised stop of the running task {label(ref)} was answered {deed.answer} (call "
                f"{deed.call_id}); a rightful stop is accepted",
            )
        elif isinstance(deed.reply, Retry):
            before = self._owed.get(ref, [])
            if len(before) < _PATIENCE and self.facts.book.in_a_row <= 1:
                before = []
            self._owed[ref] = [*before, deed.call_id]

    def digest(self) -> bytes:
        """The stops that are owed a record."""
        caller = self.facts.book.caller if self._owed else ""
        return msgspec.json.encode([sorted((str(ref), len(calls)) for ref, calls in self._owed.items()), caller])

    def at_rest(self) -> None:
        """Is there a record by now?"""
        for ref, calls in self._owed.items():
            task = self.facts.tasks[ref]
            ended = any(
                reading.task.ref == ref and reading.snapshot.execution in (Execution.COMPLETED, Execution.FAILED)
                for reading in self.facts.book.final
            )
            if len(calls) >= _PATIENCE and task.record is None and not task.won and not ended:
                self.violated(
                    "LIVE-2",
                    f"an authorised stop of the running task {label(ref)} was answered Retry {len(calls)} "
                    f"times (last call {calls[-1]}), and at rest there is no cancellation record; a rightful stop is "
                    f"accepted",
                )

    def _running(self, window: Window) -> bool:
        """Whether the task was certainly running: a worker had been given a lease, and nothing may have ended it."""
        begun = any(isinstance(d.reply, LeaseGranted) and window.must(d) for d in window.deeds("begin_work"))
        ends = (*window.deeds("complete"), *window.deeds("fail"))
        owner = self.facts.tasks.get(window.task.parent) if window.task.parent is not None else None
        finished = owner is not None and window.task.ref in owner.finishing
        return begun and not finished and not any(d.may_count and d.answer != "Unverified" for d in ends)


CHECKS: tuple[type[Check], ...] = (WorkGoesOn, RightfulStopAccepted, *_REST_CHECKS)

__all__ = ["CHECKS"]
