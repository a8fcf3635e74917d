"""Renderers over result records: terminal, JSON, JUnit, timeline.

One idea: a renderer decides nothing. What it shows stands in the report or in a run's log.
"""

from stopcheck.report._console import ReportConsole, make_console, silence
from stopcheck.report._divergence import print_divergence
from stopcheck.report._files import (
    check_folder,
    check_writable,
    json_report,
    junit_report,
    write_failures,
    write_report,
)
from stopcheck.report._findings import print_faults, replay_line
from stopcheck.report._live import LiveProgress
from stopcheck.report._matrix import print_matrix
from stopcheck.report._parting import print_parting
from stopcheck.report._terminal import print_gate, print_report, verdict_style
from stopcheck.report._timeline import print_timeline

__all__ = [
    "LiveProgress",
    "ReportConsole",
    "check_folder",
    "check_writable",
    "json_report",
    "junit_report",
    "make_console",
    "print_divergence",
    "print_faults",
    "print_gate",
    "print_matrix",
    "print_parting",
    "print_report",
    "print_timeline",
    "replay_line",
    "silence",
    "verdict_style",
    "write_failures",
    "write_report",
]
