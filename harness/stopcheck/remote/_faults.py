"""What a gate's process may do wrong, in words: which line, what is wrong with it, and where its log is.

One idea: the process is the adapter's, so whatever it does is one fault of the adapter (exit 4) and never a verdict;
and each says the line or the moment, the reason, and where to read on.
"""

from __future__ import annotations

import signal

from stopcheck.gate import AdapterFault

_SHOWN = 160


class GateDied(AdapterFault):
    """The gate's process ended by itself, or closed its side of the wire."""


class WireFault(AdapterFault):
    """The gate's process wrote a line that is no message, or one that nobody waits for."""


class HandshakeFault(AdapterFault):
    """The gate's process started, but kit and gate cannot work together."""


class ProcessLeftBehind(AdapterFault):
    """The gate's process ended and left others running, outside of its process group."""


def signal_name(number: int) -> str:
    """``SIGKILL``; of one that has no name of its own, such as those for real time, its number."""
    known = {one.value: one.name for one in signal.Signals}
    return known.get(number, f"signal {number}")


def shown(line: bytes) -> str:
    """A line as it is quoted to people."""
    text = line.decode(errors="backslashreplace").rstrip("\r\n")
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
