"""Checks of what was kept for later: approvals (ADM-8) and pending retries (DLV-4).

One idea: what was allowed before the cutoff is no permission after it. Only a use counts: a gate may keep what it was
told for the account, as long as nothing comes of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from stopcheck.gate import (
    Capability,
    Done,
    FireRetry,
    Refused,
    Request,
    RetryFired,
    Right,
    TaskRef,
    UseGrant,
)
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check
from stopcheck.judge._facts import Call, Facts
from stopcheck.judge._wording import label, seconds
from stopcheck.judge.checks._answers import AnswerCheck, answer, told


class GrantsDie(AnswerCheck):
    """A use of a grant that begins after the cutoff is not answered ``Done``, whenever the grant was given.

    Nor is a second use of what is for one use, be it at the same time. A pass says nothing of uses that overlapped with
    the stop, nor of work that goes ahead without asking: its commitments are looked at by ADM-1."""

    name: ClassVar[str] = "grant-used-after-cutoff"
    clauses: ClassVar[tuple[str, ...]] = ("ADM-8",)
    operations: ClassVar[frozenset[str]] = frozenset(("use_grant",))

    def on_answer(self, call: Call) -> None:
        """Only uses, by those who may, of what was granted at some time."""
        request, cut_off = call.request, call.cut_off
        if not isinstance(request, UseGrant) or not _may_work(call):
            return
        self._used_before(call, request)
        if cut_off is None:
            return
        given = [
            deed
            for deed in self.facts.book.deeds("grant", request.ref)
            if getattr(deed.request, "grant_id", "") == request.grant_id and not isinstance(deed.reply, Refused)
        ]
        if given:
            self.exercised("ADM-8")
        if isinstance(call.reply, Done):
            late = all(deed.cut_off is not None for deed in given)
            when = "which nobody had granted before the cutoff" if late else "which had been granted before the cutoff"
            self.violated(
                "ADM-8",
                f"{answer(call)} for {request.grant_id}, {when}, although {told(cut_off)} had been shown before the "
                f"call began; approvals and prepared writes die at the cutoff, and a late one fires nothing",
            )

    def _used_before(self, call: Call, request: UseGrant) -> None:
        used = _other_done(self.facts, call, lambda other: getattr(other, "grant_id", "") == request.grant_id)
        if used is None:
            return
        self.exercised("ADM-8")
        if isinstance(call.reply, Done):
            self.violated(
                "ADM-8",
                f"{answer(call)} for {request.grant_id}, and so had been {used.call_id}; what is granted is for one "
                f"use, and a spent grant is dead",
            )


class RetriesDie(AnswerCheck):
    """After the cutoff, or the deadline, no retry fires, whenever it was armed; and one that has fired does not fire
    again, nor twice at the same time, unless it was armed again.

    A pass says nothing of timers that start work without asking the gate."""

    name: ClassVar[str] = "retry-after-cutoff"
    clauses: ClassVar[tuple[str, ...]] = ("DLV-4",)
    operations: ClassVar[frozenset[str]] = frozenset(("fire_retry",))

    def on_answer(self, call: Call) -> None:
        """Retries of a run that is certainly over."""
        request = call.request
        if not isinstance(request, FireRetry) or not _may_work(call):
            return
        self._fired_before(call, request)
        over = self._over(call)
        if not over:
            return
        if self._armed(request.ref, request.retry_id):
            self.exercised("DLV-4")
        if isinstance(call.reply, RetryFired):
            self.violated(
                "DLV-4",
                f"{answer(call)} for {request.retry_id}, although {over} before the call began; from then on every "
                f"pending retry and timer is void",
            )

    def _fired_before(self, call: Call, request: FireRetry) -> None:
        fired = _other_done(self.facts, call, lambda other: getattr(other, "retry_id", "") == request.retry_id)
        if fired is None:
            return
        self.exercised("DLV-4")
        armed = self.facts.book.deeds("schedule_retry", request.ref)
        earlier = min(fired.begun, _deed_of(self.facts, call).begun)
        if isinstance(call.reply, RetryFired) and all(deed.answered_before(earlier) for deed in armed):
            self.violated(
                "DLV-4",
                f"{answer(call)} for {request.retry_id}, and so had been {fired.call_id}, and nobody armed it again; "
                f"a retry is spent when it fires",
            )

    def _over(self, call: Call) -> str:
        """Why the run was certainly over for good when the call began; empty if it may have gone on."""
        if call.cut_off is not None:
            return f"{told(call.cut_off)} had been shown"
        ref = call.request.ref
        task = self.facts.tasks.get(ref) if ref is not None else None
        due_by_ns = task.due_by_ns if task is not None and self.contract.has(Capability.DEADLINES) else None
        if task is not None and due_by_ns is not None and call.request.now_ns >= due_by_ns:
            return f"the deadline of {label(task.ref)} ({seconds(due_by_ns)}) had passed"
        return ""

    def _armed(self, ref: TaskRef | None, retry_id: str) -> bool:
        """Whether the retry was armed, or somebody tried to arm it."""
        deeds = self.facts.book.deeds("schedule_retry", ref)
        return any(getattr(deed.request, "retry_id", "") == retry_id for deed in deeds)


def _other_done(facts: Facts, call: Call, same: Callable[[Request], bool]) -> Deed | None:
    """Another call for the same thing that was told to go ahead. It may have been open when this one began: which of
    the two was first does not matter."""
    mine = _deed_of(facts, call)
    return next(
        (
            deed
            for deed in facts.book.deeds(call.operation, call.request.ref)
            if deed is not mine and same(deed.request) and isinstance(deed.reply, Done | RetryFired)
        ),
        None,
    )


def _deed_of(facts: Facts, call: Call) -> Deed:
    """The call with both its ends."""
    return next(d for d in facts.book.deeds(call.operation, call.request.ref) if d.call_id == call.call_id)


def _may_work(call: Call) -> bool:
    caller = call.request.caller
    return caller.tenant == call.request.task.tenant and Right.WORK in caller.rights


CHECKS: tuple[type[Check], ...] = (GrantsDie, RetriesDie)

__all__ = ["CHECKS"]
