"""Making a sample of a certificate's jobs again, to see that they come to the same.

One idea: the digest of a job's runs is the same on every machine, or the certificate is not of this gate and this kit.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from stopcheck.campaign._certificate import JobDigest, Statement, contract_of, jobs_of, request_of_it
from stopcheck.campaign._certify import carry_out
from stopcheck.campaign._executor import OnEvent
from stopcheck.campaign._messages import EXECUTION_S
from stopcheck.campaign._outcome import Manner
from stopcheck.kernel import many


class Rerun(msgspec.Struct, frozen=True):
    """``again``: the jobs that were made again; ``differing``: in words, what did not come to the same."""

    again: tuple[JobDigest, ...]
    differing: tuple[str, ...]


def sample_of(jobs: Sequence[JobDigest], size: int) -> list[JobDigest]:
    """So many jobs, spread evenly over the plan; the same ones each time."""
    if size >= len(jobs):
        return list(jobs)
    return [jobs[at * len(jobs) // size] for at in range(size)]


def rerun(statement: Statement, on_event: OnEvent, *, size: int, gate: str | None = None, children: int = 2) -> Rerun:
    """Make a sample of so many jobs again. ``gate`` is how the gate is named here, if not as in the certificate. Raises
    :class:`UsageFault` when there is no such gate, ``KeyboardInterrupt`` when it is interrupted."""
    request = msgspec.structs.replace(request_of_it(statement), execution_s=EXECUTION_S)
    if gate is not None:
        request = msgspec.structs.replace(request, reference=gate)
    again = sample_of(jobs_of(statement), size)
    only = frozenset(job.index for job in again)
    outcome = carry_out(request, on_event, Manner(children=children, only=only))
    if outcome.interrupted:
        raise KeyboardInterrupt
    differing = [fault.what for fault in outcome.faults]
    if outcome.opened is not None and outcome.opened.content != f"sha256:{statement.subject[0].digest['sha256']}":
        differing.append("the gate's files are not those of the certificate")
    declared = statement.predicate.part("contract").digest
    if outcome.opened is not None and contract_of(outcome.opened).digest != declared:
        differing.append("the gate's contract is not that of the certificate")
    for job in again:
        result = outcome.results.get(job.index)
        if result is None:
            differing.append(f"{job.name}: the plan has no such job here, or it did not come to its end")
        elif (result.spec.name, result.executions, result.schedules) != (job.name, job.executions, job.schedules):
            differing.append(
                f"{job.name}: {many(result.executions, 'execution')} with digest {result.schedules[:12]}, which"
            )
            differing[-1] += f" were {job.executions} with digest {job.schedules[:12]}"
    return Rerun(tuple(again), tuple(differing))
