"""The check of MET-1: a gate's own figures against what really happened.

One idea: a figure is wrong when it lies outside what the log allows. Where calls overlapped or the gate died under one
the bounds are wide; where nothing is in doubt they are one number. Figures that were read while another call was
answered may be those of before or after it, and are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from stopcheck.gate import MeasuresReport, OperationFigures
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check
from stopcheck.judge._measuring import COUNTS, Bounds, Measured, Stop, measured, percentile
from stopcheck.judge._wording import seconds
from stopcheck.judge.checks._readings import ReadingCheck
from stopcheck.world import Event

_TIMES = (("request_to_observation_p50_ns", 50), ("request_to_observation_p95_ns", 95))


class MeasuresAgree(ReadingCheck):
    """Each figure lies between what is certain and what is possible, by operation. The time from the observation to the
    end is not longer than the time that has passed, and no shorter than until the first worker's word that it stopped.

    A pass says nothing of figures of operations that the scenario does not have."""

    name: ClassVar[str] = "measures-agree"
    clauses: ClassVar[tuple[str, ...]] = ("MET-1",)

    @classmethod
    def listens(cls, kind: type[Event], operation: str) -> bool:
        """Only to figures."""
        return operation == "measures" and super().listens(kind, operation)

    def on_deed(self, deed: Deed) -> None:
        """Somebody was told the figures."""
        if not isinstance(deed.reply, MeasuresReport) or not self.facts.book.alone(deed):
            return
        self.exercised("MET-1")
        told = {figures.operation: figures for figures in deed.reply.operations}
        rows = {row.operation: row for row in measured(self.facts)}
        wanted = {name: row for name, row in rows.items() if name in told or _counts(row)}
        for operation, row in wanted.items():
            figures = told.get(operation, OperationFigures(operation=operation))
            for wrong in self._wrong(figures, row):
                self.violated("MET-1", f"of {operation} (call {deed.call_id}) the gate tells {wrong}")
        for operation in told:
            if operation not in wanted:
                self.violated(
                    "MET-1", f"the gate tells figures of {operation} (call {deed.call_id}), which was not begun"
                )
        if deed.reply.adapter != self.contract.name:
            self.violated("MET-1", f"the figures are those of {deed.reply.adapter!r}, not of {self.contract.name!r}")

    def _wrong(self, figures: OperationFigures, row: Measured) -> Iterator[str]:
        for cause in dict.fromkeys((*figures.requests, *row.requests)):
            yield from _outside(f"{cause} requests", figures.requests.get(cause, 0), row.requests.get(cause, Bounds()))
        for name in COUNTS:
            yield from _outside(name, getattr(figures, name), row.counts.get(name, Bounds()))
        if not self._certain(row):
            return
        times = [stop.to_observation_ns for stop in row.stops if stop.to_observation_ns is not None]
        for name, per_cent in _TIMES:
            if getattr(figures, name) != percentile(times, per_cent):
                yield f"{name} {seconds(getattr(figures, name))}, and it was {seconds(percentile(times, per_cent))}"
        observed = [stop.observed_by_ns for stop in row.stops if stop.observed_by_ns is not None]
        longest = self.facts.now_ns - min(observed, default=self.facts.now_ns)
        ended = figures.observation_to_terminal_p95_ns
        shortest = min((_at_least_ns(stop) for stop in row.stops if stop.observed_by_ns is not None), default=0)
        if ended is not None and not shortest <= ended <= longest:
            passed = f"between {seconds(shortest)} and {seconds(longest)} can have passed"
            yield f"observation_to_terminal_p95_ns {seconds(ended)}, and {passed}"

    def _certain(self, row: Measured) -> bool:
        """Whether each stopped task is known, and every acknowledgement was answered."""
        said = self.facts.book.all_deeds("acknowledge")
        exact = all(d.definite and d.begun_ns == d.returned_ns for d in said)
        stopped = row.counts.get("stopped", Bounds())
        return exact and stopped.least == stopped.most


def _at_least_ns(stop: Stop) -> int:
    """How long the end certainly came after the observation."""
    if stop.ended_from_ns is None or stop.observed_by_ns is None:
        return 0
    return stop.ended_from_ns - stop.observed_by_ns


def _counts(row: Measured) -> bool:
    return any(b.least for b in (*row.requests.values(), *row.counts.values()))


def _outside(name: str, figure: int, bounds: Bounds) -> Iterator[str]:
    if not bounds.holds(figure):
        most = "" if bounds.most == bounds.least else f" to {bounds.most}"
        yield f"{figure} of {name}, and there were {bounds.least}{most}"


CHECKS: tuple[type[Check], ...] = (MeasuresAgree,)

__all__ = ["CHECKS"]
