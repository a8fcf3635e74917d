"""How a gate is named so that a command which names it can be given anywhere.

One idea: what a person reads in a terminal is copied on this machine, perhaps in another folder, so there a gate is
named by its whole path. What goes into files and logs is read on other machines, so there it stays as it was given.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from msgspec.structs import replace

from stopcheck.campaign import COMMAND, Report
from stopcheck.report import ReportConsole


def reference_for(console: ReportConsole, reference: str) -> str:
    """The reference as it is shown on a console."""
    return from_anywhere(reference) if console.is_terminal else reference


def report_for(console: ReportConsole, report: Report) -> Report:
    """The report as it is shown on a console."""
    if report.gate is None:
        return report
    return replace(report, gate=replace(report.gate, reference=reference_for(console, report.gate.reference)))


def from_anywhere(reference: str) -> str:
    """The reference with its paths made absolute; one without paths as it is."""
    if reference.startswith(COMMAND):
        words = shlex.split(reference.removeprefix(COMMAND))
        return COMMAND + shlex.join(str(Path(word).absolute()) if Path(word).is_file() else word for word in words)
    place, separator, name = reference.rpartition(":")
    return f"{Path(place).absolute()}{separator}{name}" if place.endswith(".py") else reference
