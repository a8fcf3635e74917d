"""What each pass rests on, as a table: one short line a clause, and the words for its columns below.

One idea: where searches branched, how far they came and what they tried is the same kind of thing for every clause, so
it is shown in columns, and the columns are explained once.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from stopcheck.campaign import ClauseVerdict, Ground, Report, Searched, power_losses_in
from stopcheck.kernel import many
from stopcheck.report._console import ReportConsole

#: The letters of the faults in a run, and their words.
_FAULTS = {
    "crash": ("c", "death of the gate"),
    "provider": ("p", "provider fault"),
    "queue": ("q", "duplicate or redelivery"),
    "worker": ("w", "death of a worker"),
    "signal": ("s", "lost signal"),
    "time": ("t", "early or late timer"),
    "gate_timer": ("g", "timer of the gate's own while others can move"),
    "other": ("o", "fault of the scenario's own"),
}
_GRAINS = {"calls": "calls/n: switches between whole calls", "inner": "inner/n: also inside of them"}
_CUT_SHORT = "+"


def print_passes(console: ReportConsole, report: Report, passes: Sequence[ClauseVerdict], style: str) -> None:
    """The clauses that passed, each with its ground and what it assumes."""
    assumptions = list(dict.fromkeys(c.assumption for c in passes if c.assumption))
    variants = sorted({(s.granularity, s.handles) for c in passes for s in c.ground.searched})
    deaths = any(c.ground.deaths or c.ground.kills for c in passes)
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for name in ("clause", "verdict"):
        table.add_column(name, no_wrap=True)
    for variant in variants:
        table.add_column(_head(*variant), overflow="fold")
    for name in ("runs", "states", *(["deaths"] if deaths else [])):
        table.add_column(name, no_wrap=True, justify="right")
    table.add_column("faults", no_wrap=True)
    for clause in passes:
        ground = clause.ground
        marks = "*" * (assumptions.index(clause.assumption) + 1) if clause.assumption else ""
        verdict = Text(clause.verdict.value + marks + (_CUT_SHORT if ground.cut_short else ""), style=style)
        cells = [_far(ground, variant) for variant in variants]
        figures = [f"{sum(s.executions for s in ground.searched):,}", f"{sum(s.states for s in ground.searched):,}"]
        died = [f"{ground.deaths:,}+{ground.kills:,}"] if deaths else []
        table.add_row(clause.clause, verdict, *cells, *figures, *died, _letters(ground))
    console.print(table)
    for number, assumption in enumerate(assumptions, 1):
        console.print(f"{'*' * number} {assumption}")
    for line in _legend(report, passes, deaths=deaths):
        console.print(Text(line, style="dim"))


def _head(granularity: str, handles: int) -> str:
    return f"{granularity}/{handles}"


def _far(ground: Ground, variant: tuple[str, int]) -> str:
    found = next((s for s in ground.searched if (s.granularity, s.handles) == variant), None)
    return "" if found is None else _how_far(found)


def _how_far(one: Searched) -> str:
    far = [f"{one.exhausted} all"] if one.exhausted else []
    return ", ".join([*far, *(f"{part.scenarios} <={part.bound}" for part in one.bounded)])


def _letters(ground: Ground) -> str:
    return "".join(f"{most if most > 1 else ''}{_FAULTS[kind][0]}" for kind, most in ground.faults.items()) or "none"


def _legend(report: Report, passes: Sequence[ClauseVerdict], *, deaths: bool) -> list[str]:
    """The words for what stands in the table, and for nothing else."""
    grounds = [clause.ground for clause in passes]
    searched = [one for ground in grounds for one in ground.searched]
    grains = [words for grain, words in _GRAINS.items() if any(one.granularity == grain for one in searched)]
    lines = [f"{'; '.join(grains)}; on n handles"]
    if any(one.exhausted for one in searched):
        lines.append("k all: k scenarios exhausted, that is every run within their fault budgets")
    if any(one.bounded for one in searched):
        what = "preemption, fault, death, race of a timer"
        lines.append(f"k <=d: k scenarios in every run of at most d disruptions ({what}); more were not searched")
    kinds = [kind for kind in _FAULTS if any(kind in ground.faults for ground in grounds)]
    if kinds:
        letters = ", ".join(f"{_FAULTS[kind][0]} {_FAULTS[kind][1]}" for kind in kinds)
        lines.append(f"faults that one run may contain, one of each unless a number says more: {letters}")
    if deaths:
        claimed = report.gate is not None and report.gate.durability == "power_loss"
        lost = sum(power_losses_in(job) for job in report.jobs)
        tried = f"; power was lost {many(lost, 'time')}" if lost else "; loss of power was not tried"
        power = tried if claimed else ""
        lines.append(f"deaths: simulated ones of the process + real ones by SIGKILL{power}")
    if any(ground.cut_short for ground in grounds):
        lines.append(f"{_CUT_SHORT} jobs that were cut short (below) might have put it to the test too")
    return lines
