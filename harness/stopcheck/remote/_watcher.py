"""A watcher: a process that outlives its kit by a moment, to end what the kit started.

One idea: whoever is killed with SIGKILL ends nobody any more, but each pipe of his is closed. So a tiny process reads
one to which nobody writes, and when that ends it sweeps whatever carries the kit's mark, a gate that pays no heed to
the end of its input too. There is none where there is no ``/proc``, in which marks are found.
"""

from __future__ import annotations

import os
import subprocess
import sys
import weakref

from stopcheck.remote import _marks


def watch_over(kept: object, name: str, mark: str) -> weakref.finalize[..., object]:
    """Start one for as long as ``kept`` is there; called, what is returned ends it before."""
    if not os.path.isdir("/proc"):
        return weakref.finalize(kept, _nothing)
    command = [sys.executable, "-I", "-S", _marks.__file__, name, mark]
    watcher = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    return weakref.finalize(kept, _end, watcher)


def _end(watcher: subprocess.Popen[bytes]) -> None:
    assert watcher.stdin is not None
    watcher.kill()
    watcher.wait()
    watcher.stdin.close()


def _nothing() -> None:
    """Nobody watches."""
