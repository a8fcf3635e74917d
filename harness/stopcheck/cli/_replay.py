"""``stopcheck replay``."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec
from rich.console import Console

from stopcheck.campaign import ExitCode, Report, UsageFault, load_gate, replay_schedule, report_of
from stopcheck.kernel import Schedule
from stopcheck.report import print_faults, print_timeline, write_report


@click.command("replay", short_help="Replay an interleaving, step by step.")
@click.argument("token")
@click.option("--gate", required=True, metavar="GATE", help="The gate, as given to certify.")
@click.option("--log", "log_path", type=click.Path(path_type=Path), help="Write the run's log (JSON lines) there.")
@click.option("--clause", help="With a report file: replay the finding of this clause.")
def replay_command(token: str, gate: str, log_path: Path | None, clause: str | None) -> int:
    """Replay TOKEN, a token that a finding printed, or a JSON report file that holds one.

    The timeline shows who moved, what was asked and answered, and the virtual time. A * marks a choice that leaves the default
    order; !! marks the step at which a clause broke. Exits 1 when the run breaks a clause, 0 when it does not.
    """
    schedule = Schedule.from_token(_token(token, clause))
    replayed = replay_schedule(load_gate(gate), schedule)
    console = Console()
    print_timeline(console, replayed)
    if log_path is not None:
        write_report(log_path, replayed.record.rendered())
    if replayed.record.fault is not None:
        print_faults(console, [report_of(replayed.record.fault)])
        return ExitCode.ADAPTER_FAULT
    clauses = sorted({v.clause for v in replayed.violations})
    console.print(
        f"{len(replayed.deviations)} deviations from the default order; ending: {replayed.record.ending.value}"
    )
    console.print(f"clauses broken: {', '.join(clauses) or 'none'}")
    return ExitCode.VIOLATIONS if clauses else ExitCode.CERTIFIED


def _token(given: str, clause: str | None) -> str:
    path = Path(given)
    if not given.endswith(".json") and not path.is_file():
        return given
    try:
        report = msgspec.json.decode(path.read_bytes(), type=Report)
    except OSError as error:
        raise UsageFault(f"cannot read {given!r}: {error.strerror}", hint="give a token or a report file") from error
    except msgspec.MsgspecError as error:
        raise UsageFault(
            f"{given!r} is not a report of this kit: {error}", hint="make one with certify --json"
        ) from error
    found = [f for c in report.clauses for f in c.findings if clause is None or f.clause == clause]
    if not found:
        which = f" for {clause}" if clause else ""
        raise UsageFault(f"{given!r} holds no finding{which}", hint="nothing failed there")
    return found[0].token
