"""The measures of a campaign: how long stops took, and what was done in spite of them.

One idea: these are figures of what was tried, in virtual time; they tell how a gate behaves, not how fast it is. So
they stand below the verdicts and decide none.
"""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from stopcheck.campaign import Report
from stopcheck.judge import Tally, weighted_percentile
from stopcheck.report._console import ReportConsole

#: Rows that are shown unless everything is asked for.
_ROWS = 8
#: The counts: their names, what stands above them, and what it means.
_COUNTS = {
    "after_cutoff": ("sent", "effects that were claimed after the cutoff"),
    "after_deadline": ("expired", "of these, after a deadline"),
    "completed_after_cancel": ("done", "effects that were proved to be completed after the cutoff"),
    "unknown": ("unknown", "effects whose outcome is"),
    "late_results": ("late", "results that came after the end, and entered nothing"),
    "orphans": ("orphans", "owned work below an owner that has ended"),
    "forced": ("forced", "workers that force was allowed for"),
}
_SECOND_NS = 1_000_000_000


def print_measures(console: ReportConsole, report: Report, *, everything: bool = False) -> None:
    """A row for each kind of operation and reason to stop; without ``everything`` those that were seen most."""
    stopped = [tally for tally in report.measures if tally.reason is not None]
    if not stopped or report.gate is None:
        return
    shown = stopped if everything else _most(stopped)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("operation", "stopped by"):
        table.add_column(name, no_wrap=True)
    counts = [name for name in _COUNTS if any(tally.counts.get(name) for tally in shown)]
    for head in ("runs", "seen p50", "seen p95", "end p95", *(_COUNTS[name][0] for name in counts)):
        table.add_column(head, justify="right")
    for tally in shown:
        times = [
            weighted_percentile(tally.observed, 50),
            weighted_percentile(tally.observed, 95),
            weighted_percentile(tally.ended, 95),
        ]
        figures = [f"{tally.counts[name]:,}" if tally.counts.get(name) else "" for name in counts]
        table.add_row(tally.operation, str(tally.reason), f"{tally.runs:,}", *map(_seconds, times), *figures)
    console.say("")
    console.say(f"measures of {report.gate.name}, in seconds of virtual time")
    console.print(table)
    if len(shown) < len(stopped):
        console.print(Text(f"{len(stopped) - len(shown)} more (--all lists them)", style="dim"))
    legend = ["seen: from the cutoff to the first acknowledgement", "end: from there to settled or given up, as shown"]
    legend += [f"{head}: {meaning}" for head, meaning in map(_COUNTS.__getitem__, counts)]
    console.print(Text("; ".join(legend), style="dim"))


def _most(tallies: list[Tally]) -> list[Tally]:
    """Those of which there were most runs, in their order."""
    kept = sorted(tallies, key=lambda tally: (-tally.runs, tally.key))[:_ROWS]
    return [tally for tally in tallies if tally in kept]


def _seconds(duration_ns: int | None) -> str:
    return "" if duration_ns is None else f"{duration_ns / _SECOND_NS:g}"


__all__ = ["print_measures"]
