"""The wire: every message between the kit and a gate in another process, as types.

One idea: **JSON-RPC 2.0, one message a line, both ways at once.** The kit asks for operations by their names, with the
request as ``params`` and the reply as ``result``; while a call is open the gate asks back for what a gate in Python
gets from its ``Environment``. Operations and replies are those of ``stopcheck.gate``: nothing is listed twice.

* An operation's ``params`` are its request, its ``result`` a reply, each with its class's name under ``type``.
* The kit may ask for further calls while others are open; answers carry the ``id`` of what they answer.
* From the moment that a message of the kit's lets a call run, that call owes one thing: its result, or a call-back that
  parks it (``env/branch``, ``env/blocked``). Until then the kit lets nothing else move, so that the order of all that
  happens is the kit's choice and never a matter of speed. A call that stands is let go on by the answer to its
  call-back; call-backs that do not park are answered at once, 10,000 times at most before the call parks or
  has its result.
* Standard error is the gate's log. Standard output is the wire, and nothing else may be written there.
* No key stands twice in one object. All numbers are integers below 2^53; times are nanoseconds of the virtual clock,
  which starts at 0.
"""

from __future__ import annotations

import json
from enum import IntEnum
from typing import Any, Literal

import msgspec

from stopcheck.gate import GateContract, Receipt, Request

#: The version of this wire. A gate that is asked for one that it does not speak answers ``unknown_version``.
PROTOCOL = 1


class Code(IntEnum):
    """The error registry: what an ``error`` may say by its ``code``. A *definite* error promises that what was asked
    for had no effect; after any other nobody knows, and the kit takes it for a fault of the adapter."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    RETRY = -32000
    RUN_OVER = -32001
    UNKNOWN_VERSION = -32002

    @property
    def definite(self) -> bool:
        """Whether the call surely had no effect."""
        return _DEFINITE[self]

    @property
    def meaning(self) -> str:
        """For people."""
        return _MEANING[self]


_DEFINITE = {
    Code.PARSE_ERROR: True,
    Code.INVALID_REQUEST: True,
    Code.METHOD_NOT_FOUND: True,
    Code.INVALID_PARAMS: True,
    Code.INTERNAL_ERROR: False,
    Code.RETRY: True,
    Code.RUN_OVER: False,
    Code.UNKNOWN_VERSION: True,
}
_MEANING = {
    Code.PARSE_ERROR: "the line is not JSON; an adapter fault",
    Code.INVALID_REQUEST: "the message is not a request; an adapter fault",
    Code.METHOD_NOT_FOUND: "the gate does not have this operation: the same as the reply Unsupported",
    Code.INVALID_PARAMS: "the gate cannot read the request; an adapter fault",
    Code.INTERNAL_ERROR: "the gate raised; an adapter fault, for replies are values and an exception is not an answer",
    Code.RETRY: "a conflict or a busy store: the same as the reply Retry",
    Code.RUN_OVER: "from the kit, to a call-back of a call that stands: the run has ended, give the call up; from the "
    "gate, to the call itself: it was given up",
    Code.UNKNOWN_VERSION: "the gate does not speak this version of the wire",
}


# -- what the kit asks for, besides operations ----------------------------------------------------------------


class Lifecycle(msgspec.Struct, frozen=True, kw_only=True):
    """The base of what the kit asks for besides operations."""


class Initialize(Lifecycle, frozen=True, kw_only=True):
    """The first message. ``protocol`` is the version of the wire; ``kit`` is the kit's."""

    protocol: int
    kit: str


class Initialized(msgspec.Struct, frozen=True, kw_only=True):
    """Its result: who the gate is and what it declares. ``contract.host`` is not read: it is ``process``.

    ``reopens``: after ``kit/close`` the process can be given another storage by ``kit/open``, and keeps nothing of the
    one before, in memory neither. Else each run is given a process of its own, which costs its start.
    """

    protocol: int
    contract: GateContract
    reopens: bool = False


class Probe(Lifecycle, frozen=True, kw_only=True):
    """Whether calls can overlap. With ``park``, ask back ``env/branch`` before you answer; the kit answers that only
    after it has asked for another probe, and been answered. The result is ``text``."""

    text: str
    park: bool


class OpenStorage(Lifecycle, frozen=True, kw_only=True):
    """Open the gate on a directory of its own, new or not. Several handles on one storage are several processes."""

    storage: str


class CloseStorage(Lifecycle, frozen=True, kw_only=True):
    """The run is over, no call is open: let go of the storage. Not asked before a death, which is a SIGKILL."""


class Fingerprint(Lifecycle, frozen=True, kw_only=True):
    """Name the gate's whole state, durable and in memory, by any text that is equal exactly when two gates would behave
    alike from now on. Asked only where the contract says ``fingerprint``; calls may be open."""


