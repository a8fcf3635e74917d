"""One reading of one task's account, and what was certain around it.

One idea: a reading is an interval. What had been answered before it began, it must show; what nobody had begun before
it returned, it must not show. Checks compare the snapshot with these two bounds and with nothing else, so no right
gate fails for an order of calls that nobody can know. Effects and workers are looked at through ``_views``.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from stopcheck.gate import CancellationRecord, EffectEntry, Execution, LeaseGranted, RetryFired, Snapshot, StaleLease
from stopcheck.judge._known import EffectFacts, LeaseFacts, TaskFacts
from stopcheck.judge._views import EffectView, Told, WorkerView
from stopcheck.judge._wording import label

if TYPE_CHECKING:
    from stopcheck.judge._book import Deed
    from stopcheck.judge._facts import Facts


class Window:
    """The interval of a call, and the two bounds of every fact about its task."""

    def __init__(self, facts: Facts, task: TaskFacts, deed: Deed) -> None:
        self.facts = facts
        self.task = task
        self.deed = deed
        self.began = deed.begun
        self.began_ns = deed.begun_ns

    def must(self, deed: Deed) -> bool:
        """Whether what ``deed`` did was certain when this call began."""
        return deed.answered_before(self.began)

    def deeds(self, operation: str) -> list[Deed]:
        """The calls of ``operation`` about this task."""
        return self.facts.book.deeds(operation, self.task.ref)

    @cached_property
    def acknowledgements(self) -> list[Deed]:
        """The calls of ``acknowledge`` about this task."""
        return self.deeds("acknowledge")

    @cached_property
    def beginnings(self) -> list[Deed]:
        """The calls about this task that may have given a worker a lease."""
        return [*self.deeds("begin_work"), *self.deeds("fire_retry")]

    def superseded_when_begun(self, deed: Deed, epoch: int) -> bool:
        """Whether a newer epoch than ``epoch`` had certainly been granted when ``deed`` began."""
        return any(
            isinstance(d.reply, LeaseGranted | RetryFired) and d.reply.epoch > epoch and d.answered_before(deed.begun)
            for d in self.beginnings
        )

    def granted_at(self, lease: LeaseFacts) -> int:
        """The moment at which the lease was granted."""
        grant = self._grant_of(lease)
        return 0 if grant is None else grant.returned or 0

    def began_again_at(self, lease: LeaseFacts) -> int:
        """The moment from which on the lease may have been granted, and before which it certainly was not."""
        grant = self._grant_of(lease)
        return 0 if grant is None else grant.begun

    def _grant_of(self, lease: LeaseFacts) -> Deed | None:
        granted = (d for d in self.beginnings if isinstance(d.reply, LeaseGranted | RetryFired))
        return next((d for d in granted if getattr(d.reply, "epoch", None) == lease.epoch), None)

    def may_have_begun_since(self, lease: LeaseFacts) -> bool:
        """Whether a newer epoch may have been granted."""
        return any(
            d.may_count
            and (not d.definite or (isinstance(d.reply, LeaseGranted | RetryFired) and d.reply.epoch > lease.epoch))
            for d in self.beginnings
        )

    def certainly_holds(self, lease: LeaseFacts, until_ns: int) -> bool:
        """Whether the lease certainly carried authority (apart from a cutoff) from when the call began until now."""
        taken = any(
            getattr(d.request, "epoch", None) == lease.epoch and d.may_count and not isinstance(d.reply, StaleLease)
            for d in (*self.deeds("release_lease"), *self.deeds("revoke_lease"))
        )
        halted = any(d.may_count for d in self.deeds("suspend"))
        over = lease.superseded or lease.expires_ns <= until_ns or taken or halted
        return not over and 0 < self.granted_at(lease) < self.began and not self.may_have_begun_since(lease)

    @cached_property
    def effects(self) -> list[EffectView]:
        """The declared effects of this task."""
        return [EffectView(self, effect, self.entry_of(effect)) for effect in self.facts.effects_of(self.task.ref)]

    def entry_of(self, effect: EffectFacts) -> EffectEntry | None:
        """What the call showed of the effect, if it is a reading."""
        return None

    @property
    def name(self) -> str:
        """The task for people."""
        return label(self.task.ref)


class Reading(Window):
    """An ``inspect`` and what it showed."""

    def __init__(self, facts: Facts, task: TaskFacts, deed: Deed, snapshot: Snapshot) -> None:
        super().__init__(facts, task, deed)
        self.snapshot = snapshot
        self.ended_ns = facts.now_ns
        #: The dispositions that other readings had shown before this one began.
        self.shown_before = dict(deed.shown)

    def entry_of(self, effect: EffectFacts) -> EffectEntry | None:
        """Its line in the ledger."""
        return next((e for e in self.snapshot.effects if e.effect_id == effect.effect_id), None)

    @cached_property
    def workers(self) -> list[WorkerView]:
        """Whoever was given a lease for this task."""
        return [WorkerView(self, worker) for worker in self.facts.workers(self.task.ref)]

    @property
    def own_record(self) -> CancellationRecord | None:
        """The record of this very task that had been told before the reading began."""
        known = self.deed.cut_off
        return known if known is not None and known.task == self.task.ref else None

    def contradicted(self, *names: str) -> bool:
        """Whether a contradiction is recorded that names one of these (an effect, a receipt, a worker), as its subject
        or in its detail. One about something else explains nothing."""
        kept = self.snapshot.contradictions
        return any(_names(entry.subject, name) or _names(entry.detail, name) for entry in kept for name in names)

    @property
    def settled(self) -> bool:
        """Whether the snapshot shows the task as settled."""
        return self.snapshot.execution is Execution.CANCELLED_SETTLED


def _names(text: str, name: str) -> bool:
    """Whether the name stands there by itself: ``mail`` is not named by ``second-mail``."""
    return bool(name) and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


__all__ = ["EffectView", "Reading", "Told", "Window", "WorkerView"]
