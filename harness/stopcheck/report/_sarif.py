"""SARIF 2.1.0: failures as code-scanning alerts, each with its interleaving as a thread flow.

One idea: an alert lives over many runs, so what tells two of them apart (its fingerprint) is the clause, the scenario
and the check, not a line number that moves. GitHub's limits are kept here, since it drops a file that exceeds them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import msgspec

from stopcheck.campaign import Broken, ClauseVerdict, ExitCode, Finding, Interleaving, Report, Verdict
from stopcheck.judge.requirements import REQUIREMENTS, Level
from stopcheck.kernel import many
from stopcheck.report._findings import replay_line, short_place
from stopcheck.report._json import indented
from stopcheck.report._next_steps import next_step
from stopcheck.report._parting import what_decides
from stopcheck.report._places import code_place
from stopcheck.report._story_text import story_of, told

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
#: GitHub shows so many results of a run, so many steps of a thread flow, and so many characters of a message.
RESULTS, FLOW_STEPS, MESSAGE = 5_000, 1_000, 1_000


class _Sarif(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel", kw_only=True):
    """The base of the records: names in camel case, what is empty left out."""


class _Text(_Sarif, frozen=True, kw_only=True):
    text: str


class _Artifact(_Sarif, frozen=True, kw_only=True):
    uri: str
    uri_base_id: str = ""


class _Region(_Sarif, frozen=True, kw_only=True):
    start_line: int


class _Physical(_Sarif, frozen=True, kw_only=True):
    artifact_location: _Artifact
    region: _Region


class _Logical(_Sarif, frozen=True, kw_only=True):
    name: str
    kind: str


class _Location(_Sarif, frozen=True, kw_only=True):
    physical_location: _Physical
    logical_locations: tuple[_Logical, ...] = ()
    message: _Text | None = None


class _FlowLocation(_Sarif, frozen=True, kw_only=True):
    location: _Location
    execution_order: int
    importance: str
    kinds: tuple[str, ...] = ()


class _ThreadFlow(_Sarif, frozen=True, kw_only=True):
    message: _Text
    locations: tuple[_FlowLocation, ...]


class _CodeFlow(_Sarif, frozen=True, kw_only=True):
    message: _Text
    thread_flows: tuple[_ThreadFlow, ...]


class _Result(_Sarif, frozen=True, kw_only=True):
    rule_id: str
    rule_index: int
    level: str
    message: _Text
    locations: tuple[_Location, ...]
    partial_fingerprints: dict[str, str]
    code_flows: tuple[_CodeFlow, ...] = ()


class _Configuration(_Sarif, frozen=True, kw_only=True):
    level: str


class _Rule(_Sarif, frozen=True, kw_only=True):
    id: str
    name: str
    short_description: _Text
    full_description: _Text
    help: _Text
    default_configuration: _Configuration
    properties: dict[str, list[str]]


def sarif_report(report: Report) -> bytes:
    """The report as a SARIF log of one run."""
    failed = [clause for clause in report.clauses if clause.verdict is Verdict.FAIL]
    found = [
        (rank, number, finding)
        for number, clause in enumerate(failed)
        for rank, finding in enumerate(_one_for_each_scenario(clause))
    ]
    # Where not all fit, each clause keeps its first ones.
    kept = sorted(sorted(found, key=lambda one: one[:2])[:RESULTS], key=lambda one: (one[1], one[0]))
    run = {
        "tool": {
            "driver": {
                "name": "stopcheck",
                "version": report.kit_version,
                "rules": [_rule(clause) for clause in failed],
            }
        },
        "automationDetails": {"id": f"stopcheck/{report.gate.name if report.gate is not None else 'gate'}/"},
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The folder in which the gate was named."}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(report, failed[number], finding, number) for _, number, finding in kept],
        "invocations": [_invocation(report, len(found) - len(kept))],
        "properties": {"seed": report.seed, "requirementSet": report.requirement_set, "summary": report.summary},
    }
    return indented({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _one_for_each_scenario(clause: ClauseVerdict) -> list[Finding]:
    """Of each scenario the finding that is easiest to read."""
    return list({finding.scenario: finding for finding in reversed(clause.findings)}.values())[::-1]


def _rule(clause: ClauseVerdict) -> _Rule:
    requirement = REQUIREMENTS[clause.clause]
    return _Rule(
        id=clause.clause,
        name=requirement.title,
        short_description=_text(requirement.title),
        full_description=_text(requirement.wording),
        help=_text(f"{requirement.wording}\n\nstopcheck explain {clause.clause}"),
        default_configuration=_Configuration(level=_level(clause.clause)),
        properties={"tags": ["cancellation", requirement.family.lower()]},
    )


def _level(clause: str) -> str:
    return "error" if REQUIREMENTS[clause].level is Level.MUST else "warning"


def _result(report: Report, clause: ClauseVerdict, finding: Finding, number: int) -> _Result:
    lines = [f"{finding.message} (in {short_place(finding)}, step {finding.step})"]
    if finding.nearest is not None:
        lines.append(f"What decides: {what_decides(finding.nearest)}.")
    lines.append(f"Replay: {replay_line(report, finding)}")
    story = story_of(report, finding)
    identity = f"{clause.clause}\0{finding.scenario}\0{finding.check}"
    return _Result(
        rule_id=clause.clause,
        rule_index=number,
        level=_level(clause.clause),
        message=_text("\n".join(lines), most=4 * MESSAGE),
        locations=(_location(report, finding.where),),
        partial_fingerprints={"stopcheck/v1": hashlib.sha256(identity.encode()).hexdigest()},
        code_flows=() if story is None else (_flow(report, story, clause.clause),),
    )


def _flow(report: Report, story: Interleaving, clause: str) -> _CodeFlow:
    steps = list(_flow_locations(report, story, clause))
    return _CodeFlow(
        message=_text(f"The interleaving in {story.scenario} that breaks {clause}."),
        thread_flows=(_ThreadFlow(message=_text("In the order of the run."), locations=tuple(steps[:FLOW_STEPS])),),
    )


def _flow_locations(report: Report, story: Interleaving, clause: str) -> Iterator[_FlowLocation]:
    where = ""
    for number, one in enumerate(told(story), 1):
        if isinstance(one, Broken):
            what, kinds = f"{one.clause} broken at step {one.step}: {one.message}", ("violation",)
            essential = one.clause == clause
        else:
            where = one.where or where
            what = f"step {one.step}, {one.lane}: {one.what}"
            what += f" (not the default, which was {one.instead_of})" if one.instead_of else ""
            kinds, essential = (one.kind.value,), bool(one.instead_of or one.cutoff)
        yield _FlowLocation(
            location=_location(report, where, what),
            execution_order=number,
            importance="essential" if essential else "important",
            kinds=kinds,
        )


def _location(report: Report, where: str, what: str = "") -> _Location:
    place = code_place(where, report.gate.reference if report.gate is not None else "")
    relative = "" if place.file.startswith("/") else "SRCROOT"
    uri = f"file://{place.file}" if place.file.startswith("/") else place.file
    return _Location(
        physical_location=_Physical(
            artifact_location=_Artifact(uri=uri.replace(" ", "%20"), uri_base_id=relative),
            region=_Region(start_line=place.line),
        ),
        logical_locations=(_Logical(name=place.function, kind="function"),) if place.function else (),
        message=_text(what) if what else None,
    )


def _invocation(report: Report, left_out: int) -> dict[str, object]:
    """What is no finding: clauses that nothing may be concluded of, faults, and how many results are not told."""
    notes = [
        {"level": "warning", "message": _text(f"{c.clause} UNKNOWN: {c.why}. Next: {next_step(report, c)}")}
        for c in report.clauses
        if c.verdict is Verdict.UNKNOWN
    ]
    notes += [{"level": "error", "message": _text(f"{f.kind}: {f.what}. {f.hint}")} for f in report.faults]
    if left_out:
        what = f"{many(left_out, 'further result')} left out: GitHub shows {RESULTS:,}; see the JSON report"
        notes.append({"level": "note", "message": _text(what)})
    return {
        "executionSuccessful": report.exit_code not in (ExitCode.USAGE, ExitCode.ADAPTER_FAULT, ExitCode.KIT_FAULT),
        "exitCode": report.exit_code,
        "toolExecutionNotifications": notes,
    }


def _text(text: str, *, most: int = MESSAGE) -> _Text:
    return _Text(text=text if len(text) <= most else f"{text[: most - 3]}...")
