"""Failures in words, as a test's report shows them: the finding, the timeline of its run, the line that replays it."""

from __future__ import annotations

import io
from collections.abc import Sequence

from stopcheck.campaign import FaultReport, Finding, LoadedGate, UsageFault, replay_finding
from stopcheck.kernel import DivergedError, TokenError
from stopcheck.report import ReportConsole, print_faults, print_finding, print_parting, print_timeline
from stopcheck.world import Scenario

_WIDTH = 110


def told_findings(loaded: LoadedGate, findings: Sequence[Finding], scenario: Scenario | None = None) -> str:
    """Findings in the order in which one reads them, each run with its timeline, once. ``scenario``: where it is not
    an installed one."""
    runs: dict[str, list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: finding.reading_order):
        runs.setdefault(finding.token, []).append(finding)
    return "\n\n".join(_told_run(loaded, shown, scenario) for shown in runs.values())


def _told_run(loaded: LoadedGate, findings: Sequence[Finding], scenario: Scenario | None) -> str:
    """What one run shows, and the timeline of the run, made again."""
    out = io.StringIO()
    console = _console(out)
    for finding in findings:
        print_finding(console, loaded.reference, finding)
    if findings[0].token.startswith("sc"):
        try:
            replayed = replay_finding(loaded, findings[0], scenario=scenario)
        except (DivergedError, TokenError, UsageFault) as error:
            console.say(f"  its run cannot be shown: {error}")
        else:
            console.say("")
            print_timeline(console, replayed)
            print_parting(console, replayed)
    return out.getvalue().rstrip()


def told_faults(reference: str, faults: Sequence[FaultReport]) -> str:
    """What the adapter did wrong."""
    out = io.StringIO()
    print_faults(_console(out), faults, reference)
    return out.getvalue().strip()


def _console(out: io.StringIO) -> ReportConsole:
    return ReportConsole(file=out, width=_WIDTH, highlight=False)
