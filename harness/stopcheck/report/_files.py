"""Reports as files: JSON, and JUnit for CI systems."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import msgspec

from stopcheck.campaign import Report, UsageFault, Verdict, failure_files
from stopcheck.report._findings import replay_line
from stopcheck.report._parting import what_decides


def json_report(report: Report) -> bytes:
    """The whole report as indented JSON; equal reports give equal bytes."""
    return _indented(report)


def write_failures(folder: Path, report: Report) -> None:
    """Write a failure file for each clause that failed into a folder that exists. Raises :class:`UsageFault` when one
    cannot be written."""
    for name, failure in failure_files(report).items():
        write_report(folder / name, _indented(failure))


def _indented(value: object) -> bytes:
    # Keys that are reasons, or durations, do not sort until they are text.
    plain = msgspec.to_builtins(value, str_keys=True)
    indented: bytes = msgspec.json.format(msgspec.json.encode(plain, order="sorted"), indent=2)
    return indented + b"\n"


def junit_report(report: Report) -> bytes:
    """One test case per clause: failures for ``FAIL``, errors for ``UNKNOWN``, skipped for what was not tried. What a
    pass rests on is the output of its case."""
    counts = report.counts()
    suites = ElementTree.Element("testsuites", name="stopcheck")
    suite = ElementTree.SubElement(
        suites,
        "testsuite",
        name=report.gate.name if report.gate is not None else "gate",
        tests=str(len(report.clauses) + len(report.faults)),
        failures=str(counts[Verdict.FAIL.value]),
        errors=str(counts[Verdict.UNKNOWN.value] + len(report.faults)),
        skipped=str(counts[Verdict.UNSUPPORTED.value] + counts[Verdict.UNCHECKED.value]),
        time="0",
    )
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in _campaign(report).items():
        ElementTree.SubElement(properties, "property", name=name, value=value)
    for clause in report.clauses:
        family = clause.clause.split("-")[0]
        case = ElementTree.SubElement(suite, "testcase", classname=f"stopcheck.{family}", name=clause.clause, time="0")
        if clause.verdict is Verdict.FAIL:
            finding = clause.findings[0]
            failure = ElementTree.SubElement(case, "failure", message=clause.why, type=finding.check)
            decides = f"{what_decides(finding.nearest)}\n" if finding.nearest is not None else ""
            failure.text = decides + replay_line(report, finding)
        elif clause.verdict is Verdict.UNKNOWN:
            error = ElementTree.SubElement(case, "error", message=clause.why, type="UNKNOWN")
            error.text = "\n".join(clause.ground.doubts)
        elif clause.verdict is Verdict.PASS:
            ground = f"{clause.why}; {clause.assumption}" if clause.assumption else clause.why
            ElementTree.SubElement(case, "system-out").text = ground
        else:
            ElementTree.SubElement(case, "skipped", message=f"{clause.verdict.value}: {clause.why}")
    for number, fault in enumerate(report.faults, 1):
        case = ElementTree.SubElement(
            suite, "testcase", classname="stopcheck.adapter", name=f"{fault.kind} {number}", time="0"
        )
        ElementTree.SubElement(case, "error", message=fault.what, type=fault.kind).text = fault.cause
    for element in suites.iter():
        element.text = _printable(element.text)
        for name, value in element.items():
            element.set(name, _printable(value) or "")
    ElementTree.indent(suites)
    document: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _campaign(report: Report) -> dict[str, str]:
    """What makes the same campaign again, beside the gate and the scenarios; and what it covered."""
    made = {"stopcheck": report.kit_version, "requirement set": report.requirement_set, "seed": str(report.seed)}
    made |= {} if report.strategy is None else {"strategy": report.strategy}
    made |= {} if report.profile is None else {"profile": report.profile}
    made |= {f"profile.{verdict.name}": "met" if verdict.met else "missed" for verdict in report.profiles}
    return made | {f"coverage.{cover.subject}": f"{cover.hit}/{cover.planned}" for cover in report.totals}


def _printable(text: str | None) -> str | None:
    """Text without the characters that XML has no way to write; an adapter's message may hold any."""
    return text if text is None else "".join(c if c.isprintable() or c in "\n\t" else "?" for c in text)


def write_report(path: Path, content: bytes) -> None:
    """Write a report file. Raises :class:`UsageFault` when the path cannot be written."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise UsageFault(
            f"cannot write the report to {str(path)!r}: {error.strerror or error}",
            hint="give a path in a folder that exists and may be written",
        ) from error


def check_writable(path: Path) -> None:
    """Find out before a long campaign whether its report can be written at its end."""
    existed = path.exists()
    try:
        with path.open("ab"):
            pass
    except OSError as error:
        raise UsageFault(
            f"cannot write the report to {str(path)!r}: {error.strerror or error}",
            hint="give a path in a folder that exists and may be written",
        ) from error
    if not existed:
        path.unlink()


def check_folder(path: Path) -> None:
    """Make the folder if it is not there. Raises :class:`UsageFault` when that cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageFault(
            f"cannot make the folder {str(path)!r}: {error.strerror or error}",
            hint="give the path of a folder, or of one that can be made",
        ) from error
