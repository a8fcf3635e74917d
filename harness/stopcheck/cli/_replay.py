"""``stopcheck replay``."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from stopcheck.campaign import (
    ExitCode,
    LoadedGate,
    Replayable,
    ReplayedRun,
    UsageFault,
    load_gate,
    read_replayable,
    replay_death,
    replay_schedule,
    report_of,
    seen_from,
    stop_at,
)
from stopcheck.cli._contained import Pulse, contained
from stopcheck.cli._defaults import from_file
from stopcheck.cli._options import command_option, execution_seconds, gate_reference, silence_seconds
from stopcheck.judge import first_breaks
from stopcheck.kernel import DivergedError, Schedule, many
from stopcheck.report import (
    ReportConsole,
    check_writable,
    interleaving,
    make_console,
    print_divergence,
    print_faults,
    print_parting,
    print_timeline,
    trace_of,
    write_report,
)

#: How long a run may take in which somebody thinks, in real seconds.
_WHILE_DEBUGGING_S = 86_400.0


class _Files(NamedTuple):
    """What is written beside what is shown."""

    log: Path | None
    trace: Path | None

    def check(self) -> None:
        """Find out whether they can be written."""
        for path in self:
            if path is not None:
                check_writable(path)

    def write(self, asked: Replayable, loaded: LoadedGate, replayed: ReplayedRun, schedule: Schedule) -> None:
        """Write those that were asked for."""
        if self.log is not None:
            write_report(self.log, replayed.record.rendered())
        if self.trace is not None:
            story = interleaving(replayed, loaded.contract, schedule.token(), asked.clause)
            write_report(self.trace, trace_of(story))


@click.command("replay", short_help="Replay an interleaving, step by step.")
@click.argument("token")
@click.option("--gate", metavar="GATE", help="The gate, as given to certify (a file names it).")
@command_option
@click.option("--log", "log_path", type=click.Path(path_type=Path), help="Write the run's log (JSON lines) there.")
@click.option(
    "--trace",
    "trace_path",
    type=click.Path(path_type=Path),
    help="Write it as a trace for Perfetto or chrome://tracing.",
)
@click.option("--clause", metavar="ID", help="The clause that matters; of a report file, replay its finding.")
@click.option("--break", "step", type=click.IntRange(1), metavar="STEP", help="Stop in the debugger at this step.")
@click.option("--full", is_flag=True, help="Show setup and quiet steps too.")
@execution_seconds
@silence_seconds
def replay_command(  # noqa: PLR0913 - one for each option
    token: str,
    gate: str | None,
    command: str | None,
    log_path: Path | None,
    trace_path: Path | None,
    clause: str | None,
    step: int | None,
    *,
    full: bool,
    execution_s: float,
    silence_s: float,
) -> int:
    """Replay TOKEN, a token that a finding printed, or a failure file or JSON report that holds one. A scenario's name
    in its place shows that scenario in its default order: what a right gate does, before anything goes wrong.

    The timeline shows who moved, what was asked and answered, the virtual time, and the place in the gate's code. A *
    marks a choice that leaves the default order; !!! marks a clause that broke. What decides is shown beside the
    nearest run in which nothing breaks. Exits 1 when the run breaks a clause, 0 when it does not.

    What the gate printed stands at its step. With --break, pdb stops where the gate's code first runs in that step, or
    runs on where it waited: w shows where, c goes on, q ends the program.

    \b
    Examples:
      stopcheck replay sc1.before-admission.... --gate my_gate.py:Gate
      stopcheck replay failures/ADM-3.json --break 12
      stopcheck replay before-admission --gate sqlite
    """
    files = _Files(log_path, trace_path)
    files.check()
    asked = read_replayable(token, clause.upper() if clause is not None else None)
    reference = _gate_of(token, asked, gate, command)
    if step is not None:
        execution_s = silence_s = _WHILE_DEBUGGING_S
    replaying = partial(_replay, asked, reference, files, step=step, full=full, execution_s=execution_s)
    return contained(replaying, silence_s, debugging=step is not None)


def _gate_of(given: str, asked: Replayable, gate: str | None, command: str | None) -> str:
    """The gate that is named on the command line, else by the file that is replayed, else in pyproject.toml."""
    if asked.gate is not None:
        gate = None if from_file("gate") else gate
        command = None if from_file("command") else command
    reference = gate_reference(gate, command)
    if reference is None and asked.gate is not None:
        reference = seen_from(asked.gate.reference, Path(given))
    if reference is not None:
        return reference
    if asked.scenario:
        hint = f"stopcheck replay {asked.scenario} --gate GATE shows its default order"
        raise UsageFault(f"{asked.scenario!r} is a scenario, and no gate was named to run in it", hint=hint)
    hint = "add --gate GATE or --command COMMAND, as it was given to certify"
    raise UsageFault("no gate was named for the token", hint=hint)


def _replay(
    asked: Replayable,
    gate: str,
    files: _Files,
    pulse: Pulse,
    *,
    step: int | None,
    full: bool,
    execution_s: float,
) -> int:
    with closing(load_gate(gate)) as loaded:
        return _replay_loaded(asked, gate, loaded, files, pulse, step=step, full=full, execution_s=execution_s)


def _replay_loaded(
    asked: Replayable,
    gate: str,
    loaded: LoadedGate,
    files: _Files,
    pulse: Pulse,
    *,
    step: int | None,
    full: bool,
    execution_s: float,
) -> int:
    console = make_console()
    pulse.beat()
    schedule = asked.schedule_for(loaded.contract)
    if schedule is None:
        return _death(console, loaded, asked.death, pulse)
    stop = stop_at(loaded, step) if step is not None else None
    try:
        replayed = replay_schedule(
            loaded, schedule, clause=asked.clause, stop=stop, execution_s=execution_s, alive=pulse.beat
        )
    except DivergedError as error:
        pulse.rest()
        print_divergence(
            make_console(stderr=True), error.divergence, schedule.scenario, gate, asked.unlike(loaded.identity())
        )
        return ExitCode.INCONCLUSIVE
    pulse.rest()
    if stop is not None and not stop.reached:
        console.say(f"the debugger did not stop: none of the gate's code runs in step {step}", "yellow")
        console.say(f"  next: --break with one of the steps {ranges(stop.moved)}")
    record = replayed.record
    files.write(asked, loaded, replayed, schedule)
    variant = ", ".join(f"{name} {value}" for name, value in record.variant.names().items())
    console.say(f"{record.scenario} ({variant}), {gate}", "bold")
    print_timeline(console, replayed, full=full)
    if record.fault is not None:
        print_faults(console, [report_of(record.fault)])
        return ExitCode.ADAPTER_FAULT
    print_parting(console, replayed, full=full)
    broken = first_breaks(replayed.violations)
    deviations = len(replayed.deviations)
    console.say(
        f"{many(record.steps, 'step')}, {many(deviations, 'deviation')} from the default order, "
        f"ended {record.ending.value}"
    )
    told = ", ".join(f"{clause} (step {step})" for clause, step in broken.items())
    console.say(f"clauses broken: {told or 'none'}", "bold red" if broken else "bold green")
    if asked.gate is not None and asked.clause is not None and asked.clause not in broken:
        why = asked.unlike(loaded.identity()) or "the gate has changed since"
        console.say(f"{asked.clause} held in this run, where the file has it broken: {why}", "yellow")
    return ExitCode.VIOLATIONS if broken else ExitCode.CERTIFIED


def ranges(steps: Iterable[int]) -> str:
    """Numbers in short: ``6-8, 11``."""
    runs: list[list[int]] = []
    for step in sorted(set(steps)):
        if runs and step == runs[-1][-1] + 1:
            runs[-1].append(step)
        else:
            runs.append([step])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs) or "(there are none)"


def _death(console: ReportConsole, loaded: LoadedGate, token: str, pulse: Pulse) -> int:
    outcome = replay_death(loaded, token, pulse.beat)
    pulse.rest()
    if outcome is None:
        raise UsageFault(f"{token!r} is not a token of a real death", hint="copy the whole token")
    console.say(f"{outcome.kills} process killed, {outcome.promises} promises looked for afterwards")
    for loss in outcome.findings:
        console.say(f"!!! {loss.clause} broken: {loss.message}", "bold red")
    if outcome.trouble:
        console.say(outcome.trouble, "yellow")
        return ExitCode.INCONCLUSIVE
    return ExitCode.VIOLATIONS if outcome.findings else ExitCode.CERTIFIED
