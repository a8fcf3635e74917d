"""Options that several verbs share."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from stopcheck.campaign import COMMAND, EXECUTION_S, SILENCE_S, Shard, UsageFault, Waivers, read_waivers
from stopcheck.cli._defaults import from_file
from stopcheck.judge.requirements import EDITIONS, REQUIREMENT_SET

_SECONDS = click.FloatRange(0, min_open=True)

#: A gate in another process, in the place of a gate's name.
command_option = click.option(
    "--command", metavar="COMMAND", help="The gate is the process that this starts: 'node path/to/gate.js'."
)


def gate_reference(gate: str | None, command: str | None) -> str | None:
    """How the gate is named to the campaign: by its own name, or by the command that starts it. What is said on the
    command line goes before what stands in a file."""
    if gate is not None and command is not None:
        gate = None if from_file("gate") else gate
        command = None if from_file("command") else command
    if command is None:
        return gate
    if gate is not None:
        raise UsageFault(f"two gates are named: {gate!r} and --command {command!r}", hint="name one of them")
    return f"{COMMAND}{command}"


def named_gate(gate: str | None, command: str | None) -> str:
    """The same, where a gate must be named."""
    reference = gate_reference(gate, command)
    if reference is None:
        raise click.UsageError("Missing argument 'GATE': name a gate, or give --command.", click.get_current_context())
    return reference


#: Real time, for the kit's own tests and for adapters that are slow by nature; no verdict depends on it.
execution_seconds = click.option(
    "--execution-seconds",
    "execution_s",
    default=EXECUTION_S,
    type=_SECONDS,
    hidden=True,
    help="Real seconds that one execution may take before it counts as hung.",
)
silence_seconds = click.option(
    "--silence-seconds",
    "silence_s",
    default=SILENCE_S,
    type=_SECONDS,
    hidden=True,
    help="Real seconds that a process may be silent before it is killed.",
)


def _read_shard(context: click.Context, parameter: click.Parameter, given: str) -> Shard:
    """``K/N``, with K from 1 to N."""
    number, _, of = given.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        what = f"{given!r} is no part of a whole: K/N, with K from 1 to N, such as 1/3"
        raise click.BadParameter(what, context, parameter)
    return Shard(int(number), int(of))


shard = click.option(
    "--shard",
    default="1/1",
    callback=_read_shard,
    metavar="K/N",
    help="Only the K-th of N parts of the jobs; merge the files of --resume. A part certifies nothing.",
)

waivers_option = click.option(
    "--waivers",
    "waivers_path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Failures that are lived with, in TOML; one that no longer holds is exit 5.",
)
jobs_option = click.option(
    "--jobs", "children", default=2, show_default=True, type=click.IntRange(1, 64), help="Processes at a time."
)
edition_option = click.option(
    "--requirement-set",
    "edition",
    default=REQUIREMENT_SET,
    show_default=True,
    metavar="EDITION",
    help=f"Hold the gate to this edition of the clauses: {', '.join(EDITIONS)}. Later clauses are not scored.",
)


def given_waivers(path: Path | None) -> Waivers | None:
    """What a file waives today."""
    return None if path is None else Waivers(read_waivers(path), date.today())
