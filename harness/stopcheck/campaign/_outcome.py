"""How a campaign is carried out, and what comes of it: what the executor is given and hands back."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from stopcheck.campaign._audit import Differs
from stopcheck.campaign._journal import WHOLE, Shard, Shortened
from stopcheck.campaign._messages import Opened
from stopcheck.campaign._results import FaultReport, Finding, JobResult

#: How long a child may be silent before it is killed, in real seconds. It reports progress between executions, and each
#: execution is bounded by itself; so only an adapter that cannot be interrupted is silent that long.
SILENCE_S = 60.0


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
    finding of each broken clause, shrunk. ``audited``: jobs whose samples were made again elsewhere. ``cut``: why it
    ended before its plan was done, ``interrupted`` that somebody wanted so; ``left`` is the journal to go on from."""

    opened: Opened | None = None
    results: dict[int, JobResult] = {}
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


def with_difference(result: JobResult, differs: Differs) -> JobResult:
    """A job's result, when one of its runs was made again and was another one."""
    return msgspec.structs.replace(result, unsound=str(differs), differs=differs)
