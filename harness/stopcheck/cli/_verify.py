"""``stopcheck verify``."""

from __future__ import annotations

from pathlib import Path

import click

from stopcheck.campaign import ExitCode, Refused, Rerun, Statement, UsageFault, checked, read_public_key, rerun
from stopcheck.cli._options import jobs_option
from stopcheck.cli._progress import live_progress, progress_options
from stopcheck.kernel import many
from stopcheck.report import ReportConsole, make_console

_PATH = click.Path(path_type=Path)


@click.command("verify", short_help="Check a certificate.")
@click.argument("certificate", type=_PATH)
@click.option("--key", "key_path", type=_PATH, required=True, help="The public key (PEM) of who signed it.")
@click.option("--rerun", "again", is_flag=True, help="Make some of its jobs again, and compare digests.")
@click.option("--sample", default=6, show_default=True, type=click.IntRange(1), help="How many jobs.")
@click.option("--gate", metavar="GATE", help="How the gate is named here, if not as in the certificate.")
@jobs_option
@progress_options
def verify_command(
    certificate: Path,
    key_path: Path,
    gate: str | None,
    sample: int,
    children: int,
    *,
    again: bool,
    quiet: bool,
    plain: bool,
) -> int:
    """Check that CERTIFICATE was signed with a key and was not changed since, by any byte; with --rerun, also that this
    gate and this kit come to the digests in it. Exits 1 when it is refused or something differs.

    \b
    Examples:
      stopcheck certify sqlite --certificate sqlite.json --sign-key key.pem
      stopcheck verify sqlite.json --key pub.pem
      stopcheck verify sqlite.json --key pub.pem --rerun --sample 12
    """
    key = read_public_key(key_path)
    console = make_console()
    try:
        content = certificate.read_bytes()
    except OSError as error:
        raise UsageFault(f"cannot read {str(certificate)!r}: {error.strerror}", hint="check the path") from error
    try:
        statement = checked(content, key)
    except Refused as refused:
        console.say(f"REFUSED {certificate}: {refused}", "bold red")
        return ExitCode.VIOLATIONS
    _say(console, statement)
    if not again:
        return ExitCode.CERTIFIED
    with live_progress(quiet=quiet, plain=plain) as live:
        done = rerun(statement, live.on_event, size=sample, gate=gate, children=children)
    return _compared(console, done)


def _say(console: ReportConsole, statement: Statement) -> None:
    predicate = statement.predicate
    campaign = predicate.part("campaign").annotations
    subject = statement.subject[0]
    console.say(f"the signature holds: {subject.name}, {predicate.result}", "bold green")
    console.say(f"files of the gate: sha256:{subject.digest['sha256']}")
    edition = predicate.part("requirement-set").annotations["edition"]
    console.say(f"stopcheck {predicate.part('stopcheck').annotations['version']}, requirement set {edition}")
    console.say(f"profiles met: {', '.join(campaign['profilesMet']) or 'none'}")
    passed, waived = len(predicate.passed), len(predicate.warned)
    console.say(f"{many(passed, 'clause')} passed, {waived} waived, {len(campaign['notConcluded'])} not concluded")


def _compared(console: ReportConsole, done: Rerun) -> int:
    for what in done.differing:
        console.say(f"DIFFERS {what}", "bold red")
    if done.differing:
        return ExitCode.VIOLATIONS
    executions = sum(job.executions for job in done.again)
    console.say(
        f"{many(len(done.again), 'job')} made again, {many(executions, 'execution')}: all digests are the same",
        "bold green",
    )
    return ExitCode.CERTIFIED
