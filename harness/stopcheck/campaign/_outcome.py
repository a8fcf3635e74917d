"""How a campaign is carried out, and what comes of it: what the executor is given and hands back.

One idea: what counts is decided by the order of the plan, over all that is known, and not by what became known first.
So a campaign that is given up half-way is the same whatever was done at the same time, and so are its shards together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from stopcheck.campaign._journal import WHOLE, Shard, Shortened
from stopcheck.campaign._messages import Compared, Finished, Opened
from stopcheck.campaign._results import FaultReport, Finding, JobResult

#: How long a child may be silent before it is killed, in real seconds. It reports progress between executions, and each
#: execution is bounded by itself; so only an adapter that cannot be interrupted is silent that long.
SILENCE_S = 60.0
#: In how many jobs an adapter may hang, or take its process with it, before the rest of the plan is given up.
LOSSES = 3
#: Why a campaign ended before its plan was done.
GIVEN_UP = f"the adapter's process was lost in {LOSSES} jobs, and what comes after them was given up"
AT_FIRST = "ended at the first finding, as --fail-fast asks; run without it for the rest"


class Manner(msgspec.Struct, frozen=True, kw_only=True):
    """How to carry a campaign out; a finished one's report depends on none of it. ``journal`` is gone on with if it is
    there, else begun; ``leave`` is where it is left when there is none and the campaign is interrupted. ``only`` names
    the jobs to do, ``None`` for all of the shard's."""

    children: int = 2
    silence_s: float = SILENCE_S
    shard: Shard = WHOLE
    only: frozenset[int] | None = None
    fail_fast: bool = False
    journal: Path | None = None
    leave: Path | None = None


class Outcome(msgspec.Struct):
    """What the executor hands back. ``opened``: the gate and the plan, if it could be loaded. ``shortened``: the best
    finding of each broken clause, shrunk. ``compared``: what came of it when samples were made again elsewhere;
    ``audited``: the jobs of which no more is to be made again. ``cut``: why it ended before its plan was done,
    ``interrupted`` that somebody wanted so; ``left`` is the journal to go on from."""

    opened: Opened | None = None
    results: dict[int, JobResult] = {}
    compared: dict[int, Compared] = {}
    shortened: list[Shortened] = []
    audited: set[int] = set()
    faults: list[FaultReport] = []
    cut: str = ""
    interrupted: bool = False
    left: Path | None = None


def best_findings(results: Iterable[JobResult]) -> list[Finding]:
    """For each broken clause the finding that is easiest to read, which is worth shrinking."""
    best: dict[str, Finding] = {}
    for result in results:
        for finding in result.findings:
            known = best.get(finding.clause)
            if known is None or finding.size < known.size:
                best[finding.clause] = finding
    return [best[clause] for clause in sorted(best)]


def wants_audit(finished: Finished) -> bool:
    """Whether the job's samples are to be made again elsewhere. Where there are none (real deaths), or where it is
    known already that nothing is to be concluded, there is nothing to compare."""
    result = finished.result
    return bool(finished.sampled) and result.fault is None and result.differs is None


def is_lost(result: JobResult) -> bool:
    """Whether the adapter hung in this job, or took its process with it."""
    return result.fault is not None and result.fault.kind in {"GateHung", "GateDied"}


def last_loss(lost: Iterable[int]) -> int | None:
    """The place in the plan after which no more is tried; ``None`` while that has not been lost often enough."""
    return next(iter(sorted(lost)[LOSSES - 1 :]), None)


def last_that_counts(results: Mapping[int, JobResult], *, fail_fast: bool = False) -> tuple[int, str] | None:
    """The last job of the plan that counts, and why those after it do not; ``None`` when all do."""
    loss = last_loss(index for index, result in results.items() if is_lost(result))
    found = min((index for index, result in results.items() if result.findings), default=None) if fail_fast else None
    ends = [(last, why) for last, why in ((loss, GIVEN_UP), (found, AT_FIRST)) if last is not None]
    return min(ends, key=lambda end: end[0], default=None)


def give_up_rest(outcome: Outcome, *, fail_fast: bool = False) -> bool:
    """Take out what does not count, whoever did it at the same time; whether there is more to do with the rest. Of an
    adapter that was given up nothing is made again or shrunk."""
    end = last_that_counts(outcome.results, fail_fast=fail_fast)
    if end is None:
        return True
    last, outcome.cut = end
    outcome.results = {index: result for index, result in outcome.results.items() if index <= last}
    if outcome.cut != GIVEN_UP:
        return True
    outcome.compared, outcome.shortened = {}, []
    return False


def settle(outcome: Outcome) -> None:
    """Enter what came of it when samples were made again, once all of that is known: of an adapter whose process is
    lost again and again then too, what comes after that does not count."""
    last = last_loss(index for index, compared in outcome.compared.items() if compared.lost)
    for index, compared in outcome.compared.items():
        result = outcome.results.get(index)
        if result is None or (last is not None and index > last):
            continue
        outcome.audited.add(index)
        if compared.differs is not None:
            outcome.results[index] = msgspec.structs.replace(
                result, unsound=str(compared.differs), differs=compared.differs
            )
