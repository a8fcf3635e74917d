"""Failures as files: what somebody is handed who is to see a failure on another machine, with another kit.

One idea: a file names every choice (who, at which label, which option), where a token has room for digests only. So it
is replayed by these names, which survives edits that only put something into another order, and where it cannot be
followed any more the replay says what was expected.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any, cast

import msgspec

from stopcheck.campaign._errors import UsageFault, did_you_mean
from stopcheck.campaign._loading import COMMAND, load_scenarios
from stopcheck.campaign._replaying import default_schedule
from stopcheck.campaign._results import Finding, GateIdentity, Report, Verdict
from stopcheck.gate import GateContract
from stopcheck.kernel import Choice, Schedule
from stopcheck.world import Granularity, Variant

#: What may be the name of a scenario; a token has dots.
_NAME = re.compile(r"[A-Za-z0-9_-]+")
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
    """What a replay is asked for: a schedule, the token of a real death, or a scenario in its default order. ``gate``
    (as a file holds it) and ``clause`` where they are known."""

    schedule: Schedule | None = None
    death: str = ""
    scenario: str = ""
    gate: GateIdentity | None = None
    clause: str | None = None

    def schedule_for(self, contract: GateContract) -> Schedule | None:
        """The schedule to replay with a gate of this contract; ``None`` for a real death."""
        return default_schedule(self.scenario, contract) if self.scenario else self.schedule

    def unlike(self, gate: GateIdentity) -> str:
        """In what this gate declares something else than the one that a file names; empty where that is not known."""
        if self.gate is None:
            return ""
        names = [name for name in gate.__struct_fields__ if name != "reference"]
        pairs = [(name, getattr(self.gate, name), getattr(gate, name)) for name in names]
        return "; ".join(
            f"other {name}" if isinstance(now, tuple) else f"{name} was {was} and is {now}"
            for name, was, now in pairs
            if was != now
        )


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
    """From a token, a scenario's name, or the path of a report or failure file; of a report the finding of ``clause``,
    else the first. Raises :class:`UsageFault`, or :class:`TokenError`."""
    path = Path(given)
    if given and len(given) < 4096 and path.is_dir():
        hint = f"give a file in it: ls {shlex.quote(given)}"
        raise UsageFault(f"{given!r} is a folder, not a token, a report file or a failure file", hint=hint)
    if given.endswith(".json") or (given and len(given) < 4096 and path.is_file()):
        return _from_file(given, path, clause)
    return _from_token(given, clause)


def seen_from(reference: str, file: Path) -> str:
    """A gate's reference as it stands in a file. Where its path does not lead to the gate from the current directory,
    it is looked for beside the file and in the folders above it."""
    place, _, name = reference.rpartition(":")
    path = Path(place)
    if reference.startswith(COMMAND) or not place.endswith(".py") or path.is_absolute() or path.is_file():
        return reference
    found = next((folder / path for folder in file.resolve().parents if (folder / path).is_file()), path)
    return f"{found}:{name}"


def _from_token(token: str, clause: str | None) -> Replayable:
    if token.startswith("kill."):
        return Replayable(death=token, clause=clause)
    if _NAME.fullmatch(token):
        return _from_name(token, clause)
    return Replayable(Schedule.from_token(token), clause=clause)


def _from_name(name: str, clause: str | None) -> Replayable:
    """From what is no token but may be a scenario's name."""
    known = load_scenarios()
    if name in known:
        return Replayable(scenario=name, clause=clause)
    close = did_you_mean(name, known, "copy the whole token, give the failure file, or see: stopcheck list scenarios")
    raise UsageFault(f"{name!r} is neither a token nor a file nor a scenario", hint=close)


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
    named = _from_token(finding.token, finding.clause) if not finding.named else _by_name(given, finding)
    return msgspec.structs.replace(named, gate=gate)


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
