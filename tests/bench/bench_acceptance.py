"""How far the acceptance cases can be searched: every case that the registry has, on both reference gates.

One idea: a case is searched to its end where that can be done, and where it cannot the bound that was completed is
named. Executions and states are facts of a case and a gate; seconds are CPU time of one process, and a busy machine
makes them longer. What misses a bar is listed by name, and the bench fails with that list.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

import msgspec
import pytest

from stopcheck.campaign import load_gate, load_scenarios
from stopcheck.campaign._ground import ground
from stopcheck.explore import Budget, Exploration, Trial, exhaustive, make_trial
from stopcheck.explore._deepening import deepening
from stopcheck.judge import CHECKS
from stopcheck.world import Granularity, Scenario, Variant
from tests.bench.conftest import Figures

#: The CPU seconds in which all cases must be exhausted at whole calls on one core, by gate.
BARS_S = {"memory": 60, "sqlite": 300}
#: No case needs as many executions at whole calls.
CALLS = 100_000
#: What each case gets between the statements of the gate, and the bound of disruptions that it must complete there.
INNER = 200_000
WANTED = 2


class Row(msgspec.Struct, frozen=True):
    """One case, searched."""

    scenario: Scenario
    found: Exploration
    seconds: float

    def __str__(self) -> str:
        found = self.found
        ground = "exhausted" if found.exhausted else f"bound {found.bound}, {found.truncated_by}"
        rate = 1e3 * self.seconds / found.executions
        return (
            f"  case {self.scenario.case:2} {self.scenario.id:22} {found.executions:6,} executions, "
            f"{found.steps:8,} steps, {found.states:6,} states, {self.seconds:6.1f} s ({rate:4.1f} ms each): {ground}"
        )


def cases() -> list[Scenario]:
    """Those that the registry has."""
    found = [scenario for scenario in load_scenarios().values() if scenario.case is not None]
    return sorted(found, key=lambda scenario: (scenario.case or 0, scenario.id))


def searched(gate: str, granularity: Granularity, figures: Figures) -> list[Row]:
    """All cases that the gate has the capabilities for, printed as they are done."""
    loaded = load_gate(gate)
    rows: list[Row] = []
    with ground(loaded, granularity) as interior:
        for scenario in cases():
            if not scenario.needs <= loaded.contract.capabilities:
                continue
            trial = make_trial(scenario, loaded.factory, Variant(1, granularity), interior, CHECKS)
            begin = time.process_time()
            found = search(trial, granularity)
            rows.append(Row(scenario, found, time.process_time() - begin))
            figures.print(str(rows[-1]))
            assert not found.failures, f"{scenario.id}: {sorted(found.failures)}"
            assert not found.unsound, f"{scenario.id}: {found.unsound}"
    return rows


def names(rows: Iterable[Row]) -> list[str]:
    """Of what is listed."""
    return [row.scenario.id for row in rows]


def below(rows: Iterable[Row], bound: int) -> list[Row]:
    """Those that are not exhausted and did not complete the bound."""
    return [
        row for row in rows if not row.found.exhausted and (-1 if row.found.bound is None else row.found.bound) < bound
    ]


def search(trial: Trial, granularity: Granularity) -> Exploration:
    """To the end at whole calls; between statements bound after bound."""
    if granularity is Granularity.CALLS:
        return exhaustive(trial, Budget(CALLS))
    return deepening(trial, Budget(INNER), wanted=WANTED)


@pytest.mark.parametrize("gate", ["memory", pytest.param("sqlite", marks=pytest.mark.campaign)])
def test_every_case_is_exhausted_at_whole_calls(gate: str, figures: Figures) -> None:
    figures.print(f"at whole calls, gate {gate}")
    rows = searched(gate, Granularity.CALLS, figures)
    spent = sum(row.seconds for row in rows)
    figures.print(f"  all {len(rows)} cases on the gate {gate}: {spent:.1f} s of one core; the bar is {BARS_S[gate]} s")
    assert not names(row for row in rows if not row.found.exhausted)
    assert spent <= BARS_S[gate]


@pytest.mark.campaign
def test_every_case_is_exhausted_between_statements_or_its_bound_is_named(figures: Figures) -> None:
    figures.print(f"between the statements of the gate sqlite, up to {INNER:,} executions each")
    rows = searched("sqlite", Granularity.INNER, figures)
    short = names(below(rows, WANTED))
    figures.print(f"  of {len(rows)} cases these stay below bound {WANTED}: {', '.join(short) or 'none'}")
    assert not short
