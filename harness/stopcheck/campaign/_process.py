"""A child process of a campaign as the parent sees it: two pipes, a log, and ways to end it.

One idea: a child leads a process group of its own, and however it ends, its group ends with it, and so does whatever
left that group: an adapter that starts processes leaves none behind.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import trio

from stopcheck.campaign._messages import FromChild, ToChild, from_child
from stopcheck.campaign._results import FaultReport
from stopcheck.remote import marked, signal_name, sweep

_CHUNK = 1 << 16
_LOG_TAIL = 600
#: An adapter that prints a lot does not fill the disk: what it printed first is dropped.
_LOG_BOUND = 1 << 20
#: Real seconds in which a child that was told to end must have ended.
_PATIENCE_S = 5.0
_LOOK_S = 0.01
_SHOWN = 300
#: In the environment of a child and of all that it starts.
_MARK = "STOPCHECK_CAMPAIGN_CHILD"
_numbers = itertools.count(1)
#: How a child starts. Imports leave no garbage, and looking for it takes a quarter of their time: it is collected from
#: then on.
_START = "import gc; gc.disable(); import stopcheck.campaign._child as child; child.main({}, {})"


class Child:
    """One child process and its two pipes."""

    def __init__(self, log: Path, hash_seed: str) -> None:
        self._log = log.open("a+b")  # appended to by the child, so that it may be cut in between
        self._buffer = b""
        self._killed = False
        self._mark = f"{os.getpid()}-{next(_numbers)}"
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()
        command = [sys.executable, "-c", _START.format(to_read, from_write)]
        self.process = subprocess.Popen(
            command,
            pass_fds=(to_read, from_write),
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
            env={**marked(_MARK, self._mark), "PYTHONHASHSEED": hash_seed},
        )
        os.close(to_read)
        os.close(from_write)
        self._in = trio.lowlevel.FdStream(from_read)
        self._out = trio.lowlevel.FdStream(to_write)

    async def send(self, message: ToChild) -> None:
        """Say something to the child. It may be dead: then ``receive`` finds out. What it printed by now is not what it
        prints last in whatever comes now."""
        self._log.truncate(0)
        with contextlib.suppress(trio.BrokenResourceError):
            await self._out.send_all(msgspec.json.encode(message) + b"\n")

    async def receive(self, silence_s: float) -> FromChild | None:
        """The next message; ``None`` when the child ended or was silent for too long (then it is killed)."""
        while b"\n" not in self._buffer:
            chunk = b""
            with trio.move_on_after(silence_s) as scope:
                chunk = await self._in.receive_some(_CHUNK)
            if scope.cancelled_caught:
                self.kill()
                return None
            if not chunk:
                return None
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        if os.fstat(self._log.fileno()).st_size > _LOG_BOUND:
            self._log.truncate(0)
        return from_child.decode(line)

    def kill(self) -> None:
        """End the child and everything that it started."""
        self._killed = True
        self._end_group()

    async def close(self) -> None:
        """Let the child end; if it does not, end it. What it started ends too."""
        await self._out.aclose()
        with trio.move_on_after(_PATIENCE_S):
            await self._ended()
        self._end_group()
        self.process.wait()
        await self._in.aclose()
        self._log.close()

    async def last_words(self, silence_s: float, where: str) -> FaultReport:
        """Why the child is gone, for the report."""
        with trio.move_on_after(_PATIENCE_S):
            await self._ended()
        ended = self._has_ended()
        self._end_group()
        code = self.process.wait()
        if self._killed:
            what = f"the adapter's process did not answer for {silence_s:g} s and was killed, in {where}"
            cause = "a call never returned and could not be interrupted"
        elif not ended:
            what = f"the adapter's process closed its pipe to the kit, in {where}"
            cause = "something closed descriptors that were not its own"
        elif code < 0:
            what = f"the adapter's process died of {signal_name(-code)}, in {where}"
            cause = "native code crashed, or the process was killed"
        else:
            what = f"the adapter's process ended by itself with exit status {code}, in {where}"
            cause = "something called os._exit or sys.exit"
        tail = self._tail()
        if tail:
            cause += f"; its last output: {tail}"
        kind = "GateHung" if self._killed else "GateDied"
        return FaultReport(kind, what, cause, "run one scenario alone: --scenario ID --jobs 1")

    # -- the process --------------------------------------------------------------------------------------

    async def _ended(self) -> None:
        while not self._has_ended():
            await trio.sleep(_LOOK_S)

    def _has_ended(self) -> bool:
        """Whether it ended; it is not reaped yet, so that its process group still is its own."""
        if self.process.returncode is not None:
            return True
        try:
            return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:  # of children nothing is left where SIGCHLD is ignored
            return True

    def _end_group(self) -> None:
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        sweep(_MARK, self._mark)

    def _tail(self) -> str:
        self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, self._log.tell() - _LOG_TAIL))
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        return lines[-1][-_SHOWN:] if lines else ""
