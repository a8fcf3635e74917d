"""The console that reports are printed on.

One idea: whether the reader is a person, a pipe or a log, what can be copied stays on one line, and a reader that goes
away (``| head -1``) ends the program quietly, not with a verdict that nobody read.
"""

from __future__ import annotations

import os
import sys

from rich.console import Console
from rich.text import Text


class ReportConsole(Console):
    """A rich console that raises ``BrokenPipeError`` when its reader is gone; rich would exit with 1, which here means
    violations."""

    def on_broken_pipe(self) -> None:
        """Called by rich. Nothing more can be written, also not by the interpreter at its end."""
        silence(self.stderr)
        raise BrokenPipeError

    def say(self, text: str, style: str = "") -> None:
        """One line as it is: not wrapped, not cut, not coloured by its content, nor does a terminal obey that."""
        plain = text if text.isprintable() else "".join(c if c.isprintable() or c == "\n" else "?" for c in text)
        self.print(Text(plain, style=style), soft_wrap=True)


def make_console(*, stderr: bool = False) -> ReportConsole:
    """The console for one of the standard streams."""
    return ReportConsole(stderr=stderr, highlight=False)


def silence(stderr: bool = False) -> None:
    """Point a standard stream whose reader is gone at nothing."""
    stream = sys.stderr if stderr else sys.stdout
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, stream.fileno())
    os.close(nothing)


def one_line(text: str) -> str:
    """An adapter's message may hold anything; a terminal must not obey it."""
    return "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))
