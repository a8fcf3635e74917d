"""Markdown for a job summary or a comment: what failed, why, and how to see it.

One idea: a summary that exceeds its host's limit is thrown away whole, so what matters comes first and what no longer
fits is counted.
"""

from __future__ import annotations

from collections.abc import Iterator

from stopcheck.campaign import ExitCode, Report, Verdict, drifted
from stopcheck.judge.requirements import REQUIREMENTS
from stopcheck.kernel import many
from stopcheck.report._causes import Cause, causes
from stopcheck.report._findings import broke_first, from_where, gate_reference, replay_line, short_place
from stopcheck.report._limits import not_proved_by_any
from stopcheck.report._next_steps import unknowns
from stopcheck.report._parting import what_decides
from stopcheck.report._story_text import as_text, story_of
from stopcheck.report._waivers import named, what_now

#: GitHub takes a job summary of at most 1 MiB.
LIMIT = 1 << 20
_SIGNS = {
    Verdict.PASS: "✅",
    Verdict.FAIL: "❌",
    Verdict.WAIVED: "🟣",
    Verdict.UNKNOWN: "❔",
    Verdict.UNSUPPORTED: "⚪",
    Verdict.UNCHECKED: "⚪",
}


def markdown_report(report: Report, *, limit: int = LIMIT) -> bytes:
    """The summary, of at most ``limit`` bytes."""
    made, size, left = bytearray(), 0, 0
    for section in _sections(report):
        content = section.encode()
        if left or len(made) + len(content) > limit - 200:
            left += 1
        else:
            made += content
        size += len(content)
    if left:
        what = f"{left} further {'section was' if left == 1 else 'sections were'} left out"
        made += f"\n_{what}: {size:,} bytes are more than a summary may have._\n".encode()
    return bytes(made)


def _sections(report: Report) -> Iterator[str]:
    yield from _head(report)
    for cause in causes(report):
        yield _cause(report, cause)
    for fault in report.faults:
        words = [_plain(part) for part in (fault.what, fault.cause, fault.hint) if part]
        yield f"### ❌ {_plain(fault.title)}\n\n" + "\n\n".join(words) + "\n\n"
    yield from _unknown(report)
    yield from _waivers(report)
    yield from _profiles(report)
    yield "### What this does not prove\n\n" + "".join(f"- {line}\n" for line in not_proved_by_any(report))


def _waivers(report: Report) -> Iterator[str]:
    if report.waivers:
        yield "### Waivers\n\n"
    for waived in report.waivers:
        waiver = waived.waiver
        what = what_now(waived) if waived in drifted(report) else waived.why
        yield f"- **{waived.state}** {named(waived)}, until {waiver.expires}: {_plain(waiver.reason)} "
        yield f"({_plain(waiver.issue)}); {_plain(what)}\n"


def _head(report: Report) -> Iterator[str]:
    sign = {ExitCode.CERTIFIED: "✅", ExitCode.INCONCLUSIVE: "❔"}.get(report.exit_code, "❌")
    yield f"## {sign} {_plain(report.summary)}\n\n"
    if report.gate is not None:
        yield f"Gate `{report.gate.name}` {_plain(report.gate.version)}, {_plain(report.gate.durability)}.\n\n"
    counts = {verdict: count for verdict in Verdict if (count := report.counts()[verdict.value])}
    if counts:
        yield "| " + " | ".join(f"{_SIGNS[verdict]} {verdict.value}" for verdict in counts) + " |\n"
        yield "|" + " ---: |" * len(counts) + "\n"
        yield "| " + " | ".join(str(count) for count in counts.values()) + " |\n\n"
    executions = sum(job.executions for job in report.jobs)
    covers = "".join(f", {cover.hit:,} of {cover.planned:,} {cover.subject.value}" for cover in report.totals)
    scenarios = len({job.spec.scenario for job in report.jobs})
    yield f"{many(scenarios, 'scenario')}, {many(executions, 'execution')}{covers}. "
    yield f"stopcheck {report.kit_version}, requirement set {report.requirement_set}, seed {report.seed}.\n\n"


def _cause(report: Report, cause: Cause) -> str:
    finding = cause.finding
    title = REQUIREMENTS[finding.clause].title
    lines = [f"### ❌ {cause.names}: {title}\n"]
    for clause in cause.clauses:
        lines.append(f"- **{clause.clause}** {_plain(REQUIREMENTS[clause.clause].wording)}<br>{_plain(clause.why)}")
    place = f", at `{finding.where}`" if finding.where else ""
    lines.append(f"\nIn {short_place(finding)}, step {finding.step}{place}")
    if finding.first is not None:
        lines.append(f"\nFirst: {_plain(broke_first(finding.first))}")
    if finding.nearest is not None:
        lines.append(f"\nWhat decides: {_plain(what_decides(finding.nearest))}")
    whence = from_where(gate_reference(report))
    if whence:
        lines.append(f"\nSee it, {_plain(whence)}:")
    lines.append(f"\n```sh\n{replay_line(report, finding)}\n```\n")
    story = story_of(report, finding)
    if story is not None:
        text = "\n".join(as_text(story, most=120)).replace("```", "'''")
        lines.append(f"<details><summary>The interleaving</summary>\n\n```text\n{text}\n```\n\n</details>\n")
    return "\n".join(lines) + "\n"


def _unknown(report: Report) -> Iterator[str]:
    groups = unknowns(report)
    if groups:
        yield "### ❔ Nothing may be concluded of\n\n"
    for group in groups:
        yield f"- {', '.join(group.clauses)}: {_plain(group.why)}<br>next: `{group.command}`\n"
    yield "\n" if groups else ""


def _profiles(report: Report) -> Iterator[str]:
    if report.profiles:
        yield "### Profiles\n\n"
    for profile in report.profiles:
        missed = ", ".join(missed.clause for missed in profile.missed[:12])
        more = f" and {len(profile.missed) - 12} more" if len(profile.missed) > 12 else ""
        how = "met" if profile.met else f"missed: {missed}{more}"
        yield f"- {'✅' if profile.met else '⚪'} **{profile.name}** {how}\n"
    yield "\n" if report.profiles else ""


def _plain(text: str) -> str:
    """What an adapter says is text, not markup."""
    text = "".join(c if c.isprintable() else " " for c in text)
    for sign in "\\`*_[]|#":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
