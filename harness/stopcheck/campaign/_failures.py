"""Failures as files: what somebody is handed who is to see a failure on another machine, with another kit.

One idea: a file names every choice (who, at which label, which option), where a token has room for digests only. So it
is replayed by these names, which survives edits that only put something into another order, and where it cannot be
followed any more the replay says what was expected.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any, cast

import msgspec

from stopcheck.campaign._errors import UsageFault
from stopcheck.campaign._results import Finding, GateIdentity, Report, Verdict
from stopcheck.kernel import Choice, Schedule
from stopcheck.world import Granularity, Variant

FORMAT = "stopcheck-failure"
VERSION = 1


class FailureFile(msgspec.Struct, frozen=True):
    """One finding, and the gate that it was found with. ``format`` is always ``stopcheck-failure``."""

    format: str
    version: int
    kit_version: str
    requirement_set: str
    gate: GateIdentity | None
    finding: Finding


class Replayable(msgspec.Struct, frozen=True):
    """What a replay is asked for: a schedule, or the token of a real death. ``gate`` and ``clause`` where they are
    known."""

    schedule: Schedule | None = None
    death: str = ""
    gate: str | None = None
    clause: str | None = None


def failure_files(report: Report) -> dict[str, FailureFile]:
    """By file name: for each clause that failed its finding that is easiest to read."""
    return {
        f"{clause.clause}.json": FailureFile(
            FORMAT, VERSION, report.kit_version, report.requirement_set, report.gate, clause.findings[0]
        )
        for clause in report.clauses
        if clause.verdict is Verdict.FAIL
    }


def read_replayable(given: str, clause: str | None) -> Replayable:
    """From a token, or from the path of a report or failure file; of a report the finding of ``clause``, else the
    first. Raises :class:`UsageFault`, or :class:`TokenError`."""
    path = Path(given)
    if given and len(given) < 4096 and path.is_dir():
        hint = f"give a file in it: ls {shlex.quote(given)}"
        raise UsageFault(f"{given!r} is a folder, not a token, a report file or a failure file", hint=hint)
    if given.endswith(".json") or (given and len(given) < 4096 and path.is_file()):
        return _from_file(given, path, clause)
    return _from_token(given, clause)


def _from_token(token: str, clause: str | None) -> Replayable:
    if token.startswith("kill."):
        return Replayable(death=token, clause=clause)
    return Replayable(Schedule.from_token(token), clause=clause)


def _from_file(given: str, path: Path, clause: str | None) -> Replayable:
    try:
        content = path.read_bytes()
    except OSError as error:
        hint = "give a token, a report file or a failure file"
        raise UsageFault(f"cannot read {given!r}: {error.strerror}", hint=hint) from error
    try:
        raw = msgspec.json.decode(content)
        if isinstance(raw, dict) and cast("dict[str, Any]", raw).get("format") == FORMAT:
            file = _checked(given, msgspec.convert(raw, FailureFile))
            findings, gate = [file.finding], file.gate
        else:
            report = msgspec.convert(raw, Report)
            findings, gate = [finding for row in report.clauses for finding in row.findings], report.gate
    except msgspec.MsgspecError as error:
        what = f"{given!r} is neither a report nor a failure file of this kit: {error}"
        raise UsageFault(what, hint="make one with: stopcheck certify GATE --failures DIR") from error
    finding = _pick(given, findings, clause)
    reference = gate.reference if gate is not None else None
    named = _from_token(finding.token, finding.clause) if not finding.named else _by_name(given, finding)
    return msgspec.structs.replace(named, gate=reference)


def _checked(given: str, file: FailureFile) -> FailureFile:
    if file.version != VERSION:
        what = f"{given!r} is a failure file of version {file.version}; this kit reads version {VERSION}"
        raise UsageFault(what, hint="replay it with the kit that wrote it, or find the failure anew")
    return file


def _by_name(given: str, finding: Finding) -> Replayable:
    choices = [Choice(one.asked, one.chosen, int(bool(one.instead_of))) for one in finding.named]
    try:
        variant = Variant(finding.handles, Granularity(finding.granularity)).names()
        return Replayable(Schedule.of(finding.scenario, variant, choices), clause=finding.clause)
    except ValueError as error:
        raise UsageFault(f"{given!r} holds a finding that cannot be: {error}", hint="was it edited by hand?") from error


def _pick(given: str, findings: list[Finding], clause: str | None) -> Finding:
    found = [finding for finding in findings if clause is None or finding.clause == clause]
    if not found:
        failed = ", ".join(dict.fromkeys(finding.clause for finding in findings)) or "none"
        which = f" for {clause}" if clause else ""
        raise UsageFault(f"{given!r} holds no finding{which}", hint=f"clauses with findings there: {failed}")
    return found[0]
