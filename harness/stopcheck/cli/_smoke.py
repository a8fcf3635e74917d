"""``stopcheck smoke``."""

from __future__ import annotations

import shlex
from contextlib import closing

import click

from stopcheck.campaign import COMMAND, ExitCode, Smoke, load_gate, lookalikes, report_of, smoke
from stopcheck.cli._contained import Pulse, contained
from stopcheck.cli._from_anywhere import reference_for
from stopcheck.cli._options import command_option, execution_seconds, named_gate, silence_seconds
from stopcheck.kernel import many
from stopcheck.report import (
    ReportConsole,
    make_console,
    print_faults,
    print_first_breaks,
    print_gate,
    replay_command,
)


@click.command("smoke", short_help="Try whether a gate can be tried at all.")
@click.argument("gate", required=False)
@command_option
@execution_seconds
@silence_seconds
def smoke_command(gate: str | None, command: str | None, *, execution_s: float, silence_s: float) -> int:
    """Load GATE, or start it with --command, and make one run of it in the default order, before any campaign.

    Prints what the gate declares, which operations were called, and where others can move inside of them. Exits 0 when
    the kit can work with the gate, 1 when even this run breaks a clause, which it names with the call and the step, 4
    when the gate breaks the protocol.
    """
    reference = named_gate(gate, command)
    return contained(lambda pulse: _smoke(reference, pulse, execution_s), silence_s)


def _smoke(reference: str, pulse: Pulse, execution_s: float) -> int:
    console = make_console()
    shown = reference_for(console, reference)
    with closing(load_gate(reference)) as loaded:
        print_gate(console, loaded.identity())
        pulse.beat()
        for method, operation in lookalikes(loaded.factory):
            what = f"the method {method!r} is no operation of the protocol, and is never called: is it {operation!r}?"
            console.say(what, "yellow")
        done = smoke(loaded, execution_s)
    pulse.rest()
    if done.fault is not None:
        print_faults(console, [report_of(done.fault, done.scenario, done.token)], shown)
        return ExitCode.ADAPTER_FAULT
    _print(console, done, shown)
    if done.broken:
        console.say(f"clauses broken in the default order already: {', '.join(done.broken)}", "bold red")
        print_first_breaks(console, done.replayed)
        console.say("the whole run, step by step:")
        console.say(f"  {replay_command(done.token, shown)}")
        return ExitCode.VIOLATIONS
    console.say(f"the gate can be tried; next: stopcheck certify {_as_given(reference)}", "bold green")
    return ExitCode.CERTIFIED


def _print(console: ReportConsole, done: Smoke, reference: str) -> None:
    console.say(f"one run of {done.scenario} in its default order: {many(sum(done.called.values()), 'call')} answered")
    for operation, times in done.called.items():
        points = done.inner.get(operation, 0)
        inside = f"; places inside of it where others could move: {points}" if points else ""
        console.say(f"  {operation}: {times}{inside}")
    printed = sum(map(len, done.replayed.printed.values()))
    if printed:
        console.say(f"the gate printed {many(printed, 'line')}; to see them at their steps:")
        console.say(f"  {replay_command(done.token, reference)}")
    if not done.inner and not done.serialised:
        what = "inside of no call can others move: what must be atomic stays UNKNOWN (see Environment.branch)"
        console.say(what, "yellow")


def _as_given(reference: str) -> str:
    if reference.startswith(COMMAND):
        return f"--command {shlex.quote(reference.removeprefix(COMMAND))}"
    return shlex.quote(reference)
