"""Checks of what stop an operation is declared to have: EFF-13 for effects, RPT-3 for owned operations.

One idea: the class is declared before the operation begins, so it is known when its status is read. What has no stop
of its own is shown so until it ends; what is discarded counts as stopped from the cutoff on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from stopcheck.gate import (
    Admitted,
    CancellationClass,
    Capability,
    CommitEffect,
    Disposition,
    Done,
    EffectEntry,
    Execution,
    ExistingEffect,
    LateResultRule,
    OwnedKind,
    Recorded,
    RegisterChild,
    Scope,
    StartChild,
    Status,
)
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check
from stopcheck.judge._known import TaskFacts
from stopcheck.judge._reading import Reading
from stopcheck.judge._wording import label
from stopcheck.judge.checks._readings import ReadingCheck, several

#: What may be shown of a stopped task of which something goes on that has no stop.
_HONEST = (Status.CANCELLATION_UNSUPPORTED, Status.OUTCOME_UNKNOWN)


class DeclaredStopIsKept(ReadingCheck):
    """An effect is shown with the class that its admission declared, whatever was said later; and while one without a
    stop is on its way, the status of its stopped task claims none: it is ``cancellation_unsupported`` until it ends.

    An effect that a gate shows as unknown from its claim on is not held to that status. A pass says nothing of effects
    that nobody reads while they are on their way."""

    name: ClassVar[str] = "declared-stop-is-kept"
    clauses: ClassVar[tuple[str, ...]] = ("EFF-13", "RPT-3")

    def on_reading(self, reading: Reading) -> None:
        """Each admitted effect."""
        for view in reading.effects:
            declared = self._declared(reading, view.id)
            if view.entry is None or not declared:
                continue
            self.exercised("EFF-13")
            shown = view.entry.cancellation_class
            if shown not in declared:
                self.violated(
                    "EFF-13",
                    f"{reading.name} (call {reading.deed.call_id}) shows {view.id} as {shown}, and it was admitted as "
                    f"{several([str(each) for each in declared])}; what stop an effect supports is declared before its "
                    f"admission",
                )
            elif not shown.has_stop:
                self._status(reading, view.entry)

    def _declared(self, reading: Reading, effect_id: str) -> list[CancellationClass]:
        """The classes with which the effect may have been admitted; none while that is not certain."""
        deeds = [d for d in self.facts.book.deeds("commit_effect", effect_id) if d.ref == reading.task.ref]
        if not any(isinstance(deed.reply, Admitted | ExistingEffect) and reading.must(deed) for deed in deeds):
            return []
        admitted = [d for d in deeds if isinstance(d.reply, Admitted)] or [
            d for d in deeds if not d.definite or isinstance(d.reply, ExistingEffect)
        ]
        return [d.request.cancellation_class for d in admitted if isinstance(d.request, CommitEffect)]

    def _status(self, reading: Reading, entry: EffectEntry) -> None:
        snapshot = reading.snapshot
        if not entry.claimed or entry.disposition is not Disposition.PENDING or snapshot.record is None:
            return
        self.exercised("RPT-3")
        if snapshot.status in _HONEST:
            return
        for clause in self.clauses:
            self.violated(
                clause,
                f"the status of {reading.name} (call {reading.deed.call_id}) is {snapshot.status} while "
                f"{entry.effect_id}, declared {entry.cancellation_class}, is on its way; the status never claims more "
                f"of a stop than was declared",
            )


class UnsupportedIsShown(ReadingCheck):
    """While an operation without a stop of its own certainly runs in a stopped subtree, at any depth, its owners are
    shown as ``cancellation_unsupported``; for one that is discarded nobody waits.

    Looked at are operations that were started and of whose end nobody has begun to tell. A pass says nothing of
    operations that nobody declared."""

    name: ClassVar[str] = "unsupported-is-shown"
    clauses: ClassVar[tuple[str, ...]] = ("RPT-3",)

    def on_reading(self, reading: Reading) -> None:
        """Accounts of stopped subtrees."""
        record = reading.snapshot.record
        if record is None or record.scope is not Scope.SUBTREE:
            return
        running = self._running(reading)
        for request in running:
            if request.cancellation_class is CancellationClass.IRREVERSIBLE:
                self._no_stop(reading, request)
        if self._only_discarded(reading, running):
            self._discarded(reading, reading.snapshot.status is Status.CANCELLATION_UNSUPPORTED)

    def on_final(self, reading: Reading) -> None:
        """At rest nothing is given up for want of a word about what is discarded."""
        record, ticked = reading.snapshot.record, self.facts.ticked
        rests = ticked is not None and ticked.next_wake_ns is None
        if record is not None and record.scope is Scope.SUBTREE and rests:
            running = self._running(reading)
            if self._only_discarded(reading, running):
                self._discarded(reading, reading.snapshot.execution is Execution.STOPPED_UNRESOLVED)

    def _no_stop(self, reading: Reading, request: RegisterChild) -> None:
        self.exercised("RPT-3")
        if reading.snapshot.status not in _HONEST:
            self.violated(
                "RPT-3",
                f"the status of {reading.name} (call {reading.deed.call_id}) is {reading.snapshot.status} while its "
                f"{request.kind} {label(request.child)} runs, which has no stop of its own; until it ends that is "
                f"shown as cancellation_unsupported",
            )

    def _discarded(self, reading: Reading, waits: bool) -> None:
        self.exercised("RPT-3")
        if waits:
            snapshot = reading.snapshot
            self.violated(
                "RPT-3",
                f"{reading.name} (call {reading.deed.call_id}) is {snapshot.execution} and shown as {snapshot.status}, "
                f"and all that may go on is discardable; such an operation counts as stopped once its result is "
                f"fenced out",
            )

    def _running(self, reading: Reading) -> list[RegisterChild]:
        """The registrations of what certainly runs, at every depth."""
        owners = [reading.task, *self._owners_below(reading.task)]
        return [
            deed.request
            for owner in owners
            for deed in self.facts.book.deeds("register_child", owner.ref)
            if isinstance(deed.request, RegisterChild)
            and isinstance(deed.reply, Done)
            and self._was_started(reading, deed.request)
            and self._elsewhere(owner, deed.request)
        ]

    def _owners_below(self, task: TaskFacts) -> Iterator[TaskFacts]:
        """What the task owns and nobody has begun to end."""
        for ref in task.children:
            child = self.facts.tasks.get(ref)
            if child is not None and ref not in task.finishing and not child.ending:
                yield child
                yield from self._owners_below(child)

    def _was_started(self, reading: Reading, request: RegisterChild) -> bool:
        return any(
            isinstance(deed.request, StartChild)
            and deed.request.child == request.child
            and isinstance(deed.reply, Done)
            and reading.must(deed)
            for deed in self.facts.book.deeds("start_child", request.ref)
        )

    def _elsewhere(self, owner: TaskFacts, request: RegisterChild) -> bool:
        """Whether nothing but its owner's word can end it, and that was not given."""
        child = self.facts.tasks.get(request.child)
        told = any(self._tells(deed) for deed in self.facts.book.deeds("record_probe", request.child))
        return (
            request.kind is not OwnedKind.CHILD_TASK
            and request.child not in owner.finishing
            and child is not None
            and not child.leased
            and not told
        )

    def _tells(self, deed: Deed) -> bool:
        return not deed.definite or isinstance(deed.reply, Recorded)

    def _is_thrown_away(self, declared: CancellationClass | None) -> bool:
        """By its class, or because the gate declares so of its class."""
        discarded = self.contract.operation(declared).late_results is LateResultRule.DISCARDED
        return declared is CancellationClass.DISCARDABLE or (discarded and (declared is None or declared.has_stop))

    def _only_discarded(self, reading: Reading, running: list[RegisterChild]) -> bool:
        """Whether what may go on is discarded, all of it, and the gate can fence results out."""
        snapshot = reading.snapshot
        thrown_away = [r.child for r in running if self._is_thrown_away(r.cancellation_class)]
        others = [e for e in snapshot.children if not e.stage.terminal and e.child not in thrown_away]
        free = [facet for facet in snapshot.stopping.workers if not facet.stopped and not facet.fenced]
        effects = all(entry.disposition.definitive for entry in snapshot.effects)
        can_fence = self.contract.has(Capability.RESULTS)
        return bool(thrown_away) and len(thrown_away) == len(running) and can_fence and effects and not (others or free)


CHECKS: tuple[type[Check], ...] = (DeclaredStopIsKept, UnsupportedIsShown)

__all__ = ["CHECKS"]
