"""How soon each wrong gate is killed: executions until its named clause is broken, by strategy.

One idea: counts of executions are facts of a strategy, a seed and a gate, on every machine. So they are printed for all
strategies, and asserted for ``auto``, which is what a vendor runs: each wrong gate within 1,000 executions, half of
them within 50. Each gate is tried in the first of the scenarios that it names, in its variant. Gates that are wrong
only about a real death are not the business of strategies: no run of a trial can show them.
"""

from __future__ import annotations

import multiprocessing
import statistics
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

import msgspec

from stopcheck.campaign import load_faults, load_scenarios
from stopcheck.campaign._ground import ground
from stopcheck.campaign._loading import as_loaded
from stopcheck.explore import STRATEGIES, Aim, Budget, Result, make_trial
from stopcheck.gate import KnownFault
from stopcheck.judge import CHECKS
from stopcheck.world import Granularity, Variant
from tests.bench.conftest import Figures

#: The bar for ``auto``: executions to each kill, and the median of them.
WITHIN = 1_000
MEDIAN = 50
#: ``auto`` is held to it with each of these; the others are shown with the first.
SEEDS = (1, 2, 3)
#: What the others may take before they are given up; they are shown for comparison.
OTHERS = 300

COLUMNS = (
    "auto",
    "exhaustive",
    "stop-sweep",
    "random-walk",
    "uniform-walk",
    "pct",
    "stop-position",
    "drawn-runs",
    "state-machine",
)


class Kill(msgspec.Struct, frozen=True):
    """Executions to the kill, or all that were made without one."""

    executions: int
    killed: bool

    def __str__(self) -> str:
        return str(self.executions) if self.killed else f"-{self.executions}"


class Row(msgspec.Struct, frozen=True):
    """One wrong gate: ``auto`` with each seed, then the others."""

    gate: str
    clause: str
    scenario: str
    variant: str
    auto: tuple[Kill, ...]
    others: tuple[Kill, ...]


def kill(fault: KnownFault, strategy: str, budget: int, seed: int) -> Kill:
    """Try one strategy on one wrong gate."""
    variant = Variant(fault.handles, Granularity.INNER if fault.inner else Granularity.CALLS)
    loaded = as_loaded(fault.name, fault.factory)
    made: list[int] = []
    killed: list[int] = []

    def observe(result: Result) -> None:
        made.append(1)
        if not killed and fault.clause in result.clauses:
            killed.append(len(made))

    with ground(loaded, variant.granularity) as interior:
        trial = make_trial(load_scenarios()[fault.scenarios[0]], loaded.factory, variant, interior, CHECKS)
        limit = Budget(budget, lambda: "the kill" if killed else "")
        STRATEGIES[strategy](trial, limit, seed, Aim(random_bases=1, firsts=8, observe=observe))
    return Kill(killed[0], True) if killed else Kill(len(made), False)


def row(name: str) -> Row:
    """All strategies on one wrong gate."""
    fault = next(fault for fault in load_faults() if fault.name == name)
    return Row(
        name,
        fault.clause,
        fault.scenarios[0],
        f"{'inner' if fault.inner else 'calls'}, {fault.handles}",
        tuple(kill(fault, "auto", WITHIN, seed) for seed in SEEDS),
        tuple(kill(fault, strategy, OTHERS, SEEDS[0]) for strategy in COLUMNS[1:]),
    )


def table(rows: Sequence[Row]) -> list[str]:
    """As ``make bench`` shows it; ``-n`` is no kill in n executions."""
    columns = [f"auto/{seed}" for seed in SEEDS] + list(COLUMNS[1:])
    widths = [max(len(column), 6) for column in columns]
    lines = [f"{'gate':34} {'clause':8} {'scenario':25} {'variant':8} " + _cells(columns, widths)]
    for each in rows:
        cells = [str(count) for count in (*each.auto, *each.others)]
        lines.append(f"{each.gate:34} {each.clause:8} {each.scenario:25} {each.variant:8} {_cells(cells, widths)}")
    for title, figure in (("median", statistics.median), ("max", max), ("killed", None)):
        cells = []
        for at in range(len(columns)):
            counts = [(*each.auto, *each.others)[at] for each in rows]
            found = [count.executions for count in counts if count.killed]
            cells.append(f"{figure(found):g}" if figure is not None else f"{len(found)}/{len(counts)}")
        lines.append(f"{title:78} {_cells(cells, widths)}")
    return lines


def _cells(cells: Sequence[str], widths: Sequence[int]) -> str:
    return " ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))


def test_every_wrong_gate_is_killed_early(figures: Figures) -> None:
    faults = load_faults()
    names = [fault.name for fault in faults if not fault.sigkill]
    with ProcessPoolExecutor(max_workers=2, mp_context=multiprocessing.get_context("spawn")) as pool:
        rows = list(pool.map(row, names))
    figures.print(f"executions to the kill of {len(rows)} wrong gates ({len(faults) - len(rows)} need a real death)")
    figures.print(*table(rows))
    for at, seed in enumerate(SEEDS):
        late = [each.gate for each in rows if not each.auto[at].killed]
        assert not late, f"not killed by auto within {WITHIN} executions, seed {seed}: {late}"
        assert statistics.median(each.auto[at].executions for each in rows) <= MEDIAN
