"""Checks of LIVE: a stopped task comes to rest, and settles where everything is accounted for.

One idea: the gate decides that a task is settled, and the judge recomputes it from what was told.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import CANCELLED_STATES, TERMINAL_STATES, Execution, Scope, Stage
from stopcheck.judge._checks import Check
from stopcheck.judge._facts import TaskFacts
from stopcheck.judge._reading import EffectView, Reading, WorkerView
from stopcheck.judge._wording import seconds
from stopcheck.judge.checks._readings import ReadingCheck
from stopcheck.world import MAX_TICKS


class AccountedTaskSettles(ReadingCheck):
    """At rest, a stopped task of which the facts account for every effect, worker and owned operation in scope is
    ``cancelled_settled``.

    Whatever is uncertain counts as not accounted for. That nothing else is settled is RPT-1."""

    name: ClassVar[str] = "accounted-task-settles"
    clauses: ClassVar[tuple[str, ...]] = ("LIVE-3",)

    def on_final(self, reading: Reading) -> None:
        """Recompute it from what was told."""
        record = reading.own_record
        if record is None or not self._came_to_rest() or not self._accounted(reading):
            return
        if record.scope is Scope.SUBTREE and not self._children_ended(reading):
            return
        self.exercised("LIVE-3")
        state = reading.snapshot.execution
        if state in CANCELLED_STATES and not reading.settled:
            self.violated(
                "LIVE-3",
                f"at rest {reading.name} is {state}, though all its workers are stopped or fenced and all its effects "
                f"have evidence ({', '.join(v.id for v in reading.effects if v.admitted) or 'it has none'}); it has "
                f"to be cancelled_settled",
            )

    def _came_to_rest(self) -> bool:
        ticked = self.facts.ticked
        return ticked is None or (ticked.next_wake_ns is None and not ticked.transitions)

    def _accounted(self, reading: Reading) -> bool:
        declared = {view.id for view in reading.effects}
        strange = any(e.effect_id not in declared and not e.disposition.definitive for e in reading.snapshot.effects)
        known = {worker.worker for worker in reading.workers}
        unknown = any(entry.worker not in known for entry in reading.snapshot.leases)
        effects = all(self._effect_accounted(view) for view in reading.effects)
        if strange or unknown or self._runs_without_lease(reading.task):
            return False
        return effects and all(self._at_rest(w) for w in reading.workers)

    def _runs_without_lease(self, task: TaskFacts) -> bool:
        """An owned operation without a worker of its own: only its owner's word ends it."""
        owner = self.facts.tasks.get(task.parent) if task.parent is not None else None
        return owner is not None and not task.leases and str(task.ref) not in owner.finished

    def _effect_accounted(self, view: EffectView) -> bool:
        listed = view.entry is not None or view.admitted
        return not listed or view.definitive or bool(view.kept)

    def _at_rest(self, worker: WorkerView) -> bool:
        return worker.must_be_stopped or worker.certainly_fenced

    def _children_ended(self, reading: Reading) -> bool:
        over = (Execution.CANCELLED_SETTLED, Execution.COMPLETED, Execution.FAILED)
        states = {r.task.ref: r.snapshot.execution for r in self.facts.book.final}
        below = [child.ref for child in self.facts.descendants(reading.task.ref)]
        doubtful = bool(reading.task.doubtful_children)
        listed = all(entry.stage is not Stage.UNKNOWN for entry in reading.snapshot.children)
        return listed and not doubtful and all(states.get(ref) in over for ref in below)


class StoppedTaskComesToRest(ReadingCheck):
    """Ticks at the gate's own wake-up times bring every stopped task to a terminal state, within grace and budget.

    A gate without ``tick`` is looked at only where time has passed anyway. A pass is about the final phase as it ran
    here: with faults off."""

    name: ClassVar[str] = "stopped-task-comes-to-rest"
    clauses: ClassVar[tuple[str, ...]] = ("LIVE-4",)

    def on_reading(self, reading: Reading) -> None:
        """Late, after a tick, a stopped task is terminal."""
        cut_ns = self.facts.book.cut_by_ns.get(reading.task.ref)
        if cut_ns is None or reading.own_record is None:
            return
        contract = self.contract
        over_ns = cut_ns + contract.grace_ns + contract.reconciliation_budget_ns
        if reading.deed.ticked_ns >= over_ns:
            self._terminal(reading, f"after a tick at {seconds(reading.deed.ticked_ns)}, cut off by {seconds(cut_ns)}")

    def on_final(self, reading: Reading) -> None:
        """At rest it is terminal, or the gate never came to rest."""
        started = reading.own_record is not None or reading.task.leases
        if reading.deed.cut_off is None or not started:
            return
        ticked = self.facts.ticked
        if ticked is None:
            return
        if self.facts.book.final_ticks >= MAX_TICKS and (ticked.next_wake_ns is not None or ticked.transitions):
            self.breaks(
                "LIVE-4",
                f"after {MAX_TICKS} ticks at its own wake-up times the gate still names another one "
                f"({seconds(ticked.next_wake_ns)}) while {reading.name} is stopped; a stopped task comes to rest",
            )
        elif ticked.next_wake_ns is None and not ticked.transitions:
            self._terminal(reading, "at rest, with no further wake-up named")

    def _terminal(self, reading: Reading, when: str) -> None:
        self.exercised("LIVE-4")
        state = reading.snapshot.execution
        if state not in TERMINAL_STATES:
            self.violated(
                "LIVE-4",
                f"{reading.name} is still {state} {when}; ticks bring every stopped task to rest within its grace "
                f"({seconds(self.contract.grace_ns)}) and budget ({seconds(self.contract.reconciliation_budget_ns)})",
            )


CHECKS: tuple[type[Check], ...] = (AccountedTaskSettles, StoppedTaskComesToRest)

__all__ = ["CHECKS"]
