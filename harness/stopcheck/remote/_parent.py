"""Ending with one's parent: nobody is left to end a process whose parent was killed.

One idea: only the kernel sees that a parent has died while a gate hangs in native code, where no thread of ours comes
to its turn. Where the kernel cannot be told (not Linux), a process ends when it next writes to its parent.
"""

from __future__ import annotations

import ctypes
import signal
import sys

_PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """From now on: when the thread that started this process ends, however it does, this process is killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
