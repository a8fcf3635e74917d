"""Checks of what a stop has to name: its whole target (SCOPE-1), by a handle that is still good (SCOPE-8).

One idea: whoever stops something is told either that this very thing is stopped or that it could not be found. A
gate that guesses, or says ``Done`` about nothing, leaves the caller with a stop that reached something else or nobody.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import (
    Accepted,
    AlreadyForced,
    Done,
    Escalate,
    Forced,
    Refused,
    Request,
    RequestCancel,
    RevokeLease,
    Suppress,
    SuppressionDone,
    TaskRef,
    TooEarly,
    TooLate,
)
from stopcheck.judge._checks import Check
from stopcheck.judge._facts import Call
from stopcheck.judge._wording import label
from stopcheck.judge.checks._answers import AnswerCheck, answer, shown_record, told


def lacking(request: Request) -> str:
    """What a stop does not name; empty when it names its whole target. (The type asks for a scope.)"""
    if not request.task.tenant.strip():
        return "tenant"
    if not request.task.task_id.strip():
        return "task id"
    return "incarnation" if request.incarnation is None else ""


class StopNamesItsTarget(AnswerCheck):
    """A stop that lacks its tenant, task id or incarnation is refused, and its request is in no record; one that is
    accepted makes a record of exactly the incarnation and the scope that it named.

    Any refusal is right, whatever its reason. A pass says nothing of stops that do not reach the gate as requests."""

    name: ClassVar[str] = "stop-names-its-target"
    clauses: ClassVar[tuple[str, ...]] = ("SCOPE-1",)

    def on_answer(self, call: Call) -> None:
        """The stop's own answer, and every record shown later."""
        request = call.request
        missing = lacking(request)
        if isinstance(request, RequestCancel) and missing:
            self.exercised("SCOPE-1")
            if not isinstance(call.reply, Refused):
                self.violated(
                    "SCOPE-1",
                    f"{answer(call)} although it names no {missing}; a stop that does not name its whole target is "
                    f"refused, never guessed",
                )
            return
        self._guessed(call)
        if isinstance(request, RequestCancel) and isinstance(call.reply, Accepted) and call.reply.record.causes:
            self._as_named(call, request, call.reply)

    def _as_named(self, call: Call, request: RequestCancel, reply: Accepted) -> None:
        record, ref = reply.record, request.ref
        scope = record.causes[0].scope
        if ref is not None and (record.task != ref or scope is not request.scope):
            self.violated(
                "SCOPE-1",
                f"{answer(call)} with the record {told(record)}, though it named {label(ref)} and scope "
                f"{request.scope.value}; a stop reaches what it names and is never guessed",
            )

    def _guessed(self, call: Call) -> None:
        record = shown_record(call.reply)
        if record is None or not record.causes:
            return
        stops = self.facts.book.all_deeds("request_cancel")
        unclear = [getattr(deed.request, "request_id", "") for deed in stops if lacking(deed.request)]
        seen = [cause.request_id for cause in record.causes if cause.request_id in unclear]
        if seen:
            self.violated(
                "SCOPE-1",
                f"{answer(call)} with the record {told(record)}, which came of {seen[0]}, a stop that did not name its "
                f"whole target; it is refused, never guessed",
            )


class StaleHandleIsAnError(AnswerCheck):
    """A stop by the epoch of an earlier attempt, or of one that never was, by the name of a worker that never began, or
    by an effect id that was never committed, is not answered as if it had stopped something.

    Any error is right. A lease that was revoked, was given back or has expired may be revoked again: there repeating
    means nothing. A pass says nothing of handles that are only strings to the gate's own transport."""

    name: ClassVar[str] = "stale-handle-is-an-error"
    clauses: ClassVar[tuple[str, ...]] = ("SCOPE-8",)
    operations: ClassVar[frozenset[str]] = frozenset(("revoke_lease", "escalate", "suppress"))

    def on_answer(self, call: Call) -> None:
        """Is the handle stale, and does the answer say so?"""
        request, ref = call.request, call.request.ref
        if ref is None or ref not in self.facts.tasks or isinstance(call.reply, TooEarly):
            return
        stale = self._stale(call, request, ref)
        if not stale:
            return
        self.exercised("SCOPE-8")
        if isinstance(call.reply, Done | Forced | AlreadyForced | SuppressionDone | TooLate):
            self.violated(
                "SCOPE-8",
                f"{answer(call)}, though {stale}; a stop by a stale handle is an error to its caller, never silence",
            )

    def _stale(self, call: Call, request: Request, ref: TaskRef) -> str:
        """Why the handle certainly stood for nothing when the call began; empty if it may have stood for something."""
        book = self.facts.book
        beginnings = [*book.deeds("begin_work", ref), *book.deeds("fire_retry", ref)]
        match request:
            case RevokeLease():
                if call.known.stale == "superseded":
                    return f"epoch {request.epoch} of {label(ref)} had been superseded"
                never = self.facts.lease(ref, request.epoch) is None and all(deed.definite for deed in beginnings)
                return f"{label(ref)} never had an epoch {request.epoch}" if never else ""
            case Escalate():
                known = any(getattr(deed.request, "worker", "") == request.worker for deed in beginnings)
                return "" if known else f"no worker {request.worker} ever began on {label(ref)}"
            case Suppress():
                known = any(deed.ref == ref for deed in book.deeds("commit_effect", request.effect_id))
                return "" if known else f"no effect {request.effect_id} of {label(ref)} was ever committed"
            case _:
                return ""


CHECKS: tuple[type[Check], ...] = (StopNamesItsTarget, StaleHandleIsAnError)

__all__ = ["CHECKS"]
