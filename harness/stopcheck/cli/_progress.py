"""How verbs that take a while show that they move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from stopcheck.report import LiveProgress, make_console


def progress_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The flags ``--quiet`` and ``--plain``."""
    quiet = click.option("--quiet", is_flag=True, help="No live progress.")
    plain = click.option("--plain", is_flag=True, help="A line for each scenario instead of a bar, for logs.")
    return plain(quiet(command))


def live_progress(*, quiet: bool, plain: bool) -> LiveProgress:
    """The progress that these flags ask for. Plain lines go to standard error: the report has the other stream."""
    return LiveProgress(make_console(stderr=plain), quiet=quiet, plain=plain)
