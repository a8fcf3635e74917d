"""The report as JSON, and the schema of that document.

One idea: the document is the report, field by field, so it can be read back, merged and rendered again; ``format`` and
``format_version`` say what it is to whoever finds it in a folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from stopcheck.campaign import Report, failure_files
from stopcheck.report._paths import write_report

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_report(report: Report) -> bytes:
    """The whole report as indented JSON; equal reports give equal bytes."""
    return indented(report)


def report_schema() -> dict[str, Any]:
    """The JSON Schema of what :func:`json_report` writes."""
    (root,), definitions = msgspec.json.schema_components((Report,), ref_template="#/$defs/{name}")
    return {
        "$schema": _DIALECT,
        "title": "A report of stopcheck, format version 1",
        **root,
        "$defs": dict(sorted(definitions.items())),
    }


def write_failures(folder: Path, report: Report) -> None:
    """Write a failure file for each clause that failed into a folder that exists. Raises :class:`UsageFault` when one
    cannot be written."""
    for name, failure in failure_files(report).items():
        write_report(folder / name, indented(failure))


def indented(value: object) -> bytes:
    """Any record, indented, with sorted keys."""
    # Keys that are reasons, or durations, do not sort until they are text.
    plain = msgspec.to_builtins(value, str_keys=True)
    lines: bytes = msgspec.json.format(msgspec.json.encode(plain, order="sorted"), indent=2)
    return lines + b"\n"
