"""What an adapter may do wrong at its own boundary, in words: it raises, answers something else, or asks for a loop.

One idea: whatever a gate's code raises, ``SystemExit`` included, is the adapter's fault and never the end of the kit;
and each fault says what, with the offending value, why, and what to do next.
"""

from __future__ import annotations

import difflib
import traceback
from collections.abc import Sequence
from pathlib import PurePath
from types import FrameType
from typing import Any, cast

import msgspec

from stopcheck.gate import (
    OPERATIONS,
    AdapterFault,
    CallNeverReturned,
    Environment,
    Gate,
    GateFactory,
    GateRaised,
    HostKind,
    HostMismatch,
    MissingOperation,
    NotAGate,
    Request,
    RequestCancel,
    Unsupported,
    WrongReply,
)
from stopcheck.kernel import ForeignAwaitError, HungError
from stopcheck.world._reply_fields import Misfit, misfit

_KIT = "stopcheck"
_encode = msgspec.msgpack.Encoder().encode
#: Characters of a wrong value that are shown.
_SHOWN = 200
#: Without these nothing can be tried. Others of no capability a gate may lack, such as one whose leases just end.
_CORE = (
    "open_task",
    "begin_work",
    "commit_effect",
    "claim_dispatch",
    "record_outcome",
    "complete",
    "request_cancel",
    "inspect",
    "tick",
)
#: Of these, those that a gate without a ledger does without.
_LEDGER = ("commit_effect", "claim_dispatch", "record_outcome")
#: How many of several calls that never return are named.
_LISTED = 4
#: What event loops say when their functions are called outside of them; the last, asyncio's locks that must wait.
_NO_LOOP = (
    "no running event loop",
    "must be called from async context",
    "not currently in an async context",
    "'NoneType' object has no attribute 'create_future'",
)


def call_raised(what: str, host: HostKind, error: BaseException) -> Exception:
    """The fault of a call that raised. ``what`` names the call."""
    if isinstance(error, AdapterFault | ForeignAwaitError):
        return error
    if isinstance(error, RuntimeError | AttributeError) and any(words in in_words(error) for words in _NO_LOOP):
        return HostMismatch(
            f"{what} asks for an event loop: {error}",
            cause=f"raised at {raised_at(error)}; the gate declares host {host.value!r}",
            hint="await only what the environment gives (or asyncio.sleep(0)), or declare another host",
        )
    if _asks_for_sockets(error):
        return HostMismatch(
            f"{what} asks the event loop for a socket, a pipe or a process, and the simulated loop has none",
            cause=f"raised at {raised_at(error)}",
            hint="use a driver that the kit knows (psycopg.AsyncConnection, asyncpg, aiosqlite), a blocking one in "
            "host 'thread', or let the gate be a process of its own (--command)",
        )
    if _not_entered(error):
        return GateRaised(
            f"{what} raised {in_words(error)}",
            cause="it cannot be called with one argument, the request",
            hint="give it the signature that it has in stopcheck.gate.Gate",
        )
    return GateRaised(
        f"{what} raised {in_words(error)}",
        cause=f"raised at {raised_at(error)}; replies are values, an exception is not an answer",
        hint="return Refused, Retry or another reply of this operation instead",
    )


def open_gate(factory: GateFactory, environment: Environment) -> Gate:
    """Make a gate. Raises an adapter fault when the factory raises, or makes something else."""
    try:
        made = cast(object, factory(environment))
    except (KeyboardInterrupt, HungError, AdapterFault):
        raise
    except BaseException as error:
        if _not_entered(error):
            raise GateRaised(
                f"the factory raised {in_words(error)}",
                cause="it cannot be called with one argument, the environment",
                hint="let it take the environment: def __init__(self, environment)",
            ) from error
        raise GateRaised(
            f"the factory raised {in_words(error)}",
            cause=f"raised at {raised_at(error)} while a gate was opened",
            hint="open the gate on the environment's storage, new or not, without raising",
        ) from error
    if isinstance(made, Gate):
        return made
    raise NotAGate(
        f"the factory made {shortened(made)}, which is not a stopcheck.gate.Gate",
        cause=f"{type(made).__name__} does not derive from stopcheck.gate.Gate",
        hint="return an instance of a subclass of stopcheck.gate.Gate; the factory itself is not async",
    )


def wrong_reply(what: str, operation: str, reply: object) -> WrongReply | None:
    """The fault of an answer that is no reply of its operation, or one with a field of a wrong type; ``None`` for a
    right one."""
    allowed = OPERATIONS[operation].replies
    if type(reply) in allowed:
        wrong = misfit(cast("msgspec.Struct", reply))
        return _unwritable(what, reply) if wrong is None else _wrong_field(what, reply, wrong)
    names = ", ".join(sorted(kind.__name__ for kind in allowed))
    return WrongReply(
        f"{what} answered {shortened(reply)}, which is no reply of that operation",
        cause=f"replies of {operation}: {names}",
        hint="see the operation's docstring in stopcheck.gate.Gate",
    )


def _wrong_field(what: str, reply: object, wrong: Misfit) -> WrongReply:
    given = type(wrong.value).__name__
    return WrongReply(
        f"{what} answered {type(reply).__name__} with {wrong.field} = {shortened(wrong.value)}, which is {given} "
        f"and not {wrong.expected}",
        cause=f"{type(reply).__name__}.{wrong.field.partition('[')[0]} was made with a value of another type",
        hint="see the fields of that reply in stopcheck.gate; a type checker finds this before any run",
    )


