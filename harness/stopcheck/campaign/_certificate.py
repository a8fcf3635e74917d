"""Certificates: what a campaign has shown, as a statement that can be signed, and what makes it checkable.

One idea: a certificate claims nothing that cannot be done again. It names what was tried (by digest), how far, and for
each job the digest of all its runs; whoever has the gate makes some of the jobs again and compares.

The statement is one of in-toto (v1) with the predicate test-result (v0.1): tests are clauses, and what that predicate
has no field for stands in the annotations of its configuration. It is written as canonical JSON: keys sorted, nothing
between them, UTF-8, whole numbers only, so that equal campaigns give equal bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec

from stopcheck.campaign._catalogue import as_markdown, catalogue
from stopcheck.campaign._certify import Campaign, request_of
from stopcheck.campaign._errors import UsageFault
from stopcheck.campaign._messages import Open, Opened
from stopcheck.campaign._plan import SIGKILL
from stopcheck.campaign._results import ExitCode, GateIdentity, JobResult, Report, Verdict
from stopcheck.campaign._verdict_ground import power_losses_in
from stopcheck.judge.requirements import EDITIONS
from stopcheck.kernel import many
from stopcheck.world import FaultKind

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"
#: The media type of a statement in an envelope.
PAYLOAD = "application/vnd.in-toto+json"
_PREFIX = "sha256:"
#: The parts of a certificate's configuration, and what is read of each.
_PARTS = {
    "stopcheck": ("version",),
    "requirement-set": ("edition",),
    "contract": ("declared",),
    "campaign": ("request", "profilesMet", "notConcluded"),
    "runs": ("jobs",),
}


class Descriptor(msgspec.Struct, frozen=True, omit_defaults=True):
    """in-toto's resource descriptor, as far as it is used."""

    name: str
    digest: dict[str, str] = {}
    annotations: dict[str, Any] = {}


class TestResult(msgspec.Struct, frozen=True):
    """The predicate. What was not concluded is in none of the three lists."""

    result: str
    configuration: tuple[Descriptor, ...]
    passed: tuple[str, ...] = msgspec.field(name="passedTests")
    warned: tuple[str, ...] = msgspec.field(name="warnedTests")
    failed: tuple[str, ...] = msgspec.field(name="failedTests")

    def part(self, name: str) -> Descriptor:
        """Of the configuration."""
        return next(part for part in self.configuration if part.name == name)


class Statement(msgspec.Struct, frozen=True):
    """The whole."""

    subject: tuple[Descriptor, ...]
    predicate: TestResult
    type: str = msgspec.field(name="_type", default=STATEMENT)
    predicate_type: str = msgspec.field(name="predicateType", default=PREDICATE)


class JobDigest(msgspec.Struct, frozen=True):
    """A job of the plan (``index`` from 0), the disruptions up to which it searched (``None``: without such a bound),
    and the digest of its runs."""

    index: int
    name: str
    bound: int | None
    executions: int
    schedules: str


def statement_of(campaign: Campaign) -> Statement:
    """The statement on a campaign. Raises :class:`UsageFault` when it did not certify the gate: there is nothing to
    sign then."""
    report, opened = campaign.report, campaign.opened
    if report.exit_code != ExitCode.CERTIFIED or opened is None or report.gate is None:
        raise UsageFault(
            f"there is no certificate: {report.summary}", hint="mend the gate, or ask for a profile that it can meet"
        )
    if not opened.content:
        raise UsageFault("there is no certificate: the gate's files are not known", hint="name the gate by its file")
    waived = _clauses(report, Verdict.WAIVED)
    return Statement(
        (Descriptor(report.gate.name, _digest(opened.content)),),
        TestResult(
            "WARNED" if waived else "PASSED",
            (_kit(report), _requirements(report), contract_of(opened), _campaign(campaign, report.gate), _runs(report)),
            _clauses(report, Verdict.PASS),
            waived,
            _clauses(report, Verdict.FAIL),
        ),
    )


def canonical(value: object) -> bytes:
    """Canonical JSON."""
    return msgspec.json.encode(_plain(value), order="sorted")


def jobs_of(statement: Statement) -> tuple[JobDigest, ...]:
    """The jobs that the certificate rests on."""
    return msgspec.convert(statement.predicate.part("runs").annotations["jobs"], tuple[JobDigest, ...])


def request_of_it(statement: Statement) -> Open:
    """What makes the same jobs again."""
    return msgspec.convert(statement.predicate.part("campaign").annotations["request"], Open)


