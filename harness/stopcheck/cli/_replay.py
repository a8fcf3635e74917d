"""``stopcheck replay``."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click
import msgspec

from stopcheck.campaign import (
    ExitCode,
    Finding,
    LoadedGate,
    Report,
    UsageFault,
    load_gate,
    replay_death,
    replay_schedule,
    report_of,
)
from stopcheck.cli._contained import contained
from stopcheck.cli._guard import guarded
from stopcheck.cli._options import execution_seconds
from stopcheck.kernel import Schedule
from stopcheck.report import (
    ReportConsole,
    check_writable,
    make_console,
    print_faults,
    print_parting,
    print_timeline,
    write_report,
)


@click.command("replay", short_help="Replay an interleaving, step by step.")
@click.argument("token")
@click.option("--gate", metavar="GATE", help="The gate, as given to certify (a report file names it).")
@click.option("--log", "log_path", type=click.Path(path_type=Path), help="Write the run's log (JSON lines) there.")
@click.option("--clause", metavar="ID", help="With a report file: replay the finding of this clause.")
@click.option("--full", is_flag=True, help="Show setup and quiet steps too.")
@execution_seconds
def replay_command(
    token: str, gate: str | None, log_path: Path | None, clause: str | None, *, full: bool, execution_s: float
) -> int:
    """Replay TOKEN, a token that a finding printed, or a JSON report file that holds one.

    The timeline shows who moved, what was asked and answered, the virtual time, and the place in the gate's code. A *
    marks a choice that leaves the default order; !!! marks a clause that broke. Exits 1 when the run breaks a clause, 0
    when it does not.
    """
    if log_path is not None:
        check_writable(log_path)
    clause = clause.upper() if clause is not None else None
    token, gate = _named(token, gate, clause)
    replaying = partial(_replay, token, gate, clause, log_path, full=full, execution_s=execution_s)
    return contained(lambda: guarded(replaying))


def _replay(token: str, gate: str, clause: str | None, log_path: Path | None, *, full: bool, execution_s: float) -> int:
    console = make_console()
    if token.startswith("kill."):
        return _death(console, load_gate(gate), token)
    schedule = Schedule.from_token(token)
    replayed = replay_schedule(load_gate(gate), schedule, clause=clause, execution_s=execution_s)
    record = replayed.record
    if log_path is not None:
        write_report(log_path, record.rendered())
    variant = ", ".join(f"{name} {value}" for name, value in record.variant.names().items())
    console.say(f"{record.scenario} ({variant}), {gate}", "bold")
    print_timeline(console, replayed, full=full)
    if record.fault is not None:
        print_faults(console, [report_of(record.fault)])
        return ExitCode.ADAPTER_FAULT
    print_parting(console, replayed, full=full)
    clauses = sorted({v.clause for v in replayed.violations})
    deviations = len(replayed.deviations)
    console.say(
        f"{record.steps} steps, {deviations} deviation{'' if deviations == 1 else 's'} from the default order, "
        f"ended {record.ending.value}"
    )
    console.say(f"clauses broken: {', '.join(clauses) or 'none'}", "bold red" if clauses else "bold green")
    return ExitCode.VIOLATIONS if clauses else ExitCode.CERTIFIED


def _death(console: ReportConsole, loaded: LoadedGate, token: str) -> int:
    outcome = replay_death(loaded, token)
    if outcome is None:
        raise UsageFault(f"{token!r} is not a token of a real death", hint="copy the whole token")
    console.say(f"{outcome.kills} process killed, {outcome.promises} promises looked for afterwards")
    for loss in outcome.findings:
        console.say(f"!!! {loss.clause} broken: {loss.message}", "bold red")
    if outcome.trouble:
        console.say(outcome.trouble, "yellow")
        return ExitCode.INCONCLUSIVE
    return ExitCode.VIOLATIONS if outcome.findings else ExitCode.CERTIFIED


def _named(given: str, gate: str | None, clause: str | None) -> tuple[str, str]:
    """The token and the gate, which a report file names too."""
    path = Path(given)
    if given.endswith(".json") or (given and path.is_file()):
        report = _report(given, path)
        token = _finding(given, report, clause).token
        gate = gate or (report.gate.reference if report.gate is not None else None)
    else:
        token = given
    if gate is None:
        raise UsageFault("no gate was named for the token", hint="add --gate GATE, as it was given to certify")
    return token, gate


def _report(given: str, path: Path) -> Report:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Report)
    except OSError as error:
        raise UsageFault(f"cannot read {given!r}: {error.strerror}", hint="give a token or a report file") from error
    except msgspec.MsgspecError as error:
        hint = "make one with: stopcheck certify GATE --json report.json"
        raise UsageFault(f"{given!r} is not a report of this kit: {error}", hint=hint) from error


def _finding(given: str, report: Report, clause: str | None) -> Finding:
    findings = [finding for verdict in report.clauses for finding in verdict.findings]
    found = [f for f in findings if clause is None or f.clause == clause]
    if not found:
        failed = ", ".join(dict.fromkeys(f.clause for f in findings)) or "none"
        which = f" for {clause}" if clause else ""
        raise UsageFault(f"{given!r} holds no finding{which}", hint=f"clauses with findings there: {failed}")
    return found[0]
