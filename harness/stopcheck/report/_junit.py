"""JUnit XML, as CI systems read it: a test case for each clause.

One idea: GitHub, GitLab and Jenkins show a case by its class and its name, take the same pair for the same test over
time, and show the text of a failure as it is. So the pair is the clause's, and the text is what one needs to replay it.
"""

from __future__ import annotations

from xml.etree import ElementTree

from stopcheck.campaign import ClauseVerdict, Report, Verdict, drifted
from stopcheck.judge.requirements import REQUIREMENTS
from stopcheck.report._findings import broke_first, replay_line
from stopcheck.report._next_steps import next_step
from stopcheck.report._parting import what_decides
from stopcheck.report._places import code_place
from stopcheck.report._story_text import as_text, story_of
from stopcheck.report._waivers import named, what_now


def junit_report(report: Report) -> bytes:
    """One test case per clause: failures for ``FAIL``, errors for ``UNKNOWN``, skipped for what was not tried. What a
    pass rests on is the output of its case."""
    counts = report.counts()
    totals = {
        "tests": str(len(report.clauses) + len(report.faults) + len(drifted(report))),
        "failures": str(counts[Verdict.FAIL.value]),
        "errors": str(counts[Verdict.UNKNOWN.value] + len(report.faults) + len(drifted(report))),
    }
    skipped = str(sum(counts[each.value] for each in (Verdict.UNSUPPORTED, Verdict.UNCHECKED, Verdict.WAIVED)))
    name = report.gate.name if report.gate is not None else "gate"
    suites = ElementTree.Element("testsuites", {"name": "stopcheck", **totals, "time": "0"})
    suite = ElementTree.SubElement(suites, "testsuite", {"name": name, **totals, "skipped": skipped, "time": "0"})
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in _campaign(report).items():
        ElementTree.SubElement(properties, "property", name=name, value=value)
    for clause in report.clauses:
        family = clause.clause.split("-")[0]
        case = ElementTree.SubElement(suite, "testcase", classname=f"stopcheck.{family}", name=clause.clause, time="0")
        _outcome(case, report, clause)
    for waived in drifted(report):
        case = ElementTree.SubElement(suite, "testcase", classname="stopcheck.waivers", name=named(waived), time="0")
        ElementTree.SubElement(case, "error", message=what_now(waived), type=waived.state.value)
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


def _outcome(case: ElementTree.Element, report: Report, clause: ClauseVerdict) -> None:
    if clause.verdict is Verdict.FAIL:
        failure = ElementTree.SubElement(case, "failure", message=clause.why, type=clause.findings[0].check)
        failure.text = "\n".join(_failure(report, clause))
    elif clause.verdict is Verdict.UNKNOWN:
        error = ElementTree.SubElement(case, "error", message=clause.why, type="UNKNOWN")
        error.text = "\n".join([*clause.ground.doubts, f"next: {next_step(report, clause)}"])
    elif clause.verdict is Verdict.PASS:
        ground = f"{clause.why}; {clause.assumption}" if clause.assumption else clause.why
        ElementTree.SubElement(case, "system-out").text = ground
    else:
        ElementTree.SubElement(case, "skipped", message=f"{clause.verdict.value}: {clause.why}")


def _failure(report: Report, clause: ClauseVerdict) -> list[str]:
    """What was demanded, where it broke, what decides, how to see it; then the interleaving."""
    finding = clause.findings[0]
    lines = [f"expected: {REQUIREMENTS[clause.clause].wording}"]
    if finding.where and report.gate is not None:
        place = code_place(finding.where, report.gate.reference)
        lines.append(f"at: {place.file}:{place.line} {place.function}")
    if finding.first is not None:
        lines.append(f"first: {broke_first(finding.first)}")
    if finding.nearest is not None:
        lines.append(f"decides: {what_decides(finding.nearest)}")
    lines.append(replay_line(report, finding))
    story = story_of(report, finding)
    return lines if story is None else [*lines, "", *as_text(story)]


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
