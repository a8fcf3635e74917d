"""What a report is written to: flags that every verb has which ends in a report.

One idea: files are checked before a long campaign and written before the terminal is, so that neither a path that
cannot be written nor a reader who goes away costs anybody a report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import click
import msgspec

from stopcheck.campaign import (
    Campaign,
    Report,
    UsageFault,
    Verdict,
    broken_in,
    read_private_key,
    signed,
    stanza,
    statement_of,
)
from stopcheck.cli._from_anywhere import report_for
from stopcheck.cli._report_files import picked, report_files, with_interleavings, write_files
from stopcheck.cli._stops import Stops
from stopcheck.report import (
    ReportConsole,
    check_folder,
    check_writable,
    print_report,
    write_failures,
    write_report,
)

#: For how long a stanza that is printed waives, and how many are printed.
_GRANTED = timedelta(days=30)
_STANZAS = 2
_PATH = click.Path(path_type=Path)


class Outputs(msgspec.Struct, frozen=True):
    """Where a report goes. ``files`` by kind; ``failures`` is a folder."""

    files: Mapping[str, Path]
    failures: Path | None
    certificate: Path | None
    sign_key: Path | None
    everything: bool
    coverage: bool


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The flags; the command takes them with :func:`take_outputs`."""
    flags = [
        click.option("--failures", type=_PATH, help="Write a file for each failed clause into this folder."),
        click.option(
            "--certificate", type=_PATH, help="Write a signed certificate there, if it is certified (exit 0)."
        ),
        click.option("--sign-key", type=_PATH, help="The private key for it: Ed25519 or ECDSA, in PEM."),
        click.option("--all", "everything", is_flag=True, help="List unchecked clauses and every gap."),
        click.option("--coverage", is_flag=True, help="Show the coverage ledger of each scenario in each variant."),
    ]
    for flag in reversed(flags):
        command = flag(command)
    return report_files(command)


def take_outputs(flags: dict[str, Any]) -> Outputs:
    """Take what these flags say out of a command's arguments. Raises :class:`UsageFault` for what cannot be written."""
    files = picked(flags)
    taken = [flags.pop(name) for name in ("failures", "certificate", "sign_key", "everything", "coverage")]
    outputs = Outputs(files, *taken)
    if (outputs.certificate is None) is not (outputs.sign_key is None):
        what = "--certificate and --sign-key go together: what is not signed certifies nothing"
        raise UsageFault(what, hint="give both, or none")
    if outputs.sign_key is not None:
        read_private_key(outputs.sign_key)
    if outputs.certificate is not None:
        check_writable(outputs.certificate)
    if outputs.failures is not None:
        check_folder(outputs.failures)
    return outputs


def write_outputs(console: ReportConsole, campaign: Campaign, outputs: Outputs, stops: Stops) -> None:
    """Write the files, then print. Of the files a stop costs only what is not told yet."""
    report, options = campaign.report, campaign.options
    if outputs.files:
        report = with_interleavings(report, stops, execution_s=options.execution_s, silence_s=options.silence_s)
    write_files(outputs.files, report)
    if outputs.failures is not None:
        write_failures(outputs.failures, report)
    notes = _how_to_waive(report)
    if outputs.certificate is not None and outputs.sign_key is not None:
        notes.append(_certificate(campaign, outputs.certificate, outputs.sign_key))
    print_report(
        console, report_for(console, report), everything=outputs.everything, coverage=outputs.coverage, notes=notes
    )


def _certificate(campaign: Campaign, path: Path, key: Path) -> str:
    """Write it; or why there is none."""
    try:
        statement = statement_of(campaign)
    except UsageFault as fault:
        return fault.what
    write_report(path, signed(statement, read_private_key(key)))
    return f"wrote the certificate {path}; to check it: stopcheck verify {path} --key PUBLIC_KEY --rerun"


def _how_to_waive(report: Report) -> list[str]:
    """What would waive the failures, to paste. Of a gate that is not deterministic there is nothing to be granted:
    what it breaks in one run says nothing about the next."""
    if any(job.differs is not None for job in report.jobs):
        return []
    broken = broken_in(report.jobs)
    waived = {(one.waiver.clause, one.waiver.scenario) for one in report.waivers}
    failures = [
        (clause.clause, scenario)
        for clause in report.clauses
        if clause.verdict is Verdict.FAIL
        for scenario in broken.get(clause.clause, ())
        if (clause.clause, scenario) not in waived
    ]
    if not failures:
        return []
    notes = ["", "What has to be lived with for now goes into a file of waivers (--waivers FILE), such as:"]
    notes += [stanza(clause, scenario, date.today() + _GRANTED) for clause, scenario in failures[:_STANZAS]]
    if len(failures) > _STANZAS:
        notes.append(f"and {len(failures) - _STANZAS} more like these")
    return notes
