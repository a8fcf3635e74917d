"""A check of CHILD-5 at every depth: nothing lives below a task that was shown settled.

One idea: a settled task never becomes unsettled. So a reading of one of its descendants that began later, and shows a
worker who is certainly free, refutes the settling after the fact.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import Execution, Scope, TaskRef
from stopcheck.judge._checks import Check
from stopcheck.judge._reading import Reading
from stopcheck.judge._wording import label
from stopcheck.judge.checks._readings import ReadingCheck

_ENDED = (Execution.CANCELLED_SETTLED, Execution.COMPLETED, Execution.FAILED, Execution.UNSTARTED)


class NothingLivesBelow(ReadingCheck):
    """A task stopped with scope ``subtree`` from the start was not settled if a descendant, at any depth, is later read
    with a worker that holds an active lease and is neither stopped nor fenced.

    Descendants that their owner has reported as finished are taken at its word. A pass is about descendants that
    somebody looked at."""

    name: ClassVar[str] = "nothing-lives-below"
    clauses: ClassVar[tuple[str, ...]] = ("CHILD-5",)

    def on_reading(self, reading: Reading) -> None:
        """Look at a descendant of a settled task."""
        for owner in reading.deed.below:
            if not self._in_scope(owner, reading.task.ref):
                continue
            self.exercised("CHILD-5")
            free = [worker.worker for worker in reading.workers if worker.certainly_free]
            if free and reading.snapshot.execution not in _ENDED:
                self.violated(
                    "CHILD-5",
                    f"{label(owner)} was shown settled with scope subtree, and after that {reading.name} below it is "
                    f"{reading.snapshot.execution} and its worker {free[0]} holds an active lease; an owner settles "
                    f"after all that it owns",
                )

    def _in_scope(self, owner: TaskRef, ref: TaskRef) -> bool:
        """Whether the owner's stop reached the task from the start, and nobody began to report the task's end."""
        record = self.facts.tasks[owner].record
        if record is None or record.causes[0].scope is not Scope.SUBTREE:
            return False
        below = ref
        for holder in self.facts.ancestors(ref):
            reported = below == ref and ref in holder.finishing
            if reported or below not in holder.children:
                return False
            if holder.ref == owner:
                return True
            below = holder.ref
        return False


CHECKS: tuple[type[Check], ...] = (NothingLivesBelow,)

__all__ = ["CHECKS"]
