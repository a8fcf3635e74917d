"""Trying one scenario in this process: for tests of scenarios of one's own, which need not be installed.

One idea: the same jobs as in a campaign, judged by the same rules; what is missing is the process around them, so a
gate that cannot be interrupted hangs whoever calls.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from stopcheck.campaign._ground import ground
from stopcheck.campaign._job import JobRunner
from stopcheck.campaign._ledger import never_taken
from stopcheck.campaign._loading import LoadedGate, as_loaded, load_gate
from stopcheck.campaign._outcome import best_findings
from stopcheck.campaign._plan import plan
from stopcheck.campaign._results import FaultReport, Finding, JobResult
from stopcheck.campaign._verdicts import doubts_of, missed_witnesses
from stopcheck.explore import Trial, make_trial
from stopcheck.judge import CHECKS
from stopcheck.world import Granularity, Scenario, Variant


class Tried(msgspec.Struct, frozen=True):
    """What came of it. ``findings``: the best one of each broken clause, shrunk. ``doubts``: why nothing may be
    concluded from silence; empty where all was completed and every witness seen."""

    findings: tuple[Finding, ...]
    faults: tuple[FaultReport, ...]
    doubts: tuple[str, ...]
    jobs: tuple[JobResult, ...]


def gate_of(gate: Any) -> LoadedGate:
    """A gate by its name, or by its factory."""
    if isinstance(gate, LoadedGate):
        return gate
    if isinstance(gate, str):
        return load_gate(gate)
    return as_loaded(f"{getattr(gate, '__module__', '?')}:{getattr(gate, '__qualname__', '?')}", gate)


def try_scenario(
    gate: Any, scenario: Scenario, *, budget: int | None = None, seed: int = 0, granularity: str | None = None
) -> Tried:
    """Do the jobs of one scenario. Raises ``AdapterFault`` for a gate that is none, and ``ValueError`` for one that
    lacks what the scenario needs."""
    loaded = gate_of(gate)
    jobs = plan(loaded.contract, [scenario], seed=seed, budget=budget, granularity=granularity)
    if not jobs:
        raise ValueError(f"the gate {loaded.reference!r} does not declare what the scenario {scenario.id!r} needs")
    with JobRunner(loaded, scenarios={scenario.id: scenario}) as runner:
        results = tuple(runner.run(job, _nobody_listens) for job in jobs)
        findings = tuple(runner.shrink(finding) for finding in best_findings(results))
    faults = tuple(dict.fromkeys(job.fault for job in results if job.fault is not None))
    return Tried(findings, faults, _doubts(results), results)


def _nobody_listens(executions: int, states: int, failures: int) -> None:
    """For jobs that nobody waits for impatiently."""


def _doubts(results: Sequence[JobResult]) -> tuple[str, ...]:
    doubts = [doubt for job in results for doubt in doubts_of(job)]
    for what, names in (("never seen", missed_witnesses(results)), ("never tried", never_taken(results))):
        doubts += [f"{scenario}: {what}: {', '.join(found)}" for scenario, found in names.items()]
    return tuple(doubts)


@contextmanager
def trial_of(gate: Any, scenario: Scenario, *, granularity: str = "calls") -> Generator[Trial, None, None]:
    """A trial of the scenario on one handle, for whoever drives its runs."""
    loaded, grain = gate_of(gate), Granularity(granularity)
    with ground(loaded, grain) as interior:
        yield make_trial(scenario, loaded.factory, Variant(1, grain), interior, CHECKS)
