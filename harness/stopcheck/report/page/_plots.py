"""The measures, with a small plot of how long things took.

One idea: there are few different durations in virtual time, so each gets a bar of its own; the bar's height is how
often it was seen, on a scale that lets a rare one be seen too.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log2
from typing import NamedTuple

from markupsafe import Markup

from stopcheck.campaign import Report
from stopcheck.judge import seconds, weighted_percentile

_BARS, _WIDTH, _HEIGHT = 24, 6, 22
_COUNTS = ("after_cutoff", "completed_after_cancel", "unknown", "late_results", "orphans", "forced")


class Measure(NamedTuple):
    """A kind of operation that was stopped for a reason."""

    operation: str
    reason: str
    runs: int
    observed: str
    ended: str
    plot: Markup
    counts: tuple[int, ...]


def measures(report: Report) -> list[Measure]:
    """A row for each."""
    return [
        Measure(
            tally.operation,
            tally.reason.value,
            tally.runs,
            _percentiles(tally.observed),
            _percentiles(tally.ended),
            _plot(tally.observed),
            tuple(tally.counts.get(name, 0) for name in _COUNTS),
        )
        for tally in report.measures
        if tally.reason is not None
    ]


def _percentiles(seen: Mapping[int, int]) -> str:
    found = [weighted_percentile(seen, per_cent) for per_cent in (50, 95)]
    return " / ".join(seconds(one) for one in found if one is not None)


def _plot(seen: Mapping[int, int]) -> Markup:
    if not seen:
        return Markup("")
    durations = sorted(seen)
    shown = durations[:_BARS]
    most = log2(1 + max(seen.values()))
    bars = "".join(
        f'<rect x="{number * (_WIDTH + 1)}" y="{_HEIGHT - height}" width="{_WIDTH}" height="{height}"/>'
        for number, duration in enumerate(shown)
        if (height := max(2, round(log2(1 + seen[duration]) / most * _HEIGHT)))
    )
    label = f"{len(durations)} different times, from {seconds(durations[0])} to {seconds(durations[-1])}"
    size = f'width="{len(shown) * (_WIDTH + 1)}" height="{_HEIGHT}"'
    return Markup(f'<svg class="plot" role="img" aria-label="{label}" {size}><title>{label}</title>{bars}</svg>')
