"""Checks of SHR: shared work and the interests in it.

One idea: an interest is certainly live while nothing was begun that could release it, and certainly released once an
answer said so or its subscriber's cancellation was shown. Counts are compared with these two bounds only.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import (
    AlreadyReleased,
    Execution,
    LastReleased,
    Live,
    Refused,
    Release,
    Snapshot,
    Subscribe,
)
from stopcheck.judge._checks import Check
from stopcheck.judge._facts import Call, TaskFacts
from stopcheck.judge._wording import label
from stopcheck.judge.checks._answers import AnswerCheck, answer, shown_record, told
from stopcheck.judge.checks._inventory import at_rest

_GOES_ON = (Execution.UNSTARTED, Execution.RUNNING)
_OVER = (Execution.COMPLETED, Execution.FAILED)


class OthersKeepTheirInterest(AnswerCheck):
    """A subscriber's stop releases its interest and no other, and work in which somebody is interested goes on. A stop
    that reached the subscriber from above has released its interest by the time that all is at rest.

    A pass says nothing of shared work that nobody looked at after the stop."""

    name: ClassVar[str] = "others-keep-their-interest"
    clauses: ClassVar[tuple[str, ...]] = ("SHR-1",)
    operations: ClassVar[frozenset[str]] = frozenset(("inspect", "commit_effect", "begin_work", "complete"))

    def on_answer(self, call: Call) -> None:
        """Shared work after a subscriber's cancellation was shown."""
        task = self.facts.tasks.get(call.request.ref) if call.request.ref is not None else None
        if task is None or not task.interests or isinstance(call.reply, Refused):
            return
        live = [i for i in call.known.live if self.facts.certainly_live(task.interests[i])]
        stopped = any(self.facts.covering(i.subscriber) is not None for i in task.interests.values())
        if live and stopped:
            self.exercised("SHR-1")
        record = shown_record(call.reply)
        if live and not task.stops and not task.deadline and record is not None and record.task == task.ref:
            self._told(f"{answer(call)} with the record {told(record)}, though {', '.join(live)} is live in it")
        if isinstance(call.reply, Snapshot):
            self._entries(call, task, call.reply, live)

    def _entries(self, call: Call, task: TaskFacts, account: Snapshot, live: list[str]) -> None:
        for entry in account.interests:
            if entry.released_revision is not None and entry.interest_id in live:
                self._told(f"{answer(call)} with {entry.interest_id} as released, though nothing released it")
            cancelled = task.interests.get(entry.interest_id)
            known = cancelled is not None and cancelled.subscribed and entry.interest_id in call.known.released
            if entry.released_revision is None and known and cancelled is not None and not cancelled.asked:
                self._told(
                    f"{answer(call)} with {entry.interest_id} as live, though its subscriber "
                    f"{label(cancelled.subscriber)} had been stopped"
                )

    def at_rest(self) -> None:
        """Work that goes on for nobody but those who were stopped."""
        facts = self.facts
        if not at_rest(facts):
            return
        for (handle, ref), account in facts.accounts.items():
            if account.record is not None or account.execution not in _GOES_ON:
                continue
            for entry in account.interests:
                interest = facts.tasks[ref].interests.get(entry.interest_id)
                below = facts.accounts.get((handle, entry.subscriber))
                stopped = below is not None and below.record is not None and below.execution not in _OVER
                if entry.released_revision is None and interest is not None and interest.subscribed and stopped:
                    self.exercised("SHR-1")
                    self._told(
                        f"at rest {label(ref)} is {account.execution} with {entry.interest_id} as live, though its "
                        f"subscriber {label(entry.subscriber)} was stopped"
                    )

    def _told(self, what: str) -> None:
        self.violated("SHR-1", f"{what}; a subscriber's stop releases that interest only")


class NoHiddenWork(AnswerCheck):
    """Shared work whose last interest is certainly released is stopped, or shown as running without an owner.

    A pass says nothing of work that was never running."""

    name: ClassVar[str] = "no-hidden-work"
    clauses: ClassVar[tuple[str, ...]] = ("SHR-2",)
    operations: ClassVar[frozenset[str]] = frozenset(("inspect",))

    def on_answer(self, call: Call) -> None:
        """Accounts that began after the last release."""
        account = call.reply
        task = self.facts.tasks.get(call.request.ref) if call.request.ref is not None else None
        if task is None or not task.interests or not isinstance(account, Snapshot):
            return
        if not all(interest_id in call.known.released for interest_id in task.interests):
            return
        self.exercised("SHR-2")
        if account.execution is Execution.RUNNING and account.record is None and not account.unowned:
            self.violated(
                "SHR-2",
                f"{answer(call)}: {label(task.ref)} is running although its last interest was released, and neither a "
                f"record nor ``unowned`` says so; such work is stopped or reported as running with no owner",
            )


class CountedOnce(AnswerCheck):
    """Counts of live interests lie within what is certain, and a repeated release changes nothing.

    A pass says nothing of counts that are never told."""

    name: ClassVar[str] = "release-counted-once"
    clauses: ClassVar[tuple[str, ...]] = ("SHR-3",)
    operations: ClassVar[frozenset[str]] = frozenset(("release", "subscribe"))

    def on_answer(self, call: Call) -> None:
        """Counts, and the end of the last interest."""
        request, reply = call.request, call.reply
        task = self.facts.tasks.get(request.ref) if request.ref is not None else None
        if task is None or not isinstance(request, Release | Subscribe):
            return
        repeated = isinstance(request, Release) and request.interest_id in call.known.released
        if repeated and isinstance(reply, AlreadyReleased | Live | LastReleased):
            self.exercised("SHR-3")
        if not isinstance(reply, Live | LastReleased):
            return
        low, high = self._bounds(call, task, request)
        if isinstance(reply, Live) and not low <= reply.count <= high:
            self._told(call, f"{reply.count} live interests", low, high)
        elif isinstance(reply, LastReleased) and low > 0:
            self._told(call, "no live interest", low, high)

    def _bounds(self, call: Call, task: TaskFacts, request: Release | Subscribe) -> tuple[int, int]:
        mine, interests = request.interest_id, task.interests
        others = [interest for interest in interests.values() if interest.interest_id != mine]
        low = sum(i.interest_id in call.known.live and self.facts.certainly_live(i) for i in others)
        high = sum(i.interest_id not in call.known.released for i in others)
        if isinstance(request, Subscribe):
            low += self.facts.certainly_live(interests[mine])
            high += mine not in call.known.released
        return low, high

    def _told(self, call: Call, what: str, low: int, high: int) -> None:
        count = f"{low}" if low == high else f"between {low} and {high}"
        interest = getattr(call.request, "interest_id", "")
        self.violated(
            "SHR-3",
            f"{answer(call)} for {interest}, which tells {what} where {count} must be live; a release is counted once",
        )


CHECKS: tuple[type[Check], ...] = (OthersKeepTheirInterest, NoHiddenWork, CountedOnce)

__all__ = ["CHECKS"]
