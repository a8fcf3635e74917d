"""CTRF, the Common Test Report Format (ctrf.io): a test for each clause, for dashboards that compare runs.

One idea: the format counts real time, which a report must not hold, since equal campaigns give equal bytes; so times
are 0, and what makes the same campaign again stands in ``extra``.
"""

from __future__ import annotations

from typing import Any

from stopcheck.campaign import ClauseVerdict, Report, Verdict
from stopcheck.judge.requirements import FAMILIES, REQUIREMENTS
from stopcheck.report._findings import replay_line
from stopcheck.report._json import indented
from stopcheck.report._next_steps import next_step
from stopcheck.report._places import code_place
from stopcheck.report._story_text import as_text, story_of

SPEC_VERSION = "0.0.0"
_STATUSES = ("passed", "failed", "skipped", "pending", "other")
_STATUS = {
    Verdict.PASS: "passed",
    Verdict.FAIL: "failed",
    Verdict.WAIVED: "skipped",
    Verdict.UNKNOWN: "other",
    Verdict.UNSUPPORTED: "skipped",
    Verdict.UNCHECKED: "pending",
}


def ctrf_report(report: Report) -> bytes:
    """The report as a CTRF document."""
    tests = [_test(report, clause) for clause in report.clauses]
    tests += [
        {
            "name": f"{fault.title} {number}",
            "status": "failed",
            "duration": 0,
            "message": fault.what,
            "trace": fault.cause,
            "suite": [_gate(report), "adapter"],
        }
        for number, fault in enumerate(report.faults, 1)
    ]
    counts: dict[str, int] = {status: sum(test["status"] == status for test in tests) for status in _STATUSES}
    return indented(
        {
            "reportFormat": "CTRF",
            "specVersion": SPEC_VERSION,
            "generatedBy": "stopcheck",
            "results": {
                "tool": {"name": "stopcheck", "version": report.kit_version},
                "summary": {"tests": len(tests), "start": 0, "stop": 0} | counts,
                "tests": tests,
                "extra": {
                    "requirementSet": report.requirement_set,
                    "seed": report.seed,
                    "exitCode": report.exit_code,
                    "summary": report.summary,
                    "profiles": {profile.name: profile.met for profile in report.profiles},
                },
            },
        }
    )


def _gate(report: Report) -> str:
    return report.gate.name if report.gate is not None else "gate"


def _test(report: Report, clause: ClauseVerdict) -> dict[str, Any]:
    requirement = REQUIREMENTS[clause.clause]
    test: dict[str, Any] = {
        "name": f"{clause.clause}: {requirement.title}",
        "status": _STATUS[clause.verdict],
        "rawStatus": clause.verdict.value,
        "duration": 0,
        "message": clause.why,
        "suite": [_gate(report), FAMILIES[requirement.family]],
        "tags": [clause.clause, requirement.level.value],
        "type": "simulation",
    }
    if clause.verdict is Verdict.FAIL:
        finding = clause.findings[0]
        story = story_of(report, finding)
        test["trace"] = "\n".join([replay_line(report, finding), *([] if story is None else as_text(story))])
        if report.gate is not None:
            place = code_place(finding.where, report.gate.reference)
            test |= {"filePath": place.file, "line": place.line}
    step = next_step(report, clause)
    extra = {"expected": requirement.wording, "scenarios": list(clause.scenarios), "exercised": clause.exercised}
    return test | {"extra": extra | ({"next": step} if step else {})}
