"""asyncpg in the host ``asyncio``: statements are branch points, made over wires of our own (``_asyncpg_wire``).

One idea: asyncpg's protocol is a class of its own between connections and the transport, and all that a connection says
goes through a few of its methods. Each of these stands first, where others may move; then it is asyncpg's own, which
writes to a wire and waits for a future. What the task does when the answer is there, it does when it is chosen, like
after every await.

A task that is cancelled where it stands has not sent anything here, but would have: its transaction has failed. One
that is cancelled while its statement waits for a lock cancels that in the server, as asyncpg does, at a known point.

Known limits: an encrypted connection and LISTEN are not simulated; ``executemany``, a cursor's fetch and a COPY are one
step; a session serves one run only.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import socket
import sys
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from stopcheck.gate import HostMismatch
from stopcheck.kernel import Killed, Park, current_loop
from stopcheck.world._asyncpg_wire import Wire, WireSession
from stopcheck.world._inner_points import InnerPoints
from stopcheck.world._postgres_server import PostgresServer
from stopcheck.world._postgres_session import Memory, Spoken
from stopcheck.world._postgres_text import UNSEEN
from stopcheck.world._sql_text import statement_of

#: Gives the server at an address, for a user and a password: ``(host, port, user, password, database)``.
Servers = Callable[[str, int, str, str | None, str], PostgresServer]

_SPEAKS = (
    "query",
    "bind_execute",
    "bind_execute_many",
    "bind",
    "execute",
    "prepare",
    "copy_in",
    "copy_out",
    "close_statement",
    "close_portal",
)
#: Where what is said is given, as text or as a prepared statement: by this name, or first. Others never park.
_STATED = {
    "query": "query",
    "bind_execute": "state",
    "bind_execute_many": "state",
    "bind": "state",
    "copy_in": "copy_stmt",
    "copy_out": "copy_stmt",
}
_FAIL = "SELECT 1/0"
_NOTHING: Mapping[str, Any] = {}
_PLAIN = frozenset(("disable", "allow", "prefer"))


class _Said(Spoken):
    """What a method of the protocol is about to say."""

    def __init__(self, name: str, arguments: tuple[Any, ...] = (), named: Mapping[str, Any] = _NOTHING) -> None:
        said: Any = ""
        if name in _STATED:
            said = named[_STATED[name]] if _STATED[name] in named else arguments[0]
        self.sql = said if isinstance(said, str) else str(said.query)
        if self.sql:
            text = statement_of(self.sql)
            self.verb, self.label = text.verb, text.label
        else:
            self.verb, self.label = "", f"asyncpg:{name}"
        given = named.get("args", arguments[1] if len(arguments) > 1 else None)
        # What can be read only once is not read here.
        self.parameters = repr(given) if issubclass(type(given), (tuple, list)) else type(given).__name__
        self.parks = self.verb not in UNSEEN


class AsyncpgSubstitutes:
    """The run's wires. In place only where asyncpg has been loaded."""

    def __init__(self, points: InnerPoints, servers: Servers, memory: Callable[[], Memory]) -> None:
        self._points = points
        self._servers = servers
        self._memory = memory
        self._asyncpg: Any = None
        self._undo: list[tuple[Any, str, Any]] = []
        self._wires: weakref.WeakKeyDictionary[Any, Wire] = weakref.WeakKeyDictionary()
        self._made: list[Wire] = []

    # -- in place, or not ---------------------------------------------------------------------------------

    @property
    def loaded(self) -> bool:
        """Whether the gate uses it."""
        return "asyncpg" in sys.modules

    def put_in_place(self) -> None:
        """Replace the methods."""
        if not self.loaded or importlib.util.find_spec("psycopg") is None:
            return
        self._asyncpg = importlib.import_module("asyncpg")
        utils: Any = importlib.import_module("asyncpg.connect_utils")
        protocol: Any = importlib.import_module("asyncpg.protocol").Protocol
        clock: Any = importlib.import_module("asyncpg.protocol.protocol").Timer
        replaced = [
            (utils, "_connect_addr", self._in_place_of_connecting(utils._connect_addr)),
            (utils, "_cancel", self._in_place_of_cancelling(utils._cancel)),
            (self._asyncpg.Connection, "add_listener", self._in_place_of_listening()),
            (clock, "__enter__", _started),
            (clock, "__exit__", _stopped),
            *((protocol, name, self._in_place_of(name, getattr(protocol, name))) for name in _SPEAKS),
        ]
        for owner, name, stand_in in replaced:
            self._undo.append((owner, name, owner.__dict__.get(name)))
            setattr(owner, name, stand_in)

    def take_away(self) -> None:
        """Put the originals back."""
        while self._undo:
            owner, name, original = self._undo.pop()
            if original is None:
                delattr(owner, name)
            else:
                setattr(owner, name, original)

    # -- a run --------------------------------------------------------------------------------------------

    def kill(self) -> None:
        """The process died: its sessions end, and the server has let go of what they held. Called before the points
        know of it."""
        for wire in self._made:
            session = wire.session
            if session is not None and not session.life.dead and not wire.is_closing():
                session.server.in_flight.clear()
                session.server.end_sessions((session.pid,))

    def close(self) -> None:
        """No gate will move any more: end what is left."""
        for wire in self._made:
            owner = wire.owner()
            if owner is not None:
                owner._aborted = True
            if not wire.is_closing():
                if wire.session is not None:
                    wire.session.server.in_flight.clear()
                wire.let_go()
        self._made.clear()

    def left(self) -> list[bytes]:
        """What sessions hold."""
        return [s.left for wire in self._made if (s := wire.session) is not None and s.left and not s.life.dead]

    # -- the methods --------------------------------------------------------------------------------------

    def _in_place_of_connecting(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """``connect_utils._connect_addr``, which makes a connection to one address."""

        async def connect_addr(*, addr: Any, loop: Any, params: Any, **keywords: Any) -> Any:
            self._points.life.check()
            if current_loop() is None:
                return await original(addr=addr, loop=loop, params=params, **keywords)
            if str(getattr(params.sslmode, "name", "disable")) not in _PLAIN:
                raise HostMismatch(
                    f"asyncpg is to connect with sslmode {params.sslmode.name!r}, and connections are plain here",
                    cause="the kit reads what is said to the server, in order to know when a statement waits",
                    hint="connect with ssl=False when the database is the kit's, which is on STOPCHECK_POSTGRES",
                )
            if "create_connection" not in vars(loop):
                loop.create_connection = partial(self._reach, loop, loop.create_connection)
                loop.create_unix_connection = loop.create_connection
            made = await original(addr=addr, loop=loop, params=params._replace(ssl=None), **keywords)
            self._know(made, addr, params)
            return made

        return connect_addr

    async def _reach(
        self, loop: Any, original: Callable[..., Any], factory: Callable[[], Any], *where: Any, **more: Any
    ) -> tuple[Any, Any]:
        """``loop.create_connection``, which the simulated loop has for asyncpg only."""
        protocol = factory()
        if not isinstance(protocol, self._asyncpg.protocol.Protocol):
            found: tuple[Any, Any] = await original(lambda: protocol, *where, **more)
            return found
        if len(where) == 1:
            made = socket.socket(socket.AF_UNIX)
            made.connect(where[0])
        else:
            made = socket.create_connection(where)
        wire = Wire(loop, made, protocol, self._memory())
        self._made.append(wire)
        protocol.connection_made(wire)
        return wire, protocol

    def _know(self, made: Any, addr: Any, params: Any) -> None:
        wire: Wire = made._transport
        where: tuple[str, int] = _of_unix(addr) if isinstance(addr, str) else addr
        password = params.password if isinstance(params.password, str) else None
        server = self._servers(*where, params.user, password, params.database)
        session = WireSession(wire, made.get_server_pid(), server, self._points, params.database)
        server.pids.add(session.pid)
        wire.session = session
        self._wires[made._protocol] = wire
        wire.owner = weakref.ref(made)
        self._memory().note_new(session)

    def _in_place_of(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        """A method with which the protocol says something."""

        async def speak(protocol: Any, *args: Any, **keywords: Any) -> Any:
            wire = self._wires.get(protocol)
            session = None if wire is None else wire.session
            if wire is None or session is None:
                return await original(protocol, *args, **keywords)
            session.life.check()
            loop = current_loop()
            if loop is None:  # the run is over, and its tasks are told so
                raise Killed
            if wire.busy:
                raise self._asyncpg.InterfaceError("cannot perform operation: another operation is in progress")
            wire.busy = True
            try:
                said = _Said(name, args, keywords)
                if said.parks:
                    try:
                        await loop.stand(Park(said.label, session.touches))
                    except asyncio.CancelledError:
                        await self._take_back(protocol, wire)
                        raise
                    session.life.check()
                self._memory().note_before(session, said)
                return await self._said(wire, said, original(protocol, *args, **keywords), described=name == "prepare")
            finally:
                wire.busy = False

        return speak

    async def _said(self, wire: Wire, said: Spoken, making: Any, *, described: bool = False) -> Any:
        asked = wire.begins(said, described=described)
        try:
            return await making
        except self._asyncpg.QueryCanceledError as error:
            instead: Any = wire.instead()
            if instead is None:
                raise
            raise self._asyncpg.PostgresError.new({"C": instead.sqlstate, "M": str(instead)}) from error
        finally:
            wire.never_asked(asked)

    async def _take_back(self, protocol: Any, wire: Wire) -> None:
        """A statement was cancelled before the server made it: its transaction has failed."""
        session = wire.session
        if current_loop() is None or session is None or session.idle:
            return
        session.life.check()
        query: Any = self._asyncpg.protocol.protocol.BaseProtocol.query
        with suppress(self._asyncpg.PostgresError):
            await self._said(wire, _Said("taken back"), query(protocol, _FAIL, None))

    def _in_place_of_cancelling(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """``connect_utils._cancel``, which asks the server to cancel what a session does."""

        async def cancel(*, backend_pid: int, **keywords: Any) -> None:
            if current_loop() is None:
                await original(backend_pid=backend_pid, **keywords)
                return
            for wire in self._made:
                if wire.session is not None and wire.session.pid == backend_pid:
                    wire.end_wait()

        return cancel

    def _in_place_of_listening(self) -> Callable[..., Any]:
        """``Connection.add_listener``."""
        original = self._asyncpg.Connection.add_listener

        async def add_listener(connection: Any, channel: str, callback: Any) -> None:
            if current_loop() is None:
                await original(connection, channel, callback)
                return
            raise HostMismatch(
                f"the gate listens for notifications on {channel!r}, and the simulated loop hears none",
                cause="asyncpg's Connection.add_listener was called inside of a call",
                hint="look for what the call waits for with a statement, or let the gate be a process (--command)",
            )

        return add_listener


def _of_unix(path: str) -> tuple[str, int]:
    """Directory and port of a server's socket, as libpq names them."""
    folder, _, name = path.rpartition("/")
    return folder, int(name.rpartition(".")[2])


def _started(timer: Any) -> None:
    """Of a time budget: in the loop's time, which is virtual."""
    timer._started = asyncio.get_running_loop().time()


def _stopped(timer: Any, *_: object) -> None:
    if timer._budget is not None:
        timer._budget -= asyncio.get_running_loop().time() - timer._started
