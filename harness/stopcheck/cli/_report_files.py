"""The report as files: one option for each format, checked before a campaign and written after it.

One idea: a format is a row of a table, so every verb that ends in a report writes the same files in the same way.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click
import msgspec

from stopcheck.campaign import (
    ExitCode,
    Finding,
    Interleaving,
    Report,
    Verdict,
    badge,
    canonical,
    load_gate,
    replay_any,
)
from stopcheck.cli._contained import Pulse, contained
from stopcheck.cli._stops import Stops
from stopcheck.kernel import DivergedError, TokenError
from stopcheck.report import (
    check_writable,
    ctrf_report,
    html_report,
    interleaving,
    json_report,
    junit_report,
    markdown_report,
    sarif_report,
    write_report,
)

F = TypeVar("F", bound=Callable[..., Any])


class _Format(NamedTuple):
    render: Callable[[Report], bytes]
    about: str


def _badge(report: Report) -> bytes:
    return canonical(badge(report))


FORMATS: Mapping[str, _Format] = {
    "html": _Format(html_report, "a page of its own, with the interleaving of each failure drawn"),
    "json": _Format(json_report, "JSON (see: stopcheck list report)"),
    "junit": _Format(junit_report, "JUnit XML"),
    "ctrf": _Format(ctrf_report, "CTRF JSON"),
    "sarif": _Format(sarif_report, "SARIF 2.1.0, for code scanning"),
    "markdown": _Format(markdown_report, "Markdown, for a job summary"),
    "badge": _Format(_badge, "a badge, for the endpoint format of shields.io"),
}


def report_files(command: F) -> F:
    """Adds the options; the command takes them as ``files``: paths by format, see :func:`picked`."""
    for name, form in reversed(tuple(FORMATS.items())):
        option = click.option(
            f"--{name}", f"{name}_path", type=click.Path(path_type=Path), help=f"Write the report as {form.about}."
        )
        command = option(command)
    return command


def picked(options: dict[str, Any]) -> dict[str, Path]:
    """Takes the paths out of a command's options. Raises ``UsageFault`` for one that cannot be written."""
    given = {name: options.pop(f"{name}_path") for name in FORMATS}
    paths = {name: path for name, path in given.items() if path is not None}
    for path in paths.values():
        check_writable(path)
    return paths


def write_files(files: Mapping[str, Path], report: Report) -> None:
    """Write them all."""
    for name, path in files.items():
        write_report(path, FORMATS[name].render(report))


def with_interleavings(report: Report, stops: Stops, *, execution_s: float, silence_s: float) -> Report:
    """The report with the runs of what it shows of each clause that failed, made again in a process of its own; of a
    real death the run up to it. Where that cannot be (another gate by now, a stop), a finding stays without."""
    wanted = told_findings(report)
    if report.gate is None or not wanted:
        return report
    reference = report.gate.reference
    with tempfile.TemporaryDirectory(prefix="stopcheck-") as folder:
        path = Path(folder) / "interleavings.json"
        stops.unless_heard(
            lambda: contained(lambda pulse: _tell(reference, wanted, path, execution_s, pulse), silence_s)
        )
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    # The last one may be cut off: the process was killed while it wrote.
    told = tuple(msgspec.json.decode(line, type=Interleaving) for line in lines if line.endswith(b"\n"))
    return msgspec.structs.replace(report, interleavings=told)


def told_findings(report: Report) -> list[Finding]:
    """The findings whose runs are told: one of each run, the one that is read first, for a run is told as it breaks
    one clause, and it is that one under which a page shows it."""
    runs: dict[str, list[Finding]] = {}
    for clause in report.clauses:
        if clause.verdict is Verdict.FAIL:
            runs.setdefault(clause.findings[0].token, []).append(clause.findings[0])
    return [min(same, key=lambda finding: finding.reading_order) for same in runs.values()]


def _tell(reference: str, findings: list[Finding], path: Path, execution_s: float, pulse: Pulse) -> int:
    """Each is written as soon as it is told, so that a gate which ends the process costs only what follows."""
    with path.open("wb") as out, closing(load_gate(reference)) as loaded:
        for finding in findings:
            pulse.beat()
            try:
                replayed = replay_any(loaded, finding, execution_s=execution_s, alive=pulse.beat)
            except (DivergedError, TokenError):
                continue
            out.write(
                msgspec.json.encode(interleaving(replayed, loaded.contract, finding.token, finding.clause)) + b"\n"
            )
            out.flush()
    pulse.rest()
    return ExitCode.CERTIFIED
