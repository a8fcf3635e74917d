"""Campaigns in this process: the same jobs and the same verdicts, without children."""

from __future__ import annotations

from stopcheck.campaign import JobResult, Options, Report, load_gate, pick_scenarios
from stopcheck.campaign._certify import conclude
from stopcheck.campaign._job import JobRunner
from stopcheck.campaign._loading import LoadedGate
from stopcheck.campaign._plan import plan


def campaign(gate: str | LoadedGate, options: Options) -> Report:
    """What ``certify`` would report, findings unshrunk."""
    loaded = load_gate(gate) if isinstance(gate, str) else gate
    jobs = plan(
        loaded.contract,
        pick_scenarios(options.scenarios),
        seed=options.seed,
        budget=options.budget,
        granularity=options.granularity,
        strategy=options.strategy,
    )
    results: list[JobResult] = []
    with JobRunner(loaded) as runner:
        results += [runner.run(job, lambda *_: None) for job in jobs]
    faults = [result.fault for result in results if result.fault is not None]
    return conclude(loaded.contract, loaded.identity(), options, results, faults)
