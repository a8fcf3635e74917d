"""Reports as large as campaigns may make them."""

from __future__ import annotations

from msgspec.structs import replace

from stopcheck.campaign import ClauseVerdict, Finding, JobResult, JobSpec, Report, Verdict
from stopcheck.judge.requirements import REQUIREMENTS
from tests.fast.report.stories import failed, story


def large() -> Report:
    """A hundred clauses in a hundred scenarios, each clause with findings."""
    names = list(REQUIREMENTS)[:100]
    counts = dict.fromkeys(names, 3)
    jobs = tuple(
        JobResult(
            JobSpec(f"scenario-{number}", 1, "inner", "bounded", 100, 0, 1),
            "every run of at most 1 disruption",
            complete=number % 3 > 0,
            ground="",
            left="",
            executions=1000,
            states=9,
            exercised=counts,
            searched=counts,
        )
        for number in range(100)
    )
    (finding,) = {f for c in failed().clauses for f in c.findings}
    clauses = tuple(
        ClauseVerdict(
            name,
            Verdict.FAIL if number % 2 else Verdict.PASS,
            "why",
            findings=(replace(finding, clause=name, token=f"sc1.{name}", where=f"gate.py:{number}"),) * (number % 2),
            exercised=300,
            scenarios=tuple(job.spec.scenario for job in jobs),
        )
        for number, name in enumerate(names)
    )
    stories = tuple(replace(story(), token=f"sc1.{name}") for name in names[1::2])
    return replace(failed(), clauses=clauses, jobs=jobs, interleavings=stories)


def worst() -> Report:
    """Each of the hundred clauses is broken in each of the hundred scenarios, and its first run is told."""
    (found,) = {f for c in failed().clauses for f in c.findings}

    def broken(clause: str) -> tuple[Finding, ...]:
        return tuple(
            replace(found, clause=clause, scenario=f"scenario-{n}", token=f"sc1.{clause}.{n}", where=f"gate.py:{n}")
            for n in range(100)
        )

    clauses = tuple(replace(c, verdict=Verdict.FAIL, findings=broken(c.clause)) for c in large().clauses)
    stories = tuple(replace(story(), token=clause.findings[0].token) for clause in clauses)
    return replace(large(), clauses=clauses, interleavings=stories)
