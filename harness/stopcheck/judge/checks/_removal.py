"""Checks of DLV-6: that something was removed says nothing of the work that it stood for.

One idea: a removal is a signal like any other. Whoever had taken the message, read the row or opened the object may
still be at work, so only what else was told of a worker, an effect or an owned operation may end it.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import OwnedKind, Recorded, RecordSignal
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check
from stopcheck.judge._reading import Reading
from stopcheck.judge._wording import label
from stopcheck.judge.checks._readings import ReadingCheck

#: Owned work that runs elsewhere: no lease and no word of a worker here can end it.
_ELSEWHERE = (OwnedKind.SUBPROCESS, OwnedKind.REMOTE_JOB)
#: What may tell of an owned operation in its own account.
_WORDS = ("acknowledge", "record_probe", "escalate", "complete", "fail")


class RemovalIsNoProof(ReadingCheck):
    """After a removal was recorded, the worker is not shown stopped, the effect not resolved and the owned operation
    not ended, unless something else may prove it.

    That a gate takes a lease away is right at any time. A pass says nothing of removals that nobody tells the gate."""

    name: ClassVar[str] = "removal-is-no-proof"
    clauses: ClassVar[tuple[str, ...]] = ("DLV-6",)

    def on_reading(self, reading: Reading) -> None:
        """Look at what became of each target."""
        for deed in reading.deeds("record_signal"):
            request = deed.request
            if not isinstance(request, RecordSignal) or not request.removal:
                continue
            if isinstance(deed.reply, Recorded) and reading.must(deed):
                self._workers(reading, deed, request.target)
                self._effects(reading, deed, request.target)
                self._owned(reading, deed, request.target)

    def _workers(self, reading: Reading, deed: Deed, target: str) -> None:
        for view in reading.workers:
            if view.worker == target and not view.may_be_stopped:
                shown = view.facet is not None and view.facet.stopped
                self._shown(reading, deed, f"shows {target} stopped" if shown else "")

    def _effects(self, reading: Reading, deed: Deed, target: str) -> None:
        for view in reading.effects:
            if view.id == target and view.claims and view.certainly_open:
                self._shown(reading, deed, f"shows {view.name} as {view.disposition}" if view.definitive else "")

    def _owned(self, reading: Reading, deed: Deed, target: str) -> None:
        for entry in reading.snapshot.children:
            child, parent = self.facts.tasks.get(entry.child), reading.task
            if entry.child.key.task_id != target or child is None or entry.kind not in _ELSEWHERE:
                continue
            told = any(self.facts.book.deeds(operation, child.ref) for operation in _WORDS)
            if child.ref not in parent.started or child.ref in parent.finishing or child.leased or told:
                continue
            ended = f"shows {label(child.ref)} as {entry.stage.value}" if entry.stage.terminal else ""
            self._shown(reading, deed, ended)

    def _shown(self, reading: Reading, deed: Deed, what: str) -> None:
        self.exercised("DLV-6")
        if what:
            self.violated(
                "DLV-6",
                f"{reading.name} {what}, though nothing was told of it but that it had been removed (call "
                f"{deed.call_id}); a removal is no proof that the work has ended",
            )


CHECKS: tuple[type[Check], ...] = (RemovalIsNoProof,)

__all__ = ["CHECKS"]
