"""Options that several verbs share."""

from __future__ import annotations

import click

from stopcheck.campaign import EXECUTION_S, SILENCE_S

_SECONDS = click.FloatRange(0, min_open=True)

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
