"""Certifying a gate: plan, execute, judge, report."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import cast

import msgspec
import trio

from stopcheck.campaign._errors import UsageFault, did_you_mean
from stopcheck.campaign._executor import SILENCE_S, OnEvent, Outcome, execute
from stopcheck.campaign._ledger import ledger_of, never_taken, totals
from stopcheck.campaign._loading import pick_scenarios
from stopcheck.campaign._messages import EXECUTION_S, Open
from stopcheck.campaign._plan import known_strategies
from stopcheck.campaign._profiles import check_profile, judge_profiles
from stopcheck.campaign._results import (
    CampaignFinished,
    ClauseVerdict,
    FaultReport,
    Finding,
    GateIdentity,
    JobResult,
    ProfileVerdict,
    Report,
)
from stopcheck.campaign._verdicts import exit_code, judge_clauses, missed_witnesses, summarise
from stopcheck.gate import GateContract
from stopcheck.judge import summed
from stopcheck.judge.requirements import REQUIREMENT_SET


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How to certify. ``profile``: each of its clauses must pass, and no clause may be broken. ``budget`` counts
    executions per search, ``None`` for as many as is usual; ``strategy`` restricts the campaign to one, and then counts
    for that, whatever it is; ``children`` are processes. The two bounds in real seconds decide only when an adapter
    counts as hung: what one execution may take, and how long a process may be silent."""

    scenarios: tuple[str, ...] = ()
    seed: int = 0
    budget: int | None = None
    granularity: str | None = None
    strategy: str | None = None
    profile: str | None = None
    children: int = 2
    execution_s: float = EXECUTION_S
    silence_s: float = SILENCE_S


def certify(reference: str, options: Options, on_event: OnEvent) -> Report:
    """Run a campaign on the gate that ``reference`` names, in child processes. Raises :class:`UsageFault` for what does
    not exist."""
    _check_strategy(options.strategy)
    check_profile(options.profile)
    request = Open(
        reference,
        options.scenarios,
        options.seed,
        options.budget,
        options.granularity,
        options.strategy,
        options.execution_s,
    )

    async def campaign() -> Outcome:
        return await execute(request, on_event, children=options.children, silence_s=options.silence_s)

    try:
        outcome = trio.run(campaign)
    except BaseExceptionGroup as group:
        raise _leaf(group) from group
    report = _report(options, outcome)
    on_event(CampaignFinished(report))
    return report


def _check_strategy(name: str | None) -> None:
    known = known_strategies()
    if name is not None and name not in known:
        hint = did_you_mean(name, known, f"strategies: {', '.join(known)} (see: stopcheck list strategies)")
        raise UsageFault(f"unknown strategy {name!r}", hint=hint)


def _leaf(error: BaseException) -> BaseException:
    """What ended a campaign: an interruption if there was one, else the first error."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    leaves = [_leaf(part) for part in cast("BaseExceptionGroup[BaseException]", error).exceptions]
    return next((leaf for leaf in leaves if isinstance(leaf, KeyboardInterrupt)), leaves[0])


def _report(options: Options, outcome: Outcome) -> Report:
    jobs = tuple(outcome.results[index] for index in sorted(outcome.results))
    faults = (*outcome.faults, *(job.fault for job in jobs if job.fault is not None))
    shrunk = [outcome.shrunk[index] for index in sorted(outcome.shrunk)]
    return conclude(outcome.contract, outcome.identity, options, jobs, faults, shrunk)


def conclude(
    contract: GateContract | None,
    identity: GateIdentity | None,
    options: Options,
    jobs: Sequence[JobResult],
    faults: Sequence[FaultReport],
    shrunk: Sequence[Finding] = (),
) -> Report:
    """From job results to the report."""
    clauses: tuple[ClauseVerdict, ...] = ()
    profiles: tuple[ProfileVerdict, ...] = ()
    if contract is not None:
        declared = {s.id: s.clauses for s in pick_scenarios(options.scenarios)}
        clauses = judge_clauses(contract, with_gaps(jobs), declared, shrunk)
        profiles = judge_profiles(contract, clauses)
    unique = tuple(dict.fromkeys(faults))
    asked = next((verdict for verdict in profiles if verdict.name == options.profile), None)
    code = exit_code(clauses, unique, asked)
    name = identity.name if identity is not None else "the gate"
    ledger = ledger_of(jobs)
    return Report(
        kit_version=version("stopcheck"),
        requirement_set=REQUIREMENT_SET,
        gate=identity,
        seed=options.seed,
        strategy=options.strategy,
        clauses=clauses,
        jobs=tuple(jobs),
        faults=unique,
        exit_code=code,
        summary=summarise(name, clauses, code, asked),
        ledger=ledger,
        totals=totals(ledger),
        measures=summed(tally for job in jobs for tally in job.measures),
        profile=options.profile,
        profiles=profiles,
    )


def with_gaps(jobs: Sequence[JobResult]) -> list[JobResult]:
    """A scenario proves nothing by silence if its witnesses were not all seen, or if what it admits was on offer and
    never taken: all of its jobs are incomplete."""
    gaps = {scenario: f"never tried: {', '.join(names)}" for scenario, names in never_taken(jobs).items()}
    gaps |= {scenario: f"never seen: {', '.join(names)}" for scenario, names in missed_witnesses(jobs).items()}
    return [
        msgspec.structs.replace(job, complete=False, left=gaps[job.spec.scenario])
        if job.complete and job.spec.scenario in gaps
        else job
        for job in jobs
    ]
