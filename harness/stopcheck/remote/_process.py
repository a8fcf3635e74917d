"""A gate's process: lines to it, lines from it, its log, its death; everything bounded, in size and in real time.

One idea: whoever started it can always end it. It leads a process group, which ends with ``SIGKILL``, and carries a
mark by which whatever left that group is found. Real time decides only when a process counts as hung.
"""

from __future__ import annotations

import itertools
import os
import select
import signal
import subprocess
import time  # noqa: TID251 - bounds how long a process is waited for; no result hangs on it
from collections.abc import Mapping, Sequence
from contextlib import suppress

import msgspec

from stopcheck.gate import AdapterFault, GateHung
from stopcheck.remote._faults import GateDied, ProcessLeftBehind, WireFault, shown, signal_name
from stopcheck.remote._log import GateLog
from stopcheck.remote._marks import find_marked, marked, sweep

_MARK = "STOPCHECK_GATE_PROCESS"
_CHUNK = 1 << 16
#: How long a process whose pipe was closed is given until its exit status is there, and how often that is looked for.
_LAST_S = 1.0
_LOOK_S = 0.005
_numbers = itertools.count(1)
_NOTHING: Mapping[str, str] = {}


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds on a gate's process, in real seconds and bytes. ``start_s`` is for the first answer, ``answer_s`` for each
    later message that it owes, ``stop_s`` for its end after its input was closed. ``flood_bytes`` is what it may write
    to its log while one message is waited for; ``log_bytes`` what is kept of it. ``asks`` is how often it may ask back
    before a call parks or has its result."""

    start_s: float = 8.0
    answer_s: float = 5.0
    stop_s: float = 3.0
    line_bytes: int = 1 << 20
    flood_bytes: int = 8 << 20
    log_bytes: int = 1 << 18
    asks: int = 10_000


class GateProcess:
    """One process, with ``kept`` in its environment. ``received`` counts its lines. Raises adapter faults, after each
    of which it is of no use."""

    def __init__(
        self, command: Sequence[str], limits: Limits, log: GateLog, kept: Mapping[str, str] = _NOTHING
    ) -> None:
        self.received = 0
        self.ended = False
        self._limits = limits
        self._log = log
        self._mark = f"{os.getpid()}-{next(_numbers)}"  # noqa: TID251 - tells one kit's processes from another's
        self._buffer = bytearray()
        self._flood = 0
        self._output_closed = False
        try:
            self._process = subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                env={**marked(_MARK, self._mark), **kept},
            )
        except OSError as error:
            raise GateDied(
                f"the gate's process cannot be started: {error.strerror}: {error.filename or command[0]}",
                cause=f"the command is {' '.join(command)!r}, started in {os.getcwd()}",
                hint="run the command in a shell: it must start, and wait for lines on its standard input",
            ) from error
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._in, self._out, self._err = process.stdin.fileno(), process.stdout.fileno(), process.stderr.fileno()
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)

    # -- lines ----------------------------------------------------------------------------------------------------

    def send(self, line: bytes, doing: str) -> None:
        """Write a line. ``doing`` says for what, to people."""
        end = time.monotonic() + self._limits.answer_s
        left = memoryview(line)
        while left:
            try:
                left = left[os.write(self._in, left) :]
            except BlockingIOError:
                self._wait_to_write(end, doing)
            except BrokenPipeError as error:
                raise self._dead("closed its standard input", doing) from error

    def receive(self, seconds: float, doing: str) -> bytes:
        """Its next line. Raises an adapter fault when none comes in time, or something else than lines."""
        buffer = self._buffer
        self._flood = 0
        end = 0.0
        looked = 0
        while (at := buffer.find(b"\n", looked)) < 0:
            looked = len(buffer)
            if looked > self._limits.line_bytes:
                raise self._too_long(doing)
            if self._output_closed:
                raise self._dead("closed its standard output", doing)
            if not end:
                end = time.monotonic() + seconds
            self._read(end - time.monotonic(), seconds, doing)
        line = bytes(buffer[:at])
        del buffer[: at + 1]
        self.received += 1
        if len(line) > self._limits.line_bytes:
            raise self._too_long(doing)
        return line

    def _read(self, patience_s: float, bound_s: float, doing: str) -> None:
        ready = self._poll.poll(max(0.0, patience_s) * 1000)
        if not ready:
            dead = self._exit_code() is not None  # while another process holds its pipes open
            raise self._dead("ended", doing) if dead else self._silent(bound_s, doing)
        for descriptor, _ in ready:
            chunk = self._chunk(descriptor)
            if descriptor == self._err:
                self._note(chunk, doing)
            else:
                self._buffer += chunk

    def _chunk(self, descriptor: int) -> bytes:
        """What there is to read; nothing, from then on, when it was closed."""
        chunk = os.read(descriptor, _CHUNK)
        if not chunk:
            self._poll.unregister(descriptor)
            self._output_closed = self._output_closed or descriptor == self._out
        return chunk

    def _note(self, chunk: bytes, doing: str) -> None:
        self._log.add(chunk)
        self._flood += len(chunk)
        if self._flood > self._limits.flood_bytes:
            raise WireFault(
                f"the gate wrote more than {self._limits.flood_bytes:,} bytes to its log (standard error), and nothing "
                f"else, while {doing}",
                cause="a loop that logs and never comes to its answer",
                hint=self._log.where(),
            )

    def _wait_to_write(self, end: float, doing: str) -> None:
        """Until it reads; what it writes meanwhile is taken in, for it may be waiting for that."""
        _, writable, _ = select.select((), (self._in,), (), min(_LOOK_S, max(0.0, end - time.monotonic())))
        if writable:
            return
        if time.monotonic() >= end:
            raise GateHung(
                f"the gate does not read its input: a line was not taken within {self._limits.answer_s:g} s, while "
                f"{doing}",
                cause="it reads nothing while a call is open, or its event loop is blocked",
                hint=self._log.where(),
            )
        if len(self._buffer) > self._limits.line_bytes:
            raise self._too_long(doing)
        if self._poll.poll(0):
            self._read(0.0, self._limits.answer_s, doing)

    # -- faults ---------------------------------------------------------------------------------------------------

    def _too_long(self, doing: str) -> AdapterFault:
        start = bytes(self._buffer[:80])
        return WireFault(
            f"line {self.received + 1} of the gate is longer than {self._limits.line_bytes:,} bytes, while {doing}",
            cause=f"it begins {shown(start)}; a message is one line of JSON",
            hint=self._log.where(),
        )

    def _silent(self, seconds: float, doing: str) -> AdapterFault:
        begun = f"; it began a line with {shown(bytes(self._buffer))}" if self._buffer else ""
        return GateHung(
            f"the gate's process said nothing for {seconds:g} s, while {doing}",
            cause="a call must come to its result, or park by env/branch or env/blocked: it loops, waits in real time, "
            f"or waits for another call without saying so by env/blocked{begun}",
            hint=self._log.where(),
        )

    def _dead(self, did: str, doing: str) -> AdapterFault:
        """``did``: what it did, if it lives on."""
        code = self._exit_code(_LAST_S)
        self._drain_log()
        said = self._log.last_words
        cause = f"its last words: {said}" if said else "it said nothing on standard error"
        if self._buffer:
            cause = f"it left half a line, {shown(bytes(self._buffer))}; {cause}"
        if code is None:
            what = f"the gate's process {did} and lives on, while {doing}"
        elif code < 0:
            what = f"the gate's process died of {signal_name(-code)}, while {doing}"
        else:
            what = f"the gate's process ended by itself with exit status {code}, while {doing}"
        return GateDied(what, cause=cause, hint=self._log.where())

    def _exit_code(self, patience_s: float = 0.0) -> int | None:
        """As ``Popen`` has it; ``None`` while it lives. It is not reaped here: until it is, its group is its own."""
        end = time.monotonic() + patience_s
        while True:
            try:
                found = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:  # of children nothing is left where SIGCHLD is ignored
                return 0
            if found is not None:
                return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status
            if time.monotonic() >= end:
                return None
            time.sleep(_LOOK_S)

    def _drain_log(self) -> None:
        with suppress(BlockingIOError):
            while chunk := os.read(self._err, _CHUNK):
                self._log.add(chunk)
                if self._log.dropped:
                    return

    # -- its end --------------------------------------------------------------------------------------------------

    def kill(self) -> None:
        """End it and everything that it started, as a crash does: no code of it runs any more."""
        if self.ended:
            return
        self.ended = True
        if self._process.returncode is None:  # not reaped, so that its group still is its own
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        sweep(_MARK, self._mark)
        self._process.wait()
        self._drain_log()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def finish(self) -> None:
        """Close its input, whereupon it ends by itself. Raises an adapter fault when it does not, or leaves processes
        behind; all are ended then."""
        if self.ended:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        end = time.monotonic() + self._limits.stop_s
        try:
            lives = self._outlives_its_input(end)
            left = {} if lives else self._left_behind(end)
        finally:
            self.kill()
        if lives:
            raise GateHung(
                f"the gate's process did not end within {self._limits.stop_s:g} s after its input was closed",
                cause="something keeps it alive: a timer, a server, a child",
                hint=f"let it end when its standard input does; {self._log.where()}",
            )
        if left:
            pid, command = min(left.items())
            raise ProcessLeftBehind(
                f"the gate's process ended and left {len(left)} running: {command[:160]!r} (process {pid}); killed now",
                cause="it starts processes that do not end with it",
                hint=f"end what you start before you end; {self._log.where()}",
            )

    def _outlives_its_input(self, end: float) -> bool:
        while self._exit_code() is None:
            if time.monotonic() >= end:
                return True
            for descriptor, _ in self._poll.poll(_LOOK_S * 1000):
                chunk = self._chunk(descriptor)
                if descriptor == self._err:
                    self._log.add(chunk)
        return False

    def _left_behind(self, end: float) -> dict[int, str]:
        """Who is there still; those who are about to end are waited for."""
        while left := find_marked(_MARK, self._mark):
            if time.monotonic() >= end:
                break
            time.sleep(_LOOK_S)
        return left
