"""Where the command begins.

One idea: what takes longest at the start is importing, and who presses Ctrl-C then wants one line too. So nothing is
imported here before somebody listens.
"""

from __future__ import annotations

import sys

#: What a shell says of a program that Ctrl-C ended.
INTERRUPTED = 130


def main() -> None:
    """The console script."""
    try:
        from stopcheck.cli._main import main as run

        run()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)


__all__ = ["INTERRUPTED", "main"]