def what_it_lacks(statement: Statement) -> str:
    """Whether a statement says all that a certificate says, and nothing else: in words what is wrong, empty if nothing
    is. With the same key other things may be signed."""
    predicate = statement.predicate
    if (statement.type, statement.predicate_type) != (STATEMENT, PREDICATE):
        return f"it is a {statement.predicate_type} in a {statement.type}"
    if len(statement.subject) != 1 or "sha256" not in statement.subject[0].digest:
        return "it is not about one gate with the digest of its files"
    if predicate.result not in {"PASSED", "WARNED"} or predicate.failed:
        return f"its result is {predicate.result}, and {many(len(predicate.failed), 'clause')} failed"
    if [part.name for part in predicate.configuration] != list(_PARTS):
        return f"its parts are not {', '.join(_PARTS)}"
    for name, wanted in _PARTS.items():
        missing = [field for field in wanted if field not in predicate.part(name).annotations]
        if missing:
            return f"its part {name} does not say: {', '.join(missing)}"
    request_of_it(statement)
    jobs = jobs_of(statement)
    if not jobs or predicate.part("runs").digest != {"sha256": digest_of(jobs)}:
        return "the digest of its runs is not that of its jobs"
    return ""


def digest_of(jobs: Iterable[JobDigest]) -> str:
    """The digest of all schedules of these jobs."""
    return hashlib.sha256(canonical([[job.index, job.schedules] for job in jobs])).hexdigest()


def _plain(value: object) -> Any:
    return msgspec.to_builtins(value, str_keys=True, order="sorted")


def _digest(named: str) -> dict[str, str]:
    return {"sha256": named.removeprefix(_PREFIX)}


def _clauses(report: Report, verdict: Verdict) -> tuple[str, ...]:
    return tuple(clause.clause for clause in report.clauses if clause.verdict is verdict)


def _kit(report: Report) -> Descriptor:
    """The kit, and the digest of what proves its checks: which wrong gate dies for which clause."""
    matrix = hashlib.sha256(as_markdown(catalogue()).encode()).hexdigest()
    return Descriptor("stopcheck", annotations={"version": report.kit_version, "killMatrix": _PREFIX + matrix})


def _requirements(report: Report) -> Descriptor:
    edition = EDITIONS[report.requirement_set]
    return Descriptor("requirement-set", {"sha256": edition.digest}, {"edition": edition.name})


def contract_of(opened: Opened) -> Descriptor:
    """What the gate declares."""
    digest = hashlib.sha256(canonical(opened.contract)).hexdigest()
    return Descriptor("contract", {"sha256": digest}, {"declared": _plain(opened.contract)})


def _campaign(campaign: Campaign, gate: GateIdentity) -> Descriptor:
    report = campaign.report
    met = [profile.name for profile in report.profiles if profile.met]
    request = msgspec.structs.replace(request_of(gate.reference, campaign.options), execution_s=0.0)
    return Descriptor(
        "campaign",
        annotations={
            "gate": _plain(gate),
            "request": _plain(request),
            "profileAsked": report.profile or "",
            "profilesMet": met,
            "seed": report.seed,
            "granularities": sorted({job.spec.granularity for job in report.jobs}),
            "crashKinds": _crash_kinds(report.jobs),
            "notConcluded": [
                f"{clause.clause} {clause.verdict}"
                for clause in report.clauses
                if clause.verdict in {Verdict.UNKNOWN, Verdict.UNSUPPORTED, Verdict.UNCHECKED}
            ],
            "waivers": _plain(report.waivers),
        },
    )


def _crash_kinds(jobs: Iterable[JobResult]) -> list[str]:
    kinds: set[str] = set()
    for job in jobs:
        power = power_losses_in(job)
        deaths = sum(line.taken for line in job.ledger if line.kind is FaultKind.CRASH)
        if job.spec.strategy == SIGKILL and job.deaths:
            kinds.add("SIGKILL of the gate's process")
        elif deaths > power:
            kinds.add("simulated process death")
        if power:
            kinds.add("simulated loss of power")
    return sorted(kinds)


def _runs(report: Report) -> Descriptor:
    jobs = [
        JobDigest(index, job.spec.name, job.spec.bound, job.executions, job.schedules)
        for index, job in enumerate(report.jobs)
        if job.schedules
    ]
    executions = sum(job.executions for job in jobs)
    return Descriptor("runs", {"sha256": digest_of(jobs)}, {"executions": executions, "jobs": _plain(jobs)})
