"""Options that several verbs share."""

from __future__ import annotations

import click

from stopcheck.campaign import COMMAND, EXECUTION_S, SILENCE_S, UsageFault

_SECONDS = click.FloatRange(0, min_open=True)

#: A gate in another process, in the place of a gate's name.
command_option = click.option(
    "--command", metavar="COMMAND", help="The gate is the process that this starts: 'node path/to/gate.js'."
)


def gate_reference(gate: str | None, command: str | None) -> str | None:
    """How the gate is named to the campaign: by its own name, or by the command that starts it."""
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
