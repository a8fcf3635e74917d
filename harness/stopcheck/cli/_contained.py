"""Running somebody's gate in a process of its own, so that it cannot end this one with a status that is a verdict.

One idea: a verdict is an exit code only when it was also said through a pipe that the gate does not know of.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

from stopcheck.campaign import ExitCode, FaultReport
from stopcheck.report import make_console, print_faults


def contained(action: Callable[[], int]) -> int:
    """Do it in a forked process, and return its exit code. Where there is no fork, do it here."""
    if not hasattr(os, "fork"):
        return action()
    sys.stdout.flush()
    sys.stderr.flush()
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(told)
        _act(action, tell)
    os.close(tell)
    try:
        return _verdict(child, told)
    except KeyboardInterrupt:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    finally:
        os.close(told)


def _act(action: Callable[[], int], tell: int) -> None:
    code = 1
    try:
        code = action()
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(tell, bytes((code,)))
    finally:
        os._exit(code)


def _verdict(child: int, told: int) -> int:
    code = os.read(told, 1)
    _, status = os.waitpid(child, 0)
    if code:
        return code[0]
    ended = os.waitstatus_to_exitcode(status)
    how = f"exit status {ended}" if ended >= 0 else signal.Signals(-ended).name
    fault = FaultReport(
        "GateDied",
        f"the process in which the run was replayed ended by itself with {how}",
        "something in the adapter called os._exit, or native code crashed",
        "look for os._exit in the adapter; run it in a plain Python",
    )
    print_faults(make_console(stderr=True), [fault])
    return ExitCode.ADAPTER_FAULT
