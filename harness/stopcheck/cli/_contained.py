"""Running somebody's gate in a process of its own, so that it cannot end this one with a status that is a verdict, nor
hang it.

One idea: a verdict is an exit code only when it was also said through a pipe that the gate does not know of; and while
the gate runs something comes through that pipe now and then, or it is over.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import TextIO

from stopcheck.campaign import ExitCode, FaultReport, escaped
from stopcheck.cli._guard import guarded
from stopcheck.remote import end_with_parent, signal_name, sweep
from stopcheck.report import make_console, print_faults
from stopcheck.world import forks_refused

#: In the environment of whatever the process starts, with its id: it ends with it.
_MARK = "STOPCHECK_CONTAINED"
_ALIVE, _QUIET, _CODE = b".", b"|", b"="


class Pulse:
    """How the process tells that it is alive. Where there is no other process, nobody hears it."""

    def __init__(self, tell: int | None = None) -> None:
        self._tell = tell

    def beat(self) -> None:
        """The gate came back: the next bit of work begins."""
        self._say(_ALIVE)

    def rest(self) -> None:
        """No more of the gate's code will run: what is left (a reader who takes his time) may take any time."""
        self._say(_QUIET)

    def end(self, code: int) -> None:
        """The verdict."""
        self._say(_CODE + bytes((code,)))

    def _say(self, what: bytes) -> None:
        if self._tell is not None:
            os.write(self._tell, what)


def contained(action: Callable[[Pulse], int], silence_s: float, *, debugging: bool = False) -> int:
    """Do it guarded in a forked process, and return its exit code; end it when it is silent for so long. Where there is
    no fork, do it here. ``debugging``: somebody in the debugger may end it, by what Ctrl-C raises."""
    if not hasattr(os, "fork"):
        return guarded(lambda: action(Pulse()))
    sys.stdout.flush()
    sys.stderr.flush()
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        end_with_parent()
        os.close(told)
        os.environ[_MARK] = str(os.getpid())
        _act(lambda: action(Pulse(tell)), Pulse(tell), debugging=debugging)
    os.close(tell)
    try:
        return _verdict(child, told, silence_s)
    except KeyboardInterrupt:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    finally:
        os.close(told)
        sweep(_MARK, str(child))


def _act(action: Callable[[], int], pulse: Pulse, *, debugging: bool) -> None:
    code = 1
    try:
        sys.stdout, sys.stderr = _kept(sys.stdout), _kept(sys.stderr)
        signal.signal(signal.SIGINT, _left_to_the_parent)
        if callable(signal.getsignal(signal.SIGTERM)):  # what the parent does then is its own
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with forks_refused():
            code = guarded(action if debugging else lambda: _blamed(action))
        sys.stdout.flush()
        sys.stderr.flush()
        pulse.end(code)
    finally:
        os._exit(code)


def _kept(stream: TextIO) -> TextIO:
    """The same stream by another descriptor, which a gate that closes 1 and 2 does not know of."""
    return open(os.dup(stream.fileno()), "w", encoding=stream.encoding, errors=stream.errors)


def _left_to_the_parent(_number: int, _frame: FrameType | None) -> None:
    """Ctrl-C comes to both, and the parent ends this process."""


def _blamed(action: Callable[[], int]) -> int:
    """Do it; what ends programs was raised by the gate, for no Ctrl-C raises anything here."""
    try:
        return action()
    except (Exception, SystemExit):
        raise
    except BaseException as error:
        raise escaped(error) from error


def _verdict(child: int, told: int, silence_s: float) -> int:
    heard = b""
    while True:
        patience = None if _QUIET in heard else silence_s
        if not select.select([told], [], [], patience)[0]:
            return _silent(child, silence_s)
        said = os.read(told, 1 << 16)
        if not said:
            return _ended(child)
        heard = (heard + said).lstrip(_ALIVE)
        if _CODE in heard[:-1]:
            os.waitpid(child, 0)
            return heard[heard.index(_CODE) + 1]


def _silent(child: int, silence_s: float) -> int:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return _fault(
        "GateHung",
        f"the run that was replayed did not come back for {silence_s:g} s and was killed",
        "a call never returned and could not be interrupted: native code, or a loop inside of a built-in",
        "attach a native debugger (py-spy dump) while it hangs; wait through the environment instead",
    )


def _ended(child: int) -> int:
    _, status = os.waitpid(child, 0)
    ended = os.waitstatus_to_exitcode(status)
    how = f"exit status {ended}" if ended >= 0 else signal_name(-ended)
    return _fault(
        "GateDied",
        f"the process in which the run was replayed ended by itself with {how}",
        "something in the adapter called os._exit, closed descriptors or replaced functions that are not its own, sent "
        "itself a signal, or crashed in native code",
        "look for these in the adapter; run it in a plain Python",
    )


def _fault(kind: str, what: str, cause: str, hint: str) -> int:
    print_faults(make_console(stderr=True), [FaultReport(kind, what, cause, hint)])
    return ExitCode.ADAPTER_FAULT
