"""Certifying a gate: plan, execute, judge, report."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import cast

import msgspec
import trio

from stopcheck.campaign._errors import UsageFault, did_you_mean
from stopcheck.campaign._executor import OnEvent, execute
from stopcheck.campaign._journal import WHOLE, Shard
from stopcheck.campaign._ledger import ledger_of, never_taken, totals
from stopcheck.campaign._loading import pick_scenarios
from stopcheck.campaign._messages import EXECUTION_S, Open, Opened
from stopcheck.campaign._outcome import SILENCE_S, Manner, Outcome
from stopcheck.campaign._plan import known_strategies
from stopcheck.campaign._profiles import check_profile, judge_profiles
from stopcheck.campaign._progress import CampaignFinished
from stopcheck.campaign._results import (
    ClauseVerdict,
    FaultReport,
    Finding,
    GateIdentity,
    JobResult,
    JobSpec,
    ProfileVerdict,
    Report,
    Waived,
)
from stopcheck.campaign._verdicts import exit_code, judge_clauses, missed_witnesses, summarise
from stopcheck.campaign._waivers import DRIFT, Waivers, apply
from stopcheck.gate import GateContract
from stopcheck.judge import summed
from stopcheck.judge.requirements import EDITIONS, REQUIREMENT_SET, REQUIREMENTS


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How to certify. ``profile``: each of its clauses must pass, and no clause may be broken, but for ``waivers``;
    clauses that are later than the requirement set ``edition`` do not count.
    ``budget`` counts executions per search, ``None`` for as many as is usual; ``strategy`` restricts the campaign to
    one, and then counts for that, whatever it is; ``clauses`` restrict it to the scenarios that are about one of them;
    ``shard`` to one part of its jobs; ``fail_fast`` to those up to the first with a finding. A campaign that is
    restricted by one of the last three is never certified.

    ``children`` are processes. The two bounds in real seconds decide only when an adapter counts as hung: what one
    execution may take, and how long a process may be silent. ``journal`` is where each result is written down at once,
    and gone on from if it is there; ``leave`` where it is left when there is none and the campaign is interrupted."""

    scenarios: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    seed: int = 0
    budget: int | None = None
    granularity: str | None = None
    strategy: str | None = None
    profile: str | None = None
    waivers: Waivers | None = None
    edition: str = REQUIREMENT_SET
    shard: Shard = WHOLE
    fail_fast: bool = False
    children: int = 2
    journal: Path | None = None
    leave: Path | None = None
    execution_s: float = EXECUTION_S
    silence_s: float = SILENCE_S


class Campaign(msgspec.Struct, frozen=True):
    """A report, and what it was made from. ``opened``: the gate as it was loaded, and the plan; ``left``: the journal
    of a campaign that was ``interrupted``."""

    report: Report
    options: Options
    opened: Opened | None = None
    interrupted: bool = False
    left: Path | None = None


def certify(reference: str, options: Options, on_event: OnEvent) -> Report:
    """Run a campaign on the gate that ``reference`` names, in child processes. Raises :class:`UsageFault` for what does
    not exist, ``KeyboardInterrupt`` when it is interrupted before there is a plan; interrupted later it reports what is
    known by then, and is never certified."""
    return run_campaign(reference, options, on_event).report


def run_campaign(reference: str, options: Options, on_event: OnEvent) -> Campaign:
    """The same, with what the report was made from."""
    check_options(options)
    manner = Manner(
        children=options.children,
        silence_s=options.silence_s,
        shard=options.shard,
        fail_fast=options.fail_fast,
        journal=options.journal,
        leave=options.leave,
    )
    outcome = carry_out(request_of(reference, options), on_event, manner)
    report = report_on(options, outcome)
    on_event(CampaignFinished(report))
    return Campaign(report, options, outcome.opened, outcome.interrupted, outcome.left)


def request_of(reference: str, options: Options) -> Open:
    """What decides which jobs there are, and what they find."""
    return Open(
        reference,
        options.scenarios,
        options.seed,
        options.budget,
        options.granularity,
        options.strategy,
        options.execution_s,
        options.clauses,
    )


def carry_out(request: Open, on_event: OnEvent, manner: Manner) -> Outcome:
    """Have it done by child processes. Raises :class:`UsageFault` inside of a running trio program, where no other may
    be started."""
    if trio.lowlevel.in_trio_run():
        what = "a campaign cannot be run by a coroutine of trio: it is a trio program of its own"
        raise UsageFault(what, hint="give it a thread: await trio.to_thread.run_sync(certify, gate, options, on_event)")

    async def campaign() -> Outcome:
        return await execute(request, on_event, manner)

    try:
        return trio.run(campaign)
    except BaseExceptionGroup as group:
        raise _leaf(group) from group


