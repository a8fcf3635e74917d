"""The factory of a command's gates: it reads the contract, keeps processes for further runs, and ends all of them.

One idea: starting a process costs a hundred times a call. So where a gate says that it can be given another storage,
one process serves run after run; a crash is a ``SIGKILL`` all the same, and what comes after it a new process.
"""

from __future__ import annotations

import itertools
import os
import tempfile
import weakref
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version
from typing import Any

from stopcheck.gate import AdapterFault, Environment, GateContract
from stopcheck.remote._faults import HandshakeFault
from stopcheck.remote._gate import RemoteGate
from stopcheck.remote._handshake import introduce, try_overlap
from stopcheck.remote._log import GateLog
from stopcheck.remote._process import GateProcess, Limits
from stopcheck.remote._session import Session
from stopcheck.remote._watcher import watch_over
from stopcheck.remote._wire import CloseStorage, Fingerprint, Initialized, OpenStorage

_USUAL = Limits()
#: In the environment of all processes of one factory: by it they are found when the kit was killed.
_MARK = "STOPCHECK_GATE_OF"
_numbers = itertools.count(1)


class RemoteFactory:
    """Makes gates by a command. Close it when no run will use it any more. ``started`` counts processes.

    The first look at ``contract`` starts a process, tries whether kit and gate can work together, and sees it end.
    """

    def __init__(self, command: Sequence[str], limits: Limits = _USUAL) -> None:
        self.command = tuple(command)
        self.started = 0
        #: Where in the gate's code a call parked last, for people.
        self.place = ""
        self._limits = limits
        self._log = GateLog(limits.log_bytes)
        self._told: Initialized | None = None
        self._idle: list[Session] = []
        self._live: list[Session] = []
        self._pending: AdapterFault | None = None
        self._mark = f"{os.getpid()}-{next(_numbers)}"  # noqa: TID251 - tells one kit's processes from another's
        self._watcher: weakref.finalize[..., object] | None = None

    @property
    def contract(self) -> GateContract:
        """What the gate says of itself. Raises an adapter fault when kit and gate cannot work together."""
        if self._told is None:
            self._told = self._rehearse()
        return self._told.contract

    def __call__(self, environment: Environment, /) -> RemoteGate:
        """Open a gate on the environment's storage."""
        pending, self._pending = self._pending, None
        if pending is not None:
            raise pending
        session = self._idle.pop() if self._idle else self._start()
        self._live.append(session)
        self._guarded(session, lambda: session.ask(OpenStorage(storage=str(environment.storage)), environment))
        return RemoteGate(self, session, environment)

    # -- a gate's process -----------------------------------------------------------------------------------------

    def step(self, session: Session, number: int, environment: Environment) -> Any:
        """Let a call of the session go on, until it parks or has its result."""
        outcome = self._guarded(session, lambda: session.go_on(number, environment))
        self.place = session.place
        return outcome

    def ask(self, session: Session, message: Fingerprint) -> Any:
        """Ask something that cannot park."""
        return self._guarded(session, lambda: session.ask(message))

    def _guarded(self, session: Session, action: Any) -> Any:
        """After whatever goes wrong in it, the process is of no use."""
        try:
            return action()
        except BaseException:
            self._end(session)
            raise

    def _end(self, session: Session) -> None:
        session.process.kill()
        if session in self._live:
            self._live.remove(session)

    def take_back(self, session: Session) -> None:
        """The run is over. What goes wrong now is said when the next gate is made."""
        if session not in self._live:
            return
        assert self._told is not None
        if not self._told.reopens:
            self._end(session)
            return
        try:
            session.give_up_calls()
            session.ask(CloseStorage())
        except AdapterFault as error:
            self._pending = error
            self._end(session)
        except BaseException:
            self._end(session)
            raise
        else:
            self._live.remove(session)
            self._idle.append(session)

    def crash(self) -> None:
        """Kill the processes of all gates that are open, and whatever they started."""
        while self._live:
            self._live.pop().process.kill()

    def close(self) -> None:
        """End all processes."""
        self.crash()
        while self._idle:
            with suppress(AdapterFault):
                self._idle.pop().process.finish()
        if self._watcher is not None:
            self._watcher()

    # -- starting -------------------------------------------------------------------------------------------------

    def _start(self) -> Session:
        session = self._open_process()
        try:
            told = introduce(session, _kit())
            if self._told is not None and told != self._told:
                raise _changed()
        except BaseException:
            session.process.kill()
            raise
        return session

    def _open_process(self) -> Session:
        self.started += 1
        if self._watcher is None or not self._watcher.alive:
            self._watcher = watch_over(self, _MARK, self._mark)
        process = GateProcess(self.command, self._limits, self._log, {_MARK: self._mark})
        return Session(process, self._limits, self._log)

    def _rehearse(self) -> Initialized:
        """Everything that does not need a run, once, from the start of a process to its end."""
        session = self._open_process()
        try:
            told = introduce(session, _kit())
            if not told.contract.serialised_calls:
                try_overlap(session)
            with tempfile.TemporaryDirectory(prefix="stopcheck-") as folder:
                session.ask(OpenStorage(storage=folder))
                session.ask(CloseStorage())
                session.process.finish()
        finally:
            session.process.kill()
        return told


def _changed() -> AdapterFault:
    return HandshakeFault(
        "a new process of the same command says something else of itself than the first",
        cause="name, version or contract come from a clock, a random source or what is left of earlier processes",
        hint="make them constants",
    )


def _kit() -> str:
    return version("stopcheck")
