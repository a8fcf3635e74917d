"""Checks of RCN-3: a compensation is a new effect of another task, and needs an authorisation of its own.

One idea: what matters is what was admitted. Whoever turns a compensation away is never blamed here; whoever admits one
must have been shown what it answers, and an authorisation that nothing else had used.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from stopcheck.gate import Admitted, Compensate, Disposition, Grant, Void
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check
from stopcheck.judge._reading import Reading, Window
from stopcheck.judge._wording import label
from stopcheck.judge.checks._readings import ReadingCheck

_WANTED = "a compensation needs an authorisation that names what it answers, and that it spends"


class CompensationIsAuthorised(ReadingCheck):
    """A compensation is admitted only for an effect of another task that may have been committed, on a grant that names
    that effect and admits no other compensation. It stands in its own ledger, and what it answers stays as it was.

    A pass says nothing of effects that undo others without being declared as compensations."""

    name: ClassVar[str] = "compensation-is-authorised"
    clauses: ClassVar[tuple[str, ...]] = ("RCN-3",)

    @classmethod
    def listens(cls, kind: type, operation: str) -> bool:
        """Only to readings and compensations."""
        return super().listens(kind, operation) and operation in ("inspect", "compensate")

    def on_deed(self, deed: Deed) -> None:
        """A compensation was answered."""
        request = deed.request
        if not isinstance(request, Compensate) or not deed.definite or deed.answer in ("Retry", "Unsupported"):
            return
        self.exercised("RCN-3")
        if not isinstance(deed.reply, Admitted):
            return
        for wrong in self._wrong(deed, request):
            self.violated(
                "RCN-3",
                f"{request.effect_id} was admitted to answer {_answered(request)} (call {deed.call_id}) {wrong}",
            )

    def _wrong(self, deed: Deed, request: Compensate) -> Iterator[str]:
        if request.target == request.ref:
            yield "in the same task; a compensation stands in a task of its own"
        if request.effect_id == request.target_effect_id:
            yield "under the same effect id; a compensation is a new effect with an id of its own"
        if not self._may_be_authorised(request):
            yield f"by {request.grant_id}, which nobody had granted for that; {_WANTED}, and a stop is none"
        others = [other for other in self._by_that_grant(request) if other.effect_id != request.effect_id]
        if others:
            yield f"by {request.grant_id}, which also admitted {others[0].effect_id}; {_WANTED}"
        if not self._may_be_committed(deed, request):
            yield f"though nothing proves that it was committed; {_WANTED}"

    def _may_be_authorised(self, request: Compensate) -> bool:
        """Whether somebody may have given the compensation's task that grant, for that effect."""
        return any(
            isinstance(grant.request, Grant)
            and (grant.request.grant_id, grant.request.compensates) == (request.grant_id, request.target_effect_id)
            and grant.may_count
            and not isinstance(grant.reply, Void)
            for grant in self.facts.book.deeds("grant", request.ref)
        )

    def _by_that_grant(self, request: Compensate) -> list[Compensate]:
        """What was admitted by the same grant of the same task."""
        return [
            deed.request
            for deed in self.facts.book.all_deeds("compensate")
            if isinstance(deed.request, Compensate)
            and isinstance(deed.reply, Admitted)
            and (deed.ref, deed.request.grant_id) == (request.ref, request.grant_id)
        ]

    def _may_be_committed(self, deed: Deed, request: Compensate) -> bool:
        """Whether anything told to the gate by now may have proved it."""
        effect = self.facts.effects.get(request.target_effect_id)
        task = self.facts.tasks.get(request.target)
        if effect is None or task is None or effect.task != request.target:
            return False
        view = next(v for v in Window(self.facts, task, deed).effects if v.id == effect.effect_id)
        return Disposition.COMPLETED in view.may_be

    def on_reading(self, reading: Reading) -> None:
        """The answered effect is as it was, and the answer stands elsewhere."""
        for deed in self.facts.book.all_deeds("compensate"):
            request = deed.request
            if not isinstance(request, Compensate) or not isinstance(deed.reply, Admitted) or not reading.must(deed):
                continue
            listed = {entry.effect_id: entry.disposition for entry in reading.snapshot.effects}
            if reading.task.ref == request.target:
                self._on_answered(reading, request, listed)
            elif reading.task.ref == request.ref and request.effect_id not in listed:
                self.violated(
                    "RCN-3",
                    f"{request.effect_id} was admitted to answer {_answered(request)} and is missing from the ledger "
                    f"of {reading.name}; a compensation has a disposition of its own",
                )

    def _on_answered(self, reading: Reading, request: Compensate, listed: dict[str, Disposition]) -> None:
        shown = listed.get(request.target_effect_id)
        before = reading.shown_before.get(request.target_effect_id)
        if request.effect_id in listed:
            self.violated(
                "RCN-3",
                f"{request.effect_id} stands in the ledger of {reading.name}, whose {request.target_effect_id} it "
                f"answers; a compensation stands in a task of its own",
            )
        explained = reading.contradicted(request.target_effect_id)
        if before is Disposition.COMPLETED and shown is not before and not explained:
            self.violated(
                "RCN-3",
                f"{request.target_effect_id} of {reading.name} is shown {shown} since {request.effect_id} answers it; "
                f"it was completed, and a compensation has a disposition of its own",
            )


def _answered(request: Compensate) -> str:
    return f"{request.target_effect_id} of {label(request.target)}"


CHECKS: tuple[type[Check], ...] = (CompensationIsAuthorised,)

__all__ = ["CHECKS"]
