"""Waivers in the terminal: those that no longer hold, each with what to do about it."""

from __future__ import annotations

from stopcheck.campaign import Report, WaiverState
from stopcheck.report._console import ReportConsole

_NEXT = {
    WaiverState.STALE: "take it out of the file",
    WaiverState.EXPIRED: "mend the gate, or have it granted anew with a later day",
    WaiverState.UNMATCHED: "correct its name, or take it out of the file",
}


def print_waivers(console: ReportConsole, report: Report) -> None:
    """A line for each waiver that drifted."""
    for waived in report.waivers:
        if waived.state in _NEXT:
            which = f"{waived.waiver.clause} in {waived.waiver.scenario}"
            console.say(f"waiver {waived.state} {which}: {waived.why}; next: {_NEXT[waived.state]}", "bold yellow")
