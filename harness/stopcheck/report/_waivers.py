"""Waivers in the terminal: those that no longer hold, each with what to do about it."""

from __future__ import annotations

from stopcheck.campaign import Report, Waived, WaiverState, drifted
from stopcheck.report._console import ReportConsole

_NEXT = {
    WaiverState.STALE: "take it out of the file",
    WaiverState.EXPIRED: "mend the gate, or have it granted anew with a later day",
    WaiverState.UNMATCHED: "correct its name, or take it out of the file",
}


def print_waivers(console: ReportConsole, report: Report) -> None:
    """A line for each waiver that drifted."""
    for waived in drifted(report):
        console.say(f"waiver {waived.state} {named(waived)}: {what_now(waived)}", "bold yellow")


def named(waived: Waived) -> str:
    """What is waived."""
    return f"{waived.waiver.clause} in {waived.waiver.scenario}"


def what_now(waived: Waived) -> str:
    """Why a waiver no longer holds, and what to do about it."""
    return f"{waived.why}; next: {_NEXT[waived.state]}"
