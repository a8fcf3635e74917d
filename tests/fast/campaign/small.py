"""Campaigns in this process, small enough for a test, and results made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from stopcheck.campaign import JobResult, JobSpec, Options, Report, load_gate
from stopcheck.campaign._certify import conclude
from tests.fast.campaign import support


@cache
def campaign(gate: str, scenarios: tuple[str, ...], budget: int) -> Report:
    """What ``certify`` reports, without child processes and without shrinking."""
    return support.campaign(gate, Options(scenarios=scenarios, budget=budget))


def judged(gate: str, jobs: Sequence[JobResult], *scenarios: str) -> Report:
    """The report on jobs made by hand."""
    loaded = load_gate(gate)
    return conclude(loaded.contract, loaded.identity(), Options(scenarios=scenarios), jobs, ())


def job(scenario: str = "before-admission", strategy: str = "bounded", **fields: Any) -> JobResult:
    """One search of whole calls on one handle that was completed up to one disruption, unless the fields say else."""
    grain, handles = fields.pop("granularity", "calls"), fields.pop("handles", 1)
    spec = JobSpec(scenario, handles, grain, strategy, 100, 0, 1)
    given: dict[str, Any] = {
        "target": "every run of at most 1 disruption",
        "complete": True,
        "ground": "",
        "left": "",
        "executions": 10,
        "states": 7,
        "bound": 1,
    }
    given |= fields
    if given["bound"] is not None or given.get("exhausted"):
        given.setdefault("searched", given.get("exercised", {}))
    return JobResult(spec, **given)