def _unwritable(what: str, reply: object) -> WrongReply | None:
    try:
        _encode(reply)
    except (OverflowError, UnicodeEncodeError) as error:
        return WrongReply(
            f"{what} answered {shortened(reply)}, which cannot be written down: {error}",
            cause="an integer of more than 64 bits, or a text with half a surrogate pair",
            hint="answer with integers below 2^53 and with text that is valid Unicode",
        )
    return None


def never_returned(calls: Sequence[tuple[str, str]]) -> CallNeverReturned:
    """The fault of calls that are open when nothing can happen any more: their names, and where each stands."""
    stand = [f"{name} stands at {place or 'an unknown place'}" for name, place in calls]
    more = [f"{len(stand) - _LISTED} more wait too"] if len(stand) > _LISTED else []
    where = "; ".join([*stand[:_LISTED], *more])
    if len(calls) == 1:
        return CallNeverReturned(
            f"{calls[0][0]} never returns: {where}; nothing that can still happen lets it go on",
            cause="it waits for a lock that it holds itself or that an earlier call kept, or for an event that nobody "
            "sets",
            hint="release what it waits for on every path; a replay shows which calls came before",
        )
    return CallNeverReturned(
        f"{len(calls)} calls never return: {where}; nothing that can still happen lets any of them go on",
        cause="they wait for each other, having taken the same locks in different orders; or all for one that waits "
        "for a lock that it holds itself, or for an event that nobody sets",
        hint="take locks in one order and each once, and release them on every path; a replay shows who came first",
    )


def missing_operation(what: str, request: Request, reply: object, gate: Gate) -> MissingOperation | None:
    """The fault of ``Unsupported`` where every gate has the operation. A scope that the gate does not declare is
    rightly answered so."""
    operation, scopes = request.operation, gate.contract.scopes
    if type(reply) is not Unsupported or operation not in _CORE:
        return None
    if operation in _LEDGER and not gate.contract.ledger:
        return None
    if isinstance(request, RequestCancel) and request.scope not in scopes:
        return None
    kind = type(gate)
    cause = f"{kind.__name__}.{operation} answers so itself"
    if getattr(kind, operation) is getattr(Gate, operation):
        own = [name for name in dir(kind) if not hasattr(Gate, name)]
        like = difflib.get_close_matches(operation, own, 1)
        cause = f"{kind.__name__} does not define it{f', but a method {like[0]!r}: is that it?' if like else ''}"
    return MissingOperation(
        f"{what} answered Unsupported, but every gate must have this operation",
        cause=cause,
        hint=f"implement it; the core operations are: {', '.join(_CORE)}",
    )


def fingerprint_of(gate: Gate) -> bytes | None:
    """The gate's fingerprint. Raises an adapter fault when the gate raises, or gives something else than bytes."""
    try:
        print_ = cast(object, gate.fingerprint())
    except (KeyboardInterrupt, HungError):
        raise
    except BaseException as error:
        raise GateRaised(
            f"fingerprint raised {in_words(error)}",
            cause=f"raised at {raised_at(error)}",
            hint="return the gate's whole state as bytes, or declare fingerprint=False",
        ) from error
    if print_ is None or isinstance(print_, bytes):
        return print_
    raise WrongReply(
        f"fingerprint returned {shortened(print_)}, which is {type(print_).__name__} and not bytes",
        cause="the kit compares fingerprints byte by byte",
        hint="encode the gate's whole state as bytes, or declare fingerprint=False",
    )


def shortened(value: Any) -> str:
    """How a wrong value is shown; it may be of any size, and its own ``repr`` may raise."""
    try:
        text = repr(value)
    except Exception as error:
        return f"a {type(value).__name__} whose repr raises {type(error).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def in_words(error: BaseException) -> str:
    """What an adapter's code raised: its class and what it says, if it says anything; its own ``str`` may raise."""
    name = type(error).__name__
    try:
        said = str(error)
    except Exception as another:
        return f"{name}, whose str raises {type(another).__name__}"
    return f"{name}: {said}" if said else name


def raised_at(error: BaseException) -> str:
    """Where an error was raised: the innermost frame of the code that the kit called, not of libraries beneath it. Of
    that code is what stands in its package, or in its folder: a gate may be several files that are no package."""
    found = list(traceback.walk_tb(error.__traceback__))
    theirs = [(frame, line) for frame, line in found if _package(frame) != _KIT]
    if not theirs:
        return _words(*found[-1]) if found else "an unknown place"
    first = theirs[0][0]
    return _words(*[(frame, line) for frame, line in theirs if _is_of(frame, first)][-1])


def _is_of(frame: FrameType, first: FrameType) -> bool:
    same_folder = PurePath(frame.f_code.co_filename).parent == PurePath(first.f_code.co_filename).parent
    return same_folder or _package(frame) == _package(first)


def _asks_for_sockets(error: BaseException) -> bool:
    """Whether a loop was asked for what ours does not have: its base class raises this."""
    if not isinstance(error, NotImplementedError):
        return False
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return bool(frames) and frames[-1].f_globals.get("__name__") in {"asyncio.events", "asyncio.base_events"}


def _not_entered(error: BaseException) -> bool:
    """Whether the call itself failed: no frame is the adapter's."""
    return isinstance(error, TypeError) and all(
        _package(frame) == _KIT for frame, _ in traceback.walk_tb(error.__traceback__)
    )


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _words(frame: FrameType, line: int) -> str:
    return f"{frame.f_code.co_filename}:{line} in {frame.f_code.co_name}"
