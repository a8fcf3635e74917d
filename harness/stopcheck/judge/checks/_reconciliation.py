"""Checks of RCN: reconciliation after the cutoff.

One idea: finding out what happened is not doing something new. It is allowed when nothing else is any more, and it
opens no door.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import Admitted, Capability, CommitEffect, RecordOutcome, Refused, Right
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check
from stopcheck.judge._evidence import describe
from stopcheck.judge.checks._completion import label_of
from stopcheck.judge.checks._readings import ReadingCheck


class ReconcilerIsHeard(ReadingCheck):
    """What a reconciler tells after the cutoff is not refused.

    A pass is about reconcilers of the task's tenant, and about effects that had been admitted; that evidence then
    counts is EFF-4."""

    name: ClassVar[str] = "reconciler-is-heard"
    clauses: ClassVar[tuple[str, ...]] = ("RCN-1",)

    def on_deed(self, deed: Deed) -> None:
        """An outcome told under read authority, after a known cutoff."""
        request = deed.request
        caller = request.caller
        if not isinstance(request, RecordOutcome) or not self.contract.has(Capability.RECONCILIATION):
            return
        mine = caller.tenant == request.task.tenant and Right.RECONCILE in caller.rights
        answered = deed.definite and deed.answer not in ("Retry", "Unsupported")
        if not mine or not answered or deed.cut_off is None:
            return
        window = self.window(deed)
        effect_id = request.effect_id
        if window is None or not any(view.id == effect_id and view.admitted for view in window.effects):
            return
        self.exercised("RCN-1")
        if isinstance(deed.reply, Refused):
            self.violated(
                "RCN-1",
                f"{describe(request.evidence)} for {effect_id} of {window.name}, told by the reconciler "
                f"{caller.principal} after the cutoff (call {deed.call_id}), was refused ({deed.reply.reason}); "
                f"reconciliation works under its own authority after the workers' is gone",
            )


class ReconciliationReopensNothing(ReadingCheck):
    """After an outcome was told past the cutoff, no commitment is admitted.

    It is the admission boundary (ADM-1) seen from the other side: a gate that fails here fails there too."""

    name: ClassVar[str] = "reconciliation-reopens-nothing"
    clauses: ClassVar[tuple[str, ...]] = ("RCN-2",)

    def on_deed(self, deed: Deed) -> None:
        """A commitment after reconciliation."""
        if not isinstance(deed.request, CommitEffect) or deed.cut_off is None or not deed.definite:
            return
        window = self.window(deed)
        reconciled = [
            told.deed
            for view in (window.effects if window is not None else ())
            for told in view.told
            if told.deed.cut_off is not None
        ]
        if not reconciled:
            return
        self.exercised("RCN-2")
        if isinstance(deed.reply, Admitted):
            self.violated(
                "RCN-2",
                f"{deed.request.effect_id} of {label_of(deed)} was admitted (call {deed.call_id}) after the "
                f"cancellation "
                f"{deed.cut_off.record_id}, once an outcome had been told (call {reconciled[-1].call_id}); "
                f"reconciliation does not reopen admission",
            )


CHECKS: tuple[type[Check], ...] = (ReconcilerIsHeard, ReconciliationReopensNothing)

__all__ = ["CHECKS"]
