"""Renderers over result records: terminal, HTML, JSON, JUnit, CTRF, SARIF, Markdown, traces, timelines.

One idea: a renderer decides nothing. What it shows stands in the report or in a run's log.
"""

from stopcheck.report._console import ReportConsole, make_console, silence
from stopcheck.report._ctrf import ctrf_report
from stopcheck.report._divergence import print_divergence
from stopcheck.report._findings import print_faults, print_finding, replay_command, replay_line
from stopcheck.report._first_breaks import print_first_breaks
from stopcheck.report._json import json_report, report_schema, write_failures
from stopcheck.report._junit import junit_report
from stopcheck.report._live import LiveProgress
from stopcheck.report._markdown import markdown_report
from stopcheck.report._matrix import print_matrix
from stopcheck.report._parting import print_parting
from stopcheck.report._paths import check_folder, check_writable, write_report
from stopcheck.report._sarif import sarif_report
from stopcheck.report._telling import interleaving
from stopcheck.report._terminal import print_gate, print_report, verdict_style
from stopcheck.report._timeline import print_timeline
from stopcheck.report._trace import trace_of
from stopcheck.report.page import html_report

__all__ = [
    "LiveProgress",
    "ReportConsole",
    "check_folder",
    "check_writable",
    "ctrf_report",
    "html_report",
    "interleaving",
    "json_report",
    "junit_report",
    "make_console",
    "markdown_report",
    "print_divergence",
    "print_faults",
    "print_finding",
    "print_first_breaks",
    "print_gate",
    "print_matrix",
    "print_parting",
    "print_report",
    "print_timeline",
    "replay_command",
    "replay_line",
    "report_schema",
    "sarif_report",
    "silence",
    "trace_of",
    "verdict_style",
    "write_failures",
    "write_report",
]