# -- what the gate asks back for ------------------------------------------------------------------------------


class CallBack(msgspec.Struct, frozen=True, kw_only=True):
    """The base of call-backs. ``call`` is the ``id`` of the kit's request for which the gate asks."""

    call: int


class Branch(CallBack, frozen=True, kw_only=True):
    """A branch point: others may move here. ``touches`` names what the next step reads or writes, ``where`` is the
    place in the gate's code, for people (``gate.js:120 commitEffect``). The result is the time at which the call
    goes on."""

    label: str
    touches: tuple[str, ...] = ()
    where: str = ""


class Blocked(CallBack, frozen=True, kw_only=True):
    """The call waits for what another call holds; it is answered, with the time, after another has moved.
    Then look again."""

    label: str
    where: str = ""


class Now(CallBack, frozen=True, kw_only=True):
    """The virtual clock in nanoseconds. It moves only while a call stands, so the request's ``now_ns``, and from the
    first point on the result of the last, is the same without asking."""


class FreshId(CallBack, frozen=True, kw_only=True):
    """A new id, unique in the run and the same in every replay. Use it where you would use a UUID."""

    prefix: str


class Verify(CallBack, frozen=True, kw_only=True):
    """Whether the receiver that the receipt names really signed it."""

    receipt: Receipt


#: By method: params and result of what the kit asks for besides operations.
LIFECYCLE: dict[str, tuple[type[Lifecycle], Any]] = {
    "kit/initialize": (Initialize, Initialized),
    "kit/probe": (Probe, str),
    "kit/open": (OpenStorage, None),
    "kit/close": (CloseStorage, None),
    "kit/fingerprint": (Fingerprint, str),
}
#: By method: params and result of what a gate asks back for.
CALL_BACKS: dict[str, tuple[type[CallBack], Any]] = {
    "env/branch": (Branch, int),
    "env/blocked": (Blocked, int),
    "env/now": (Now, int),
    "env/fresh_id": (FreshId, str),
    "env/verify": (Verify, bool),
}
METHOD_OF = {params: method for method, (params, _) in LIFECYCLE.items()}


# -- envelopes ------------------------------------------------------------------------------------------------


class ErrorObject(msgspec.Struct, frozen=True):
    """Why there is no result."""

    code: int
    message: str
    data: Any = None


class Incoming(msgspec.Struct, frozen=True):
    """A line of the gate's: a call-back (``method``), or an answer (``result`` or ``error``)."""

    jsonrpc: Literal["2.0"]
    id: int = -1  # there is no such id: a message without one is told so
    method: str | msgspec.UnsetType = msgspec.UNSET
    params: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    result: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    error: ErrorObject | msgspec.UnsetType = msgspec.UNSET


class Asked(msgspec.Struct, frozen=True):
    """A request of the kit's."""

    id: int
    method: str
    params: Lifecycle | Request
    jsonrpc: Literal["2.0"] = "2.0"


class Result(msgspec.Struct, frozen=True):
    """The kit's answer to a call-back."""

    id: int
    result: Any
    jsonrpc: Literal["2.0"] = "2.0"


class Failure(msgspec.Struct, frozen=True):
    """The kit's answer to a call-back that it cannot or will not answer."""

    id: int
    error: ErrorObject
    jsonrpc: Literal["2.0"] = "2.0"


Outgoing = Asked | Result | Failure

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Incoming)
#: Characters of what is wrong that are shown.
_SHOWN = 40
#: Integers from here on are not the same in every language.
_TOO_LARGE = 1 << 53


def encode(message: Outgoing) -> bytes:
    """One line."""
    return _encoder.encode(message) + b"\n"


def decode(line: bytes) -> Incoming:
    """One line of the gate's. Raises ``msgspec.MsgspecError`` (``DecodeError`` where it is not even JSON)."""
    message = _decoder.decode(line)
    try:
        _strict.decode(line.decode())
    except json.JSONDecodeError as error:  # the other reader passed over it
        raise msgspec.DecodeError(str(error)) from error
    return message


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Readers take one of two values or the other: no message may hang on that."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for at, (key, _) in enumerate(pairs) if key in dict(pairs[:at]))
        raise msgspec.ValidationError(f"the key {twice[:_SHOWN]!r} stands twice in one object")
    return found


def _integer(digits: str) -> int:
    if len(digits) > len(str(-_TOO_LARGE)) or abs(int(digits)) >= _TOO_LARGE:
        raise msgspec.ValidationError(f"the number {digits[:_SHOWN]} is not below 2^53")
    return int(digits)


_strict = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer)
