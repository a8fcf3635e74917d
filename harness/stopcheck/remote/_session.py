"""A conversation with a gate's process: calls that overlap, what they ask back for, and who may speak when.

One idea: at each moment at most one call *runs*, namely the one that the kit let go on last, and only it may speak. It
runs until it has its result or parks. So nothing depends on how fast the process is, and a line out of turn is found
the moment it is read.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import msgspec

from stopcheck.gate import (
    OPERATIONS,
    AdapterFault,
    Environment,
    GateRaised,
    Request,
    Retry,
    Unsupported,
    WrongReply,
)
from stopcheck.remote._faults import HandshakeFault, WireFault, shown
from stopcheck.remote._log import GateLog
from stopcheck.remote._process import GateProcess, Limits
from stopcheck.remote._wire import (
    CALL_BACKS,
    LIFECYCLE,
    METHOD_OF,
    Asked,
    Blocked,
    Branch,
    CallBack,
    Code,
    ErrorObject,
    Failure,
    FreshId,
    Incoming,
    Lifecycle,
    Outgoing,
    Result,
    Verify,
    decode,
    encode,
)
from stopcheck.world import shortened

#: Characters of an error's message that are shown.
_MESSAGE = 500
#: What reading a value of the gate's may raise.
_UNREADABLE = (msgspec.MsgspecError, RecursionError)

#: What may end with an error though kit and gate speak with each other, and what to do about it.
_TO_DO = {"kit/open": "open the gate on the storage that it is given, new or not, without raising"}


class Parked(msgspec.Struct, frozen=True):
    """The call stands at a point of its own; ``id`` is the call-back that lets it go on."""

    id: int
    point: Branch | Blocked


class _Open(msgspec.Struct):
    """A call that has no result yet, for people and to answer it."""

    name: str
    method: str
    asked: Lifecycle | Request | None
    parked: Parked | None = None


class Session:
    """Speaks for the kit. ``place`` is where in the gate's code a call parked last."""

    def __init__(self, process: GateProcess, limits: Limits, log: GateLog) -> None:
        self.process = process
        self.place = ""
        self._limits = limits
        self._log = log
        self._next = 0
        self._calls: dict[int, _Open] = {}
        self._patience_s = limits.start_s
        self._over = False

    # -- what the kit asks for ------------------------------------------------------------------------------------

    def ask(self, message: Lifecycle, environment: Environment | None = None) -> Any:
        """Something besides operations, from beginning to end. It may not park."""
        method = METHOD_OF[type(message)]
        number = self.note(method, method, message)
        for _ in range(self._limits.asks):
            outcome = self.go_on(number, environment)
            if not isinstance(outcome, Parked):  # nobody else is there: as while a gate in Python is opened
                return outcome
        raise self._asks_without_end(method)

    def note(self, name: str, method: str, params: Lifecycle | Request) -> int:
        """Prepare a call, which ``name`` names to people; its ``id``."""
        self._next += 1
        self._calls[self._next] = _Open(name, method, params)
        return self._next

    def go_on(self, number: int, environment: Environment | None) -> Any:
        """Ask what was noted, or let a call that stands go on; then serve it until it parks or has its result."""
        call = self._calls[number]
        asked, parked = call.asked, call.parked
        call.asked = call.parked = None
        if asked is not None:
            self._send(Asked(number, call.method, asked), call.name)
        elif parked is not None:
            self._send(Result(parked.id, 0 if environment is None else environment.now_ns()), call.name)
        return self._serve(number, call, environment)

    def _serve(self, number: int, call: _Open, environment: Environment | None) -> Any:
        for _ in range(self._limits.asks):
            line = self.process.receive(self._patience_s, f"{call.name} was to answer")
            message = self._read(line, call)
            if message.method is msgspec.UNSET:
                return self._finished(number, call, message, line)
            point = self._called_back(number, call, message, message.method, line)
            if not isinstance(point, Branch | Blocked):
                self._send(self._answer(message.id, point, environment, line), call.name)
            elif self._over:
                self._give_up(message.id, call.name)
            else:
                call.parked = Parked(message.id, point)
                self.place = point.where
                return call.parked
        raise self._asks_without_end(call.name)

    def give_up_calls(self) -> None:
        """The run is over: every call that stands is told so, and ends."""
        self._over = True
        try:
            for number, call in list(self._calls.items()):
                parked, call.parked = call.parked, None
                if parked is not None:
                    self._give_up(parked.id, call.name)
                    with suppress(GateRaised, WrongReply):  # however it takes that, nobody waits for its result
                        self._serve(number, call, None)
            self._calls.clear()
        finally:
            self._over = False

    def _give_up(self, callback: int, name: str) -> None:
        self._send(Failure(callback, ErrorObject(Code.RUN_OVER, Code.RUN_OVER.name.lower())), name)

    # -- lines ----------------------------------------------------------------------------------------------------

    def _send(self, message: Outgoing, name: str) -> None:
        self.process.send(encode(message), f"{name} was sent to it")

    def _read(self, line: bytes, call: _Open) -> Incoming:
        if not line.strip():
            raise self._bad_line(line, "it is empty", "a message is one line of JSON, and each line is a message")
        try:
            message = decode(line)
        except msgspec.ValidationError as error:
            cause = "batches are not spoken here" if line.lstrip().startswith(b"[") else str(error)
            raise self._bad_line(line, "it is no message of JSON-RPC 2.0", cause) from error
        except RecursionError as error:
            raise self._bad_line(line, "it is nested too deeply", str(error)) from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._bad_line(
                line, "it is not JSON", f"{error}; only messages go to standard output, all else to standard error"
            ) from error
        if message.id < 0:
            raise self._bad_line(line, "it has no id", "each message of the gate's asks for an answer or is one")
        answers = (message.result is not msgspec.UNSET) + (message.error is not msgspec.UNSET)
        if answers + (message.method is not msgspec.UNSET) != 1:
            cause = "a message has exactly one of method, result and error"
            raise self._bad_line(line, "it is neither a request nor an answer", cause)
        return message

    def _finished(self, number: int, call: _Open, message: Incoming, line: bytes) -> Any:
        if message.id != number:
            raise self._not_its_turn(number, call, message.id, line)
        del self._calls[number]
        self._patience_s = self._limits.answer_s
        if message.error is not msgspec.UNSET:
            return self._failed(call, message.error)
        assert message.result is not msgspec.UNSET
        return self._result(call, message.result, line)

    def _not_its_turn(self, number: int, call: _Open, answered: int, line: bytes) -> AdapterFault:
        other = self._calls.get(answered)
        what = f"it answers {answered}, while {call.name} ({number}) runs"
        if other is not None and other.parked is not None:
            why = f"{other.name} ({answered}) stands at {other.parked.point.label!r} and was not let go on: it must "
            why += "await the answer to its call-back; what waits for another call waits by env/blocked"
        elif 0 < answered <= self._next:
            why = "that was answered before: each request is answered once"
        else:
            why = f"the kit never asked that; its latest request is {self._next}"
        return self._bad_line(line, what, why)

    def _result(self, call: _Open, raw: msgspec.Raw, line: bytes) -> Any:
        spec = OPERATIONS.get(call.method)
        kind: Any = reply_type(call.method) if spec is not None else LIFECYCLE[call.method][1]
        try:
            return msgspec.json.decode(raw, type=kind)
        except _UNREADABLE as error:
            received = self.process.received
            allowed = sorted(reply.__name__ for reply in spec.replies) if spec is not None else ["its schema tells"]
            raise WrongReply(
                f"line {received} of the gate answers {call.name} with what is no reply of it: {error}: {shown(line)}",
                cause=f"replies of {call.method}: {', '.join(allowed)}",
                hint=f"see the operation in stopcheck.gate.Gate; {self._log.where()}",
            ) from error

    def _failed(self, call: _Open, error: ErrorObject) -> Any:
        operation = call.method in OPERATIONS
        if operation and error.code == Code.METHOD_NOT_FOUND:
            return Unsupported()
        if operation and error.code == Code.RETRY:
            return Retry()
        known = next((code for code in Code if code == error.code), None)
        meaning = f"{known.name.lower()}: {known.meaning}" if known is not None else "no code of the error registry"
        data = error.data if isinstance(error.data, str) else shortened(error.data)
        where = f"; data: {data}" if error.data is not None else ""
        todo = "answer with a reply of the operation" if operation else _TO_DO.get(call.method, "")
        kind = GateRaised if todo else HandshakeFault
        raise kind(
            f"{call.name} ended with error {error.code}: {error.message[:_MESSAGE]}",
            cause=f"{meaning}{where}",
            hint=todo if todo and not self._log.keep() else "; ".join(filter(None, (todo, self._log.where()))),
        )

    def _called_back(self, number: int, call: _Open, message: Incoming, method: str, line: bytes) -> CallBack:
        known = CALL_BACKS.get(method)
        if known is None:
            cause = f"call-backs: {', '.join(CALL_BACKS)}"
            raise self._bad_line(line, f"it asks for {method!r}, which there is not", cause)
        raw = b"{}" if message.params is msgspec.UNSET else message.params
        try:
            asked = msgspec.json.decode(raw, type=known[0])
        except _UNREADABLE as error:
            raise self._bad_line(line, f"its params are not those of {method}", str(error)) from error
        if asked.call != number:
            other = self._calls.get(asked.call)
            who = f"{other.name} ({asked.call})" if other is not None else f"{asked.call}, which is no open call"
            raise self._bad_line(
                line,
                f"it asks for {who}, while {call.name} ({number}) runs",
                "a call that stands does nothing before its call-back is answered, and stands at one point at a time",
            )
        return asked

    def _answer(self, callback: int, asked: CallBack, environment: Environment | None, line: bytes) -> Outgoing:
        if self._over or environment is None:
            return Failure(callback, ErrorObject(Code.RUN_OVER, "there is no run"))
        if isinstance(asked, FreshId):
            return Result(callback, environment.fresh_id(asked.prefix))
        if isinstance(asked, Verify):
            return Result(callback, environment.verify(asked.receipt))
        return Result(callback, environment.now_ns())

    # -- faults ---------------------------------------------------------------------------------------------------

    def _asks_without_end(self, name: str) -> AdapterFault:
        what = f"the gate asked back {self._limits.asks:,} times while {name} ran, and did not come to its result"
        return self._fault(what, "a loop that asks, such as one that waits for a time by env/now instead of parking")

    def _bad_line(self, line: bytes, what: str, cause: str) -> AdapterFault:
        return self._fault(f"line {self.process.received} of the gate: {what}: {shown(line)}", cause)

    def _fault(self, what: str, cause: str) -> AdapterFault:
        return WireFault(what, cause=cause, hint=self._log.where())


_unions: dict[str, Any] = {}


def reply_type(operation: str) -> Any:
    """The union of an operation's replies."""
    if operation not in _unions:
        union: Any = OPERATIONS[operation].replies[0]
        for kind in OPERATIONS[operation].replies[1:]:
            union |= kind
        _unions[operation] = union
    return _unions[operation]
