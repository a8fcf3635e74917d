"""A child process of a campaign as the parent sees it: two pipes, a log, and a way to end it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from typing import IO

import msgspec
import trio

from stopcheck.campaign._messages import FromChild, ToChild, from_child
from stopcheck.campaign._results import FaultReport

_CHUNK = 1 << 16
_LOG_TAIL = 600


class Child:
    """One child process and its two pipes."""

    def __init__(self, log: IO[bytes]) -> None:
        self.log = log
        self._buffer = b""
        to_read, self._to_write = os.pipe()
        self._from_read, from_write = os.pipe()
        command = [sys.executable, "-m", "stopcheck.campaign._child", str(to_read), str(from_write)]
        self.process = subprocess.Popen(
            command,
            pass_fds=(to_read, from_write),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        os.close(to_read)
        os.close(from_write)
        self._in = trio.lowlevel.FdStream(self._from_read)
        self._out = trio.lowlevel.FdStream(self._to_write)

    async def send(self, message: ToChild) -> None:
        """Say something to the child. It may be dead: then ``receive`` finds out."""
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
        return from_child.decode(line)

    def kill(self) -> None:
        """End the child and everything that it started."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return

    async def close(self) -> None:
        """Let the child end; if it does not, end it."""
        await self._out.aclose()
        with trio.move_on_after(5) as scope:
            await trio.to_thread.run_sync(self.process.wait, abandon_on_cancel=True)
        if scope.cancelled_caught:
            self.kill()
        await self._in.aclose()

    def last_words(self, silence_s: float, where: str) -> FaultReport:
        """Why the child is gone, for the report."""
        code = self.process.wait()
        self.log.seek(0, os.SEEK_END)
        size = self.log.tell()
        self.log.seek(max(0, size - _LOG_TAIL))
        tail = self.log.read().decode(errors="replace").strip()
        if code == -signal.SIGKILL:
            what = f"the adapter's process did not answer for {silence_s:g} s and was killed, in {where}"
            cause = "a call never returned and could not be interrupted"
        elif code < 0:
            what = f"the adapter's process died of {signal.Signals(-code).name}, in {where}"
            cause = "native code crashed, or the process was killed"
        else:
            what = f"the adapter's process ended by itself with exit status {code}, in {where}"
            cause = "something called os._exit or sys.exit"
        if tail:
            cause += f"; its last output: {tail.splitlines()[-1]}"
        return FaultReport("GateHung" if code == -signal.SIGKILL else "GateDied", what, cause, "run one scenario alone")
