"""Where the command begins.

One idea: what takes longest at the start is importing, and who presses Ctrl-C then wants one line too. So nothing is
imported here before somebody listens.
"""

from __future__ import annotations

import gc
import os
import sys

#: What a shell says of a program that Ctrl-C ended.
INTERRUPTED = 130


def main() -> None:
    """The console script."""
    _open_streams()
    try:
        gc.disable()  # imports leave no garbage; looking for it took a quarter of their time
        from stopcheck.cli._main import main as run

        gc.freeze()
        gc.enable()
        run()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)


def _open_streams() -> None:
    """Put nothing in the place of a standard stream that was closed (``>&-``): else the next file that is opened, by us
    or by a gate's process, would be taken for it, and what is said would end up there."""
    while True:
        descriptor = os.open(os.devnull, os.O_RDWR)
        if descriptor > 2:
            os.close(descriptor)
            break
    # Python has none where there was none.
    sys.stdin = sys.stdin or open(0)  # noqa: SIM115
    sys.stdout = sys.stdout or open(1, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w")  # noqa: SIM115


__all__ = ["INTERRUPTED", "main"]
