"""The measures of MET-1, from what really happened: between which bounds each figure lies.

One idea: as everywhere, two bounds for each figure. What was answered by now is certain (``least``); what was begun may
count as well (``most``). A gate's own figure lies between them, and a campaign adds up what is certain. Times are
virtual, in nanoseconds.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from stopcheck.gate import (
    Acknowledge,
    AckStrength,
    Cause,
    ClaimGranted,
    CommitEffect,
    Disposition,
    Escalate,
    Evidence,
    Forced,
    OfferResult,
    Quarantined,
    Recorded,
    RecordOutcome,
    RegisterChild,
    RequestCancel,
    Resend,
    TaskRef,
)
from stopcheck.judge._book import Deed
from stopcheck.judge._evidence import is_silent, speaks
from stopcheck.judge._facts import Facts, authorised
from stopcheck.judge._known import EffectFacts, TaskFacts

#: Answers to a registration after which the child may stand in an inventory.
_OWNED = ("Done", "ExistingChild", "Indefinite", "")
_STOPPED = ("Accepted", "ExistingRecord", "Widened", "Tombstoned", "Ended")

#: The counts of MET-1, by the names of their fields in :class:`~stopcheck.gate.OperationFigures`.
COUNTS = (
    "after_cutoff",
    "after_deadline",
    "orphans",
    "late_results",
    "completed_after_cancel",
    "unknown",
    "stopped",
    "forced",
)


class Bounds(msgspec.Struct):
    """What is certain, and what is possible."""

    least: int = 0
    most: int = 0

    def holds(self, figure: int) -> bool:
        """Whether the figure may be right."""
        return self.least <= figure <= self.most


class Stop(msgspec.Struct):
    """One stopped task with a record of its own: how long after the cutoff it was observed. As the gate's calls take no
    time, that is exact unless time passed under one. ``observed_by_ns``: the time itself. ``ended_from_ns``: no end of
    the task can have been before."""

    task: TaskRef
    to_observation_ns: int | None
    observed_by_ns: int | None
    ended_from_ns: int | None = None


class Measured(msgspec.Struct):
    """The figures of one kind of operation in one run. ``reason``: only of tasks that were first stopped for it, where
    it was asked for by reason."""

    operation: str
    reason: Cause | None = None
    requests: dict[Cause, Bounds] = {}
    counts: dict[str, Bounds] = {}
    stops: list[Stop] = []

    def add(self, name: str, *, certain: bool, possible: bool = True) -> None:
        """One more of a count."""
        bounds = self.counts.setdefault(name, Bounds())
        bounds.least += certain
        bounds.most += certain or possible


class Measuring:
    """Counts what the books hold now; ``by_reason``: apart by why the task was first stopped."""

    def __init__(self, facts: Facts, *, by_reason: bool) -> None:
        self._facts = facts
        self._by_reason = by_reason
        self._book = facts.book
        self._kinds = {
            deed.request.child: deed.request.kind.value
            for deed in self._book.all_deeds("register_child")
            if isinstance(deed.request, RegisterChild) and deed.answer in _OWNED
        }
        self._found: dict[tuple[str, Cause | None], Measured] = {}

    def all(self) -> list[Measured]:
        """The figures of each kind of operation."""
        for task in self._facts.tasks.values():
            if task.opened or task.opening or task.record is not None:
                self._count_task(task, self._of(self._kinds.get(task.ref, "task"), task))
        for effect in self._facts.effects.values():
            self._count_effect(effect)
        return list(self._found.values())

    def _of(self, operation: str, task: TaskFacts) -> Measured:
        reason = task.record.causes[0].cause if self._by_reason and task.record is not None else None
        return self._found.setdefault((operation, reason), Measured(operation, reason))

    # -- tasks --------------------------------------------------------------------------------------------

    def _count_task(self, task: TaskFacts, row: Measured) -> None:
        for cause, certain in self._requests(task):
            bounds = row.requests.setdefault(cause, Bounds())
            bounds.least += certain
            bounds.most += 1
        if task.record is not None:
            row.add("stopped", certain=True)
            row.stops.append(self._stop(task, task.record.causes[0].at_ns))
        elif task.stops or task.deadline or self._may_be_stopped_along(task):
            row.add("stopped", certain=False)
        for worker in self._forced(task):
            row.add("forced", certain=worker)
        for certain in self._late_results(task):
            row.add("late_results", certain=certain)
        for child in task.children:
            row.add("orphans", certain=False, possible=str(child) not in task.finished)

    def _requests(self, task: TaskFacts) -> Iterator[tuple[Cause, bool]]:
        asked: dict[tuple[str, Cause], bool] = {}
        for deed in self._book.deeds("request_cancel", task.ref):
            if isinstance(deed.request, RequestCancel) and authorised(deed.request) and deed.may_count:
                key = (deed.request.request_id, deed.request.cause)
                asked[key] = asked.get(key, False) or deed.answer in _STOPPED
                if deed.answer == "Widened":
                    yield deed.request.cause, False  # a wider one under an id that was seen may be another
        yield from ((cause, certain) for (_, cause), certain in asked.items())
        told = any(cause.cause is Cause.DEADLINE for record in task.record_versions for cause in record.causes)
        if told or task.deadline:
            yield Cause.DEADLINE, told
        if self._may_be_stopped_along(task):
            yield from ((cause, False) for cause in (Cause.PARENT, Cause.POLICY))

    def _may_be_stopped_along(self, task: TaskFacts) -> bool:
        """Whether the gate may have made a record by itself: for work of a stopped owner, or that nobody wants."""
        owned = task.parent is not None or task.shared
        return owned and self._facts.may_be_ended_from_outside(task.ref)

    def _stop(self, task: TaskFacts, cut_ns: int) -> Stop:
        observed = [
            deed
            for deed in self._book.deeds("acknowledge", task.ref)
            if isinstance(deed.request, Acknowledge)
            and deed.request.strength.rank >= AckStrength.OBSERVED.rank
            and isinstance(deed.reply, Recorded)
            and deed.begun_ns == deed.returned_ns
        ]
        at_ns = min((deed.begun_ns for deed in observed), default=None)
        if at_ns is None:
            return Stop(task.ref, None, None)
        return Stop(task.ref, at_ns - cut_ns, at_ns, self._ended_from_ns(task, observed, cut_ns))

    def _ended_from_ns(self, task: TaskFacts, observed: list[Deed], cut_ns: int) -> int | None:
        """When the worker said that it had stopped, if its word counted and nothing may have proved that before: until
        then its lease was good, and the task neither settled nor, within the budget, given up."""
        words = [deed.request for deed in observed if isinstance(deed.request, Acknowledge)]
        stopped = [w.now_ns for w in words if w.strength.means_stopped]
        if not stopped or len(task.leases) != 1:
            return None
        others = ("record_probe", "release_lease", "revoke_lease", "suspend")
        earlier = any(deed.may_count for operation in others for deed in self._book.deeds(operation, task.ref))
        in_time = stopped[0] < cut_ns + self._facts.contract.reconciliation_budget_ns
        return stopped[0] if in_time and not earlier else None

    def _forced(self, task: TaskFacts) -> Iterator[bool]:
        workers: dict[str, bool] = {}
        for deed in self._book.deeds("escalate", task.ref):
            if isinstance(deed.request, Escalate) and deed.may_count:
                worker = deed.request.worker
                workers[worker] = workers.get(worker, False) or isinstance(deed.reply, Forced)
        yield from workers.values()

    def _late_results(self, task: TaskFacts) -> Iterator[bool]:
        digests: dict[tuple[str, str], bool] = {}
        for operation in ("complete", "fail", "offer_result"):
            for deed in self._book.deeds(operation, task.ref):
                target = deed.request.target if isinstance(deed.request, OfferResult) else ""
                key = (target, getattr(deed.request, "result_digest", ""))
                late = deed.answer == "Lost" or isinstance(deed.reply, Quarantined)
                digests[key] = digests.get(key, False) or late
        yield from digests.values()

    # -- effects ------------------------------------------------------------------------------------------

    def _count_effect(self, effect: EffectFacts) -> None:
        commitments = [d for d in self._book.commitments(effect.effect_id) if isinstance(d.request, CommitEffect)]
        kinds = [d.request.kind for d in commitments if isinstance(d.request, CommitEffect) and d.may_count]
        task = self._facts.tasks.get(effect.task)
        if not kinds or task is None:
            return
        row = self._of(kinds[0], task)
        told = [d for d in self._book.deeds("record_outcome", effect.effect_id) if isinstance(d.request, RecordOutcome)]
        spoken = [d for d in told if speaks(_evidence(d), effect) is not None and d.may_count]
        silent = [d for d in told if is_silent(_evidence(d)) and d.answer in ("Recorded", "Same")]
        claims = [d for d in self._book.deeds("claim_dispatch", effect.effect_id) if d.may_count]
        # A gate may call it unknown from the claim on.
        row.add("unknown", certain=bool(effect.claims and silent) and not spoken, possible=bool(claims))
        if task.record is None and not (task.stops or task.deadline):
            return
        late = any(isinstance(d.reply, ClaimGranted | Resend) and self._after_cutoff(d) for d in claims)
        row.add("after_cutoff", certain=late, possible=bool(claims))
        by_deadline = task.record is not None and task.record.causes[0].cause is Cause.DEADLINE
        row.add("after_deadline", certain=late and by_deadline, possible=bool(claims) and task.deadline)
        done = [d for d in spoken if speaks(_evidence(d), effect) is Disposition.COMPLETED]
        after = bool(done) and len(done) == len(spoken) and all(self._after_cutoff(d) for d in done)
        row.add("completed_after_cancel", certain=after and done[0].answer == "Recorded", possible=bool(done))

    def _after_cutoff(self, deed: Deed) -> bool:
        """Whether the task's own record had been told when the call began."""
        return deed.cut_off is not None and deed.cut_off.task == deed.ref


def _evidence(deed: Deed) -> Evidence:
    assert isinstance(deed.request, RecordOutcome)
    return deed.request.evidence


def percentile(values: list[int], per_cent: int) -> int | None:
    """The nearest rank; ``None`` of nothing."""
    rank = -(-len(values) * per_cent // 100)
    return sorted(values)[rank - 1] if values else None


def measured(facts: Facts, *, by_reason: bool = False) -> list[Measured]:
    """What is known now of each kind of operation."""
    return Measuring(facts, by_reason=by_reason).all()


__all__ = ["COUNTS", "Bounds", "Measured", "Stop", "measured", "percentile"]
