"""The executor: jobs in child processes that the parent can kill, and whose last words it can write.

One idea: results are merged in the order of the plan, whatever child finished first, and budgets count executions and not
seconds; so a campaign's report does not depend on the machine's speed or on the number of children.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import msgspec
import trio

from stopcheck.campaign._errors import UsageFault
from stopcheck.campaign._messages import (
    Broken,
    Finished,
    FromChild,
    Open,
    Opened,
    Progress,
    Refused,
    Run,
    ToChild,
    from_child,
)
from stopcheck.campaign._results import (
    CampaignEvent,
    CampaignStarted,
    FaultReport,
    GateIdentity,
    JobFinished,
    JobProgress,
    JobResult,
    JobSpec,
    JobStarted,
)
from stopcheck.gate import GateContract

#: How long a child may be silent before it is killed, in real seconds. It reports progress between executions, and each
#: execution is bounded by itself; so only an adapter that cannot be interrupted is silent that long.
SILENCE_S = 60.0
_CHUNK = 1 << 16
_LOG_TAIL = 600

OnEvent = Callable[[CampaignEvent], None]


class Outcome(msgspec.Struct):
    """What the executor hands back."""

    identity: GateIdentity | None = None
    contract: GateContract | None = None
    results: dict[int, JobResult] = {}
    faults: list[FaultReport] = []


class _Child:
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


async def execute(request: Open, on_event: OnEvent, *, children: int, silence_s: float = SILENCE_S) -> Outcome:
    """Run the campaign. Raises :class:`UsageFault` for an unknown gate or scenario."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory(prefix="stopcheck-logs-") as folder:
        jobs = await _open_first(request, outcome, Path(folder), on_event, silence_s)
        if not jobs:
            return outcome
        queue = iter(list(enumerate(jobs)))
        async with trio.open_nursery() as nursery:
            for number in range(min(children, len(jobs))):
                log = Path(folder) / f"child-{number}.log"
                nursery.start_soon(_work, request, queue, outcome, log, on_event, silence_s)
    return outcome


async def _open_first(
    request: Open, outcome: Outcome, folder: Path, on_event: OnEvent, silence_s: float
) -> tuple[JobSpec, ...]:
    with (folder / "opening.log").open("w+b") as log:
        child = _Child(log)
        await child.send(request)
        reply = await child.receive(silence_s)
        try:
            if isinstance(reply, Refused):
                raise UsageFault(reply.what, hint=reply.hint)
            if isinstance(reply, Broken):
                outcome.faults.append(reply.fault)
                return ()
            if not isinstance(reply, Opened):
                outcome.faults.append(child.last_words(silence_s, f"the import of {request.reference}"))
                return ()
        finally:
            await child.close()
    outcome.identity, outcome.contract = reply.identity, reply.contract
    on_event(CampaignStarted(reply.identity, reply.jobs, request.seed))
    return reply.jobs


async def _work(
    request: Open,
    jobs: Iterator[tuple[int, JobSpec]],
    outcome: Outcome,
    log_path: Path,
    on_event: OnEvent,
    silence_s: float,
) -> None:

    child: _Child | None = None
    with log_path.open("w+b") as log:
        for index, spec in jobs:
            if child is None:
                child = _Child(log)
                await child.send(request)
                await child.receive(silence_s)
            on_event(JobStarted(index, spec))
            await child.send(Run(index, spec))
            result = await _follow(child, on_event, silence_s)
            if result is None:
                fault = child.last_words(silence_s, spec.name)
                await child.close()
                child = None
                result = lost(spec, fault)
            outcome.results[index] = result
            on_event(JobFinished(index, result))
        if child is not None:
            await child.close()


async def _follow(child: _Child, on_event: OnEvent, silence_s: float) -> JobResult | None:
    while True:
        message = await child.receive(silence_s)
        if isinstance(message, Progress):
            on_event(JobProgress(message.index, message.executions, message.states, message.failures))
        elif isinstance(message, Finished):
            return message.result
        else:
            return None


def lost(spec: JobSpec, fault: FaultReport) -> JobResult:
    """The result of a job whose process is gone."""
    return JobResult(spec, "", complete=False, ground="", left=fault.what, executions=0, states=0, fault=fault)
