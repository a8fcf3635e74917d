"""A gate in another process or language, behind the same protocol.

One idea: the kernel decides as ever, and the process moves only between a message of the kit's and its own quiescence,
which is a matter of the protocol and never of time. See :mod:`stopcheck.remote._wire` for the messages.
"""

from pathlib import Path

from stopcheck.remote._factory import RemoteFactory
from stopcheck.remote._faults import GateDied, HandshakeFault, ProcessLeftBehind, WireFault, signal_name
from stopcheck.remote._gate import RemoteGate
from stopcheck.remote._interior import RemoteInterior
from stopcheck.remote._marks import marked, sweep
from stopcheck.remote._parent import end_with_parent
from stopcheck.remote._process import Limits
from stopcheck.remote._schema import wire_schema
from stopcheck.remote._wire import CALL_BACKS, LIFECYCLE, PROTOCOL, Code

#: The gate's end of the wire, in JavaScript.
WIRE_JS = Path(__file__).parent / "node" / "stopcheck.js"

__all__ = [
    "CALL_BACKS",
    "LIFECYCLE",
    "PROTOCOL",
    "WIRE_JS",
    "Code",
    "GateDied",
    "HandshakeFault",
    "Limits",
    "ProcessLeftBehind",
    "RemoteFactory",
    "RemoteGate",
    "RemoteInterior",
    "WireFault",
    "end_with_parent",
    "marked",
    "signal_name",
    "sweep",
    "wire_schema",
]