def check_options(options: Options) -> None:
    """Raises :class:`UsageFault` for a strategy, clause, requirement set or profile that does not exist."""
    if options.edition not in EDITIONS:
        hint = did_you_mean(options.edition, EDITIONS, f"requirement sets: {', '.join(EDITIONS)}")
        raise UsageFault(f"unknown requirement set {options.edition!r}", hint=hint)
    _check_strategy(options.strategy)
    _check_clauses(options.clauses)
    check_profile(options.profile)


def _check_strategy(name: str | None) -> None:
    known = known_strategies()
    if name is not None and name not in known:
        hint = did_you_mean(name, known, f"strategies: {', '.join(known)} (see: stopcheck list strategies)")
        raise UsageFault(f"unknown strategy {name!r}", hint=hint)


def _check_clauses(names: Sequence[str]) -> None:
    for name in names:
        if name not in REQUIREMENTS:
            hint = did_you_mean(name, REQUIREMENTS, "see: stopcheck list requirements")
            raise UsageFault(f"unknown clause {name!r}", hint=hint)


def _leaf(error: BaseException) -> BaseException:
    """What ended a campaign: an interruption if there was one, else the first error."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    leaves = [_leaf(part) for part in cast("BaseExceptionGroup[BaseException]", error).exceptions]
    return next((leaf for leaf in leaves if isinstance(leaf, KeyboardInterrupt)), leaves[0])


def report_on(options: Options, outcome: Outcome) -> Report:
    """The report on what the executor found; of a part of the plan, or of a plan that was cut short, with what was not
    done."""
    opened = outcome.opened
    planned = opened.jobs if opened is not None else ()
    part = f"only shard {options.shard} of the plan was done" if options.shard.of > 1 else ""
    why = outcome.cut or part
    jobs = tuple(
        _done(outcome, index, spec, why if options.shard.has(index) else part) for index, spec in enumerate(planned)
    )
    faults = (*outcome.faults, *(job.fault for job in jobs if job.fault is not None))
    return conclude(
        opened.contract if opened is not None else None,
        opened.identity if opened is not None else None,
        options,
        jobs,
        faults,
        [one.shrunk for one in outcome.shortened],
        cut=why,
    )


def _done(outcome: Outcome, index: int, spec: JobSpec, why: str) -> JobResult:
    """What a job of the plan did. Of one that did not come to its end nothing counts but what it broke. Without a
    ``why``, nobody wrote down that it did."""
    result = outcome.results.get(index)
    why = why or "what would say so is not in its journal"
    if result is None:
        return JobResult(spec, "", complete=False, ground="", left=f"not run: {why}", executions=0, states=0)
    if index not in outcome.audited:
        return msgspec.structs.replace(result, complete=False, left=f"not made again elsewhere: {why}")
    return result


def conclude(
    contract: GateContract | None,
    identity: GateIdentity | None,
    options: Options,
    jobs: Sequence[JobResult],
    faults: Sequence[FaultReport],
    shrunk: Sequence[Finding] = (),
    *,
    cut: str = "",
) -> Report:
    """From job results to the report. ``cut``: why not all of the plan was done."""
    clauses: tuple[ClauseVerdict, ...] = ()
    profiles: tuple[ProfileVerdict, ...] = ()
    waivers: tuple[Waived, ...] = ()
    unscored: tuple[ClauseVerdict, ...] = ()
    if contract is not None:
        declared = {s.id: s.clauses for s in pick_scenarios(options.scenarios, options.clauses)}
        clauses = judge_clauses(contract, with_gaps(jobs), declared, shrunk)
        if options.waivers is not None:
            clauses, waivers = apply(options.waivers, clauses, jobs, options.scenarios or options.clauses)
        edition = EDITIONS[options.edition]
        unscored = tuple(clause for clause in clauses if not edition.has(clause.clause))
        clauses = tuple(clause for clause in clauses if edition.has(clause.clause))
        profiles = judge_profiles(contract, clauses)
    unique = tuple(dict.fromkeys(faults))
    asked = next((verdict for verdict in profiles if verdict.name == options.profile), None)
    if options.clauses and not cut:
        cut = f"only the scenarios about {', '.join(options.clauses)} were tried"
    drift = any(waived.state in DRIFT for waived in waivers)
    code = exit_code(clauses, unique, asked, cut, drift=drift)
    name = identity.name if identity is not None else "the gate"
    ledger = ledger_of(jobs)
    return Report(
        kit_version=version("stopcheck"),
        requirement_set=options.edition,
        gate=identity,
        seed=options.seed,
        strategy=options.strategy,
        clauses=clauses,
        jobs=tuple(jobs),
        faults=unique,
        exit_code=code,
        summary=summarise(name, clauses, code, asked, cut),
        ledger=ledger,
        totals=totals(ledger),
        measures=summed(tally for job in jobs for tally in job.measures),
        profile=options.profile,
        profiles=profiles,
        cut=cut,
        waivers=waivers,
        unscored=unscored,
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
